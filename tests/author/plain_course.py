"""A course of three exercises in plain Python and NumPy, in a folder of its own: the engine's, without a GPT."""

from pathlib import Path

from tests.author.mini_course import write_course
from tests.author.plain_answers import KNOWN
from utils.course.files import write_text

STEM = "ch90_mini"

SOURCE = '''\
"""Chapter 90: words are counted, the last few are kept, columns are brought to one scale."""

# %% [markdown]
# # 90 · Plain
#
# Prose.

# %% tags=["active-ipynb", "setup"]
# start = len
# start("ch90_mini")
# from tests.ch90_mini import test_count_words, test_recent, test_standardise

# %%
import numpy as np


# %% [markdown] exercise="count_words" difficulty=1 importance=5 minutes=5
# ## Exercise: `count_words`
# A text in; how often each word comes, whatever its letters' case, out.


# %%
def count_words(text):
    """How often each word comes."""
    # BEGIN SOLUTION
    counts = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return counts
    # END SOLUTION


# %% [markdown] hint="idea"
# A dict.

# %% [markdown] hint="pseudocode"
# for each word, one more than before

# %% tags=["active-ipynb"]
# test_count_words(count_words)

# %% [markdown] exercise="Recent" difficulty=2 importance=4 minutes=15
# ## Exercise: `Recent`
# Keeps the last few of what is added.


# %%
class Recent:
    """The last `most` items, the newest last."""

    def __init__(self, most):
        self.most = most
        # BEGIN SOLUTION
        self.kept = []
        # END SOLUTION

    def add(self, item):
        # BEGIN SOLUTION
        self.kept.append(item)
        if len(self.kept) > self.most:
            self.kept.pop(0)
        # END SOLUTION

    def items(self):
        # BEGIN SOLUTION
        return list(self.kept)
        # END SOLUTION


# %% [markdown] hint="idea"
# A list that never grows beyond its size.

# %% [markdown] hint="pseudocode"
# append, then drop the first if there are too many

# %% tags=["active-ipynb"]
# test_recent(Recent)

# %% [markdown] exercise="standardise" difficulty=2 importance=4 minutes=10
# ## Exercise: `standardise`
# A table in; each column with mean 0 and spread 1 out.


# %%
def standardise(table):
    """Each column with mean 0 and standard deviation 1."""
    # BEGIN SOLUTION
    centred = table - table.mean(axis=0)
    return centred / np.sqrt((centred**2).mean(axis=0))
    # END SOLUTION


# %% [markdown] hint="idea"
# Subtract, then divide.

# %% [markdown] hint="pseudocode"
# (table - mean) / spread, along the first axis

# %% tags=["active-ipynb"]
# test_standardise(standardise)
'''

TESTS = '''\
"""Chapter 90: what its exercises must do."""

from judge.checking import (
    Exercise,
    check_agrees,
    check_alone,
    check_inputs_unchanged,
    check_repeatable,
    check_shape,
    line,
    random_tensor,
)

counting = Exercise(inputs={"text": ""})
keeping = Exercise(inputs={"most": ""}, drive="methods")
scaling = Exercise(inputs={"table": "row column"}, output="row column", library="numpy")


@counting.test
def test_count_words(count_words):
    """How often each word comes."""
    with line("counts each word"):
        check_agrees(count_words, "the cat and the dog and the bird")
        check_agrees(count_words, "")
    with line("whatever the case of its letters, and the space between"):
        check_agrees(count_words, "The cat  saw\\nTHE Cat")


@keeping.test
def test_recent(Recent):
    """Keeps the last few."""
    adding = [("add", item) for item in ("one", "two", "one", "three", "four")]
    with line("keeps all while there is room"):
        check_agrees(Recent, [4], ("add", "one"), ("items",), ("add", "two"), ("items",))
    with line("then drops the oldest"):
        check_agrees(Recent, [3], *adding, ("items",), ("items",))
        check_agrees(Recent, [1], *adding, ("items",))
    with line("keeps nothing of another one's"):
        check_agrees(Recent, [3], *adding, ("items",), beside=[2])
    with line("hands out a list that may be changed"):
        check_agrees(Recent, [2], ("items",), ("add", "a"), ("items",))


@scaling.test
def test_standardise(standardise):
    """Columns with mean 0 and standard deviation 1."""
    table = random_tensor(6, 4) * 3 + 5
    with line("keeps the form of the table"):
        check_shape(standardise, table)
    with line("agrees with the reference solution"):
        check_agrees(standardise, table)
    with line("looks at each column alone"):
        check_alone(standardise, table, axis="column")
    with line("leaves `table` as it was"):
        check_inputs_unchanged(standardise, table)
        check_repeatable(standardise, table)
'''


def write_plain_course(root: Path) -> Path:
    """Write the chapter, and what is known of its answers, into `root`, and return `root`."""
    write_course(root, SOURCE, TESTS)
    folder = root / "tests" / "misconceptions" / STEM
    for package in (folder.parent, folder):
        write_text(package / "__init__.py", "")
    for name, text in KNOWN.items():
        write_text(folder / f"{name}.py", text)
    return root
