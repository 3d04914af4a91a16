"""How train_bpe goes wrong, and right answers that look different."""

import re
import unicodedata
from collections import Counter
from itertools import pairwise

from solutions.ch00_tokens import GPT2_PATTERN, merge_pair, pre_tokenize, single_bytes
from tests.ch00_tokens import train
from utils.reference.byte_pairs import printable


def stripped(text):
    """The pieces without the white space that is part of them."""
    return [piece.strip() for piece in pre_tokenize(text)]


def squeezed(text):
    return pre_tokenize(" ".join(text.split()))


def without_ends(text):
    return pre_tokenize(text.strip())


def without_blanks(text):
    return [piece for piece in pre_tokenize(text) if piece.strip()]


def without_breaks(text):
    return pre_tokenize(text.replace("\n", " "))


def at_single_spaces(text):
    """The words as they stand between two spaces, each but the first with the space before it."""
    first, *others = text.split(" ")
    return [first, *(" " + word for word in others)]


def encoded_as(*codec):
    return lambda piece: [bytes([byte]) for byte in piece.encode(*codec)]


OTHER_ENCODINGS = [("latin-1", "ignore"), *(("ascii", how) for how in ("ignore", "replace", "backslashreplace"))]
OTHER_ENCODINGS += [(codec,) for codec in ("latin-1", "ascii", "utf-16", "utf-16-le", "utf-16-be", "utf-32")]


def trained(
    text,
    n_merges,
    *,
    choose=lambda counts: max(counts, key=lambda pair: (counts[pair], pair)),
    cut=pre_tokenize,
    letters=single_bytes,
    count=pairwise,
    join=merge_pair,
    done=lambda counts, best: not counts,
    forget=True,
):
    """Training with parts of it replaced."""
    words, found, counts = [letters(piece) for piece in cut(text)], [], Counter()
    for _ in range(n_merges):
        counts = Counter() if forget else counts
        counts.update(pair for word in words for pair in count(word))
        if done(counts, counts and max(counts.values())):
            break
        found.append(choose(counts))
        words = [join(word, found[-1]) for word in words]
    return found


def first_counted(counts):
    """The pair that was counted first of those that tie."""
    return max(counts, key=counts.get)


def wrong_way(**parts):
    return lambda text, n_merges: trained(text, n_merges, **parts)


@train.correct
def over_distinct_words(text, n_merges):
    words = {tuple(single_bytes(piece)): count for piece, count in Counter(pre_tokenize(text)).items()}
    found = []
    while len(found) < n_merges:
        counts = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                counts[pair] += count
        ranked = sorted(counts.items(), key=lambda item: (item[1], item[0]))
        if not ranked:
            return found
        found.append(ranked[-1][0])
        shorter = Counter()
        for word, count in words.items():
            shorter[tuple(merge_pair(list(word), found[-1]))] += count
        words = shorter
    return found


@train.correct
def over_numbers(text, n_merges):
    """As in minbpe: numbers for parts, and a table of what each number stands for."""
    table, found = [bytes([byte]) for byte in range(256)], []
    words = [list(piece.encode()) for piece in GPT2_PATTERN.findall(text)]
    for _ in range(n_merges):
        counts = Counter()
        for word in words:
            counts.update(pairwise(word))
        best = max(counts, key=lambda pair: (counts[pair], table[pair[0]], table[pair[1]]), default=None)
        if best is None:
            break
        found.append((table[best[0]], table[best[1]]))
        table.append(table[best[0]] + table[best[1]])
        for word in words:
            index = 0
            while index + 1 < len(word):
                if (word[index], word[index + 1]) == best:
                    word[index : index + 2] = [len(table) - 1]
                index += 1
    return found


@train.correct
def with_counts_kept(text, n_merges):
    """The counts are made once; a merge changes those of the words that it changes."""
    pieces = Counter(pre_tokenize(text))
    words = {piece: single_bytes(piece) for piece in pieces}
    counts: Counter = Counter()
    for piece, word in words.items():
        for pair in pairwise(word):
            counts[pair] += pieces[piece]
    found: list[tuple[bytes, bytes]] = []
    while len(found) < n_merges and (counts := +counts):
        most = max(counts.values())
        found.append(max(pair for pair, count in counts.items() if count == most))
        for piece, word in words.items():
            after = merge_pair(word, found[-1])
            if len(after) < len(word):
                counts.subtract({pair: pieces[piece] * times for pair, times in Counter(pairwise(word)).items()})
                for pair in pairwise(after):
                    counts[pair] += pieces[piece]
                words[piece] = after
    return found


@train.correct
def over_one_list(text, n_merges):
    """One list for the whole text, with a wall between pieces; two rounds of sorting settle a tie."""
    parts = [part for piece in pre_tokenize(text) for part in [*single_bytes(piece), None]]
    found = []
    for _ in range(n_merges):
        counts = Counter(pair for pair in pairwise(parts) if None not in pair)
        if len(counts) == 0:
            break
        best = sorted(sorted(counts, reverse=True), key=lambda pair: -counts[pair])[0]
        merged, skip = [], False
        for one, other in zip(parts, [*parts[1:], None], strict=True):
            if skip:
                skip = False
            elif (one, other) == best:
                merged.append(one + other)
                skip = True
            else:
                merged.append(one)
        parts = merged
        found.append(best)
    return found


train.misconception(
    "ties to the pair that was counted first",
    "Compare (count, pair), not the count alone, so that the greater pair wins a tie.",
)(wrong_way(choose=first_counted))
train.misconception("ties to the pair that was counted last", "Compare (count, pair): the greater pair wins a tie.")(
    wrong_way(choose=lambda counts: max(reversed(list(counts)), key=counts.get))
)
train.misconception("ties to the smaller pair", "Of pairs that are equally frequent, the greater one wins.")(
    wrong_way(choose=lambda counts: min(counts, key=lambda pair: (-counts[pair], pair)))
)
train.misconception(
    "ties by the joined bytes", "Compare the pairs themselves: first their first members, then their second ones."
)(wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], pair[0] + pair[1]))))
train.misconception(
    "ties by GPT-2's printable characters",
    "Compare bytes: a space comes after all letters as Ġ, but before them as the byte 0x20.",
)(wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], *map(printable, pair)))))
train.misconception("ties to the longer pair", "Compare (count, pair): the length plays no part.")(
    wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], len(pair[0] + pair[1]), pair)))
)
train.also("ties to the longer pair")(
    wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], len(pair[0] + pair[1]))))
)
train.misconception(
    "ties by the second member first", "Python compares tuples from the left: (count, pair), not (count, pair[::-1])."
)(wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], pair[1], pair[0]))))
train.misconception("ties by the first member alone", "Where the first members are equal too, the second one decides.")(
    wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], pair[0])))
)
train.misconception(
    "ties to the shorter pair", "Compare (count, pair) alone: a short pair is worth no more than a long one."
)(wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], -len(pair[0] + pair[1]), pair))))
train.misconception("the least frequent pair", "Take the pair with the greatest count.")(
    wrong_way(choose=lambda counts: min(counts, key=lambda pair: (counts[pair], pair)))
)
train.also("the least frequent pair")(wrong_way(choose=lambda counts: min(counts, key=counts.get)))
train.also("the least frequent pair")(wrong_way(choose=lambda counts: counts.most_common()[-1][0]))
train.misconception(
    "the count in the place of the pair",
    "Look for the pair whose count is greatest: `max(counts, key=...)`, by its count.",
)(wrong_way(choose=lambda counts: max(counts.values())))
train.misconception(
    "the greatest pair, whatever its count",
    "The count comes first: compare (count, pair), and let the count grow each time that the pair comes.",
)(wrong_way(choose=max))
for named, other, best, sign in (("the shortest pair", "long", min, -1), ("the longest pair", "short", max, 1)):
    train.misconception(named, f"The count comes first, and a {other} pair counts as much: compare (count, pair).")(
        wrong_way(choose=lambda counts, best=best: best(counts, key=lambda pair: len(pair[0] + pair[1])))
    )
    train.also(named)(
        wrong_way(choose=lambda counts, best=best: best(counts, key=lambda pair: (len(pair[0] + pair[1]), pair)))
    )
    train.also(named)(
        wrong_way(
            choose=lambda counts, sign=sign: max(
                counts, key=lambda pair: (sign * len(pair[0] + pair[1]), counts[pair], pair)
            )
        )
    )
train.misconception(
    "merging across pieces",
    "Count the pairs within each piece of `pre_tokenize` alone: none goes from one piece into the next.",
)(wrong_way(cut=lambda text: [text] if text else []))
train.misconception(
    "throwing the spaces away", "A word keeps the space before it: cut with `pre_tokenize`, and strip nothing off."
)(wrong_way(cut=str.split))
LOSING = (lambda text: text.split(" "), stripped, re.compile(r"\w+|[^\w\s]+").findall, re.compile(r"\w+").findall)
for losing in LOSING:
    train.also("throwing the spaces away")(wrong_way(cut=losing))
for losing in (str.split, *LOSING):  # where both this and the rule for ties are wrong, this shows first
    train.also("throwing the spaces away")(wrong_way(cut=losing, choose=first_counted))
train.also("merging across pieces")(lambda text, n_merges: counted_across(text, n_merges))
train.also("merging across pieces")(lambda text, n_merges: counted_across(text, n_merges, choose=first_counted))
train.also("merging across pieces")(wrong_way(cut=lambda text: [text] if text else [], choose=first_counted))
for lines in (str.splitlines, lambda text: text.split("\n")):
    train.also("merging across pieces")(wrong_way(cut=lines))
    train.also("merging across pieces")(wrong_way(cut=lines, choose=first_counted))
train.misconception(
    "a space behind a word, not before it", "A word keeps the space before it: cut with `pre_tokenize`, and add none."
)(wrong_way(cut=re.compile(r"\S+\s*").findall))
train.misconception(
    "a space put before the text", "A word has a space before it only where the text has one: add none."
)(wrong_way(cut=lambda text: pre_tokenize(" " + text)))
for words in (str.split, lambda text: text.split(" ")):
    for named, cut in (
        ("a space behind a word, not before it", lambda text, words=words: [word + " " for word in words(text)]),
        ("a space put before the text", lambda text, words=words: [" " + word for word in words(text)]),
    ):
        train.also(named)(wrong_way(cut=cut))
        train.also(named)(wrong_way(cut=cut, choose=first_counted))
train.misconception(
    "words without GPT-2's pattern", "Punctuation, numbers and white space are pieces too: cut with `pre_tokenize`."
)(wrong_way(cut=re.compile(r" ?\S+").findall))
train.also("words without GPT-2's pattern")(wrong_way(cut=re.compile(r"\s?\S+").findall))
train.also("words without GPT-2's pattern")(wrong_way(cut=re.compile(r"\w+|\s+|[^\w\s]+").findall))
train.also("words without GPT-2's pattern")(wrong_way(cut=re.compile(r" ?\w+| ?[^\w\s]+|\s+").findall))
train.also("words without GPT-2's pattern")(wrong_way(cut=at_single_spaces))
train.misconception("each different piece counted once", "A piece that comes three times counts three times.")(
    wrong_way(cut=lambda text: list(dict.fromkeys(pre_tokenize(text))))
)
train.misconception(
    "a pair counted once for each piece", "Count every neighbouring pair, even where a piece has the same pair twice."
)(wrong_way(count=lambda word: set(pairwise(word))))
train.misconception(
    "pairs counted without overlap", "Count every neighbouring pair, as `pairwise` does: aaa has the pair (a, a) twice."
)(wrong_way(count=lambda word: apart(word)))
train.misconception(
    "the last pair of each piece left out", "n parts have n - 1 pairs: `range(len(parts) - 1)`, or `pairwise(parts)`."
)(wrong_way(count=lambda word: list(pairwise(word))[:-1]))
train.misconception(
    "the first pair of each piece left out",
    "The pairs begin at index 0: `range(len(parts) - 1)`, or `pairwise(parts)`.",
)(wrong_way(count=lambda word: list(pairwise(word))[1:]))
train.misconception(
    "every other pair left out", "Count every neighbouring pair: move on by one part at a time, not by two."
)(wrong_way(count=lambda word: zip(word[::2], word[1::2], strict=False)))
train.misconception(
    "merging the first occurrence in a piece alone", "Go on through the piece after a merge, to its end."
)(wrong_way(join=lambda parts, pair: first_merged(parts, pair)))
train.misconception(
    "the second part of a merged pair kept", "After a merge go on behind the pair: by two parts, not by one."
)(wrong_way(join=lambda parts, pair: overlapping(parts, pair)))
train.misconception(
    "counting again without having merged",
    "Call `merge_pair(parts, pair)`, the parts first and then the pair, a tuple, and keep what it returns as the parts "
    "of that piece.",
)(wrong_way(join=lambda parts, pair: parts))
train.misconception(
    "characters instead of bytes",
    "Encode the piece, then take it apart, because é is two bytes: `single_bytes` does both.",
)(wrong_way(letters=lambda piece: [letter.encode() for letter in piece]))
train.misconception(
    "stopping before pairs that come once",
    "Go on while there is any pair, even one that comes once: `n_merges` says when to stop.",
)(wrong_way(done=lambda counts, most: not counts or most < 2))
train.also("stopping before pairs that come once")(wrong_way(done=lambda counts, most: not counts or most < 3))
train.misconception("letters in lower case", "Take every letter as the text has it: `The` is not `the`.")(
    lambda text, n_merges: trained(text.lower(), n_merges)
)
train.also("letters in lower case")(wrong_way(letters=lambda piece: single_bytes(piece.lower())))
train.misconception(
    "white space changed", "White space is text too: give the text to `pre_tokenize` as it is, and leave no piece out."
)(wrong_way(cut=squeezed))
for changed in (without_ends, without_blanks, without_breaks):
    train.also("white space changed")(wrong_way(cut=changed))
train.misconception("another encoding than UTF-8", "Tokens are bytes of UTF-8: `single_bytes(piece)` gives them.")(
    wrong_way(letters=encoded_as("latin-1", "replace"))
)
for codec in OTHER_ENCODINGS:
    train.also("another encoding than UTF-8")(wrong_way(letters=encoded_as(*codec)))
train.misconception(
    "the text normalised", "Take the text as it is: Unicode can write é in two ways, as different bytes."
)(lambda text, n_merges: trained(unicodedata.normalize("NFKD", text), n_merges))
for form in ("NFKC", "NFC", "NFD"):
    train.also("the text normalised")(
        lambda text, n_merges, form=form: trained(unicodedata.normalize(form, text), n_merges)
    )
train.misconception("counts weighted by length", "Each occurrence of a pair counts 1, however long its piece is.")(
    lambda text, n_merges: weighted(text, n_merges, lambda piece, parts: len(parts))
)
train.also("counts weighted by length")(
    lambda text, n_merges: weighted(text, n_merges, lambda piece, parts: len(piece))
)
train.also("counts weighted by length")(
    wrong_way(count=lambda word: [pair for pair in pairwise(word) for _ in pair[0] + pair[1]])
)
train.misconception(
    "counts of the pieces that are lost after the first merge",
    "In every round a piece counts as often as it occurs in the text: keep that number when its parts are merged.",
)(lambda text, n_merges: counted_at_first(text, n_merges))
train.misconception("letters for pieces", "Cut the text with `pre_tokenize`: pairs are counted within a whole piece.")(
    wrong_way(cut=list)
)
train.misconception(
    "the counts of all rounds together",
    "Make the table of counts anew in each round: the line that makes it belongs inside the loop.",
)(wrong_way(forget=False))
train.misconception("merging from the right", "Merge from left to right: `aaa` becomes `aa`, `a`.")(
    wrong_way(join=lambda parts, pair: from_the_right(parts, pair))
)
train.misconception(
    "an end-of-word mark",
    "GPT-2 has none, since the space before a word says where it begins: take the bytes of the piece, and no more.",
)(wrong_way(letters=lambda piece: [*single_bytes(piece), b"</w>"]))
train.also("an end-of-word mark")(
    wrong_way(letters=lambda piece: [*single_bytes(piece)[:-1], single_bytes(piece)[-1] + b"</w>"])
)
train.also("throwing the spaces away")(wrong_way(cut=str.split, letters=lambda piece: [*single_bytes(piece), b"</w>"]))


def counted_at_first(text, n_merges):
    words, found = Counter(tuple(single_bytes(piece)) for piece in pre_tokenize(text)), []
    for _ in range(n_merges):
        counts = Counter()
        for word, times in words.items():
            for pair in pairwise(word):
                counts[pair] += times
        if not counts:
            break
        found.append(max(counts, key=lambda pair: (counts[pair], pair)))
        words = Counter(tuple(merge_pair(list(word), found[-1])) for word in words)
    return found


def counted_across(text, n_merges, choose=lambda counts: max(counts, key=lambda pair: (counts[pair], pair))):
    words, found = [single_bytes(piece) for piece in pre_tokenize(text)], []
    for _ in range(n_merges):
        counts = Counter(pairwise(part for word in words for part in word))
        if not counts:
            break
        found.append(choose(counts))
        words = [merge_pair(word, found[-1]) for word in words]
    return found


def apart(word):
    """The pairs of a word that do not overlap with an equal one before them."""
    last = {}
    for index, pair in enumerate(pairwise(word)):
        if last.get(pair) != index - 1:
            last[pair] = index
            yield pair


def weighted(text, n_merges, weight):
    words, found = [(piece, single_bytes(piece)) for piece in pre_tokenize(text)], []
    for _ in range(n_merges):
        counts = Counter()
        for piece, parts in words:
            for pair in pairwise(parts):
                counts[pair] += weight(piece, parts)
        if not counts:
            break
        found.append(max(counts, key=lambda pair: (counts[pair], pair)))
        words = [(piece, merge_pair(parts, found[-1])) for piece, parts in words]
    return found


def from_the_right(parts, pair):
    return [part[::-1] for part in merge_pair([part[::-1] for part in parts[::-1]], turned_pair(pair))][::-1]


def overlapping(parts, pair):
    found = [*(one == pair for one in pairwise(parts)), False]
    return [b"".join(pair) if at else part for at, part in zip(found, parts, strict=True)]


def turned_pair(pair):
    return pair[1][::-1], pair[0][::-1]


def first_merged(parts, pair):
    index = next((index for index, found in enumerate(pairwise(parts)) if found == pair), None)
    return parts if index is None else [*parts[:index], b"".join(pair), *parts[index + 2 :]]


def tied_by_numbers(text, n_merges, sign):
    """Among the most frequent pairs the one with the greatest, or with -1 the smallest, numbers of its parts."""
    numbers, found = {bytes([byte]): byte for byte in range(256)}, []
    words = [single_bytes(piece) for piece in pre_tokenize(text)]
    for _ in range(n_merges):
        counts = Counter(pair for word in words for pair in pairwise(word))
        if not counts:
            break
        found.append(max(counts, key=lambda pair: (counts[pair], *(sign * numbers[part] for part in pair))))
        numbers.setdefault(b"".join(found[-1]), len(numbers))
        words = [merge_pair(word, found[-1]) for word in words]
    return found


train.misconception(
    "ties by the numbers of the parts", "Compare the parts' bytes, `(count, pair)`, not the ids that they were given."
)(lambda text, n_merges: tied_by_numbers(text, n_merges, 1))
train.also("ties by the numbers of the parts")(lambda text, n_merges: tied_by_numbers(text, n_merges, -1))


@train.misconception(
    "the pairs of one count, never counted again",
    "Each merge changes the counts: count again in every round of the loop.",
)
def most_common_at_once(text, n_merges):
    counts = Counter(pair for piece in pre_tokenize(text) for pair in pairwise(single_bytes(piece)))
    return sorted(counts, key=lambda pair: (counts[pair], pair), reverse=True)[:n_merges]


@train.misconception(
    "the count of one piece in place of the sum",
    "Add up what all pieces have: `+=` the count of the piece, where `=` keeps the last one.",
)
def last_piece_counted(text, n_merges):
    counts, found = Counter(pre_tokenize(text)), []
    words = {piece: single_bytes(piece) for piece in counts}
    for _ in range(n_merges):
        of_pairs = {pair: counts[piece] for piece, word in words.items() for pair in pairwise(word)}
        if not of_pairs:
            break
        found.append(max(of_pairs, key=lambda pair: (of_pairs[pair], pair)))
        words = {piece: merge_pair(word, found[-1]) for piece, word in words.items()}
    return found


@train.misconception(
    "old pairs that are still counted",
    "A merge breaks pairs up too: subtract the pairs of a piece before you change it, or count everything anew in "
    "each round.",
)
def only_added(text, n_merges):
    words, found = [single_bytes(piece) for piece in pre_tokenize(text)], []
    counts = Counter(pair for word in words for pair in pairwise(word))
    while counts and len(found) < n_merges:
        found.append(max(counts, key=lambda pair: (counts[pair], pair)))
        del counts[found[-1]]
        words = [merge_pair(word, found[-1]) for word in words]
        counts.update(pair for word in words for pair in pairwise(word) if b"".join(found[-1]) in pair)
    return found


@train.misconception(
    "all pairs of the greatest count at once",
    "Merge one pair, then count again, because a merge changes the counts of other pairs.",
)
def all_of_a_tie(text, n_merges):
    words, found = [single_bytes(piece) for piece in pre_tokenize(text)], []
    while len(found) < n_merges:
        counts = Counter(pair for word in words for pair in pairwise(word))
        if not counts:
            break
        for pair in sorted((one for one in counts if counts[one] == max(counts.values())), reverse=True):
            found.append(pair)
            words = [merge_pair(word, pair) for word in words]
    return found[:n_merges]


@train.misconception(
    "pairs found where other parts meet",
    "Keep the parts in a list, and merge whole parts, with `merge_pair`: where they are joined to one string, "
    "`he n` is found in `the n` too.",
)
def replaced_in_training(text, n_merges):
    words, found = [b"\0".join(single_bytes(piece)) for piece in pre_tokenize(text)], []
    for _ in range(n_merges):
        counts = Counter(pair for word in words for pair in pairwise(word.split(b"\0")))
        if not counts:
            break
        found.append(max(counts, key=lambda pair: (counts[pair], pair)))
        words = [word.replace(b"\0".join(found[-1]), b"".join(found[-1])) for word in words]
    return found


@train.also("the pairs of one count, never counted again")
def most_common_of_counter(text, n_merges):
    counts = Counter(pair for piece in pre_tokenize(text) for pair in pairwise(single_bytes(piece)))
    return [pair for pair, _ in counts.most_common(n_merges)]


@train.misconception("an error when nothing is left", "Leave the loop, with `break`, when there is no pair to count.")
def runs_dry(text, n_merges):
    return trained(text, n_merges, done=lambda counts, most: False)


@train.misconception("pairs of str", "Encode each piece first, with `single_bytes`: tokens are bytes.")
def characters(text, n_merges):
    return [(one.decode("latin1"), other.decode("latin1")) for one, other in trained(text, n_merges)]


@train.also("pairs of str")
def real_characters(text, n_merges):
    pieces, found = [list(piece) for piece in pre_tokenize(text)], []
    for _ in range(n_merges):
        counts = Counter(pair for piece in pieces for pair in pairwise(piece))
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        found.append(best)
        pieces = [[word.decode("utf-8") for word in merged_text(piece, best)] for piece in pieces]
    return found


def merged_text(piece, pair):
    return merge_pair([part.encode() for part in piece], (pair[0].encode(), pair[1].encode()))


@train.misconception(
    "the pairs poured into one flat list", "Add the pair as one thing: `append`, not `extend` or `+=`."
)
def flat(text, n_merges):
    return [part for pair in trained(text, n_merges) for part in pair]


@train.also("counting again without having merged")
def last_counted(text, n_merges):
    found = trained(text, 1)
    return found * n_merges


@train.misconception(
    "256 subtracted from the number of merges",
    "`n_merges` counts merges, not the tokens of the vocabulary: subtract no 256 from it.",
    said_of=r"-\s*256\b",
)
def minus_256(text, n_merges):
    return trained(text, max(0, n_merges - 256))


@train.misconception(
    "an empty list",
    "Put each pair that you merge into the list that you return.",
    # The first function, the answer itself, puts something into the list that it returns.
    not_of=r"\A(?:(?!\n *def )[\s\S])*\b(\w+)(?:\.(?:append|extend|insert)\(| \+= | = \1 \+ )"
    r"(?:(?!\n *def )[\s\S])*\breturn \1\b",
    otherwise="Your code has a line that adds to the list, yet the list comes back empty: does that line ever run?",
)
def nothing_noted(text, n_merges):
    return []


@train.misconception(
    "a pair of letters of the text", "Count pairs of `bytes`: take the piece apart with `single_bytes`."
)
def letters_counted(text, n_merges):
    counts = Counter(pair for piece in pre_tokenize(text) for pair in pairwise(piece))
    return [max(counts, key=lambda pair: (counts[pair], pair)) for _ in range(n_merges) if counts]


@train.also("a pair of letters of the text")
def not_taken_apart(text, n_merges):
    return trained(text, n_merges, letters=lambda piece: piece)


@train.misconception("numbers for pairs", "A pair is two bytes objects, such as (b'h', b'e'), not two ids.")
def numbered(text, n_merges):
    found = trained(text, n_merges)
    ids = {bytes([byte]): byte for byte in range(256)}
    for one, other in found:
        ids.setdefault(one + other, len(ids))
    return [(ids[one], ids[other]) for one, other in found]


@train.also("numbers for pairs")
def numbers_in_merge_pair(text, n_merges):
    return trained(text, n_merges, letters=lambda piece: list(piece.encode()))


@train.also("numbers for pairs")
def numbers_throughout(text, n_merges):
    """As in minbpe, which has another rule for ties too."""
    words, found = [list(piece.encode()) for piece in pre_tokenize(text)], []
    for number in range(256, 256 + n_merges):
        counts = Counter(pair for word in words for pair in pairwise(word))
        if not counts:
            break
        found.append(max(counts, key=lambda pair: (counts[pair], pair)))
        for word in words:
            for index in range(len(word)):
                if tuple(word[index : index + 2]) == found[-1]:
                    word[index : index + 2] = [number]
    return found


@train.also("numbers for pairs")
def numbers_by_first_seen(text, n_merges):
    """As in minbpe, word by word."""
    words, found = [list(piece.encode()) for piece in pre_tokenize(text)], []
    for number in range(256, 256 + n_merges):
        counts = Counter(pair for word in words for pair in pairwise(word))
        if not counts:
            break
        found.append(max(counts, key=counts.get))
        for word in words:
            for index in range(len(word)):
                if tuple(word[index : index + 2]) == found[-1]:
                    word[index : index + 2] = [number]
    return found


@train.misconception("the merged tokens", "Return the pairs that were merged, not what they became.")
def tokens_made(text, n_merges):
    return [one + other for one, other in trained(text, n_merges)]


@train.misconception("lists for pairs", "A pair is a tuple: `bpe_encode` looks it up in a dict.")
def lists(text, n_merges):
    return [list(pair) for pair in trained(text, n_merges)]


@train.misconception("a dict of ranks", "Return a list of the pairs, in the order in which they were merged.")
def ranked(text, n_merges):
    return {pair: rank for rank, pair in enumerate(trained(text, n_merges))}


@train.also("a dict of ranks")
def with_counts(text, n_merges):
    return Counter(trained(text, n_merges))


@train.also("a dict of ranks")
def as_minbpe(text, n_merges):
    return {pair: 256 + rank for rank, pair in enumerate(trained(text, n_merges))}


@train.misconception(
    "pairs with their counts", "Keep the pair alone, without its count: append the pair, not a tuple of both."
)
def counted_pairs(text, n_merges):
    return counted(text, n_merges, lambda pair, count: (pair, count))


@train.also("pairs with their counts")
def as_most_common_gives_them(text, n_merges):
    return counted(text, n_merges, lambda pair, count: [(pair, count)])


@train.also("pairs with their counts")
def counts_first(text, n_merges):
    return counted(text, n_merges, lambda pair, count: (count, pair))


def counted(text, n_merges, form):
    counts = []

    def choose(of_pairs):
        best = max(of_pairs, key=lambda pair: (of_pairs[pair], pair))
        counts.append(of_pairs[best])
        return best

    return [form(pair, count) for pair, count in zip(trained(text, n_merges, choose=choose), counts, strict=True)]


@train.misconception(
    "the first pair alone", "There are `n_merges` pairs to find, one in each round of a loop: return the list after it."
)
def first_pair(text, n_merges):
    return trained(text, n_merges)[:1] or None


train.also("the first pair alone")(lambda text, n_merges: trained(text, n_merges)[:1])


@train.misconception("the pairs in reverse", "The pair that was merged first comes first.")
def last_first(text, n_merges):
    return trained(text, n_merges)[::-1]


@train.misconception("one merge too few", "The loop runs `n_merges` times: `range(n_merges)`.")
def too_few(text, n_merges):
    return trained(text, n_merges - 1)


@train.misconception("one merge too many", "Stop when `n_merges` pairs are found: `range(n_merges)`.")
def too_many(text, n_merges):
    return trained(text, n_merges + 1)


@train.also("one merge too many")
def all_of_them(text, n_merges):
    return trained(text, 1000)


@train.misconception("the pair merged back to front", "A merge puts the first member before the second.")
def back_to_front(text, n_merges):
    return trained(text, n_merges, join=lambda parts, pair: turned(parts, pair))


def turned(parts, pair):
    out, index = [], 0
    while index < len(parts):
        found = tuple(parts[index : index + 2]) == pair
        out.append(pair[1] + pair[0] if found else parts[index])
        index += 1 + found
    return out


KNOWN_TEXTS: dict[str, list] = {}
KNOWN_NUMBERS: dict[int, list] = {}


@train.misconception(
    "pairs remembered from another call",
    "What you keep from one call to the next depends on both inputs: keep it by `(text, n_merges)`, or keep nothing.",
)
def remembered_by_text(text, n_merges):
    return KNOWN_TEXTS.setdefault(text, trained(text, n_merges))


@train.also("pairs remembered from another call")
def remembered_by_number(text, n_merges):
    return KNOWN_NUMBERS.setdefault(n_merges, trained(text, n_merges))


KNOWN_CALLS: dict[tuple[str, int], list] = {}


@train.correct
def remembered_by_both(text, n_merges):
    return KNOWN_CALLS.setdefault((text, n_merges), trained(text, n_merges))


@train.misconception(
    "`<|endoftext|>` left out",
    "Here it is text like any other: count the pairs of the whole text, and cut nothing out of it.",
)
def without_the_special_token(text, n_merges):
    parts = text.split("<|endoftext|>")
    return trained(text, n_merges, cut=lambda _: [piece for part in parts for piece in pre_tokenize(part)])
