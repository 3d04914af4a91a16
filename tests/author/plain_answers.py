"""What is known of the answers to the exercises of the course in plain Python and NumPy: the modules, as text."""

COUNTING = '''\
"""How count_words goes wrong, and a right answer that looks different."""

from collections import Counter

from tests.ch90_mini import counting


@counting.correct
def by_a_counter(text):
    return dict(Counter(text.casefold().split()))


@counting.misconception("words told apart by the case of their letters", "Make all letters small first.")
def with_case(text):
    return dict(Counter(text.split()))


@counting.misconception("letters counted in the place of words", "Split the text first.")
def letters(text):
    return dict(Counter(text.lower()))


@counting.misconception("each word counted once", "Add one for each time that the word comes.")
def once(text):
    return {word: 1 for word in text.lower().split()}
'''

KEEPING = '''\
"""How Recent goes wrong, and a right answer that looks different."""

from collections import deque

from solutions.ch90_mini import Recent
from tests.ch90_mini import keeping


@keeping.correct
class ByADeque:
    def __init__(self, most):
        self.kept = deque(maxlen=most)

    def add(self, item):
        self.kept.append(item)

    def items(self):
        return [*self.kept]


@keeping.misconception("keeping everything", "Drop the oldest when there are more than `most`.")
class KeepsAll(Recent):
    def add(self, item):
        self.kept.append(item)


@keeping.misconception("dropping the newest", "What is new is kept; the oldest goes.")
class DropsTheNewest(Recent):
    def add(self, item):
        if len(self.kept) < self.most:
            self.kept.append(item)


@keeping.misconception("the newest first", "Append, so that the newest is last.")
class NewestFirst(Recent):
    def items(self):
        return self.kept[::-1]


@keeping.misconception("one too few", "There is room for `most`.")
class OneTooFew(Recent):
    def __init__(self, most):
        super().__init__(most - 1)


@keeping.misconception("each item once", "An item that comes again is kept again.")
class EachOnce(Recent):
    def add(self, item):
        if item not in self.kept:
            super().add(item)


@keeping.misconception("its own list handed out", "Who gets it could change it: hand out a copy.")
class HandsOutItsOwn(Recent):
    def items(self):
        return self.kept
'''

SCALING = '''\
"""How standardise goes wrong, and a right answer that looks different."""

import numpy as np

from tests.ch90_mini import scaling

scaling.equivalent("0 → -2", "The table has two axes, so that the first is also number -2.")


@scaling.correct
def by_std(table):
    return ((table - table.mean(0)) / table.std(0)).astype(np.float32)


@scaling.misconception("rows standardised in the place of columns", "Columns run along axis 0.")
def rows(table):
    return (table - table.mean(axis=1, keepdims=True)) / table.std(axis=1, keepdims=True)


@scaling.misconception("the unbiased standard deviation", "Divide by the number of rows: leave `ddof=1` out.")
def unbiased(table):
    return (table - table.mean(axis=0)) / table.std(axis=0, ddof=1)


@scaling.misconception("a division by the variance", "Divide by its square root.")
def without_the_root(table):
    return (table - table.mean(axis=0)) / table.var(axis=0)
'''

KNOWN = {"count_words": COUNTING, "recent": KEEPING, "standardise": SCALING}
