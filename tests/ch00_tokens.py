"""Chapter 0: what the tokenizers must do."""

from itertools import pairwise, product
from typing import TypeVar

from judge.checking import (
    Exercise,
    check_agrees,
    check_inputs_unchanged,
    check_raises,
    check_repeatable,
    check_value,
    dice,
    line,
)
from utils.reference import tokenizer
from utils.reference.byte_pairs import from_printable, merges

T = TypeVar("T")
WORDS = ["the", "fox", "saw", "moon", "The", "moon.", "été", "1999"]
HENS = "the hen then hid the other hens"
SCRIPTS = "it's 1999, IT'S été! лиса видела луну, 狐は月を見た, लोमड़ी, ثعلب 🦊🌙 👩‍🚀\n\n  the end \t"


def shuffled(words: list[T]) -> list[T]:
    """The words, or whatever these are, in an order from the test's seed."""
    return dice().sample(words, len(words))


def scribbled(letters: str, length: int) -> str:
    """A text of so many of these letters, drawn by the test's seed: no table of answers knows it."""
    return "".join(dice().choices(letters, k=length))


space_tokenizer = Exercise(inputs={"vocab": ""}, drive="methods")


@space_tokenizer.test
def test_space_tokenizer(SpaceTokenizer):
    """SpaceTokenizer against the reference solution: words, white space, unknown words."""
    vocab = shuffled(WORDS)
    with line("`encode` gives each word its index in the vocabulary"):
        check_agrees(SpaceTokenizer, [vocab], ("encode", "the fox saw the moon"))
        check_agrees(SpaceTokenizer, [["b", "c", "a"]], ("encode", "a"), ("encode", "c b a b"))
    with line("`decode` gives the words back, with one space between two"):
        check_agrees(SpaceTokenizer, [vocab], ("decode", [3, 0, 2, 0]), ("decode", [1]), ("decode", []))
    with line("takes words as they stand, with their capitals and full stops"):
        check_agrees(SpaceTokenizer, [vocab], ("encode", "The moon. the moon"), ("encode", "été 1999"))
        check_agrees(SpaceTokenizer, [["henhouse", "hen", "house", "henhouses"]], ("encode", "house henhouses hen"))
        check_agrees(SpaceTokenizer, [["(", "yes", ",", "no", "?!"]], ("decode", [1, 2, 3, 4]), ("decode", [0, 3, 2]))
    with line("splits at white space of any kind, and finds no word in an empty text"):
        for text in ("the  fox   saw", "moon  The", "moon\n\tsaw  The", " the  fox\n\tsaw ", "", " \n"):
            check_agrees(SpaceTokenizer, [vocab], ("encode", text))
    with line("an unknown word raises KeyError, which names it"):
        check_raises(SpaceTokenizer, [vocab], ("encode", "the dog saw"), error="KeyError", naming="dog")
        check_raises(SpaceTokenizer, [vocab[:3]], ("encode", vocab[5]), error="KeyError", naming=vocab[5])
        check_raises(SpaceTokenizer, [vocab], ("encode", "THE fox"), error="KeyError", naming="THE")
        check_raises(SpaceTokenizer, [vocab], ("encode", "fox."), error="KeyError", naming="fox.")
    with line("leaves the vocabulary, and the ids that it decodes, as they were"):
        check_inputs_unchanged(SpaceTokenizer, [vocab], ("encode", "the fox"), ("decode", [2, 1]))
    with line("is not disturbed by another one, made of other words"):
        # The calls are those of the first questions: a class may have kept their answers for all its instances.
        calls = ("encode", "the fox saw the moon"), ("decode", [3, 0, 2, 0]), ("decode", [1])
        check_agrees(SpaceTokenizer, [vocab[::-1]], *calls, beside=[["a", "b", "c"]])


train = Exercise(inputs={"text": "", "n_merges": ""})


@train.test
def test_train_bpe(train_bpe):
    """train_bpe against the reference solution: what is counted, what wins a tie, what is merged."""
    often = shuffled("low low low low lower lower newest newest newest newest newest newest widest widest".split())
    with line("gives the most frequent pair, as a tuple of two bytes in a list"):
        check_agrees(train_bpe, "hush hush hush she", 1)
    with line("answers the same twice"):
        check_repeatable(train_bpe, "otro otro otro roe", 2)
        check_agrees(train_bpe, "otro otro otro roe", 1, before=[("otro otro otro roe", 2)])
        check_repeatable(train_bpe, HENS, 4, before=[("ho ho ho", 2)])
    # In these three lines the pair that wins is alone at the top, so that no mistake in ties shows under their names.
    with line("merges within pieces alone; a word keeps the space before it"):
        check_agrees(train_bpe, "a a a a a a", 1)
    with line("counts a pair every time that its piece comes, and every time within the piece"):
        check_agrees(train_bpe, "caab ab db", 1)
        check_agrees(train_bpe, "oats oats oats oat tea tea eat eat neat", 1)
        check_agrees(train_bpe, "dxy xyz xyw xyv baaaa", 1)
        check_agrees(train_bpe, "banana banana nab bab", 1)
        check_agrees(train_bpe, "papapa to to", 1)
        check_agrees(train_bpe, "b a b a", 1)
    with line("merges it everywhere, and counts again with what was merged"):
        check_agrees(train_bpe, HENS, 2)
        check_agrees(train_bpe, "xababab ababab ababab abc", 3)
        check_agrees(train_bpe, "baaaa caaaaa aaaaa aaaaa aaaaa", 3)
    with line("of pairs that are equally frequent takes the greater one, compared byte by byte"):
        check_agrees(train_bpe, "ab cd", 1)
        check_agrees(train_bpe, HENS, 5)
        check_agrees(train_bpe, " ".join(often), 12)
        check_agrees(train_bpe, "a b a b Za Zb zé zü éa", 12)
    with line("ends when there is no pair left to merge"):
        check_agrees(train_bpe, "a a a a a a", 9)
    with line("cuts the text as `pre_tokenize` does: punctuation, numbers and white space are pieces too"):
        check_agrees(train_bpe, "it's 7x x7 7x, x7. it's", 20)
        check_agrees(train_bpe, "to  be,\n\n  or not\t to  be", 30)
        check_agrees(train_bpe, "\n\n ab  ab \n\n", 9)
    with line("works on bytes, whatever the script"):
        check_agrees(train_bpe, "é è ê ë", 2)
        check_agrees(train_bpe, "e\u0301te\u0301 ½ ½", 6)
        check_agrees(train_bpe, "\x00\x00 a\x00 a\x00 \x00b", 5)
        check_agrees(train_bpe, SCRIPTS, 40)
        check_agrees(train_bpe, scribbled("abcAé狐'7 \n", 150), 15)
        check_agrees(train_bpe, scribbled("ab ", 150), 10)
    with line("counts `<|endoftext|>` like any other letters"):
        check_agrees(train_bpe, "<|endoftext|>a<|endoftext|>b the end", 4)
    with line("stops when nothing is left to merge, and does nothing when nothing is asked"):
        check_agrees(train_bpe, "the hen", 50)
        for text, n_merges in ((HENS, 0), ("", 3), ("a b", 1), ("a\nb", 2)):
            check_agrees(train_bpe, text, n_merges)


encode = Exercise(inputs={"text": "", "merges": ""})


def scribbled_merges() -> list[tuple[bytes, bytes]]:
    """Merges in an order from the test's seed; those of what was merged come after, as wherever they are trained."""
    single = [letter.encode() for letter in "abc "]
    pairs = shuffled(list(product(single, single)))
    return pairs[:10] + shuffled(list(product([one + other for one, other in pairs[:5]], single)))[:10]


STORY = 'The youngest daughter wrote the story down, that\'s all. "UNBELIEVABLE," she said 1001 times.'
HEN_MERGES = [(b"h", b"e"), (b"t", b"he"), (b"he", b"n"), (b" ", b"the"), (b" ", b"hen")]
# Trained on SCRIPTS by the reference solution, as GPT-2 writes them: what an é or a 🦊 is made of.
SCRIPT_MERGES = [
    (from_printable(one), from_printable(other))
    for one, other in map(
        str.split,
        (
            *("ð Ł", "à ¤", "Ð »", "ã ģ", "à ¥", "Ñ ĥ", "Ð» Ð", "Ã ©", "9 9", "Ġ ðŁ", "ðŁ ļ", "ðŁļ Ģ", "ðŁ Į", "ðŁĮ Ļ"),
            *("è ¦", "è¦ ĭ", "è¦ĭ ãģ", "è¦ĭãģ Ł", "ç ĭ", "çĭ Ĳ", "â Ģ", "âĢ į", "âĢį ðŁļĢ", "à¥ ĭ", "à¤ ²", "à¤ ®"),
            *("à¤® à¤", "Ù Ħ", "ÙĦ Ø", "ÙĦØ ¨", "Ø ¹", "h e", "Ġ t"),
        ),
    )
]


@encode.test
def test_bpe_encode(bpe_encode):
    """bpe_encode against the reference solution, by hand-made merges and by the reference model's own."""
    with line("without merges gives the single bytes"):
        check_agrees(bpe_encode, "a fox", [])
        check_agrees(bpe_encode, "", HEN_MERGES)
    with line("answers the same twice, whatever the merges were before"):
        check_repeatable(bpe_encode, HENS, HEN_MERGES, before=[(HENS, HEN_MERGES[:2]), ("hehe", [(b"e", b"h")])])
        check_agrees(bpe_encode, "ma", [(b"a", b"m")], before=[("ma", [(b"m", b"a")])])
    with line("merges a pair wherever it occurs"):
        check_agrees(bpe_encode, "hehe hem", [(b"h", b"e")])
        check_agrees(bpe_encode, "aaaaa", [(b"a", b"a")])
    with line("goes on with what was merged"):
        check_agrees(bpe_encode, HENS, HEN_MERGES)
        check_agrees(bpe_encode, "abababab ababab", [(b"a", b"b"), (b"ab", b"ab"), (b"abab", b"ab")])
    with line("of the pairs that it could merge takes the one that comes first in `merges`"):
        check_agrees(bpe_encode, "abc bcd abcd", [(b"b", b"c"), (b"a", b"b"), (b"c", b"d"), (b"bc", b"d")])
        check_agrees(bpe_encode, "abcde cdeab", [(b"d", b"e"), (b"c", b"d"), (b"a", b"b"), (b"ab", b"c")])
        check_agrees(bpe_encode, "ababab babab", [(b"b", b"a"), (b"a", b"b")])
        check_agrees(bpe_encode, "xyz yzx zxy", [(b"y", b"z"), (b"x", b"y"), (b"xy", b"z"), (b"z", b"x")])
        check_agrees(bpe_encode, "abcbcdd dabcbc", [(b"c", b"d"), (b"a", b"b"), (b"b", b"c")])
        both_ways = [(b"a", b"b"), (b"ab", b"c"), (b"c", b"d"), (b"cd", b"e")]
        both_ways += [(b"b", b"a"), (b"c", b"ba"), (b"d", b"c"), (b"e", b"dc")]
        check_agrees(bpe_encode, "abcde edcba", both_ways)
        # On which most other rules differ from each other: the leftmost pair, the longest, the most frequent, ...
        rules_apart = [(b"b", b"b"), (b"a", b"c"), (b"a", b"a"), (b"a", b"ac")]
        rules_apart += [(b"b", b"a"), (b"a", b"bb"), (b"a", b"b"), (b"aa", b"aac")]
        check_agrees(bpe_encode, "aabbbabbaa bcccabaabc cabaacb", rules_apart)
        seas = [(b"h", b"e"), (b"e", b"a"), (b"s", b"e"), (b"a", b"s")]
        check_agrees(bpe_encode, "sea seas", seas, before=[("sea seas", [seas[0], seas[2], seas[1], seas[3]])])
    with line("merges within pieces alone; a word keeps the space before it"):
        check_agrees(bpe_encode, "ab a1 b  a, a\na", [(b"a", b"1"), (b"b", b" "), (b" ", b"a"), (b" ", b" a")])
        check_agrees(bpe_encode, "it's \n\n 12,34 a_b", [(b"t", b"'"), (b"\n", b"\n"), (b"\n", b" "), (b"2", b",")])
    with line("works on bytes, whatever the script"):
        check_agrees(bpe_encode, "é à ü", [(b"\xc3", b"\xa9"), (b" ", b"\xc3")])
        check_agrees(bpe_encode, "e\u0301 ½", [(b"e", b"\xcc"), (b"\xc3", b"\xa9"), (b"\xc2", b"\xbd")])
        check_agrees(bpe_encode, "\x00 a\x00 \x00\x00", [(b"a", b"\x00"), (b" ", b"a\x00"), (b"\x00", b"\x00")])
        check_agrees(bpe_encode, " ".join(shuffled(SCRIPTS.split(" "))), SCRIPT_MERGES)
        check_agrees(bpe_encode, scribbled("abcé ", 100), scribbled_merges())
    with line("cuts `<|endoftext|>` like any other letters"):
        for text in ("The end.<|endoftext|>The hen", "<|endoftext|>", "a <|endoftext|>\n"):
            check_agrees(bpe_encode, text, [(b"e", b"n"), (b"en", b"d"), (b"<", b"|"), (b"|", b">"), (b"h", b"e")])
    with line("cuts a text as the reference model's tokenizer does"):
        text = " ".join(shuffled(STORY.split())) + SCRIPTS
        want = [from_printable(token) for token in tokenizer().encode(text, add_special_tokens=False).tokens]
        check_value(bpe_encode, text, merges_within(text), want=want)
    with line("leaves `merges` as it was"):
        check_inputs_unchanged(bpe_encode, HENS, HEN_MERGES)


decode = Exercise(inputs={"pieces": ""})


def cut_anywhere(text: str) -> list[bytes]:
    """The text's bytes, cut by the test's seed at half of all places: many characters lie in two tokens or more."""
    data = text.encode()
    cuts = [place for place in range(1, len(data)) if dice().random() < 0.5]
    return [data[start:end] for start, end in pairwise([0, *cuts, len(data)])]


@decode.test
def test_bpe_decode(bpe_decode):
    """bpe_decode against the reference solution: whole tokens, halves of characters, bytes that are no text."""
    with line("joins the tokens, and adds nothing"):
        check_agrees(bpe_decode, [b"the", b" hen", b" h", b"id", b"."])
        check_agrees(bpe_decode, [b"fox"])
        check_agrees(bpe_decode, [])
    with line("answers the same twice"):
        check_repeatable(bpe_decode, [b"s", b" hid"], before=[([b"hen"],)])
        check_agrees(bpe_decode, [b"the", b" fox", b" hid", b"!"], before=[([b"the", b" hid", b" fox", b"!"],)])
    with line("keeps every space and line break, and what else is in the text"):
        check_agrees(bpe_decode, [b" ", b" the", b"  ", b"hen ", b"\r\n", b"\n\t", b"\n", b" "])
        check_agrees(
            bpe_decode, [b"No", b" ,", b" no", b" !", b" She", b" did", b" n't", b" say", b" ' so", b" '", b" ."]
        )
        check_agrees(bpe_decode, [b"\xef\xbb\xbf", b"e", b"\xcc", b"\x81", "ĠÂ½<|endoftext|>".encode(), b"\x00'\\"])
        check_agrees(bpe_decode, [b"\x00", b"zero\x00", b"\x00\x00", b" ends\n", b"\x00"])
    with line("a character whose bytes lie in several tokens is whole again"):
        check_agrees(bpe_decode, [b"caf\xc3", b"\xa9", b" \xe7", b"\x8b\x90"])
        check_agrees(bpe_decode, [b"\xf0", b"\x9f", b"\xa6", b"\x8a", b"!"])
        check_agrees(bpe_decode, cut_anywhere(SCRIPTS))
        check_agrees(bpe_decode, cut_anywhere(scribbled(SCRIPTS, 40)))
    with line("what is not UTF-8 becomes U+FFFD, and the rest stays"):
        check_agrees(bpe_decode, [b"a", b"\xff", b"b", b"\xa9", b" c"])
        check_agrees(bpe_decode, [b"\xc3", b"(", b"\xe2\x82", b"A"])
        check_agrees(bpe_decode, [b"the ", b"\xf0", b"\x9f\xa6"])
        check_agrees(bpe_decode, [b"\xed\xa0\x80", b"\xc0\xaf", "\ufffd ".encode(), b"\xf5"])
        check_agrees(bpe_decode, cut_anywhere(scribbled(SCRIPTS, 60))[::2])
    with line("leaves `pieces` as it was"):
        check_inputs_unchanged(bpe_decode, [b"caf\xc3", b"\xa9", b"s"])


def merges_within(text: str) -> list[tuple[bytes, bytes]]:
    """Those of the reference model's merges that can matter to this text, in their order."""
    return [(one, other) for one, other in merges() if one + other in text.encode()]
