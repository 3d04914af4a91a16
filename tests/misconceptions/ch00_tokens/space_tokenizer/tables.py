"""How SpaceTokenizer goes wrong: the table of ids, and what is returned."""

import difflib

from solutions.ch00_tokens import SpaceTokenizer
from tests.ch00_tokens import space_tokenizer


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


@space_tokenizer.misconception(
    "emptying the list of ids", "The caller still needs `ids`: read them in a loop, and take none out."
)
class Popping(SpaceTokenizer):
    def decode(self, ids):
        return " ".join(self.words[ids.pop(0)] for _ in range(len(ids)))


@space_tokenizer.misconception(
    "one dict for all tokenizers",
    "Make the dict in `__init__`, as `self.ids = {}`: one that is made elsewhere is shared by all.",
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


@space_tokenizer.also("one dict for all tokenizers")
class SharedIds(SpaceTokenizer):
    answers: dict[str, list[int]] = {}  # noqa: RUF012 - the mistake

    def encode(self, text):
        if text not in self.answers:
            self.answers[text] = super().encode(text)
        return list(self.answers[text])


@space_tokenizer.also("one dict for all tokenizers")
class SharedTexts(SpaceTokenizer):
    answers: dict[tuple[int, ...], str] = {}  # noqa: RUF012 - the mistake

    def decode(self, ids):
        return self.answers.setdefault(tuple(ids), super().decode(ids))


@space_tokenizer.correct
class RememberingForItself(SpaceTokenizer):
    def __init__(self, vocab):
        super().__init__(vocab)
        self.answers = {}

    def encode(self, text):
        if text not in self.answers:
            self.answers[text] = super().encode(text)
        return list(self.answers[text])


@space_tokenizer.misconception(
    "one vocabulary for all tokenizers",
    "Keep the words in `self`, not in the class or a `global`, so that each has its own.",
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


space_tokenizer.misconception(
    "one id for all words",
    "Each word gets the id 0: the index has to grow from word to word, as `enumerate` counts.",
    "index for index, word in enumerate(vocab) → 0 for word in vocab",
)
space_tokenizer.misconception(
    "the dict the wrong way round",
    "The words are the keys: `{word: index for index, word in enumerate(vocab)}`.",
    "{word: index for index, word in enumerate(vocab)} → dict(enumerate(vocab))",
)


@space_tokenizer.misconception(
    "the word with the id 0 taken for unknown",
    "0 counts as false, but is an id like any other: ask whether the word is in the table, and skip no id.",
)
class Falsy(SpaceTokenizer):
    def encode(self, text):
        for word in text.split():
            if not self.ids.get(word):
                raise KeyError(word)
        return super().encode(text)


@space_tokenizer.also("the word with the id 0 taken for unknown")
class FalsyDecoding(SpaceTokenizer):
    def decode(self, ids):
        return super().decode([index for index in ids if index])


space_tokenizer.misconception(
    "words for ids",
    "Look each word up: its id is its index in the vocabulary.",
    "[self.ids[word] for word in text.split()] → text.split()",
)


@space_tokenizer.misconception(
    "numbering the words as they come in the text",
    "A word's id is its index in the vocabulary, not its place in the text.",
)
class Places(SpaceTokenizer):
    def encode(self, text):
        words = list(dict.fromkeys(super().encode(text)))
        return [words.index(index) for index in super().encode(text)]


space_tokenizer.misconception(
    "each different word once",
    "Return an id for every word of the text, in order: a word that comes twice gets its id twice.",
    "text.split() → dict.fromkeys(text.split())",
)


@space_tokenizer.misconception(
    "the last word left out", "Go to the end: the last word counts too, with or without white space after it."
)
class LastWordLost(SpaceTokenizer):
    def encode(self, text):
        return (
            [self.ids[word] for word in text.split()][:-1]
            if not text[-1:].isspace()
            else [self.ids[word] for word in text.split()]
        )


space_tokenizer.also(
    "the last word left out",
    "[self.ids[word] for word in text.split()] → [self.ids[word] for word in text.split()][:-1]",
    "in ids → in ids[:-1]",
)
space_tokenizer.misconception(
    "the last letter cut off",
    "No space stands at the end, so there is nothing to cut off.",
    "join(self.words[index] for index in ids) → join(self.words[index] for index in ids)[:-1]",
)
space_tokenizer.misconception(
    "the words in reverse",
    "Keep the order of the text, and that of the ids.",
    "[self.ids[word] for word in text.split()] → [self.ids[word] for word in text.split()][::-1]",
    "in ids → in ids[::-1]",
    "join(self.words[index] for index in ids) → join(self.words[ids.pop()] for _ in range(len(ids)))",
)


@space_tokenizer.misconception(
    "the order of the vocabulary", "Go through the text, and through the ids, in their own order: sort nothing."
)
class IdsSorted(SpaceTokenizer):
    def encode(self, text):
        return sorted([self.ids[word] for word in text.split()])


space_tokenizer.also(
    "the order of the vocabulary", "self.ids[word] for → index for index, word in enumerate(self.words) if"
)


@space_tokenizer.also("the order of the vocabulary")
class SetOfIds(SpaceTokenizer):
    def encode(self, text):
        return sorted(set([self.ids[word] for word in text.split()]))


space_tokenizer.also(
    "the order of the vocabulary",
    "join(self.words[index] for index in ids) → join(self.words[index] for index in sorted(ids))",
    "self.words[index] for → word for index, word in enumerate(self.words) if",
)


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
    "A word that is not in the vocabulary as it stands is an error: look each word up once, with `self.ids[word]`.",
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
    "ids kept from one text to the next", "Make the list within `encode`, so that each text starts with an empty one."
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
