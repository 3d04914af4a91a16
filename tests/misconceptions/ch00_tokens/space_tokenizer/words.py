"""How SpaceTokenizer goes wrong: what is a word, and what to do with an unknown one."""

import itertools
import re
import string

from solutions.ch00_tokens import SpaceTokenizer
from tests.ch00_tokens import space_tokenizer


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
        self.words = vocab
        self.ids = {word: index for index, word in enumerate(vocab, start=1)}


space_tokenizer.also("numbering the words from 1", "self.words[index] for → self.words[index - 1] for")


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


space_tokenizer.misconception(
    "decoding without spaces", 'Put one space between two words: `" ".join(...)`.', '" ".join → "".join'
)
space_tokenizer.misconception(
    "a space after each word",
    'A space stands only between two words: `" ".join(...)`, or take off the last one.',
    '" ".join(self.words[index] for index in ids) → "".join(self.words[index] + " " for index in ids)',
)
space_tokenizer.misconception(
    "a space before each word",
    'A space stands only between two words: `" ".join(...)`.',
    '" ".join(self.words[index] for index in ids) → "".join(" " + self.words[index] for index in ids)',
)


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


space_tokenizer.misconception(
    "one word alone",
    "Collect them all: a `return` inside the loop ends it after the first one, and `=` keeps only the last.",
    "in ids → in ids[:1]",
    "in ids → in ids[-1:]",
    "[self.ids[word] for word in text.split()] → [self.ids[word] for word in text.split()][:1]",
    "[self.ids[word] for word in text.split()] → [self.ids[word] for word in text.split()][:1] or None",
    "for word in text.split() → for word in text.split()[:1]",
    "[self.ids[word] for word in text.split()] → [self.ids[word] for word in text.split()[:1]] or None",
)
space_tokenizer.misconception(
    "only the last id",
    "Of all the words the last one alone is left: make the empty list before the loop, and add each id to it.",
    "[self.ids[word] for word in text.split()] → [self.ids[word] for word in text.split()][-1:]",
)
space_tokenizer.misconception(
    "places in the text for ids",
    "A word's id is its place in the vocabulary, not in the text: look the word up.",
    "self.ids[word] for word in text.split() → index for index, word in enumerate(text.split())",
)
space_tokenizer.misconception(
    "places in the place of ids",
    "Look up the ids themselves, `for index in ids`: their places in the list, 0, 1, 2 and so on, say nothing.",
    "for index in ids → for index in range(len(ids))",
    "for index in ids → for index, _ in enumerate(ids)",
)
space_tokenizer.misconception(
    "reading the text letter by letter",
    "Split the text into words first: `for word in text.split()`.",
    "ids[word] for word in text.split() → ids[letter] for letter in text",
)
space_tokenizer.misconception(
    "the text taken for one word",
    "Cut it into words: `for word in text.split()`, without an argument.",
    "ids[word] for word in text.split() → ids[text]",
    "split → splitlines",
)


@space_tokenizer.misconception(
    "an error where no ids are given", 'Without ids the text is empty. `" ".join(...)` gives that by itself.'
)
class NeedsAWord(SpaceTokenizer):
    def decode(self, ids):
        text = self.words[ids[0]]
        for index in ids[1:]:
            text += " " + self.words[index]
        return text


space_tokenizer.misconception(
    "numbers for words",
    "Look each id up: the word is `self.words[index]`.",
    "join(self.words[index] for index in ids) → join(map(str, ids))",
)
space_tokenizer.misconception(
    "ids looked up among the words",
    "`self.ids` goes from a word to its id. `decode` goes the other way: keep the list too, `self.words[index]`.",
    "words[index] → ids[index]",
)
space_tokenizer.misconception(
    "leaving unknown words out",
    "A word that is not in the vocabulary is an error: `self.ids[word]` raises KeyError.",
    "split() → split() if word in self.ids",
)
space_tokenizer.misconception(
    "None for an unknown word",
    "`dict.get` gives None. Look words up with square brackets, which raise KeyError.",
    "ids[word] → ids.get(word)",
)
space_tokenizer.misconception(
    "a number in place of an unknown word",
    "Look words up with `self.ids[word]`, which raises KeyError.",
    "ids[word] → ids.get(word, -1)",
    "ids[word] → ids.get(word, 0)",
    "ids[word] → ids.get(word, len(self.words))",
    "ids[word] → ids.setdefault(word, len(self.ids))",
)


@space_tokenizer.misconception(
    "an error that is caught",
    "The KeyError has to leave `encode`: `self.ids[word]` raises it, and nothing may catch it on its way.",
    said_of=r"\bexcept\b|\bsuppress\b",
    otherwise="One word that is not in the vocabulary makes `encode` fail: `self.ids[word]` raises KeyError.",
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
    "An unknown word is an error: look every word up with `self.ids[word]`, and let its KeyError out.",
)
class CaughtOnTheWay(SpaceTokenizer):
    def encode(self, text):
        return super().encode(" ".join(itertools.takewhile(self.ids.__contains__, text.split())))


space_tokenizer.misconception(
    "a ValueError for an unknown word",
    "An unknown word must raise KeyError, as a dict does by itself: `self.ids[word]`. (`list.index` raises "
    "ValueError.)",
    "ids[word] → words.index(word)",
)


@space_tokenizer.misconception(
    "an `assert` in the place of a KeyError",
    "`assert` raises AssertionError: leave it out, and look words up with `self.ids[word]`, which raises KeyError.",
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


space_tokenizer.misconception(
    "splitting at every single space",
    "`text.split()`, without an argument, splits at any white space.",
    'split() → split(" ")',
)


@space_tokenizer.misconception(
    "an empty word where the text ends in white space",
    "`text.split()`, without an argument, gives no empty words. In a loop of your own, add a word only if it has a "
    "letter.",
)
class EmptyWord(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in re.sub(r"^\s+", "", re.sub(r"\s+", " ", text)).split(" ")]


@space_tokenizer.also("an empty word where the text ends in white space")
class EmptyWords(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in re.split(r"\s+", text)]


space_tokenizer.misconception(
    "splitting at spaces alone",
    "Line breaks and tabs are white space too: `text.split()`, without an argument.",
    'split() → split(" ") if word',
)


@space_tokenizer.misconception("words in lower case", "Take each word as it stands: `The` is not `the`.")
class LowerCase(SpaceTokenizer):
    def encode(self, text):
        return super().encode(text.lower())


@space_tokenizer.also("words in lower case")
class LowerCaseBoth(LowerCase):
    def __init__(self, vocab):
        super().__init__([word.lower() for word in vocab])


@space_tokenizer.also("words in lower case")
class LowerCaseInDicts(LowerCaseBoth):
    """Back by a dict too, in which of `The` and `the` only the later is left."""

    def __init__(self, vocab):
        super().__init__(vocab)
        self.words = {index: word for word, index in self.ids.items()}


@space_tokenizer.misconception("leaving punctuation out", "Take each word as it stands: `moon.` is not `moon`.")
class NoPunctuation(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word.strip(".,")] for word in text.split()]


@space_tokenizer.also("leaving punctuation out")
class WordCharacters(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in re.findall(r"\w+", text)]


@space_tokenizer.also("leaving punctuation out")
class AllPunctuation(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word.strip(string.punctuation)] for word in text.split()]


@space_tokenizer.misconception(
    "lower case, and no punctuation",
    "Take each word as it stands: `The` is not `the`, nor `moon.` the same as `moon`. Cut by `text.split()` alone.",
)
class SmallAndBare(NoPunctuation):
    def encode(self, text):
        return super().encode(text.lower())


@space_tokenizer.also("lower case, and no punctuation")
class SmallAndNoPunctuation(AllPunctuation):
    def encode(self, text):
        return super().encode(text.lower())


@space_tokenizer.also("lower case, and no punctuation")
class SmallWordCharacters(WordCharacters):
    def encode(self, text):
        return super().encode(text.lower())


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
        return re.sub(r"\s+([,.:;?!\"()'])", r"\1", " ".join(self.words[index] for index in ids))


@space_tokenizer.also("closing the gap before punctuation")
class ClosingBothSides(Closing):
    def decode(self, ids):
        return super().decode(ids).replace("( ", "(")
