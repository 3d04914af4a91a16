"""A class that is no module: a tokenizer is driven by its methods, and an unknown word raises KeyError."""

from utils.checking import Exercise, check_agrees, check_inputs_unchanged, check_raises, line, random_tensor

WORDS = ["the", "cat", "sat", "mat", "on"]


class SpaceTokenizer:
    """The reference solution."""

    def __init__(self, vocab):
        self.vocab = list(vocab)
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        return " ".join(self.vocab[index] for index in ids)


exercise = Exercise(inputs={"vocab": ""}, drive="methods", solution="tests.kinds.tokenizer")


@exercise.test
def test_space_tokenizer(SpaceTokenizer):
    vocab = [WORDS[index] for index in random_tensor(len(WORDS)).argsort()]
    with line("`encode` gives each word its index in the vocabulary"):
        check_agrees(SpaceTokenizer, [vocab], ("encode", "the cat sat on the mat"), ("encode", ""))
        check_agrees(SpaceTokenizer, [vocab], ("encode", " the  mat\n"))
    with line("`decode` takes the ids back to words"):
        check_agrees(SpaceTokenizer, [vocab], ("decode", [0, 1, 2]), ("decode", []))
        check_agrees(SpaceTokenizer, [["b", "a"]], ("encode", "a b"), ("decode", [0]), ("encode", "b"))
    with line("leaves the vocabulary, and the ids that it decodes, as they were"):
        check_inputs_unchanged(SpaceTokenizer, [vocab], ("encode", "the cat"), ("decode", [2, 1]))
    with line("an unknown word raises KeyError, which names it"):
        check_raises(SpaceTokenizer, [vocab], ("encode", "the dog sat"), error="KeyError", naming="dog")


@exercise.correct
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


@exercise.correct
class TwoWays(dict):
    """A dict that holds both directions."""

    def __init__(self, vocab):
        super().__init__(zip(vocab, range(len(vocab)), strict=True))
        self.update(dict(enumerate(vocab)))

    def encode(self, text):
        return list(map(self.__getitem__, text.split()))

    def decode(self, ids):
        return " ".join(map(self.get, ids))


@exercise.misconception("numbering the words from 1", "The first word of the vocabulary has index 0.")
class FromOne(SpaceTokenizer):
    def __init__(self, vocab):
        super().__init__(vocab)
        self.ids = {word: index for index, word in enumerate(vocab, start=1)}


@exercise.misconception("decoding without spaces", "Put one space between two words: `' '.join(...)`.")
class NoSpaces(SpaceTokenizer):
    def decode(self, ids):
        return "".join(self.vocab[index] for index in ids)


@exercise.misconception("leaving unknown words out", "A word that is not there is an error: let KeyError out.")
class Skipping(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in text.split() if word in self.ids]


@exercise.misconception("giving unknown words the id -1", "Look words up with `self.ids[word]`, which raises KeyError.")
class MinusOne(SpaceTokenizer):
    def encode(self, text):
        return [self.ids.get(word, -1) for word in text.split()]


@exercise.misconception("searching with list.index", "It raises ValueError. Look words up in a dict.")
class ListIndex(SpaceTokenizer):
    def encode(self, text):
        return [self.vocab.index(word) for word in text.split()]


@exercise.misconception("a KeyError that does not say which word", "Put the word into the message.")
class NamelessError(SpaceTokenizer):
    def encode(self, text):
        if not set(text.split()) <= set(self.ids):
            raise KeyError("unknown word")
        return super().encode(text)


@exercise.misconception("splitting at every single space", "`text.split()` without an argument leaves no empty words.")
class OneSpace(SpaceTokenizer):
    def encode(self, text):
        return [self.ids[word] for word in text.split(" ")]


@exercise.misconception("sorting the caller's vocabulary", "The index is the word's place in the list as it was given.")
class Sorting(SpaceTokenizer):
    def __init__(self, vocab):
        vocab.sort()
        super().__init__(vocab)


@exercise.misconception("emptying the list of ids", "Read `ids`, do not pop from it.")
class Popping(SpaceTokenizer):
    def decode(self, ids):
        return " ".join(self.vocab[ids.pop(0)] for _ in range(len(ids)))
