"""The name that a mistyped one was meant to be: in a learner's code, in an author's declaration, on a command line."""

import difflib
from collections.abc import Iterable

# How alike two names are is twice the letters that they share in order, over the letters of both: from 0 to 1. How much
# is enough depends on how many names there are, some of which are like any word, and on what a wrong guess costs.
ALIKE = 0.6  # of a few, such as the options of a command: `embedding` is the part `embed`
OF_SETTINGS = 0.7  # of fields with names much alike: `n_context` is `n_ctx`, and `n_embd` is not `n_heads`
IN_CODE = 0.75  # of all that code can name, one wrong letter in four: `meen` is `mean`; `result` is not `residual`
OF_METHODS = 0.8  # of hundreds, many of them short: `mutmul` is `matmul`, and `prob` is not `prod`
CERTAIN = 0.85  # where a wrong guess misleads: `d_modle` is `d_model`, and `normalise` is not torch's `normal`
# `tahn` and `tanh`, which have the same letters: more alike than `tahn` and `tan`, less than `taanh` and `tanh`.
SWAPPED = 0.87
LONGEST_NAME = 60  # characters: comparing takes long on what has no end


def nearest(word: str, known: Iterable[str], alike: float = ALIKE, guess: bool = False) -> str | None:
    """The one name that a word is most like; None where none is as much `alike`, or two are equally so.

    Capital letters count only between names that are equally alike without. With `guess`, which is for a question, it
    is the last of those that are equally alike.
    """
    if len(word) > LONGEST_NAME:
        return None
    most = _most(_ratios(word.lower(), {name: name.lower() for name in known}, alike))
    if len(most) > 1:
        most = _most(_ratios(word, {name: name for name in most}))
    if most and guess:
        return max(most)
    return most[0] if len(most) == 1 else None


def is_slip(word: str, name: str) -> bool:
    """Whether a word is a name with one letter too many, too few, or in another place.

    A letter for another, or a digit more, may tell two names apart: `q_proj` and `k_proj`, `norm` and `norm2`.
    """
    short, long = sorted((word.lower(), name.lower()), key=len)
    places = range(len(long))
    left_out = any(long[place].isalpha() and long[:place] + long[place + 1 :] == short for place in places)
    swapped = any(long[:place] + long[place : place + 2][::-1] + long[place + 2 :] == short for place in places)
    return left_out or swapped


def _most(ratios: dict[str, float]) -> list[str]:
    most = max(ratios.values(), default=0.0)
    return [name for name, ratio in ratios.items() if ratio == most]


def _ratios(word: str, names: dict[str, str], alike: float = 0.0) -> dict[str, float]:
    """How alike the word and each name are, as it is written here, of those that are as much as `alike`."""
    matcher = difflib.SequenceMatcher(b=word)  # which keeps what it finds out about b
    ratios: dict[str, float] = {}
    for name, written in names.items():
        matcher.set_seq1(written)
        # These are upper bounds, quickly known: the second is 1 where both have the same letters.
        if matcher.real_quick_ratio() < alike or matcher.quick_ratio() < alike:
            continue
        ratio = max(matcher.ratio(), SWAPPED) if matcher.quick_ratio() == 1 else matcher.ratio()
        if ratio >= alike:
            ratios[name] = ratio
    return ratios
