"""How a tokenizer of GPT-2's kind cuts numbers and words: the figures that chapter 0 gives for GPT-2's own.

    python benchmarks/cuts.py FOLDER

FOLDER has the vocab.json and the merges.txt of HuggingFace's openai-community/gpt2, which the course does not ship.
The words are all those of the course's passages that have only small letters, with the space before them.
"""

import argparse
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import regex
from tokenizers import ByteLevelBPETokenizer

from solutions.ch00_tokens import pre_tokenize
from utils.passages import texts

EXAMPLES = [" 617", " 523", " 1140", " 362", " 1999", " 2361", "1999", " strawberry", "strawberry", " Strawberry"]
SPACES = {"": "alone", " ": "after a space"}


def main() -> None:
    """Print the figures of one tokenizer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    tokenizer = ByteLevelBPETokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))

    def cut(text: str) -> list[str]:
        return [token.replace("Ġ", " ") for token in tokenizer.encode(text).tokens]

    numbers(cut)
    words(cut)
    for text in EXAMPLES:
        print(f"{text!r}: {cut(text)}")


def numbers(cut: Callable[[str], list[str]]) -> None:
    """What 0 to 9999 are cut into."""
    for space, where in SPACES.items():
        cuts = {number: cut(f"{space}{number}") for number in range(10_000)}
        sizes = {number: tuple(len(token.strip()) for token in tokens) for number, tokens in cuts.items()}
        for digits in (1, 2, 3, 4):
            shares = Counter(size for number, size in sizes.items() if len(str(number)) == digits)
            told = ", ".join(f"{'+'.join(map(str, size))} {count}" for size, count in shares.most_common())
            print(f"{where}, {digits} digits: {told}")
        moved = sum(sizes[one] != sizes[other] for one, other in pairwise(range(1000, 10_000)))
        print(f"{where}, 1000 to 9999: the next number is cut at another place {moved} times of 8999")
        for digit in "17":
            holders = {token for tokens in cuts.values() for token in tokens if digit in token}
            print(f"{where}: {digit} is in {len(holders)} different tokens")


def words(cut: Callable[[str], list[str]]) -> None:
    """How many of the passages' different words are one token, and how many an average one is."""
    pieces = {piece for text in texts() for piece in pre_tokenize(text)}
    found = sorted(piece for piece in pieces if regex.fullmatch(r" [a-z]+", piece))
    cuts = [cut(word) for word in found]
    whole = sum(len(tokens) == 1 for tokens in cuts)
    print(f"{len(cuts)} words after a space: {whole} are one token, {sum(map(len, cuts)) / len(cuts):.2f} on average")
    twice = [word for word in found if max(Counter(word).values()) > 1]
    hidden = sum(len(cut(word)) == 1 for word in twice)
    print(f"{len(twice)} of them have a letter more than once; {hidden} of these are one token")


if __name__ == "__main__":
    main()
