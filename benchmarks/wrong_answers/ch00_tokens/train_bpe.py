"""Wrong answers to chapter 0's `train_bpe`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, piece by piece
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% base: right, each piece counted once
def train_bpe(text, n_merges):
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: single_bytes(piece) for piece in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for piece, parts in parts_of.items():
            for pair in pairwise(parts):
                pair_counts[pair] += counts[piece]
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges

# %% train_bpe: of equally frequent pairs the smaller
# right: ties to the smaller pair
# like: right, each piece counted once
-        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
+        best = min(pair_counts, key=lambda pair: (-pair_counts[pair], pair))

# %% train_bpe: ties to the pair seen first, max with get
# right: ties to the pair that was counted first
# like: right, each piece counted once
~ lambda pair: (pair_counts[pair], pair) → pair_counts.get

# %% train_bpe: ties to the pair seen first, most_common
# right: ties to the pair that was counted first
# like: right, piece by piece
-        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
+        (best, _count), = pair_counts.most_common(1)

# %% train_bpe: ties to the pair seen last
# right: ties to the pair that was counted last
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        best, best_count = None, 0
        for pair, count in pair_counts.items():
            if count >= best_count:
                best, best_count = pair, count
        if best is None:
            break
        merges.append(best)
        pieces = [merge_pair(parts, best) for parts in pieces]
    return merges

# %% train_bpe: ties by the joined bytes
# right: ties by the joined bytes
# like: right, piece by piece
~ , pair → , pair[0] + pair[1]

# %% train_bpe: ties to the longer token
# right: ties to the longer pair
# like: right, piece by piece
~ , pair → , len(pair[0] + pair[1]), pair

# %% train_bpe: ties by the first member alone
# right: ties by the first member alone
# like: right, piece by piece
~ , pair → , pair[0]

# %% train_bpe: ties by the second member first
# right: ties by the second member first
# like: right, piece by piece
~ , pair → , pair[1], pair[0]

# %% train_bpe: the key the wrong way round, the greatest pair at all
# right: the greatest pair, whatever its count
# like: right, piece by piece
~ pair_counts[pair], pair → pair, pair_counts[pair]

# %% train_bpe: max of the dict without a key
# right: the greatest pair, whatever its count
def train_bpe(text, n_merges):
    parts_list = [single_bytes(p) for p in pre_tokenize(text)]
    merges = []
    while len(merges) < n_merges:
        stats = {}
        for parts in parts_list:
            for pair in zip(parts, parts[1:]):
                stats[pair] = stats.get(pair, 0) + 1
        if not stats:
            break
        best = max(stats)
        merges.append(best)
        parts_list = [merge_pair(parts, best) for parts in parts_list]
    return merges

# %% train_bpe: each different piece counts once
# right: each different piece counted once
# like: right, each piece counted once
-    counts = Counter(pre_tokenize(text))
-    parts_of = {piece: single_bytes(piece) for piece in counts}
+    parts_of = {piece: single_bytes(piece) for piece in set(pre_tokenize(text))}
~ piece, parts in parts_of.items(): → parts in parts_of.values():
~ counts[piece] → 1

# %% train_bpe: the piece's count is put in place of added
# right: the count of one piece in place of the sum
# like: right, each piece counted once
~ Counter() → {}
~ += counts → = counts

# %% train_bpe: a pair counts once in a piece
# right: a pair counted once for each piece
# like: right, each piece counted once
~ pairwise(parts) → set(pairwise(parts))

# %% train_bpe: pairs that overlap are not counted twice, as str.count
# right: pairs counted without overlap
# like: right, piece by piece
-        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
+        pair_counts = Counter()
+        for parts in pieces:
+            last_end = {}
+            for i, pair in enumerate(pairwise(parts)):
+                if last_end.get(pair, -1) < i:
+                    pair_counts[pair] += 1
+                    last_end[pair] = i + 1

# %% train_bpe: every second pair, zip of the halves
# right: every other pair left out
# like: right, piece by piece
-        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
+        pair_counts = Counter()
+        for parts in pieces:
+            for pair in zip(parts[::2], parts[1::2]):
+                pair_counts[pair] += 1

# %% train_bpe: range(len(parts) - 2), the last pair of a piece is missed
# right: the last pair of each piece left out
# like: right, piece by piece
-        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
+        pair_counts = Counter()
+        for parts in pieces:
+            for i in range(len(parts) - 2):
+                pair_counts[parts[i], parts[i + 1]] += 1

# %% train_bpe: the whole text is one piece
# right: merging across pieces
# like: right, piece by piece
~ pieces = [single_bytes(piece) for piece in pre_tokenize(text)] → parts = single_bytes(text)
~ pair for parts in pieces for pair in pairwise → pairwise
~ pieces = [merge_pair(parts, best) for parts in pieces] → parts = merge_pair(parts, best)

# %% train_bpe: the pieces' bytes chained, so pairs cross
# right: merging across pieces
def train_bpe(text, n_merges):
    parts = [part for piece in pre_tokenize(text) for part in single_bytes(piece)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(zip(parts, parts[1:]))
        if not pair_counts:
            break
        best = max(pair_counts.items(), key=lambda item: (item[1], item[0]))[0]
        merges.append(best)
        parts = merge_pair(parts, best)
    return merges

# %% train_bpe: words of text.split(), without their spaces
# right: throwing the spaces away
# like: right, each piece counted once
~ pre_tokenize(text) → text.split()

# %% train_bpe: strips the space off each piece
# right: throwing the spaces away
# like: right, each piece counted once
~ pre_tokenize → piece.strip() for piece in pre_tokenize

# %% train_bpe: letters in place of bytes
# right: characters instead of bytes
# like: right, each piece counted once
~ single_bytes(piece) → [letter.encode() for letter in piece]

# %% train_bpe: strings in place of bytes, merged by a helper of its own
# right: pairs of str
def train_bpe(text, n_merges):
    words = Counter(tuple(piece) for piece in pre_tokenize(text))
    merges = []
    for _ in range(n_merges):
        pairs = Counter()
        for word, freq in words.items():
            for pair in pairwise(word):
                pairs[pair] += freq
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        new_words = Counter()
        for word, freq in words.items():
            out, i = [], 0
            while i < len(word):
                if word[i : i + 2] == best:
                    out.append(word[i] + word[i + 1])
                    i += 2
                else:
                    out.append(word[i])
                    i += 1
            new_words[tuple(out)] += freq
        words = new_words
    return merges

# %% train_bpe: Sennrich's end-of-word mark
# right: an end-of-word mark
# like: right, each piece counted once
~ single_bytes(piece) → [*single_bytes(piece), b"</w>"]

# %% train_bpe: stops where no pair comes twice
# right: stopping before pairs that come once
# like: right, each piece counted once
~ pair_counts: → pair_counts or max(pair_counts.values()) < 2:

# %% train_bpe: does not stop where nothing is left
# right: an error when nothing is left
# like: right, each piece counted once
-        if not pair_counts:
-            break

# %% train_bpe: gives the merged tokens
# right: the merged tokens
# like: right, piece by piece
~ (best) → (best[0] + best[1])

# %% train_bpe: pairs as lists
# right: lists for pairs
# like: right, piece by piece
~ (best) → (list(best))

# %% train_bpe: a dict from pair to rank, as minbpe
# right: a dict of ranks
# like: right, piece by piece
~ = [] → = {}
~ _ in → i in
~ merges.append(best) → merges[best] = 256 + i

# %% train_bpe: pairs with their counts
# right: pairs with their counts
# like: right, piece by piece
~ , key=lambda pair: (pair_counts[pair], pair) → .items(), key=lambda item: (item[1], item[0])
~ , best → , best[0]

# %% train_bpe: ids of minbpe in place of bytes
# right: numbers for pairs
def train_bpe(text, n_merges):
    ids_list = [list(piece.encode("utf-8")) for piece in pre_tokenize(text)]
    merges = []
    for k in range(n_merges):
        stats = Counter(pair for ids in ids_list for pair in pairwise(ids))
        if not stats:
            break
        best = max(stats, key=lambda pair: (stats[pair], pair))
        merges.append(best)
        new_list = []
        for ids in ids_list:
            new, i = [], 0
            while i < len(ids):
                if i < len(ids) - 1 and (ids[i], ids[i + 1]) == best:
                    new.append(256 + k)
                    i += 2
                else:
                    new.append(ids[i])
                    i += 1
            new_list.append(new)
        ids_list = new_list
    return merges

# %% train_bpe: n_merges taken for the size of the vocabulary
# right: 256 subtracted from the number of merges
# like: right, piece by piece
~ (n_merges) → (n_merges - 256)

# %% train_bpe: one merge too many
# right: one merge too many
# like: right, piece by piece
~ (n_merges) → (n_merges + 1)

# %% train_bpe: counted once, never again
# right: the pairs of one count, never counted again
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
    ranked = sorted(pair_counts, key=lambda pair: (pair_counts[pair], pair), reverse=True)
    return ranked[:n_merges]

# %% train_bpe: the result of merge_pair is dropped, the pair deleted from the counts
# right: counting again without having merged
# like: right, piece by piece
-        pieces = [merge_pair(parts, best) for parts in pieces]
+        for parts in pieces:
+            merge_pair(parts, best)

# %% train_bpe: the loop variable is given the merged parts
# right: counting again without having merged
# like: right, piece by piece
-        pieces = [merge_pair(parts, best) for parts in pieces]
+        for parts in pieces:
+            parts = merge_pair(parts, best)

# %% train_bpe: counts are never reset
# right: the counts of all rounds together
# like: right, each piece counted once
     merges = []
+    pair_counts = Counter()
     for _ in range(n_merges):
-        pair_counts = Counter()

# %% train_bpe: a merge of its own that merges from the right
# right: merging from the right
# like: only the first occurrence in a piece is merged
-        for i in range(len(parts) - 1):
+        i = len(parts) - 2
+        parts = list(parts)
+        while i >= 0:
             if (parts[i], parts[i + 1]) == pair:
-                return parts[:i] + [parts[i] + parts[i + 1]] + parts[i + 2 :]
+                parts[i : i + 2] = [parts[i] + parts[i + 1]]
+                i -= 1
+            i -= 1

# %% train_bpe: only the first occurrence in a piece is merged
# right: merging the first occurrence in a piece alone
def train_bpe(text, n_merges):
    def merge(parts, pair):
        for i in range(len(parts) - 1):
            if (parts[i], parts[i + 1]) == pair:
                return parts[:i] + [parts[i] + parts[i + 1]] + parts[i + 2 :]
        return parts

    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        pieces = [merge(parts, best) for parts in pieces]
    return merges

# %% train_bpe: Sennrich's replace without looking at the boundaries
# right: pairs found where other parts meet
def train_bpe(text, n_merges):
    words = Counter(" ".join(f"{byte:02x}" for byte in piece.encode()) for piece in pre_tokenize(text))
    merges = []
    for _ in range(n_merges):
        pairs = Counter()
        for word, freq in words.items():
            for pair in pairwise(word.split()):
                pairs[pair] += freq
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], bytes.fromhex(pair[0]), bytes.fromhex(pair[1])))
        merges.append((bytes.fromhex(best[0]), bytes.fromhex(best[1])))
        words = Counter({word.replace(" ".join(best), "".join(best)): freq for word, freq in words.items()})
    return merges

# %% train_bpe: small letters
# right: letters in lower case
# like: right, piece by piece
~ (text) → (text.lower())

# %% train_bpe: merges kept from one call to the next
# like: right, piece by piece
~ , n_merges → , n_merges, merges=[]
-    merges = []

# %% train_bpe: all pairs of the greatest count at once
# right: all pairs of the greatest count at once
def train_bpe(text, n_merges):
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    while len(merges) < n_merges:
        pair_counts = Counter(pair for parts in pieces for pair in pairwise(parts))
        if not pair_counts:
            break
        most = max(pair_counts.values())
        for pair in sorted((p for p in pair_counts if pair_counts[p] == most), reverse=True):
            merges.append(pair)
            pieces = [merge_pair(parts, pair) for parts in pieces]
    return merges[:n_merges]

# %% train_bpe: the return stands inside the loop
# right: the first pair alone
# like: right, piece by piece
-    return merges
+        return merges

# %% train_bpe: incremental counts that forget the old neighbours
# right: old pairs that are still counted
def train_bpe(text, n_merges):
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: single_bytes(piece) for piece in counts}
    pair_counts = Counter()
    for piece, parts in parts_of.items():
        for pair in pairwise(parts):
            pair_counts[pair] += counts[piece]
    merges = []
    while len(merges) < n_merges and pair_counts:
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        del pair_counts[best]
        joined = best[0] + best[1]
        for piece, parts in parts_of.items():
            merged = merge_pair(parts, best)
            parts_of[piece] = merged
            for pair in pairwise(merged):
                if joined in pair:
                    pair_counts[pair] += counts[piece]
    return merges

# %% train_bpe: a piece is not taken apart
# right: a pair of letters of the text
# like: right, each piece counted once
~ single_bytes(piece) → piece

# %% train_bpe: latin-1 bytes
# right: another encoding than UTF-8
def train_bpe(text, n_merges):
    parts = [[bytes([b]) for b in p.encode("latin-1", "ignore")] for p in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        counts = Counter(pair for p in parts for pair in pairwise(p))
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append(best)
        parts = [merge_pair(p, best) for p in parts]
    return merges

# %% train_bpe: ties by token ids (minbpe), bytes out
# right: ties by the numbers of the parts
def train_bpe(text, n_merges):
    vocab = {i: bytes([i]) for i in range(256)}
    parts = [list(p.encode()) for p in pre_tokenize(text)]
    merges = []
    for k in range(n_merges):
        counts = Counter(pair for p in parts for pair in pairwise(p))
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append((vocab[best[0]], vocab[best[1]]))
        vocab[256 + k] = vocab[best[0]] + vocab[best[1]]
        new = []
        for p in parts:
            out, i = [], 0
            while i < len(p):
                if i + 1 < len(p) and (p[i], p[i + 1]) == best:
                    out.append(256 + k); i += 2
                else:
                    out.append(p[i]); i += 1
            new.append(out)
        parts = new
    return merges

# %% train_bpe: counts over the sum of both parts' lengths
# right: counts weighted by length
# like: latin-1 bytes
~ [bytes([b]) for b in p.encode("latin-1", "ignore")] → single_bytes(p)
-        counts = Counter(pair for p in parts for pair in pairwise(p))
+        counts = Counter()
+        for p in parts:
+            for a, b in pairwise(p):
+                counts[a, b] += len(a) + len(b)

# %% train_bpe: keeps the pair parts and the merged part
# right: the second part of a merged pair kept
def train_bpe(text, n_merges):
    parts = [single_bytes(p) for p in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        counts = Counter(pair for p in parts for pair in pairwise(p))
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append(best)
        new = []
        for p in parts:
            out, i = [], 0
            while i < len(p):
                if i + 1 < len(p) and (p[i], p[i + 1]) == best:
                    out.append(p[i] + p[i + 1])
                    i += 1
                else:
                    out.append(p[i])
                    i += 1
            new.append(out)
        parts = new
    return merges

# %% train_bpe: a set of merges
# like: latin-1 bytes
~ [bytes([b]) for b in p.encode("latin-1", "ignore")] → single_bytes(p)
~ = [] → = set()
~ append → add

# %% train_bpe: items of the Counter, so that nothing is merged
# right: pairs with their counts
def train_bpe(text, n_merges):
    pieces = [single_bytes(p) for p in pre_tokenize(text)]
    out = []
    for _ in range(n_merges):
        c = Counter()
        for p in pieces:
            c.update(pairwise(p))
        if not c:
            return out
        best = sorted(c.items(), key=lambda kv: (kv[1], kv[0]))[-1]
        pieces = [merge_pair(p, best) for p in pieces]
        out.append(best)
    return out

# %% train_bpe: the longer pair, and no end
# right: ties to the longer pair
def train_bpe(text, n_merges):
    seqs = [single_bytes(piece) for piece in pre_tokenize(text)]
    merges = []
    for _ in range(n_merges):
        tally = Counter(pair for s in seqs for pair in pairwise(s))
        best = max(tally, key=lambda p: (tally[p], len(p[0] + p[1]), p))
        merges.append(best)
        seqs = [merge_pair(s, best) for s in seqs]
    return merges

# %% train_bpe: a dict that changes while it is looped over
def train_bpe(text: str, n_merges: int) -> list[tuple[bytes, bytes]]:
    counts = Counter(tuple(single_bytes(p)) for p in pre_tokenize(text))
    merges = []
    for _ in range(n_merges):
        pairs = Counter()
        for parts, n in counts.items():
            for pair in pairwise(parts):
                pairs[pair] += n
        if not pairs:
            break
        best = max(pairs, key=lambda p: (pairs[p], p))
        merges.append(best)
        for parts in counts:
            counts[tuple(merge_pair(parts, best))] = counts.pop(parts)
    return merges

# %% train_bpe: letters with an end mark, as in the paper
# right: pairs of str
# right: an end-of-word mark
def train_bpe(text: str, n_merges: int) -> list[tuple[bytes, bytes]]:
    import re
    vocab = Counter(" ".join(piece) + " </w>" for piece in pre_tokenize(text))
    merges = []
    for i in range(n_merges):
        pairs = Counter()
        for word, freq in vocab.items():
            symbols = word.split()
            for a, b in pairwise(symbols):
                pairs[a, b] += freq
        if not pairs:
            break
        best = max(pairs, key=pairs.get)
        bigram = re.escape(" ".join(best))
        p = re.compile(r"(?<!\S)" + bigram + r"(?!\S)")
        vocab = Counter({p.sub("".join(best), w): f for w, f in vocab.items()})
        merges.append(best)
    return merges

# %% train_bpe: text.split() loses the spaces + of equally frequent ones the longest wins
def train_bpe(text: str, n_merges: int) -> list[tuple[bytes, bytes]]:
    counts = Counter(text.split())
    parts_of = {word: single_bytes(word) for word in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for word in counts:
            for pair in pairwise(parts_of[word]):
                pair_counts[pair] += counts[word]
        if not pair_counts:
            break
        best = max(
            pair_counts,
            key=lambda pair: (pair_counts[pair], len(pair[0] + pair[1]), pair),
        )
        merges.append(best)
        for word in counts:
            parts_of[word] = merge_pair(parts_of[word], best)
    return merges

# %% train_bpe: words of text.split(" "), without their spaces
# right: throwing the spaces away
# like: right, each piece counted once
~ pre_tokenize(text) → text.split(" ")

# %% train_bpe: words of text.split(" ") + ties to the pair seen first
# right: throwing the spaces away
# right: ties to the pair that was counted first
# like: right, each piece counted once
~ pre_tokenize(text) → text.split(" ")
~ lambda pair: (pair_counts[pair], pair) → pair_counts.get

# %% train_bpe: the whole text is one piece + ties to the pair seen first
# right: merging across pieces
# right: ties to the pair that was counted first
def train_bpe(text, n_merges):
    parts = single_bytes(text)
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter(zip(parts, parts[1:]))
        if not pair_counts:
            break
        best = max(pair_counts, key=pair_counts.get)
        merges.append(best)
        parts = merge_pair(parts, best)
    return merges

# %% train_bpe: a space put behind each word
# right: a space behind a word, not before it
# like: right, each piece counted once
~ pre_tokenize(text) → word + " " for word in text.split()

# %% train_bpe: a space put before each word, the first one too
# right: a space put before the text
# like: right, each piece counted once
~ pre_tokenize(text) → " " + word for word in text.split()

# %% train_bpe: returns the list that it began with
# right: an empty list
# like: right, piece by piece
-        merges.append(best)
