"""A function of text that answers bytes: training byte-pair encoding."""

import re
from collections import Counter
from itertools import pairwise

from utils.checking import Exercise, check_agrees, line, random_tensor


def merged(parts, pair):
    """The parts of a word with every occurrence of the pair made one."""
    out, index = [], 0
    while index < len(parts):
        step = 2 if tuple(parts[index : index + 2]) == pair else 1
        out.append(b"".join(parts[index : index + step]))
        index += step
    return out


def pieces(text):
    return re.findall(r" ?\S+", text)


def train_bpe(text, n_merges):
    """The reference solution: the most frequent pair first, ties to the greater pair."""
    words, merges = [[bytes([byte]) for byte in piece.encode()] for piece in pieces(text)], []
    for _ in range(n_merges):
        counts = Counter(pair for word in words for pair in pairwise(word))
        if not counts:
            break
        merges.append(max(counts, key=lambda pair: (counts[pair], pair)))
        words = [merged(word, merges[-1]) for word in words]
    return merges


exercise = Exercise(inputs={"text": "", "n_merges": ""}, solution="tests.kinds.byte_pairs")


@exercise.test
def test_train_bpe(train_bpe):
    words = "low low low lower lowest newer newer wider widest aaaa aaaa aab".split()
    text = " ".join(words[index] for index in random_tensor(len(words)).argsort())
    with line("merges the most frequent pair first"):
        check_agrees(train_bpe, "aaab aaab xyz", 3)
    with line("breaks ties in favour of the greater pair"):
        check_agrees(train_bpe, text, 12)
    with line("works on bytes, inside words, until nothing is left to merge"):
        check_agrees(train_bpe, "ééé 1999's the  the", 50)
        check_agrees(train_bpe, "", 3)


@exercise.correct
def over_distinct_words(text, n_merges):
    words = {tuple(bytes([byte]) for byte in word.encode()): count for word, count in Counter(pieces(text)).items()}
    merges = []
    while len(merges) < n_merges:
        counts = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                counts[pair] += count
        ranked = sorted(counts.items(), key=lambda item: (item[1], item[0]))
        if not ranked:
            return merges
        merges.append(ranked[-1][0])
        shorter = Counter()
        for word, count in words.items():
            shorter[tuple(merged(list(word), merges[-1]))] += count
        words = shorter
    return merges


@exercise.correct
def over_numbers(text, n_merges):
    """As in minbpe: numbers for parts, and a table of what each number stands for."""
    table, merges = [bytes([byte]) for byte in range(256)], []
    words = [list(piece.encode()) for piece in pieces(text)]
    for _ in range(n_merges):
        counts = Counter()
        for word in words:
            counts.update(pairwise(word))
        best = max(counts, key=lambda pair: (counts[pair], table[pair[0]], table[pair[1]]), default=None)
        if best is None:
            break
        merges.append((table[best[0]], table[best[1]]))
        table.append(table[best[0]] + table[best[1]])
        for word in words:
            index = 0
            while index + 1 < len(word):
                if (word[index], word[index + 1]) == best:
                    word[index : index + 2] = [len(table) - 1]
                index += 1
    return merges


def wrong_way(choose=lambda counts: max(counts, key=lambda pair: (counts[pair], pair)), split=pieces, join=merged):
    """Training with one part of it replaced."""

    def train(text, n_merges):
        words, merges = [[bytes([byte]) for byte in piece.encode()] for piece in split(text)], []
        for _ in range(n_merges):
            counts = Counter(pair for word in words for pair in pairwise(word))
            if not counts:
                break
            merges.append(choose(counts))
            words = [join(word, merges[-1]) for word in words]
        return merges

    return train


exercise.misconception("ties to the pair seen first", "Compare (count, pair), not the count alone.")(
    wrong_way(lambda counts: max(counts, key=counts.get))
)
exercise.misconception("ties to the smaller pair", "Of two pairs that are as frequent the greater one wins.")(
    wrong_way(lambda counts: min(counts, key=lambda pair: (-counts[pair], pair)))
)
exercise.misconception("merging across words", "Count the pairs within each word alone.")(
    wrong_way(split=lambda text: [text])
)
exercise.misconception("throwing the spaces away", "A word keeps the space before it.")(wrong_way(split=str.split))
exercise.misconception("merging the first occurrence in a word alone", "Go on through the word after a merge.")(
    wrong_way(join=lambda parts, pair: first_merged(parts, pair))
)


def first_merged(parts, pair):
    index = next((index for index, found in enumerate(pairwise(parts)) if found == pair), None)
    return parts if index is None else [*parts[:index], b"".join(pair), *parts[index + 2 :]]


@exercise.misconception("pairs of str", "Encode the text first: a byte is not a character.")
def characters(text, n_merges):
    return [(one.decode("latin1"), other.decode("latin1")) for one, other in train_bpe(text, n_merges)]


@exercise.misconception("lists for pairs", "A pair is a tuple, since it is looked up in dicts later.")
def lists(text, n_merges):
    return [list(pair) for pair in train_bpe(text, n_merges)]
