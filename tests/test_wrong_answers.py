"""benchmarks/answers.py: an answer stands whole, or as an edit of a base; and all that stand in the repository."""

import ast
import re

import pytest

from benchmarks.answers import SOLUTION, WrongAnswer, solution_cell, wrong_answers
from utils.course import ROOT, CourseError, all_exercises
from utils.course.cells import defines

FILE = '''"""Wrong answers to chapter 4's `softmax`."""

# %% base: right
def softmax(scores, dim):
    shifted = scores - scores.amax(dim, keepdim=True)
    weights = shifted.exp()

    return weights / weights.sum(dim, keepdim=True)

# %% softmax: no maximum subtracted
# right: exp without the largest score subtracted
# right: another cause
def softmax(scores, dim):
    return scores.exp() / scores.exp().sum(dim, keepdim=True)

'''
BASE = FILE.partition("base: right\n")[2].partition("\n# %%")[0]
FIRST = "    shifted = scores - scores.amax(dim, keepdim=True)\n"
MIDDLE = "    weights = shifted.exp()\n\n"
LAST = "    return weights / weights.sum(dim, keepdim=True)\n"
START = len(FILE.splitlines()) + 1  # the line of the third cell's title


def read(tmp_path, edit, like="right"):
    path = tmp_path / "softmax.py"
    path.write_text(f"{FILE}# %% softmax: the third\n# like: {like}\n{edit}", encoding="utf-8")
    return list(wrong_answers(path))


def test_an_answer_stands_whole_with_its_causes(tmp_path):
    cell = "def softmax(scores, dim):\n    return scores.exp() / scores.exp().sum(dim, keepdim=True)\n"
    causes = ("exp without the largest score subtracted", "another cause")
    first, _ = read(tmp_path, "~ amax → amin")
    assert first == WrongAnswer("softmax", "no maximum subtracted", causes, cell)


EDITS = {  # the edit, what of the base's text goes, and what comes there
    "a part of a line": ("~ amax → amin", "amax", "amin"),
    "a part that goes": ("~ shifted.exp() →", "shifted.exp()", ""),
    "an arrow in what comes": ("~ amax → f → g", "amax", "f → g"),
    "two parts of a line": (
        "~ scores.amax → lowest\n~ shifted = → x =",
        "shifted = scores - scores.amax",
        "x = scores - lowest",
    ),
    "a line": (f"-{LAST}+    return weights", LAST, "    return weights\n"),
    "a line that goes": (f"-{FIRST}", FIRST, ""),
    "a line behind another": (f" {FIRST}+    print(shifted)\n", FIRST, f"{FIRST}    print(shifted)\n"),
    "a line before the first": ("+# mine\n def softmax(scores, dim):", "def", "# mine\ndef"),
    "an empty line of the base": (f"\n-{LAST}+    return weights", f"\n{LAST}", "\n    return weights\n"),
    "empty lines between changes": ("~ amax → amin\n\n\n~ - scores → + scores", "- scores.amax", "+ scores.amin"),
    "two blocks": (
        f"-{FIRST}+    pass\n...\n-{LAST}+    return 1",
        FIRST + MIDDLE + LAST,
        f"    pass\n{MIDDLE}    return 1\n",
    ),
    "the last change first": (f"~ return → x =\n-{FIRST}", f"{FIRST}{MIDDLE}    return", f"{MIDDLE}    x ="),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_put_into_its_base(tmp_path, name):
    edit, old, new = EDITS[name]
    assert BASE.count(old) == 1
    assert read(tmp_path, edit)[1].cell == BASE.replace(old, new)


def test_a_base_is_the_solution_without_marks_or_another_answer(tmp_path):
    by_answer = read(tmp_path, "~ / scores → * scores", "no maximum subtracted")
    assert by_answer[1].cell == by_answer[0].cell.replace("/", "*")

    (tmp_path / "ch04_attention").mkdir()
    cell = solution_cell("ch04_attention", "softmax")
    assert cell.startswith("def softmax(") and "exp_scores.sum(" in cell and "SOLUTION" not in cell
    third = read(tmp_path / "ch04_attention", "~ def softmax( → def softmax(self, ", SOLUTION)[1]
    assert third.cell == cell.replace("def softmax(", "def softmax(self,")


MISTAKES = {  # the edit, its base, the line counted from the title's, and what is said
    "not there": ("~ amax → amin\n~ smax → 0", "right", 3, "'smax' does not stand in 'right'"),
    "there twice": ("~ weights.sum → 0\n~ scores → x", "right", 3, "'scores' stands 3 times in 'right'"),
    "no whole line": ("-weights = shifted.exp()", "right", 2, "'weights = shifted.exp()' does not stand"),
    "two lines that are apart": ("-" + FIRST + "-" + LAST, "right", 2, "does not stand in 'right'"),
    "changed twice": ("~ amax → amin\n-" + FIRST, "right", 3, "what another change of this answer has changed"),
    "nothing to stand next to": ("+    print()", "right", 2, "names no line of the base"),
    "no edit": ("", "right", 1, "nothing says what is other than in 'right'"),
    "no arrow": ("~ amax", "right", 2, "is `~ old → new`"),
    "no sign": ("def softmax():", "right", 2, "begins with `~ `, `-`, `+` or a space"),
    "no such base": ("~ a → b", "amax", 1, "no answer of this file is called 'amax'"),
    "itself": ("~ a → b", "the third", 1, "'the third' is an edit itself; name one that stands whole"),
    "a second of the title": ("~ amax → amin\n# %% softmax: the third\n", "right", 3, "there is another"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_file_title_and_line(tmp_path, name):
    edit, like, line, words = MISTAKES[name]
    with pytest.raises(CourseError) as raised:
        read(tmp_path, edit, like)
    assert str(raised.value).startswith(f"{tmp_path / 'softmax.py'}:{START + line}: 'the third': ")
    assert words in str(raised.value)


def test_a_symbol_that_no_solution_defines_is_told(tmp_path):
    (tmp_path / "ch04_attention").mkdir()
    path = tmp_path / "ch04_attention" / "softmax.py"
    path.write_text("# %% softmx: the axis\n# like: the solution\n~ dim → 0\n", encoding="utf-8")
    with pytest.raises(CourseError, match=r"softmax\.py:1: 'the axis': the solution defines no softmx\.$"):
        list(wrong_answers(path))


@pytest.mark.parametrize("info", all_exercises(), ids=lambda info: info.symbol)
def test_the_answers_of_the_repository_are_cells_of_python(info):
    path = ROOT / "benchmarks" / "wrong_answers" / info.stem / f"{info.test.removeprefix('test_')}.py"
    answers = list(wrong_answers(path))
    for one in answers:
        assert one.symbol == info.symbol and defines(one.cell, info.symbol), one.title
        ast.parse(one.cell)
    text = path.read_text(encoding="utf-8")
    bases = re.findall(r"^# %% base: (.*)", text, re.MULTILINE)
    assert not [title for title in bases if f"\n# like: {title}\n" not in text]
