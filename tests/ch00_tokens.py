"""Chapter 0: what the tokenizers must do, and the ways they go wrong."""

import difflib
import itertools
import math
import re
import unicodedata
from collections import Counter
from itertools import chain, pairwise

import torch
from tokenizers import Tokenizer, models, pre_tokenizers

from solutions.ch00_tokens import GPT2_PATTERN, SpaceTokenizer, merge_pair, pre_tokenize, single_bytes
from utils.checking import (
    Exercise,
    check_agrees,
    check_inputs_unchanged,
    check_raises,
    check_repeatable,
    check_value,
    line,
    random_tensor,
)
from utils.reference import tokenizer
from utils.reference.byte_pairs import from_printable, merges, printable

WORDS = ["the", "fox", "saw", "moon", "The", "moon.", "été", "1999"]
HENS = "the hen then hid the other hens"
SCRIPTS = "it's 1999, IT'S été! лиса видела луну, 狐は月を見た, लोमड़ी, ثعلب 🦊🌙 👩‍🚀\n\n  the end \t"


def shuffled(words: list[str]) -> list[str]:
    """The words in an order from the test's seed."""
    return [words[index] for index in random_tensor(len(words)).argsort()]


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
        check_agrees(SpaceTokenizer, [vocab], ("encode", "the fox"), ("decode", [2, 1]), beside=[["a", "b", "c"]])


@space_tokenizer.correct
class Scanning:
    """No dict, no split: it walks the text and searches the list."""

    def __init__(self, vocab):
        self.words = tuple(vocab)

    def encode(self, text):
        found, word = [], ""
        for letter in text + " ":
            if not letter.isspace():
                word += letter
            elif word:
                if word not in self.words:
                    raise KeyError(f"{word!r} is not in the vocabulary")
                found.append(self.words.index(word))
                word = ""
        return found

    def decode(self, ids):
        text = ""
        for index in ids:
            text += (" " if text else "") + self.words[index]
        return text


@space_tokenizer.correct
class TwoDicts:
    def __init__(self, vocab: list[str]):
        self.str_to_int = dict(zip(vocab, range(len(vocab)), strict=True))
        self.int_to_str = {index: word for word, index in self.str_to_int.items()}

    def encode(self, text):
        ids = []
        for word in re.split(r"\s+", text):
            if word:
                ids.append(self.str_to_int[word])
        return ids

    def decode(self, ids):
        return " ".join([self.int_to_str[index] for index in ids])


@space_tokenizer.correct
class Mapping(dict):
    """A dict that holds both directions."""

    def __init__(self, vocab):
        super().__init__(zip(vocab, range(len(vocab)), strict=True))
        self.update(dict(enumerate(vocab)))

    def encode(self, text):
        return list(map(self.__getitem__, re.findall(r"\S+", text)))

    def decode(self, ids):
        return " ".join(map(self.get, ids))


@space_tokenizer.correct
class Translated:
    """The error of `list.index` turned into the one that is due."""

    def __init__(self, vocab):
        self.vocab = vocab

    def encode(self, text):
        return [self._id(word) for word in text.strip().split()]

    def decode(self, ids):
        return "".join(f" {self.vocab[index]}" for index in ids)[1:]

    def _id(self, word):
        try:
            return self.vocab.index(word)
        except ValueError:
            raise KeyError(f"unknown word: {word}") from None


@space_tokenizer.correct
class OwnError:
    """An error of its own kind, and a cut by hand that adds the last word behind the loop."""

    class UnknownWord(KeyError):
        def __init__(self, word):
            super().__init__(f"unknown word: {word}")

    def __init__(self, vocab):
        self.table = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        words, word = [], ""
        for letter in text:
            word = "" if letter.isspace() else word + letter
            if word == letter:
                words.append(word)
            elif word:
                words[-1] = word
        for word in words:
            if word not in self.table:
                raise self.UnknownWord(word)
        return [self.table[word] for word in words]

    def decode(self, ids):
        words = list(self.table)
        return " ".join(words[index] for index in ids)


@space_tokenizer.misconception(
    "numbering the words from 1", "The first word of the vocabulary has the id 0: nothing stands before it."
)
class FromOne(SpaceTokenizer):
    def __init__(self, vocab):
        super().__init__(vocab)
        self.ids = {word: index for index, word in enumerate(vocab, start=1)}


@space_tokenizer.also("numbering the words from 1")
class FromOneBothWays(FromOne):
    def decode(self, ids):
        return " ".join(self.words[index - 1] for index in ids)


@space_tokenizer.also("numbering the words from 1")
class UnknownWordFirst(SpaceTokenizer):
    def __init__(self, vocab):
        super().__init__(["<unk>", *vocab])


@space_tokenizer.also("numbering the words from 1")
class OtherUnknownWordFirst(SpaceTokenizer):
    def __init__(self, vocab):
        super().__init__(["<|unk|>", *vocab])


@space_tokenizer.misconception("decoding without spaces", 'Put one space between two words: `" ".join(...)`.')
class NoSpaces(SpaceTokenizer):
    def decode(self, ids):
        return "".join(self.words[index] for index in ids)


@space_tokenizer.misconception(
    "a space after each word", 'A space stands only between two words: `" ".join(...)`, or take off the last one.'
)
class TrailingSpace(SpaceTokenizer):
    def decode(self, ids):
        return "".join(self.words[index] + " " for index in ids)


@space_tokenizer.misconception("a space before each word", 'A space stands only between two words: `" ".join(...)`.')
class LeadingSpace(SpaceTokenizer):
    def decode(self, ids):
        return "".join(" " + self.words[index] for index in ids)


@space_tokenizer.misconception("decoding to a list of words", 'The text is one string: `" ".join(words)`.')
class ListOfWords(SpaceTokenizer):
    def decode(self, ids):
        return [self.words[index] for index in ids]


@space_tokenizer.also("decoding to a list of words")
class ListAsText(ListOfWords):
    def decode(self, ids):
        return str(super().decode(ids))


@space_tokenizer.misconception(
    "another sign between the words", 'What stands between two words is one space: `" ".join(...)`.'
)
class LineBreaks(SpaceTokenizer):
    sign = "\n"

    def decode(self, ids):
        return self.sign.join(self.words[index] for index in ids)


for other_sign in (", ", ",", "_", "-", "  ", "\t", "Ġ", " Ġ"):
    space_tokenizer.also("another sign between the words")(type("Sign", (LineBreaks,), {"sign": other_sign}))


@space_tokenizer.misconception(
    "one word alone", "Collect them all; a `return` inside the loop gives the first one and ends there."
)
class FirstWord(SpaceTokenizer):
    def decode(self, ids):
        return super().decode(ids[:1])


@space_tokenizer.also("one word alone")
class LastWord(SpaceTokenizer):
    def decode(self, ids):
        return super().decode(ids[-1:])


@space_tokenizer.also("one word alone")
class FirstId(SpaceTokenizer):
    def encode(self, text):
        return super().encode(text)[:1]


@space_tokenizer.misconception(
    "reading the text letter by letter", "Split the text into words first: `for word in text.split()`."
)
class Letters(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[letter] for letter in text]


@space_tokenizer.misconception(
    "the text taken for one word", "Cut it into words: `for word in text.split()`, without an argument."
)
class OneWord(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[text]]


@space_tokenizer.also("the text taken for one word")
class Lines(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in text.splitlines()]


@space_tokenizer.misconception(
    "an error where no ids are given", 'Without ids the text is empty. `" ".join(...)` gives that by itself.'
)
class NeedsAWord(SpaceTokenizer):
    def decode(self, ids):
        text = self.words[ids[0]]
        for index in ids[1:]:
            text += " " + self.words[index]
        return text


@space_tokenizer.misconception("numbers for words", "Look each id up: the word is `self.words[index]`.")
class Numbers(SpaceTokenizer):
    def decode(self, ids):
        return " ".join(map(str, ids))


@space_tokenizer.misconception(
    "leaving unknown words out", "A word that is not in the vocabulary is an error: `self.ids[word]` raises KeyError."
)
class Skipping(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in text.split() if word in self.ids]


@space_tokenizer.misconception(
    "None for an unknown word", "`dict.get` gives None. Look words up with `self.ids[word]`, which raises KeyError."
)
class Getting(SpaceTokenizer):
    def encode(self, text):
        return [self.ids.get(word) for word in text.split()]


@space_tokenizer.misconception(
    "a number in place of an unknown word", "Look words up with `self.ids[word]`, which raises KeyError."
)
class MinusOne(SpaceTokenizer):
    def encode(self, text):
        return [self.ids.get(word, -1) for word in text.split()]


@space_tokenizer.also("a number in place of an unknown word")
class Zero(SpaceTokenizer):
    def encode(self, text):
        return [self.ids.get(word, 0) for word in text.split()]


@space_tokenizer.also("a number in place of an unknown word")
class AfterTheLast(SpaceTokenizer):
    def encode(self, text):
        return [self.ids.get(word, len(self.words)) for word in text.split()]


@space_tokenizer.also("a number in place of an unknown word")
class Growing(SpaceTokenizer):
    def encode(self, text):
        return [self.ids.setdefault(word, len(self.ids)) for word in text.split()]


@space_tokenizer.misconception(
    "an error that is caught", "Let the KeyError leave `encode`: take the `try` away, or `raise` in the `except` too."
)
class Caught(SpaceTokenizer):
    def encode(self, text):
        try:
            return super().encode(text)
        except KeyError:
            return []


@space_tokenizer.also("an error that is caught")
class CaughtToNone(SpaceTokenizer):
    def encode(self, text):
        try:
            return super().encode(text)
        except KeyError:
            return None


@space_tokenizer.misconception(
    "stopping at an unknown word",
    "An unknown word is an error: let `self.ids[word]` raise its KeyError, and catch none.",
)
class CaughtOnTheWay(SpaceTokenizer):
    def encode(self, text):
        return super().encode(" ".join(itertools.takewhile(self.ids.__contains__, text.split())))


@space_tokenizer.misconception(
    "searching with list.index", "That raises ValueError. Look words up in a dict, which raises KeyError."
)
class ListIndex(SpaceTokenizer):
    def encode(self, text):
        return [self.words.index(word) for word in text.split()]


@space_tokenizer.misconception(
    "an `assert` in the place of a KeyError",
    "It raises AssertionError. Look words up with `self.ids[word]`, which raises KeyError, and leave it out.",
)
class Asserting(SpaceTokenizer):
    def encode(self, text):
        assert set(text.split()) <= set(self.ids), "unknown word"
        return super().encode(text)


@space_tokenizer.misconception(
    "a KeyError that does not say which word", "Put the word into the message: `raise KeyError(word)`."
)
class NamelessError(SpaceTokenizer):
    def encode(self, text):
        if not set(text.split()) <= set(self.ids):
            raise KeyError("unknown word")
        return super().encode(text)


@space_tokenizer.also("a KeyError that does not say which word")
class NoMessage(SpaceTokenizer):
    def encode(self, text):
        if not set(text.split()) <= set(self.ids):
            raise KeyError
        return super().encode(text)


@space_tokenizer.misconception(
    "splitting at every single space", "`text.split()`, without an argument, splits at any white space."
)
class OneSpace(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in text.split(" ")]


@space_tokenizer.misconception(
    "an empty word where the text ends in white space",
    "`text.split()`, without an argument, gives none. In a loop of your own, add a word only if it has a letter.",
)
class EmptyWord(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in re.sub(r"^\s+", "", re.sub(r"\s+", " ", text)).split(" ")]


@space_tokenizer.also("an empty word where the text ends in white space")
class EmptyWords(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in re.split(r"\s+", text)]


@space_tokenizer.misconception(
    "splitting at spaces alone", "Line breaks and tabs are white space too: `text.split()`, without an argument."
)
class SpacesAlone(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in text.split(" ") if word]


@space_tokenizer.misconception("making the text lower case", "Take each word as it stands: `The` is not `the`.")
class LowerCase(SpaceTokenizer):
    def encode(self, text):
        return super().encode(text.lower())


@space_tokenizer.also("making the text lower case")
class LowerCaseBoth(LowerCase):
    def __init__(self, vocab):
        super().__init__([word.lower() for word in vocab])


@space_tokenizer.misconception("leaving punctuation out", "Take each word as it stands: `moon.` is not `moon`.")
class NoPunctuation(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word.strip(".,")] for word in text.split()]


@space_tokenizer.also("leaving punctuation out")
class WordCharacters(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in re.findall(r"\w+", text)]


@space_tokenizer.misconception(
    "cutting punctuation off as words of their own", "Cut at white space alone: `text.split()`."
)
class PunctuationApart(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in re.findall(r"\w+|[^\w\s]", text)]


@space_tokenizer.misconception(
    "closing the gap before punctuation", "One space stands between any two words, even if one of them is a comma."
)
class Closing(SpaceTokenizer):
    def decode(self, ids):
        return re.sub(r"\s+([,.:;?!\"()'])", r"\1", super().decode(ids))


@space_tokenizer.also("closing the gap before punctuation")
class ClosingBothSides(Closing):
    def decode(self, ids):
        return super().decode(ids).replace("( ", "(")


@space_tokenizer.misconception(
    "numbering the words in alphabetical order", "A word's id is its index in the list as it was given: don't sort it."
)
class Sorted(SpaceTokenizer):
    def __init__(self, vocab):
        super().__init__(sorted(vocab))


@space_tokenizer.also("numbering the words in alphabetical order")
class SortingInPlace(SpaceTokenizer):
    def __init__(self, vocab):
        vocab.sort()
        super().__init__(vocab)


@space_tokenizer.misconception("emptying the list of ids", "Read `ids` in a loop; don't pop from it.")
class Popping(SpaceTokenizer):
    def decode(self, ids):
        return " ".join(self.words[ids.pop(0)] for _ in range(len(ids)))


@space_tokenizer.misconception(
    "one dict for all tokenizers", "Make the dict in `__init__`, as `self.ids = {}`: one in the class is shared by all."
)
class Shared(SpaceTokenizer):
    known: dict[str, int] = {}  # noqa: RUF012 - the mistake

    def __init__(self, vocab):
        super().__init__(vocab)
        self.known.update(self.ids)
        self.ids = self.known


@space_tokenizer.also("one dict for all tokenizers")
class SharedNumbers(SpaceTokenizer):
    known: dict[str, int] = {}  # noqa: RUF012 - the mistake

    def __init__(self, vocab):
        super().__init__(vocab)
        for word in vocab:
            self.known.setdefault(word, len(self.known))
        self.ids = self.known


@space_tokenizer.misconception(
    "one vocabulary for all tokenizers", "Keep the words in `self`, so that each tokenizer has its own: no `global`."
)
class SharedWords(SpaceTokenizer):
    def __init__(self, vocab):
        super().__init__(vocab)
        SharedWords.last = vocab

    def decode(self, ids):
        return " ".join(SharedWords.last[index] for index in ids)


@space_tokenizer.also("one vocabulary for all tokenizers")
class SharedTable(SharedWords):
    def encode(self, text):
        return [SharedTable.last.index(word) if word in SharedTable.last else {}[word] for word in text.split()]


@space_tokenizer.misconception(
    "the dict the wrong way round", "The words are the keys: `{word: index for index, word in enumerate(vocab)}`."
)
class WrongWayRound(SpaceTokenizer):
    def __init__(self, vocab):
        super().__init__(vocab)
        self.ids = dict(enumerate(vocab))


@space_tokenizer.misconception(
    "the id 0 taken for none",
    "0 counts as false, but is an id like any other: ask `word not in self.ids`, or `is None`.",
)
class Falsy(SpaceTokenizer):
    def encode(self, text):
        for word in text.split():
            if not self.ids.get(word):
                raise KeyError(word)
        return super().encode(text)


@space_tokenizer.also("the id 0 taken for none")
class FalsyDecoding(SpaceTokenizer):
    def decode(self, ids):
        return super().decode([index for index in ids if index])


@space_tokenizer.misconception("a tensor of ids", "Return a list of int.")
class TensorOfIds(SpaceTokenizer):
    def encode(self, text):
        return torch.tensor(super().encode(text), dtype=torch.int64)


@space_tokenizer.also("a tensor of ids")
class PlainTensor(SpaceTokenizer):
    def encode(self, text):
        return torch.tensor(super().encode(text))


@space_tokenizer.misconception(
    "a method without `return`", "End `encode` and `decode` with `return` and what was computed."
)
class NoReturn(SpaceTokenizer):
    def encode(self, text):
        super().encode(text)


@space_tokenizer.also("a method without `return`")
class NoReturnFromDecode(SpaceTokenizer):
    def decode(self, ids):
        super().decode(ids)


@space_tokenizer.also("a method without `return`")
class NoReturnAtAll(NoReturn):
    def decode(self, ids):
        super().decode(ids)


@space_tokenizer.misconception("words for ids", "Look each word up: its id is its index in the vocabulary.")
class WordsForIds(SpaceTokenizer):
    def encode(self, text):
        return text.split()


@space_tokenizer.misconception(
    "the ids as they come in the text", "A word's id is its index in the vocabulary, not its place in the text."
)
class Places(SpaceTokenizer):
    def encode(self, text):
        words = list(dict.fromkeys(super().encode(text)))
        return [words.index(index) for index in super().encode(text)]


@space_tokenizer.misconception(
    "each different word once", "Give an id for every word of the text, in its order; a word that comes twice has two."
)
class EachOnce(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in dict.fromkeys(text.split())]


@space_tokenizer.misconception(
    "the last word left out", "Go to the end: the last word counts too, with or without white space behind it."
)
class LastWordLost(SpaceTokenizer):
    def encode(self, text):
        return super().encode(text)[:-1] if not text[-1:].isspace() else super().encode(text)


@space_tokenizer.also("the last word left out")
class LastLost(SpaceTokenizer):
    def encode(self, text):
        return super().encode(text)[:-1]


@space_tokenizer.also("the last word left out")
class LastIdLost(SpaceTokenizer):
    def decode(self, ids):
        return super().decode(ids[:-1])


@space_tokenizer.misconception(
    "the last letter cut off", "`join` leaves no space at the end, so there is nothing to cut off."
)
class LastLetterLost(SpaceTokenizer):
    def decode(self, ids):
        return super().decode(ids)[:-1]


@space_tokenizer.misconception("the words in reverse", "Keep the order of the text, and that of the ids.")
class Backwards(SpaceTokenizer):
    def encode(self, text):
        return super().encode(text)[::-1]


@space_tokenizer.also("the words in reverse")
class BackwardsDecoding(SpaceTokenizer):
    def decode(self, ids):
        return super().decode(ids[::-1])


@space_tokenizer.also("the words in reverse")
class PoppingFromTheEnd(SpaceTokenizer):
    def decode(self, ids):
        return " ".join(self.words[ids.pop()] for _ in range(len(ids)))


@space_tokenizer.misconception(
    "the order of the vocabulary", "Go through the text, and through the ids, in their own order: sort nothing."
)
class IdsSorted(SpaceTokenizer):
    def encode(self, text):
        return sorted(super().encode(text))


@space_tokenizer.also("the order of the vocabulary")
class IdsThatCome(SpaceTokenizer):
    def encode(self, text):
        return [index for index, word in enumerate(self.words) if word in text.split()]


@space_tokenizer.also("the order of the vocabulary")
class SetOfIds(SpaceTokenizer):
    def encode(self, text):
        return sorted(set(super().encode(text)))


@space_tokenizer.also("the order of the vocabulary")
class DecodingSorted(SpaceTokenizer):
    def decode(self, ids):
        return super().decode(sorted(ids))


@space_tokenizer.also("the order of the vocabulary")
class WordsThatCome(SpaceTokenizer):
    def decode(self, ids):
        return " ".join(word for index, word in enumerate(self.words) if index in ids)


@space_tokenizer.misconception(
    "a word found within another", "Compare whole words: look each one up in a dict, or ask with `==`."
)
class Prefixes(SpaceTokenizer):
    def encode(self, text):
        return [self.first(word) for word in text.split()]

    def first(self, word):
        found = [index for index, known in enumerate(self.words) if self.fits(word, known)]
        return found[0] if found else self.ids[word]

    def fits(self, word, known):
        return known.startswith(word)


@space_tokenizer.also("a word found within another")
class Parts(Prefixes):
    def fits(self, word, known):
        return word in known


@space_tokenizer.misconception(
    "a word like it in the place of an unknown one",
    "One that is not in the vocabulary as it stands is an error: look each up once, with `self.ids[word]`.",
)
class SmallIfUnknown(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word if word in self.ids else self.like(word)] for word in text.split()]

    def like(self, word):
        return word.lower()


@space_tokenizer.also("a word like it in the place of an unknown one")
class BareIfUnknown(SmallIfUnknown):
    def like(self, word):
        return word.strip(".,!?;:")


@space_tokenizer.also("a word like it in the place of an unknown one")
class SmallAndBareIfUnknown(SmallIfUnknown):
    def like(self, word):
        return word.lower().strip(".,!?;:")


@space_tokenizer.also("a word like it in the place of an unknown one")
class NearestIfUnknown(SmallIfUnknown):
    def like(self, word):
        return difflib.get_close_matches(word, self.words, n=1, cutoff=0.0)[0]


@space_tokenizer.misconception(
    "the text that was encoded last", "`decode` is given all that it needs: look up each of the ids."
)
class Remembering(SpaceTokenizer):
    def __init__(self, vocab):
        super().__init__(vocab)
        self.last = ""

    def encode(self, text):
        self.last = text
        return super().encode(text)

    def decode(self, ids):
        return self.last


@space_tokenizer.misconception(
    "ids kept from one text to the next",
    "Make the list within `encode`, so that each text starts with an empty one.",
)
class Gathering(SpaceTokenizer):
    def __init__(self, vocab):
        super().__init__(vocab)
        self.found = []

    def encode(self, text):
        self.found += super().encode(text)
        return self.found


@space_tokenizer.also("ids kept from one text to the next")
class GatheringCopies(Gathering):
    def encode(self, text):
        return list(super().encode(text))


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


train = Exercise(inputs={"text": "", "n_merges": ""})


@train.test
def test_train_bpe(train_bpe):
    """train_bpe against the reference solution: what is counted, what wins a tie, what is merged."""
    often = shuffled("low low low low lower lower newest newest newest newest newest newest widest widest".split())
    with line("gives the most frequent pair, as a tuple of two bytes in a list"):
        check_agrees(train_bpe, "hush hush hush she", 1)
    with line("answers the same twice"):
        check_repeatable(train_bpe, HENS, 4, before=[("ho ho ho", 2)])
    with line("counts a pair every time that its piece comes, and every time within the piece"):
        check_agrees(train_bpe, "aab ab cb", 1)
        check_agrees(train_bpe, "oats oats oats oat tea tea eat eat neat", 1)
        check_agrees(train_bpe, "xaaaa xyz xyz xyw", 1)
        check_agrees(train_bpe, "banana banana nab bab", 1)
    with line("merges it everywhere, and counts again with what was merged"):
        check_agrees(train_bpe, HENS, 3)
        check_agrees(train_bpe, "ababab ababab ababab abc", 4)
        check_agrees(train_bpe, "aaaaa aaaaa aaaaa aaaaa", 3)
    with line("of pairs that are equally frequent takes the greater one, compared byte by byte"):
        check_agrees(train_bpe, "ab cd", 1)
        check_agrees(train_bpe, HENS, 5)
        check_agrees(train_bpe, " ".join(often), 12)
        check_agrees(train_bpe, "a b a b Za Zb zé zü éa", 12)
    with line("merges within pieces alone; a word keeps the space before it"):
        check_agrees(train_bpe, "a a a a a a", 9)
        check_agrees(train_bpe, "it's 7x x7 7x, x7. it's", 20)
        check_agrees(train_bpe, "to  be,\n\n  or not\t to  be", 30)
        check_agrees(train_bpe, "\n\n ab  ab \n\n", 9)
    with line("works on bytes, whatever the script"):
        check_agrees(train_bpe, "é è ê ë", 2)
        check_agrees(train_bpe, "e\u0301te\u0301 ½ ½", 6)
        check_agrees(train_bpe, SCRIPTS, 40)
    with line("stops when nothing is left to merge, and does nothing when nothing is asked"):
        check_agrees(train_bpe, "the hen", 50)
        for text, n_merges in ((HENS, 0), ("", 3), ("a b", 1), ("a\nb", 2)):
            check_agrees(train_bpe, text, n_merges)


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
    "ties to the pair that was counted first", "Compare (count, pair), not the count alone: the greater pair wins."
)(wrong_way(choose=lambda counts: max(counts, key=counts.get)))
train.misconception("ties to the pair that was counted last", "Compare (count, pair): the greater pair wins a tie.")(
    wrong_way(choose=lambda counts: max(reversed(list(counts)), key=counts.get))
)
train.misconception("ties to the smaller pair", "Of pairs that are equally frequent the greater one wins.")(
    wrong_way(choose=lambda counts: min(counts, key=lambda pair: (-counts[pair], pair)))
)
train.misconception(
    "ties by the joined bytes", "Compare the pairs themselves: first their first members, then their second ones."
)(wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], pair[0] + pair[1]))))
train.misconception(
    "ties by GPT-2's printable characters",
    "Compare bytes. As Ġ a space comes after all letters, as the byte 0x20 before them.",
)(wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], *map(printable, pair)))))
train.misconception("ties to the longer pair", "Compare (count, pair): the length plays no part.")(
    wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], len(pair[0] + pair[1]), pair)))
)
train.misconception(
    "ties by the second member first", "Python compares tuples from the left: (count, pair), not (count, pair[::-1])."
)(wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], pair[1], pair[0]))))
train.misconception("ties by the first member alone", "Where that is equal too, the second member decides.")(
    wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], pair[0])))
)
train.misconception("ties to the shorter pair", "Compare (count, pair): the length is not asked for.")(
    wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], -len(pair[0] + pair[1]), pair)))
)
train.misconception("the least frequent pair", "Take the pair with the greatest count: `max`, not `min`.")(
    wrong_way(choose=lambda counts: min(counts, key=lambda pair: (counts[pair], pair)))
)
train.misconception("the greatest pair, whatever its count", "The count comes first: compare (count, pair).")(
    wrong_way(choose=max)
)
train.misconception(
    "merging across pieces", "Cut the text with `pre_tokenize` first, and count the pairs within each piece alone."
)(wrong_way(cut=lambda text: [text] if text else []))
train.misconception(
    "throwing the spaces away", "A word keeps the space before it: cut with `pre_tokenize`, and strip nothing off."
)(wrong_way(cut=str.split))
train.also("throwing the spaces away")(wrong_way(cut=stripped))
train.also("merging across pieces")(lambda text, n_merges: counted_across(text, n_merges))
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
    "a pair counted once for each piece", "Count every neighbouring pair, also where a piece has it twice."
)(wrong_way(count=lambda word: set(pairwise(word))))
train.misconception(
    "pairs counted without overlap", "Count every neighbouring pair: aaa has the pair (a, a) twice, `pairwise` says."
)(wrong_way(count=lambda word: apart(word)))
train.misconception(
    "the last pair of each piece left out", "n parts have n - 1 pairs: `range(len(parts) - 1)`, or `pairwise(parts)`."
)(wrong_way(count=lambda word: list(pairwise(word))[:-1]))
train.misconception(
    "the first pair of each piece left out",
    "The pairs begin at index 0: `range(len(parts) - 1)`, or `pairwise(parts)`.",
)(wrong_way(count=lambda word: list(pairwise(word))[1:]))
train.misconception("every other pair left out", "Count every neighbouring pair: the steps are of one, not of two.")(
    wrong_way(count=lambda word: zip(word[::2], word[1::2], strict=False))
)
train.misconception(
    "merging the first occurrence in a piece alone", "Go on through the piece after a merge, to its end."
)(wrong_way(join=lambda parts, pair: first_merged(parts, pair)))
train.misconception("the second part of a merged pair kept", "After a merge go on behind the pair, two parts further.")(
    wrong_way(join=lambda parts, pair: overlapping(parts, pair))
)
train.misconception(
    "counting again without having merged",
    "Put what `merge_pair` returns in the place of the old parts, in every piece, and give it the pair itself.",
)(wrong_way(join=lambda parts, pair: parts))
train.misconception(
    "characters instead of bytes", "Encode the piece, then take it apart: é is two bytes. `single_bytes` does both."
)(wrong_way(letters=lambda piece: [letter.encode() for letter in piece]))
train.misconception(
    "stopping before pairs that come once", "Go on as long as there is any pair; `n_merges` says when it is enough."
)(wrong_way(done=lambda counts, most: not counts or most < 2))
train.also("stopping before pairs that come once")(wrong_way(done=lambda counts, most: not counts or most < 3))
train.misconception("the text in lower case", "Take the text as it is.")(
    lambda text, n_merges: trained(text.lower(), n_merges)
)
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
train.misconception("the text normalised", "Take the text as it is: what Unicode writes in two ways are other bytes.")(
    lambda text, n_merges: trained(unicodedata.normalize("NFKD", text), n_merges)
)
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
train.misconception("letters for pieces", "Cut the text with `pre_tokenize`: pairs are counted within a whole piece.")(
    wrong_way(cut=list)
)
train.misconception(
    "the counts of all rounds together", "Make a new `pair_counts` in each round: its line stands inside the loop."
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


def counted_across(text, n_merges):
    words, found = [single_bytes(piece) for piece in pre_tokenize(text)], []
    for _ in range(n_merges):
        counts = Counter(pairwise(part for word in words for part in word))
        if not counts:
            break
        found.append(max(counts, key=lambda pair: (counts[pair], pair)))
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
    "the pairs of one count, never counted again", "After each merge the counts are others: count again in the loop."
)
def most_common_at_once(text, n_merges):
    counts = Counter(pair for piece in pre_tokenize(text) for pair in pairwise(single_bytes(piece)))
    return sorted(counts, key=lambda pair: (counts[pair], pair), reverse=True)[:n_merges]


@train.misconception(
    "the count of one piece in place of the sum", "Add up: `pair_counts[pair] += counts[piece]`, not `=`."
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
    "A merge ends pairs too: take those of a piece that changes off the counts first, or count all anew in each round.",
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
    "Merge one pair, then count again: a merge takes from the counts of others.",
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
    "bytes.replace on joined parts",
    "Keep the parts in a list, and merge with `merge_pair`: joined to one string, `he n` is found in `the n` too.",
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


@train.misconception(
    "an error when nothing is left", "Leave the loop when there is no pair to count: `if not pair_counts: break`."
)
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
    "an empty list",
    "Put each pair that you merge into the list that you return. `n_merges` counts merges: take no 256 off.",
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


@train.misconception("pairs with their counts", "Note the pair alone: in (pair, count) it is the first of the two.")
def counted_pairs(text, n_merges):
    return counted(text, n_merges, lambda pair, count: (pair, count))


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


@train.misconception("the first pair alone", "The `return` stands inside the loop: move it behind the loop.")
def first_pair(text, n_merges):
    return trained(text, n_merges)[:1] or None


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


@train.also("an empty list")
def minus_256(text, n_merges):
    return trained(text, max(0, n_merges - 256))


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


encode = Exercise(inputs={"text": "", "merges": ""})
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
    with line("merges within pieces alone; a word keeps the space before it"):
        check_agrees(bpe_encode, "ab a1 b  a, a\na", [(b"a", b"1"), (b"b", b" "), (b" ", b"a"), (b" ", b" a")])
        check_agrees(bpe_encode, "it's \n\n 12,34 a_b", [(b"t", b"'"), (b"\n", b"\n"), (b"\n", b" "), (b"2", b",")])
    with line("works on bytes, whatever the script"):
        check_agrees(bpe_encode, "é à ü", [(b"\xc3", b"\xa9"), (b" ", b"\xc3")])
        check_agrees(bpe_encode, "e\u0301 ½", [(b"e", b"\xcc"), (b"\xc3", b"\xa9"), (b"\xc2", b"\xbd")])
        check_agrees(bpe_encode, " ".join(shuffled(SCRIPTS.split(" "))), SCRIPT_MERGES)
    with line("cuts a text as the reference model's tokenizer does"):
        text = " ".join(shuffled(STORY.split())) + SCRIPTS
        want = [from_printable(token) for token in tokenizer().encode(text, add_special_tokens=False).tokens]
        check_value(bpe_encode, text, merges_within(text), want=want)
    with line("leaves `merges` as it was, and answers the same twice"):
        check_inputs_unchanged(bpe_encode, HENS, HEN_MERGES)
        check_repeatable(bpe_encode, HENS, HEN_MERGES, before=[(HENS, HEN_MERGES[:2]), ("hehe", [(b"e", b"h")])])


def merges_within(text: str) -> list[tuple[bytes, bytes]]:
    """Those of the reference model's merges that can matter to this text, in their order."""
    return [(one, other) for one, other in merges() if one + other in text.encode()]


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
encode.misconception("the latest merge first", "The smallest rank comes first: `min`, not `max`.")(
    other_way(choose=lambda known, ranks: max(known, key=lambda pair: ranks[pair]))
)
encode.misconception("the greatest pair first", "The rank decides, a pair's index in `merges`, not its bytes.")(
    other_way(choose=lambda known, ranks: max(known))
)
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
    "the shortest pair first", "The order of `merges` decides, as it was given: sort nothing by length."
)(other_way(choose=lambda known, ranks: min(known, key=lambda pair: (len(pair[0] + pair[1]), pair))))
encode.also("the shortest pair first")(
    other_way(choose=lambda known, ranks: min(known, key=lambda pair: (len(pair[0] + pair[1]), ranks[pair])))
)
encode.misconception("the longest pair first", "The rank decides, a pair's index in `merges`, not its length.")(
    other_way(choose=lambda known, ranks: max(known, key=lambda pair: (len(pair[0] + pair[1]), -ranks[pair])))
)
encode.misconception(
    "merging across pieces", "Cut the text with `pre_tokenize` first, and merge within each piece alone."
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
    "the second part of a merged pair kept", "After a merge go on behind the pair, two parts further."
)(other_way(join=overlapping))
encode.also("the second part of a merged pair kept")(lambda text, merges: in_turn(text, merges, overlapping))
encode.misconception(
    "one merge for each piece", "Go on until no pair of the piece is in `merges`: a `while` loop, not an `if`."
)(other_way(times=1))
encode.misconception(
    "the single bytes",
    "No merge is done. `merges` has pairs, tuples: look these up, and put what `merge_pair` gives in their place.",
)(other_way(times=0))
encode.misconception(
    "the pairs of the single bytes alone", "A merged part makes new pairs: look for known pairs again after each merge."
)(lambda text, merges: encoded_once_looked(text, merges))
encode.also("the pairs of the single bytes alone")(lambda text, merges: encoded_once_looked(text, merges, ranked=False))
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
)(lambda text, merges: ranked_below(text, merges, unknown=-1))
encode.also("unknown pairs before known ones")(lambda text, merges: ranked_below(text, merges, unknown=0))
encode.misconception(
    "an error where a piece has one part", "It has no pair: ask whether there is one before you take the smallest."
)(lambda text, merges: ranked_below(text, merges, least=-1))
encode.misconception(
    "each different piece once", "A piece that comes twice is cut twice: go through all pieces in order."
)(other_way(cut=lambda text: list(dict.fromkeys(pre_tokenize(text)))))
encode.misconception(
    "characters instead of bytes", "Encode the piece, then take it apart: é is two bytes. `single_bytes` does both."
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
encode.misconception("the text normalised", "Take the text as it is: what Unicode writes in two ways are other bytes.")(
    lambda text, merges: encoded(unicodedata.normalize("NFKD", text), merges)
)
for form in ("NFKC", "NFC", "NFD"):
    encode.also("the text normalised")(
        lambda text, merges, form=form: encoded(unicodedata.normalize(form, text), merges)
    )
encode.misconception(
    "a space put before the text", "A word has the space that the text has before it: put none there."
)(other_way(cut=lambda text: pre_tokenize(" " + text)))
encode.also("a space put before the text")(other_way(cut=lambda text: [" " + word for word in text.split()]))
encode.also("a space put before the text")(other_way(cut=lambda text: [" " + word for word in text.split(" ")]))
encode.misconception("equal neighbours made one", "Give every token of the text, also one that comes twice in a row.")(
    lambda text, merges: [token for token, _ in itertools.groupby(encoded(text, merges))]
)
encode.misconception("the tokens in reverse", "Keep the order of the text.")(
    lambda text, merges: encoded(text, merges)[::-1]
)
encode.misconception("one bytes object", "Return the list of tokens, not what they are joined.")(
    lambda text, merges: b"".join(encoded(text, merges))
)
encode.also("one bytes object")(lambda text, merges: b" ".join(encoded(text, merges)))
encode.misconception("the pair merged back to front", "A merge puts the first member before the second.")(
    other_way(join=turned)
)
encode.misconception("the text in lower case", "Take the text as it is.")(
    lambda text, merges: encoded(text.lower(), merges)
)


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
    "Most pairs have no rank: ask `pair in ranks` first, and stop when none has.",
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
    "That is another algorithm: no cut is compared with others. Merge pairs in the order of `merges`.",
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
    "what makes a known token, by whatever pair",
    "Look up the pair, `(one, other) in ranks`, not `one + other`: another pair that makes the same token is no merge.",
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


@encode.misconception(
    "merges learned anew",
    "The merges are given: count nothing, and do them in their order.",
)
def learned_anew(text, merges):
    return in_turn(text, trained(text, len(merges)), merge_pair)


@encode.misconception(
    "a piece that is known whole, or else its bytes", "A piece may also be cut into several tokens: merge its parts."
)
def whole_or_bytes(text, merges):
    known, pieces = {one + other for one, other in merges}, pre_tokenize(text)
    return [part for one in pieces for part in ([one.encode()] if one.encode() in known else single_bytes(one))]


@encode.misconception(
    "one sweep from left to right", "After a merge look at the whole piece again: the smallest rank decides each time."
)
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


@encode.also("one sweep from left to right")
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
    "bytes.replace on the whole text",
    "Keep the parts in a list: joined to one string again, what was merged can't be told from what was not.",
)
def replaced(text, merges):
    joined = b"\0".join(single_bytes(text))
    for one, other in merges:
        joined = joined.replace(one + b"\0" + other, one + other)
    return joined.split(b"\0") if joined else []


@encode.also("bytes.replace on the whole text")
def replaced_in_pieces(text, merges):
    return [part for piece in pre_tokenize(text) for part in replaced(piece, merges)]


@encode.misconception("an empty list", "Add the parts of each piece to the tokens: `tokens += parts`.")
def nothing_collected(text, merges):
    return []


@encode.misconception("the last piece alone", "Collect the parts of every piece; return what was collected.")
def last_piece(text, merges):
    pieces = pre_tokenize(text)
    return encoded(pieces[-1], merges) if pieces else []


@encode.misconception("the first piece alone", "The `return` stands inside the loop: move it behind the loop.")
def first_piece(text, merges):
    pieces = pre_tokenize(text)
    return encoded(pieces[0], merges) if pieces else []


@encode.also("the first piece alone")
def first_piece_or_none(text, merges):
    return first_piece(text, merges) or None


@encode.misconception(
    "the parts after each merge", "Add the parts when the piece is done: behind the `while` loop, not inside it."
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
    "whole pieces", "Add the parts of the piece, as they are: neither the piece nor its parts joined."
)
def whole_pieces(text, merges):
    return [piece.encode() for piece in pre_tokenize(text)]


@encode.also("whole pieces")
def whole_pieces_of_str(text, merges):
    return pre_tokenize(text)


@encode.misconception("the numbers of the bytes", "`tokens += part` adds its bytes one by one: `tokens.append(part)`.")
def numbers_of_bytes(text, merges):
    return list(text.encode())


@encode.misconception(
    "`<|endoftext|>` in front", "Only the model is given that, and it is put there later: begin with an empty list."
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


@encode.misconception("each different token once", "Give every token of the text, in its order.")
def each_once(text, merges):
    return list(dict.fromkeys(encoded(text, merges)))


@encode.misconception("emptying the list of merges", "Read `merges` in a loop; don't pop from it.")
def popping(text, merges):
    return in_turn(text, [merges.pop(0) for _ in range(len(merges))], merge_pair)


@encode.also("the smallest pair first")
def sorting(text, merges):
    merges.sort()
    return encoded(text, merges)


KNOWN: dict[str, list[bytes]] = {}


@encode.misconception(
    "pieces remembered from other merges", "What you keep from one call to the next has to be kept for each `merges`."
)
def remembered(text, merges):
    return [token for piece in pre_tokenize(text) for token in KNOWN.setdefault(piece, encoded(piece, merges))]


@encode.misconception(
    "the last part of each piece left out", "Where you walk over pairs of neighbours, mind the part that has none."
)
def without_last(text, merges):
    def join(parts, pair):
        return merge_pair(parts, pair)[: len(parts) - 1]

    return [token for piece in pre_tokenize(text) for token in encoded(piece, merges, join=join)[:-1]]
