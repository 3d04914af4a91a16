"""Wrong answers to chapter 0's `bpe_encode`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens

# %% bpe_encode: longest token that fits, from the left
# right: the longest token that fits
def bpe_encode(text, merges):
    vocab = {bytes([b]) for b in range(256)} | {a + b for a, b in merges}
    tokens = []
    for piece in pre_tokenize(text):
        data, i = piece.encode("utf-8"), 0
        while i < len(data):
            for end in range(len(data), i, -1):
                if data[i:end] in vocab:
                    tokens.append(data[i:end])
                    i = end
                    break
    return tokens

# %% bpe_encode: the leftmost pair that is known
# right: the leftmost pair that is known
def bpe_encode(text, merges):
    known = set(merges)
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        i = 0
        while i < len(parts) - 1:
            if (parts[i], parts[i + 1]) in known:
                parts = merge_pair(parts, (parts[i], parts[i + 1]))
                i = 0
            else:
                i += 1
        tokens.extend(parts)
    return tokens

# %% bpe_encode: the greatest rank
# right: the latest merge first
# like: right
~ min → max

# %% bpe_encode: min without the key, the smallest pair
# right: the smallest pair first
# like: right
~ , key=lambda pair: ranks[pair] →

# %% bpe_encode: max without the key, as in training
# right: the greatest pair first
# like: right
~ min(known, key=lambda pair: ranks[pair]) → max(known)

# %% bpe_encode: the pair that is most frequent in the piece
# right: the most frequent pair first
def bpe_encode(text, merges):
    known = set(merges)
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while True:
            counts = Counter(pair for pair in pairwise(parts) if pair in known)
            if not counts:
                break
            parts = merge_pair(parts, counts.most_common(1)[0][0])
        tokens += parts
    return tokens

# %% bpe_encode: the pair that makes the longest token
# right: a longer pair before one of a smaller rank
def bpe_encode(text, merges):
    known = set(merges)
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while candidates := [pair for pair in pairwise(parts) if pair in known]:
            best = max(candidates, key=lambda pair: len(pair[0]) + len(pair[1]))
            parts = merge_pair(parts, best)
        tokens += parts
    return tokens

# %% bpe_encode: if in place of while
# right: one merge for each piece
# like: right
-        while known := [pair for pair in pairwise(parts) if pair in ranks]:
+        known = [pair for pair in pairwise(parts) if pair in ranks]
+        if known:

# %% bpe_encode: the pairs are looked up once, before the merging
# right: the pairs of the single bytes alone
# like: right
-        while known := [pair for pair in pairwise(parts) if pair in ranks]:
-            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
+        known = {pair for pair in pairwise(parts) if pair in ranks}
+        for pair in sorted(known, key=lambda pair: ranks[pair]):
+            parts = merge_pair(parts, pair)

# %% bpe_encode: one pass from left to right
# right: one sweep from left to right
def bpe_encode(text, merges):
    known = set(merges)
    tokens = []
    for piece in pre_tokenize(text):
        out = []
        for part in single_bytes(piece):
            if out and (out[-1], part) in known:
                out[-1] += part
            else:
                out.append(part)
        tokens += out
    return tokens

# %% bpe_encode: a stack that merges as long as it can
# right: the leftmost pair that is known
def bpe_encode(text, merges):
    known = set(merges)
    tokens = []
    for piece in pre_tokenize(text):
        stack = []
        for part in single_bytes(piece):
            stack.append(part)
            while len(stack) > 1 and (stack[-2], stack[-1]) in known:
                right = stack.pop()
                stack[-1] += right
        tokens += stack
    return tokens

# %% bpe_encode: no pieces, the whole text at once
# right: merging across pieces
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    parts = single_bytes(text)
    while known := [pair for pair in pairwise(parts) if pair in ranks]:
        parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
    return parts

# %% bpe_encode: the words of text.split()
# right: throwing the spaces away
# like: right
~ pre_tokenize(text) → text.split()

# %% bpe_encode: strips the pieces
# right: throwing the spaces away
# like: right
~ (piece) → (piece.strip())

# %% bpe_encode: letters in place of bytes
# right: characters instead of bytes
# like: right
~ single_bytes(piece) → [letter.encode("utf-8") for letter in piece]

# %% bpe_encode: gives strings
# right: tokens of str
# like: right
~ = parts → = [part.decode("utf-8", errors="replace") for part in parts]

# %% bpe_encode: a list for each piece
# right: a list for each piece
# like: right
~ tokens += parts → tokens.append(parts)

# %% bpe_encode: joins each piece again
# right: whole pieces
# like: right
~ tokens += parts → tokens.append(b"".join(parts))

# %% bpe_encode: gives ids, as minbpe
# right: ids
# like: right
     ranks = {pair: rank for rank, pair in enumerate(merges)}
+    id_of = {bytes([b]): b for b in range(256)}
+    for rank, (a, b) in enumerate(merges):
+        id_of[a + b] = 256 + rank
~ = parts → = [id_of[part] for part in parts]

# %% bpe_encode: only the last piece is given
# right: the last piece alone
# like: right
     for piece in pre_tokenize(text):
+        tokens = []

# %% bpe_encode: return inside the loop, only the first piece
# right: the first piece alone
# like: right
-    return tokens
+        return tokens

# %% bpe_encode: each different piece once
# right: each different piece once
# like: right
~ pre_tokenize(text) → Counter(pre_tokenize(text))

# %% bpe_encode: rank 0 is falsy
# right: the first merge left out
# like: min of nothing for a piece of one byte
-            best = min(pairwise(parts), key=lambda pair: ranks.get(pair, float("inf")))
-            if best not in ranks:
+            known = [pair for pair in pairwise(parts) if ranks.get(pair)]
+            if not known:
~ , best → , min(known, key=ranks.get)

# %% bpe_encode: the first merge skipped, as if it were a header
# right: the first merge left out
# like: right
~ (merges) → (merges[1:])

# %% bpe_encode: the last merge is lost
# right: the last merge left out
# like: right
~ pair: rank for rank, pair in enumerate(merges) → merges[i]: i for i in range(len(merges) - 1)

# %% bpe_encode: -1 for a pair that is not known
# right: unknown pairs before known ones
# like: min of nothing for a piece of one byte
~ True → len(parts) > 1
~ float("inf") → -1

# %% bpe_encode: min of nothing for a piece of one byte
# right: an error where a piece has one part
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while True:
            best = min(pairwise(parts), key=lambda pair: ranks.get(pair, float("inf")))
            if best not in ranks:
                break
            parts = merge_pair(parts, best)
        tokens += parts
    return tokens

# %% bpe_encode: while parts are left, KeyError for unknown pairs
# right: an error for pairs that are not known
# like: right
~ known := [pair for pair in pairwise(parts) if pair in ranks] → len(parts) > 1
~ known, key → pairwise(parts), key

# %% bpe_encode: the last pair of a piece is not looked at
# right: the last pair of each piece left out
# like: right
-        while known := [pair for pair in pairwise(parts) if pair in ranks]:
+        while True:
+            known = []
+            for i in range(len(parts) - 2):
+                if (parts[i], parts[i + 1]) in ranks:
+                    known.append((parts[i], parts[i + 1]))
+            if not known:
+                break

# %% bpe_encode: merges from the right
# right: merging from the right
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while True:
            best_rank, best_at = None, None
            for i in range(len(parts) - 1):
                rank = ranks.get((parts[i], parts[i + 1]))
                if rank is not None and (best_rank is None or rank <= best_rank):
                    best_rank, best_at = rank, i
            if best_at is None:
                break
            parts[best_at : best_at + 2] = [parts[best_at] + parts[best_at + 1]]
        tokens += parts
    return tokens

# %% bpe_encode: sorts merges, the caller's list
# right: the smallest pair first
# like: right
 def bpe_encode(text, merges):
+    merges.sort()

# %% bpe_encode: ranks by length, shortest first
# right: a shorter pair before one of a smaller rank
# like: right
~ (merges) → (sorted(merges, key=lambda pair: (len(pair[0] + pair[1]), pair)))

# %% bpe_encode: takes merges off the caller's list, one by one
# right: emptying the list of merges
# like: takes merges off the end
-    merges = list(merges)
~ pop() → pop(0)

# %% bpe_encode: takes merges off the end
# right: the merges in reverse
def bpe_encode(text, merges):
    merges = list(merges)
    pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
    while merges:
        pair = merges.pop()
        pieces = [merge_pair(parts, pair) for parts in pieces]
    return [part for parts in pieces for part in parts]

# %% bpe_encode: a cache of pieces that outlives the call
# right: tokens remembered from other merges
CACHE = {}

def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        if piece not in CACHE:
            parts = single_bytes(piece)
            while known := [pair for pair in pairwise(parts) if pair in ranks]:
                parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
            CACHE[piece] = parts
        tokens += CACHE[piece]
    return tokens

# %% bpe_encode: a generator
def bpe_encode(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        yield from parts

# %% bpe_encode: GPT-2's printable characters, Ġ for a space
# right: GPT-2's printable characters
# like: right
~ = parts → = [part.replace(b" ", "Ġ".encode()) for part in parts]

# %% bpe_encode: <|endoftext|> in front
# right: `<|endoftext|>` in front
# like: right
~ = [] → = [b"<|endoftext|>"]

# %% bpe_encode: small letters
# right: letters in lower case
# like: right
~ (text) → (text.lower())

# %% bpe_encode: tokens are added inside the while
# right: the parts after each merge
# like: right
-        tokens += parts
+            tokens += parts

# %% bpe_encode: only the first merge that fits, then break
# right: one merge for each piece
def bpe_encode(text, merges):
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        for pair in merges:
            if pair in pairwise(parts):
                parts = merge_pair(parts, pair)
                break
        tokens += parts
    return tokens

# %% bpe_encode: joined bytes looked up in a dict of pairs
# right: no pair is ever merged
# like: right
~ pair for pair in pairwise(parts) if pair → a + b for a, b in pairwise(parts) if a + b

# %% bpe_encode: str.split by the tokens, replaced over the whole text
# right: parts found where other parts meet
def bpe_encode(text, merges):
    tokens = []
    for piece in pre_tokenize(text):
        line = b"\x00".join(single_bytes(piece))
        for a, b in merges:
            line = line.replace(a + b"\x00" + b, a + b)
        tokens += line.split(b"\x00")
    return tokens

# %% bpe_encode: no return
# like: right
-    return tokens

# %% bpe_encode: tokens += part bytes, so numbers
# right: the numbers of the bytes
# like: right
-        tokens += parts
+        for part in parts:
+            tokens += part

# %% bpe_encode: text.split(" ") with the space before
# right: words without GPT-2's pattern
# like: merges over letters of the piece
~ (text: str, merges: list[tuple[bytes, bytes]]) -> list[bytes] → (text, merges)
~ piece in pre_tokenize(text) → n, piece in enumerate(text.split(" "))
~ list(piece) → single_bytes((" " if n else "") + piece)

# %% bpe_encode: merges by the joined token (tiktoken's rule)
# right: known tokens, however they are made
def bpe_encode(text, merges):
    ranks = {}
    for i, (a, b) in enumerate(merges):
        ranks.setdefault(a + b, i)
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [p for p in pairwise(parts) if b"".join(p) in ranks]:
            parts = merge_pair(parts, min(known, key=lambda p: ranks[b"".join(p)]))
        tokens += parts
    return tokens

# %% bpe_encode: only the first occurrence is merged, then it moves on
# right: merging the first occurrence in a piece alone
def bpe_encode(text, merges):
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        for a, b in merges:
            for i in range(len(parts) - 1):
                if parts[i] == a and parts[i + 1] == b:
                    parts[i:i + 2] = [a + b]
                    break
        tokens += parts
    return tokens

# %% bpe_encode: learns its own merges from the text
# right: merges learned anew
def bpe_encode(text, merges):
    parts = [single_bytes(p) for p in pre_tokenize(text)]
    for _ in range(len(merges)):
        counts = Counter(pair for p in parts for pair in pairwise(p))
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        parts = [merge_pair(p, best) for p in parts]
    return [t for p in parts for t in p]

# %% bpe_encode: the whole piece if it is known, else bytes
# right: a piece that is known whole, or else its bytes
def bpe_encode(text, merges):
    vocab = {a + b for a, b in merges}
    tokens = []
    for piece in pre_tokenize(text):
        if piece.encode() in vocab:
            tokens.append(piece.encode())
        else:
            tokens += single_bytes(piece)
    return tokens

# %% bpe_encode: one occurrence at a time, of the greatest rank
# right: the latest merge first
def bpe_encode(text, merges):
    ranks = {p: i for i, p in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        for _ in range(len(parts)):
            pairs = list(pairwise(parts))
            known = [(ranks[p], i) for i, p in enumerate(pairs) if p in ranks]
            if not known:
                break
            _, i = max(known)
            parts[i:i + 2] = [parts[i] + parts[i + 1]]
        tokens += parts
    return tokens

# %% bpe_encode: fewest tokens, by dynamic programming
# right: as few tokens as there can be
def bpe_encode(text, merges):
    vocab = {a + b for a, b in merges}
    tokens = []
    for piece in pre_tokenize(text):
        data = piece.encode()
        n = len(data)
        best = [0] + [10**9] * n
        back = [0] * (n + 1)
        for j in range(1, n + 1):
            for i in range(j):
                if (j - i == 1 or data[i:j] in vocab) and best[i] + 1 < best[j]:
                    best[j], back[j] = best[i] + 1, i
        out = []
        j = n
        while j:
            out.append(data[back[j]:j])
            j = back[j]
        tokens += out[::-1]
    return tokens

# %% bpe_encode: letter by letter
# right: letters for pieces
def bpe_encode(text, merges):
    ranks = {p: i for i, p in enumerate(merges)}
    tokens = []
    for char in text:
        parts = single_bytes(char)
        while known := [p for p in pairwise(parts) if p in ranks]:
            parts = merge_pair(parts, min(known, key=ranks.get))
        tokens += parts
    return tokens

# %% bpe_encode: sorts merges in place
# right: the smallest pair first
def bpe_encode(text, merges):
    merges.sort()
    pieces = [single_bytes(p) for p in pre_tokenize(text)]
    for pair in merges:
        pieces = [merge_pair(p, pair) for p in pieces]
    return [t for p in pieces for t in p]

# %% bpe_encode: the first known pair from the left, one at a time
# right: the leftmost pair that is known
# like: the leftmost pair that is known
~ tokens = → result =
~ parts = merge_pair(parts, (parts[i], parts[i + 1])) → parts[i : i + 2] = [parts[i] + parts[i + 1]]
~ tokens.extend(parts) → result += parts
~ return tokens → return result

# %% bpe_encode: words without their spaces, and the smallest pair
# right: throwing the spaces away
# right: the smallest pair first
def bpe_encode(text, merges):
    tokens = []
    for word in text.split():
        parts = single_bytes(word)
        while True:
            cands = [p for p in pairwise(parts) if p in merges]
            if not cands:
                break
            parts = merge_pair(parts, min(cands))
        tokens += parts
    return tokens

# %% bpe_encode: merges sorted by length in place
# right: a longer pair before one of a smaller rank
# right: the pairs of the single bytes alone
# like: merges over letters of the piece
 def bpe_encode(text: str, merges: list[tuple[bytes, bytes]]) -> list[bytes]:
+    merges.sort(key=lambda p: len(p[0] + p[1]), reverse=True)
~ = list → = single_bytes

# %% bpe_encode: merges over letters of the piece
# right: single letters of str
def bpe_encode(text: str, merges: list[tuple[bytes, bytes]]) -> list[bytes]:
    tokens = []
    for piece in pre_tokenize(text):
        parts = list(piece)
        for pair in merges:
            parts = merge_pair(parts, pair)
        tokens += parts
    return tokens

# %% bpe_encode: starts from characters, not bytes + append, so a list of lists
def bpe_encode(text: str, merges: list[tuple[bytes, bytes]]) -> list[bytes]:
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = [c.encode() for c in piece]
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            best = min(known, key=lambda pair: ranks[pair])
            parts = merge_pair(parts, best)
        tokens.append(parts)
    return tokens

# %% bpe_encode: what was cut once is kept by its text alone
# right: tokens remembered from other merges
cache = {}

def bpe_encode(text, merges):
    if text in cache:
        return cache[text]
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while True:
            known = [pair for pair in pairwise(parts) if pair in ranks]
            if not known:
                break
            parts = merge_pair(parts, min(known, key=ranks.get))
        tokens += parts
    cache[text] = tokens
    return tokens

# %% bpe_encode: takes the longest pair
# right: a longer pair before one of a smaller rank
def bpe_encode(text, merges):
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while True:
            known = [pair for pair in pairwise(parts) if pair in merges]
            if not known:
                break
            parts = merge_pair(parts, max(known, key=lambda pair: len(pair[0] + pair[1])))
        tokens += parts
    return tokens

# %% bpe_encode: a dict of the pairs by their ranks
# right: no pair is ever merged
def bpe_encode(text, merges):
    ranks = {rank: pair for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while True:
            known = [pair for pair in pairwise(parts) if pair in ranks]
            if not known:
                break
            parts = merge_pair(parts, min(known, key=ranks.get))
        tokens += parts
    return tokens
