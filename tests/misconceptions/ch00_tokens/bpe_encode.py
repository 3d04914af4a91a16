"""How bpe_encode goes wrong, and right answers that look different."""

import itertools
import math
import re
import unicodedata
from collections import Counter
from itertools import chain, pairwise

from solutions.ch00_tokens import GPT2_PATTERN, merge_pair, pre_tokenize, single_bytes
from tests.ch00_tokens import encode
from tests.misconceptions.ch00_tokens.train_bpe import (
    OTHER_ENCODINGS,
    at_single_spaces,
    encoded_as,
    first_merged,
    from_the_right,
    overlapping,
    squeezed,
    stripped,
    trained,
    turned,
    without_blanks,
    without_breaks,
    without_ends,
)
from utils.reference.byte_pairs import from_printable, printable

encode.equivalent("ranks → merges", "What has a rank is in `merges`; a list only takes longer to search.")


@encode.correct
def once_through_the_merges(text, merges):
    """Each merge in turn: the same wherever no two merges make the same token, as in GPT-2's."""
    return in_turn(text, merges, merge_pair)


@encode.correct
def with_infinite_ranks(text, merges):
    """As in openai/gpt-2: the pair of the smallest rank, where an unknown pair ranks at infinity."""
    ranks, tokens = dict(zip(merges, range(len(merges)), strict=True)), []
    for piece in GPT2_PATTERN.findall(text):
        word = tuple(bytes([byte]) for byte in piece.encode("utf-8"))
        while len(word) > 1:
            best = min(set(pairwise(word)), key=lambda pair: ranks.get(pair, float("inf")))
            if best not in ranks:
                break
            word = tuple(merge_pair(list(word), best))
        tokens.extend(word)
    return tokens


@encode.correct
def one_occurrence_at_a_time(text, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        word = single_bytes(piece)
        while True:
            found = [(ranks[pair], index) for index, pair in enumerate(pairwise(word)) if pair in ranks]
            if not found:
                break
            _, index = min(found)
            word[index : index + 2] = [word[index] + word[index + 1]]
        tokens.extend(word)
    return tokens


@encode.correct
def by_the_library(text, merges):
    from tokenizers import Tokenizer, models, pre_tokenizers

    ids = {printable(bytes([byte])): byte for byte in range(256)}
    for one, other in merges:
        ids.setdefault(printable(one + other), len(ids))
    library = Tokenizer(models.BPE(vocab=ids, merges=[(printable(one), printable(other)) for one, other in merges]))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return [from_printable(token) for token in library.encode(text).tokens]


@encode.correct
def recursive(text, merges):
    """Divides at every occurrence of the best pair, and joins what comes back."""

    def cut(parts):
        known = [pair for pair in pairwise(parts) if pair in merges[:]]
        return cut(merge_pair(parts, min(known, key=merges.index))) if known else parts

    return list(chain.from_iterable(cut(single_bytes(piece)) for piece in pre_tokenize(text)))


def encoded(
    text,
    merges,
    *,
    cut=pre_tokenize,
    letters=single_bytes,
    choose=lambda known, ranks: min(known, key=lambda pair: ranks[pair]),
    join=merge_pair,
    times=1000,
):
    """Encoding with parts of it replaced."""
    ranks, tokens = {pair: rank for rank, pair in enumerate(merges)}, []
    for piece in cut(text):
        parts = letters(piece)
        for _ in range(times):
            known = [pair for pair in pairwise(parts) if pair in ranks]
            if not known:
                break
            parts = join(parts, choose(known, ranks))
        tokens += parts
    return tokens


def other_way(**parts):
    return lambda text, merges: encoded(text, merges, **parts)


encode.misconception(
    "the leftmost pair that is known",
    "Of all pairs in the piece that are in `merges`, merge the one that comes first in `merges`: the smallest rank.",
)(other_way(choose=lambda known, ranks: known[0]))
encode.misconception(
    "the rightmost pair that is known", "Of the pairs that are in `merges`, merge the one with the smallest rank."
)(other_way(choose=lambda known, ranks: known[-1]))
encode.misconception(
    "the latest merge first",
    "Of the known pairs, merge the one that stands first in `merges`: the one with the smallest rank.",
)(other_way(choose=lambda known, ranks: max(known, key=lambda pair: ranks[pair])))
encode.misconception(
    "the greatest pair first", "A pair's rank decides, which is its index in `merges`, not its bytes."
)(other_way(choose=lambda known, ranks: max(known)))
encode.misconception(
    "the smallest pair first",
    "The order of `merges` decides, as it was given: `min(known, key=lambda pair: ranks[pair])`.",
)(other_way(choose=lambda known, ranks: min(known)))
encode.misconception("the most frequent pair first", "Frequency mattered in training. Here the rank decides.")(
    other_way(choose=lambda known, ranks: max(known, key=lambda pair: (known.count(pair), -ranks[pair])))
)
encode.also("the most frequent pair first")(other_way(choose=lambda known, ranks: Counter(known).most_common(1)[0][0]))
encode.also("the most frequent pair first")(
    other_way(choose=lambda known, ranks: max(known, key=lambda pair: (known.count(pair), pair)))
)
encode.also("the smallest pair first")(lambda text, merges: in_turn(text, sorted(merges), merge_pair))
encode.misconception(
    "a shorter pair before one of a smaller rank",
    "The order of `merges`, as it was given, decides, not the length of a pair.",
)(other_way(choose=lambda known, ranks: min(known, key=lambda pair: (len(pair[0] + pair[1]), pair))))
encode.also("a shorter pair before one of a smaller rank")(
    other_way(choose=lambda known, ranks: min(known, key=lambda pair: (len(pair[0] + pair[1]), ranks[pair])))
)
encode.misconception(
    "a longer pair before one of a smaller rank",
    "A pair's rank decides, which is its index in `merges`, not its length.",
)(other_way(choose=lambda known, ranks: max(known, key=lambda pair: (len(pair[0] + pair[1]), -ranks[pair]))))
for lengths in (lambda pair: len(pair[0] + pair[1]), lambda pair: (len(pair[0] + pair[1]), pair)):
    for named, best in (
        ("a shorter pair before one of a smaller rank", min),
        ("a longer pair before one of a smaller rank", max),
    ):
        encode.also(named)(other_way(choose=lambda known, ranks, best=best, key=lengths: best(known, key=key)))
for member in (0, 1):
    encode.also("a longer pair before one of a smaller rank")(
        other_way(choose=lambda known, ranks, member=member: max(known, key=lambda pair: len(pair[member])))
    )
encode.also("a shorter pair before one of a smaller rank")(
    other_way(choose=lambda known, ranks: min(known[::-1], key=lambda pair: len(pair[0] + pair[1])))
)
encode.also("a shorter pair before one of a smaller rank")(
    lambda text, merges: in_turn(text, sorted(merges, key=lambda pair: len(pair[0] + pair[1])), merge_pair)
)
encode.misconception(
    "merging across pieces",
    "Merge within each piece of `pre_tokenize` alone: no token goes from one piece into the next.",
)(other_way(cut=lambda text: [text] if text else []))
encode.misconception(
    "throwing the spaces away", "A word keeps the space before it: cut with `pre_tokenize`, and strip nothing off."
)(other_way(cut=str.split))
encode.also("throwing the spaces away")(other_way(cut=stripped))
encode.misconception(
    "words without GPT-2's pattern", "Punctuation, numbers and white space are pieces too: cut with `pre_tokenize`."
)(other_way(cut=re.compile(r" ?\S+|\s+").findall))
encode.also("words without GPT-2's pattern")(other_way(cut=re.compile(r" ?\S+").findall))
encode.also("words without GPT-2's pattern")(other_way(cut=lambda text: re.findall(r" ?\S+", " ".join(text.split()))))
encode.also("words without GPT-2's pattern")(other_way(cut=re.compile(r"\w+|\s+|[^\w\s]+").findall))
encode.also("words without GPT-2's pattern")(other_way(cut=re.compile(r" ?\w+| ?[^\w\s]+|\s+").findall))
encode.also("words without GPT-2's pattern")(other_way(cut=at_single_spaces))
encode.misconception(
    "merging the first occurrence in a piece alone",
    "A merge is done wherever its pair stands in the piece: go on to the piece's end.",
)(other_way(times=1, join=first_merged))
encode.also("merging the first occurrence in a piece alone")(lambda text, merges: in_turn(text, merges, first_merged))
encode.misconception(
    "the second part of a merged pair kept", "After a merge go on behind the pair: by two parts, not by one."
)(other_way(join=overlapping))
encode.also("the second part of a merged pair kept")(lambda text, merges: in_turn(text, merges, overlapping))
encode.misconception("one merge for each piece", "Go on until no pair of the piece is in `merges`.")(other_way(times=1))
encode.misconception(
    "no pair is ever merged",
    "Your answer is the single bytes. Check three things: you look for a tuple of two `bytes`, in the `merges` of this "
    "call (or among the keys of a dict); `merge_pair(parts, pair)`, the chapter's own, joins that pair; and `parts` "
    "becomes what it returns.",
)(other_way(times=0))
encode.misconception(
    "the pair in the place of the parts", "Call `merge_pair(parts, pair)`: the parts come first, and then the pair."
)(lambda text, merges: in_turn(text, merges, lambda parts, pair: merge_pair(pair, parts)))
encode.misconception(
    "the pairs of the single bytes alone",
    "A merged part makes new pairs: look for known pairs again after each merge, or go through `merges` once, in "
    "its own order, unsorted.",
)(lambda text, merges: encoded_once_looked(text, merges))
encode.also("the pairs of the single bytes alone")(lambda text, merges: encoded_once_looked(text, merges, ranked=False))
encode.also("the pairs of the single bytes alone")(
    lambda text, merges: in_turn(
        text, sorted(merges, key=lambda pair: len(pair[0] + pair[1]), reverse=True), merge_pair
    )
)


@encode.also("the pairs of the single bytes alone")
def sorting_by_length(text, merges):
    merges.sort(key=lambda pair: len(pair[0] + pair[1]), reverse=True)
    return in_turn(text, merges, merge_pair)


encode.misconception("letters for pieces", "Cut the text with `pre_tokenize`, and merge within a whole piece.")(
    other_way(cut=list)
)
encode.also("the latest merge first")(lambda text, merges: last_of_the_latest(text, merges))
encode.misconception("merging from the right", "Merge from left to right: `aaa` becomes `aa`, `a`.")(
    other_way(join=from_the_right)
)
encode.misconception(
    "the first merge left out",
    "It has the rank 0, which counts as false: ask `pair in ranks`. (Or was a line skipped? `merges` has no header.)",
)(lambda text, merges: encoded(text, merges[1:]))
encode.misconception("the last merge left out", "It counts too: go through all of `merges`.")(
    lambda text, merges: encoded(text, merges[:-1])
)
encode.misconception(
    "the last pair of each piece left out", "n parts have n - 1 pairs: `range(len(parts) - 1)`, or `pairwise(parts)`."
)(lambda text, merges: ranked_below(text, merges, pairs=lambda parts: list(pairwise(parts))[:-1]))
encode.misconception(
    "unknown pairs before known ones",
    "A pair that is not in `merges` must not win the `min`: leave it out, or let it rank at infinity.",
    said_of=r"\bmin\(|\bsort|<",
)(lambda text, merges: ranked_below(text, merges, unknown=-1))
encode.also("unknown pairs before known ones")(lambda text, merges: ranked_below(text, merges, unknown=0))
encode.misconception(
    "an error where a piece has one part",
    "A single part makes no pair: ask whether there is a pair before you take the smallest.",
)(lambda text, merges: ranked_below(text, merges, least=-1))
encode.misconception(
    "each different piece once", "A piece that comes twice gives its tokens twice: go through all pieces, in order."
)(other_way(cut=lambda text: list(dict.fromkeys(pre_tokenize(text)))))
encode.misconception(
    "characters instead of bytes",
    "Encode the piece, then take it apart, because é is two bytes: `single_bytes` does both.",
)(other_way(letters=lambda piece: [letter.encode() for letter in piece]))
encode.misconception(
    "white space changed", "White space is text too: give the text to `pre_tokenize` as it is, and leave no piece out."
)(other_way(cut=squeezed))
for changed in (without_ends, without_blanks, without_breaks):
    encode.also("white space changed")(other_way(cut=changed))
encode.misconception("another encoding than UTF-8", "Tokens are bytes of UTF-8: `single_bytes(piece)` gives them.")(
    other_way(letters=encoded_as("latin-1", "replace"))
)
for codec in OTHER_ENCODINGS:
    encode.also("another encoding than UTF-8")(other_way(letters=encoded_as(*codec)))
encode.misconception(
    "the text normalised", "Take the text as it is: Unicode can write é in two ways, as different bytes."
)(lambda text, merges: encoded(unicodedata.normalize("NFKD", text), merges))
for form in ("NFKC", "NFC", "NFD"):
    encode.also("the text normalised")(
        lambda text, merges, form=form: encoded(unicodedata.normalize(form, text), merges)
    )
encode.misconception(
    "a space put before the text", "A word has a space before it only where the text has one: add none."
)(other_way(cut=lambda text: pre_tokenize(" " + text)))
encode.also("a space put before the text")(other_way(cut=lambda text: [" " + word for word in text.split()]))
encode.also("a space put before the text")(other_way(cut=lambda text: [" " + word for word in text.split(" ")]))
encode.misconception("equal neighbours made one", "Keep every token of the text, even one that comes twice in a row.")(
    lambda text, merges: [token for token, _ in itertools.groupby(encoded(text, merges))]
)
encode.misconception("the tokens in reverse", "Keep the order of the text.")(
    lambda text, merges: encoded(text, merges)[::-1]
)
encode.misconception("one bytes object", "Return the list of tokens: don't join them.")(
    lambda text, merges: b"".join(encoded(text, merges))
)
encode.also("one bytes object")(lambda text, merges: b" ".join(encoded(text, merges)))
encode.misconception("the pair merged back to front", "A merge puts the first member before the second.")(
    other_way(join=turned)
)
encode.misconception("letters in lower case", "Take every letter as the text has it: `The` is not `the`.")(
    lambda text, merges: encoded(text.lower(), merges)
)
encode.also("letters in lower case")(other_way(letters=lambda piece: single_bytes(piece.lower())))


def in_turn(text, merges, join):
    words = [single_bytes(piece) for piece in pre_tokenize(text)]
    for pair in merges:
        words = [join(word, pair) for word in words]
    return [part for word in words for part in word]


def last_of_the_latest(text, merges):
    """One occurrence at a time, of the pair with the greatest rank the last."""
    ranks, tokens = {pair: rank for rank, pair in enumerate(merges)}, []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while found := [(ranks[pair], index) for index, pair in enumerate(pairwise(parts)) if pair in ranks]:
            _, index = max(found)
            parts[index : index + 2] = [parts[index] + parts[index + 1]]
        tokens += parts
    return tokens


def encoded_once_looked(text, merges, ranked=True):
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        known = [pair for pair in pairwise(parts) if pair in merges]
        for pair in sorted(known, key=merges.index) if ranked else known:
            parts = merge_pair(parts, pair)
        tokens += parts
    return tokens


def ranked_below(text, merges, *, unknown=math.inf, pairs=lambda parts: list(pairwise(parts)), least=0):
    """Encoding that takes the `min` of all pairs and stops where that is none of `merges`."""
    ranks, tokens = {pair: rank for rank, pair in enumerate(merges)}, []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while len(pairs(parts)) > least:
            best = min(pairs(parts), key=lambda pair: ranks.get(pair, unknown))
            if best not in ranks:
                break
            parts = merge_pair(parts, best)
        tokens += parts
    return tokens


@encode.misconception(
    "an error for pairs that are not known",
    "Most pairs have no rank: ask `pair in ranks` first, and stop when no pair has one.",
)
def every_pair_looked_up(text, merges):
    ranks, tokens = {pair: rank for rank, pair in enumerate(merges)}, []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while len(parts) > 1:
            parts = merge_pair(parts, min(pairwise(parts), key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens


@encode.also("an error for pairs that are not known")
def every_pair_searched(text, merges):
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while len(parts) > 1:
            parts = merge_pair(parts, min(pairwise(parts), key=merges.index))
        tokens += parts
    return tokens


@encode.misconception(
    "the longest token that fits",
    "That is another algorithm. Start from single bytes, and merge pairs in the order of `merges`.",
)
def longest_match(text, merges):
    known, tokens = {one + other for one, other in merges}, []
    for piece in pre_tokenize(text):
        rest = piece.encode()
        while rest:
            length = next((size for size in range(len(rest), 1, -1) if rest[:size] in known), 1)
            tokens.append(rest[:length])
            rest = rest[length:]
    return tokens


@encode.also("the longest token that fits")
def longest_match_from_the_right(text, merges):
    known, tokens = {one + other for one, other in merges}, []
    for piece in pre_tokenize(text)[::-1]:
        rest = piece.encode()
        while rest:
            length = next((size for size in range(len(rest), 1, -1) if rest[-size:] in known), 1)
            tokens.insert(0, rest[-length:])
            rest = rest[:-length]
    return tokens


@encode.misconception(
    "as few tokens as there can be",
    "That is another algorithm. BPE compares no cuts: merge pairs in the order of `merges`.",
)
def fewest_tokens(text, merges):
    return few(text, merges, first=True)


@encode.also("as few tokens as there can be")
def fewest_tokens_from_the_right(text, merges):
    return few(text, merges, first=False)


def few(text, merges, first):
    """Of the cuts into fewest tokens that which has the longest last token, or the shortest."""
    known, tokens = {one + other for one, other in merges}, []
    for piece in pre_tokenize(text):
        whole = piece.encode()
        cuts: list[list[bytes]] = [[]]
        for end in range(1, len(whole) + 1):
            starts = [start for start in range(end) if start == end - 1 or whole[start:end] in known]
            best = min(starts if first else starts[::-1], key=lambda start: len(cuts[start]))
            cuts.append([*cuts[best], whole[best:end]])
        tokens += cuts[-1]
    return tokens


@encode.misconception(
    "known tokens, however they are made",
    "Only merges make tokens, in their order: bytes that equal a known token are not one by themselves, nor is "
    "another pair that joins to them. Look each pair up, `(one, other) in ranks`.",
)
def by_the_joined_token(text, merges):
    ranks: dict[bytes, int] = {}
    for rank, pair in enumerate(merges):
        ranks.setdefault(b"".join(pair), rank)
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if b"".join(pair) in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[b"".join(pair)]))
        tokens += parts
    return tokens


@encode.misconception("merges learned anew", "The merges are given: count nothing, and do them in their order.")
def learned_anew(text, merges):
    return in_turn(text, trained(text, len(merges)), merge_pair)


@encode.misconception(
    "a piece that is known whole, or else its bytes", "A piece may also be cut into several tokens: merge its parts."
)
def whole_or_bytes(text, merges):
    known, pieces = {one + other for one, other in merges}, pre_tokenize(text)
    return [part for one in pieces for part in ([one.encode()] if one.encode() in known else single_bytes(one))]


@encode.also("the leftmost pair that is known")
def one_sweep(text, merges):
    known, tokens = set(merges), []
    for piece in pre_tokenize(text):
        parts: list[bytes] = []
        for part in single_bytes(piece):
            parts.append(part)
            while len(parts) > 1 and (parts[-2], parts[-1]) in known:
                parts[-2:] = [parts[-2] + parts[-1]]
        tokens += parts
    return tokens


@encode.misconception(
    "one sweep from left to right", "After a merge look at the whole piece again: the smallest rank decides each time."
)
def one_look_back(text, merges):
    tokens = []
    for piece in pre_tokenize(text):
        parts: list[bytes] = []
        for part in single_bytes(piece):
            known = parts and (parts[-1], part) in merges
            parts[-1:] = [parts[-1] + part] if known else [*parts[-1:], part]
        tokens += parts
    return tokens


@encode.misconception("the merges in reverse", "Go through `merges` from the first to the last.")
def from_the_last(text, merges):
    return once_through_the_merges(text, merges[::-1])


@encode.misconception(
    "parts found where other parts meet",
    "Keep the parts in a list, and compare whole parts: in one joined string a pair is also found where longer parts "
    "merely end and begin that way.",
)
def replaced(text, merges):
    joined = b"\0".join(single_bytes(text))
    for one, other in merges:
        joined = joined.replace(one + b"\0" + other, one + other)
    return joined.split(b"\0") if joined else []


@encode.also("parts found where other parts meet")
def replaced_in_pieces(text, merges):
    return [part for piece in pre_tokenize(text) for part in replaced(piece, merges)]


@encode.misconception("an empty list", "Add the parts of each piece to the tokens: `tokens += parts`.")
def nothing_collected(text, merges):
    return []


@encode.misconception("the last piece alone", "Collect the parts of every piece; return what was collected.")
def last_piece(text, merges):
    pieces = pre_tokenize(text)
    return encoded(pieces[-1], merges) if pieces else []


@encode.misconception(
    "the first piece alone",
    "Every piece has its tokens. (A `return` inside the loop ends it after the first piece.)",
    not_of=r"- ?1\)|: ?-1\]|\bpop\(",  # of two pieces the first is also all but the last
    otherwise="Every piece has its tokens, the last one too: let the loop run over all that `pre_tokenize` gives.",
)
def first_piece(text, merges):
    pieces = pre_tokenize(text)
    return encoded(pieces[0], merges) if pieces else []


@encode.also("the first piece alone")
def first_piece_or_none(text, merges):
    return first_piece(text, merges) or None


@encode.misconception(
    "the parts after each merge", "Add the parts when the piece is done: after the loop that merges, not inside it."
)
def each_step(text, merges):
    tokens = []

    def join(parts, pair):
        parts = merge_pair(parts, pair)
        tokens.extend(parts)
        return parts

    encoded(text, merges, join=join)
    return tokens


@encode.misconception(
    "whole pieces", "Add the piece's parts one by one: neither the piece itself nor its parts joined again."
)
def whole_pieces(text, merges):
    return [piece.encode() for piece in pre_tokenize(text)]


@encode.also("whole pieces")
def whole_pieces_of_str(text, merges):
    return pre_tokenize(text)


@encode.misconception(
    "the numbers of the bytes",
    "A token stays one bytes object: `tokens.append(part)`. (`tokens += part` adds its bytes one by one.)",
)
def numbers_of_bytes(text, merges):
    return list(text.encode())


@encode.misconception(
    "`<|endoftext|>` in front", "`<|endoftext|>` is put in front later, for the model: begin with an empty list."
)
def with_endoftext(text, merges):
    return [b"<|endoftext|>", *encoded(text, merges)]


@encode.misconception("GPT-2's printable characters", "A space stays the byte 0x20: only GPT-2's files write it as Ġ.")
def with_printable_space(text, merges):
    return [token.replace(b" ", "Ġ".encode()) for token in encoded(text, merges)]


@encode.also("GPT-2's printable characters")
def in_printable_bytes(text, merges):
    return [printable(token).encode() for token in encoded(text, merges)]


@encode.misconception("the whole text's bytes for each piece", "Take the piece apart, not the text.")
def text_each_time(text, merges):
    return [part for _ in pre_tokenize(text) for part in single_bytes(text)]


@encode.misconception(
    "single letters of str", "Take the piece apart with `single_bytes`, and add `parts` to the tokens, not the piece."
)
def letters_alone(text, merges):
    return [letter for piece in pre_tokenize(text) for letter in piece]


@encode.misconception("a list for each piece", "Return one flat list: `tokens += parts`, or `tokens.extend(parts)`.")
def nested(text, merges):
    return [encoded(piece, merges) for piece in pre_tokenize(text)]


@encode.also("a list for each piece")
def nested_tuples(text, merges):
    return [tuple(encoded(piece, merges)) for piece in pre_tokenize(text)]


@encode.misconception(
    "the whole text in the place of each piece",
    "The tokens of the whole text come once for each piece: take the piece apart, `single_bytes(piece)`.",
)
def text_for_each_piece(text, merges):
    return encoded(text, merges, cut=lambda text: [text] * len(pre_tokenize(text)))


@encode.misconception("tokens of str", "Tokens are bytes: some hold only a part of a character.")
def strings(text, merges):
    return [token.decode("utf-8", errors="replace") for token in encoded(text, merges)]


@encode.also("tokens of str")
def latin_strings(text, merges):
    return [token.decode("latin1") for token in encoded(text, merges)]


@encode.also("tokens of str")
def printable_strings(text, merges):
    return [printable(token) for token in encoded(text, merges)]


@encode.misconception("ids", "Return the tokens themselves, as bytes; the vocabulary gives them numbers later.")
def numbers(text, merges):
    ids = {bytes([byte]): byte for byte in range(256)}
    for one, other in merges:
        ids.setdefault(one + other, len(ids))
    return [ids[token] for token in encoded(text, merges)]


@encode.misconception("a tuple of tokens", "Return a list.")
def as_tuple(text, merges):
    return tuple(encoded(text, merges))


@encode.misconception("each different token once", "Return every token of the text, in order, repeats too.")
def each_once(text, merges):
    return list(dict.fromkeys(encoded(text, merges)))


@encode.misconception(
    "emptying the list of merges", "The caller still needs `merges`: read it, and take nothing out of it."
)
def popping(text, merges):
    return in_turn(text, [merges.pop(0) for _ in range(len(merges))], merge_pair)


@encode.also("emptying the list of merges")
def popping_in_the_first_piece(text, merges):
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while merges:
            parts = merge_pair(parts, merges.pop(0))
        tokens += parts
    return tokens


@encode.also("the smallest pair first")
def sorting(text, merges):
    merges.sort()
    return encoded(text, merges)


KNOWN: dict[str, list[bytes]] = {}
KNOWN_TEXTS: dict[str, list[bytes]] = {}


@encode.misconception(
    "tokens remembered from other merges",
    "What you keep from one call to the next must be kept separately for each `merges`: put `tuple(merges)` into the "
    "key too, or keep nothing.",
)
def remembered(text, merges):
    return [token for piece in pre_tokenize(text) for token in KNOWN.setdefault(piece, encoded(piece, merges))]


@encode.also("tokens remembered from other merges")
def remembered_texts(text, merges):
    return KNOWN_TEXTS.setdefault(text, encoded(text, merges))


@encode.misconception(
    "the last part of each piece left out", "The last part begins no pair, and is a token all the same: keep it."
)
def without_last(text, merges):
    def join(parts, pair):
        return merge_pair(parts, pair)[: len(parts) - 1]

    return [token for piece in pre_tokenize(text) for token in encoded(piece, merges, join=join)[:-1]]


def walked_short(parts, pair):
    """A loop over the pairs alone: a part is kept where the pair that it begins is not the one to merge."""
    walked, index = [], 0
    while index < len(parts) - 1:
        is_one = (parts[index], parts[index + 1]) == pair
        walked.append(parts[index] + parts[index + 1] if is_one else parts[index])
        index += 2 if is_one else 1
    return walked


encode.also("the last part of each piece left out")(lambda text, merges: in_turn(text, merges, walked_short))
encode.also("the last part of each piece left out")(other_way(join=walked_short))


HELD: dict[int, tuple[list, dict]] = {}


@encode.misconception(
    "ranks of a list that has been filled anew",
    "The same list may hold other pairs in the next call (its `id` stays the same): keep ranks by the pairs "
    "themselves, as by `tuple(merges)`, or make them anew.",
    said_of=r"\bid\(",
)
def remembered_by_id(text, merges):
    """The list is held, so that none that is made later has its `id` by chance."""
    _, ranks = HELD.setdefault(id(merges), (merges, {pair: rank for rank, pair in enumerate(merges)}))
    return [token for piece in pre_tokenize(text) for token in merged_by(ranks, piece)]


RANKS: dict[tuple, dict] = {}


@encode.correct
def remembered_by_its_pairs(text, merges):
    key = tuple(merges)
    if key not in RANKS:
        RANKS[key] = {pair: rank for rank, pair in enumerate(merges)}
    return [token for piece in pre_tokenize(text) for token in merged_by(RANKS[key], piece)]


TOKENS: dict[tuple, list[bytes]] = {}


@encode.correct
def remembered_by_text_and_pairs(text, merges):
    key = text, tuple(merges)
    if key not in TOKENS:
        TOKENS[key] = encoded(text, merges)
    return TOKENS[key]


def merged_by(ranks, piece):
    parts = single_bytes(piece)
    while known := [pair for pair in pairwise(parts) if pair in ranks]:
        parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
    return parts


SPECIAL = re.compile(r"(<\|endoftext\|>)")


@encode.misconception(
    "`<|endoftext|>` kept as one token",
    "Here it is text like any other: give the whole text to `pre_tokenize`, and look for nothing in it.",
)
def with_a_special_token(text, merges):
    parts = [part for part in SPECIAL.split(text) if part]
    return [
        token for part in parts for token in ([part.encode()] if SPECIAL.fullmatch(part) else encoded(part, merges))
    ]


@encode.also("`<|endoftext|>` kept as one token")
def where_the_text_is_nothing_else(text, merges):
    return [text.encode()] if SPECIAL.fullmatch(text) else encoded(text, merges)


@encode.misconception(
    "`<|endoftext|>` left out",
    "Here it is text like any other: give the whole text to `pre_tokenize`, and leave nothing out.",
)
def without_the_special_token(text, merges):
    return [token for part in SPECIAL.split(text)[::2] if part for token in encoded(part, merges)]


@encode.misconception("zero bytes lost at the end of a token", "A zero byte is text too: take nothing off a token.")
def without_zeros_at_the_end(text, merges):
    return [token.rstrip(b"\0") for token in encoded(text, merges)]
