"""Rendering: a source as two notebooks, with stubs, folded hints, stable ids and perhaps a badge."""

import re

import nbformat
import pytest

from author.building import chapter, solution
from author.notebooks import clone_cell
from author.source import read_source
from tests.author.mini_course import SOURCE, STEM, write_course
from utils.course import CourseError


@pytest.fixture
def root(tmp_path):
    return write_course(tmp_path)


def sources(notebook, kind="code"):
    return [cell.source for cell in notebook.cells if cell.cell_type == kind]


def test_a_chapter_has_stubs_where_the_solution_has_code(root):
    source = read_source(STEM, root)
    double, counter = (
        next(text for text in sources(chapter(source)) if text.startswith(start)) for start in ("def d", "class")
    )
    assert double == (
        'def double(number):\n    """Twice the number."""\n    raise NotImplementedError("double: write this part")'
    )
    assert counter == (
        'class Counter:\n    """Counts in steps."""\n\n    def __init__(self, step):\n        self.step = step\n'
        '        raise NotImplementedError("Counter.__init__: write this part")\n\n'
        '    def next(self):\n        raise NotImplementedError("Counter.next: write this part")'
    )


def test_a_solution_is_the_source_without_the_markers(root):
    for text in sources(solution(read_source(STEM, root))):
        commented = "\n".join(f"# {line}".rstrip() if line else "#" for line in text.splitlines())
        unmarked = re.sub(r" *# (BEGIN|END) SOLUTION\n", "", SOURCE)
        assert text in unmarked or commented in unmarked


def test_instead_of_is_a_comment_like_any_other_outside_a_region(root):
    write_course(root, SOURCE.replace("import math\n", "import math\n\n# INSTEAD OF\n"))
    source = read_source(STEM, root)
    for notebook in (chapter(source), solution(source)):
        (cell,) = (text for text in sources(notebook) if text.startswith("import math"))
        assert "# INSTEAD OF" in cell and cell.endswith("return number / 2")


HALVED = """

# %%
def halved(number):
    # BEGIN SOLUTION
    half = number / 2
    # INSTEAD OF
    # half = number // 2
    # END SOLUTION
    return half


def thirded(number):
    # BEGIN SOLUTION
    return number / 3
    # INSTEAD OF
    # raise NotImplementedError("thirded: write this part")
    # END SOLUTION
"""


def test_a_solution_shows_above_a_mended_cell_the_lines_with_the_mistake(root):
    write_course(root, SOURCE + HALVED)
    source = read_source(STEM, root)
    bug, mended = solution(source).cells[-2:]
    assert bug.source == (
        "> With the mistake, in place of the mended lines of the next cell:\n>\n"
        "> ```python\n> half = number // 2\n> ```"
    )
    assert mended.source.startswith("def halved(number):\n    half = number / 2\n    return half")
    *_, given = chapter(source).cells
    assert given.source.startswith("def halved(number):\n    half = number // 2\n    return half")
    assert sum("With the mistake" in text for text in sources(chapter(source), "markdown")) == 0


def test_the_docstring_is_no_cell_and_given_helpers_are_shown(root):
    for notebook in (chapter(read_source(STEM, root)), solution(read_source(STEM, root))):
        assert not any("for tests" in cell.source for cell in notebook.cells)
        assert "import math\n\n\ndef _half(number):\n    return number / 2" in sources(notebook)
        set_up = 'start = len\nstart("ch90_mini")\n# the set-up\nfrom tests.ch90_mini import test_double, test_counter'
        assert set_up in sources(notebook)
        assert notebook.cells[-1].metadata.tags == ["active-ipynb", "nbval-ignore-output"]


def test_an_exercise_shows_its_difficulty_importance_and_minutes(root):
    first, second = (t for t in sources(chapter(read_source(STEM, root)), "markdown") if "Exercise" in t)
    details = "Difficulty ●○○○○ · Importance ●●●●● · about 1 minute"
    assert first == f"## Exercise: `double`\n\n{details}\n\nA number in, twice the number out."
    assert second == "## Exercise: `Counter`\n\nDifficulty ●●○○○ · Importance ●●●●○ · about 15 minutes"


def test_hints_are_folded_and_the_last_is_made_of_the_solution(root):
    source = read_source(STEM, root)
    hints = [text for text in sources(chapter(source), "markdown") if "<summary>" in text]
    assert hints[0] == "<details>\n<summary>Hint 1: the idea</summary>\n\nAdd.\n\n</details>"
    assert hints[1].startswith("<details>\n<summary>Hint 2: pseudocode</summary>\n\nnumber plus")
    assert hints[2] == (
        "<details>\n<summary>Hint 3: the solution</summary>\n\n"
        "```python\n# by adding\nreturn number + number\n```\n\n</details>"
    )
    assert "# in Counter.__init__\nself.count = 0\n\n# in Counter.next\nself.count += self.step\n\nreturn" in hints[5]
    assert not any("Hint 3" in text for text in sources(solution(source), "markdown"))
    ids = [cell.id for cell in chapter(source).cells]
    assert ids.index(f"{STEM}-double-solution") == ids.index(f"{STEM}-double-pseudocode") + 1


def test_notebooks_hold_nothing_that_differs_between_machines(root):
    for notebook in (chapter(read_source(STEM, root)), solution(read_source(STEM, root))):
        assert notebook.metadata.keys() == {"kernelspec", "language_info"}
        assert notebook.metadata.kernelspec.name == "python3"
        assert notebook.metadata.language_info.name == "python" and "version" not in notebook.metadata.language_info
        assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if "outputs" in cell)
        assert {key for cell in notebook.cells for key in cell.metadata} == {"tags"}


def ids(notebook):
    return {cell.id: cell.source for cell in notebook.cells}


def test_ids_are_valid_unique_and_shared_by_chapter_and_solution(root):
    long = "# ## A heading that goes on and on, far beyond what a name of sixty-four letters can hold"
    write_course(
        root, SOURCE.replace("# ## See it work", f"{long}\n\n# %% [markdown]\n{long}\n\n# %% [markdown]\n# ## ±")
    )
    source = read_source(STEM, root)
    for notebook in (chapter(source), solution(source)):
        nbformat.validate(notebook)
        assert len(ids(notebook)) == len(notebook.cells)
        assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in ids(notebook))
    assert ids(solution(source)).keys() < ids(chapter(source)).keys()


@pytest.mark.parametrize("make", [chapter, solution])
def test_a_new_cell_renames_no_cell_of_another_section(root, make):
    before = ids(make(read_source(STEM, root)))
    test = '# %% tags=["active-ipynb"]\n# test_double'
    write_course(root, SOURCE.replace(test, f"# %% [markdown]\n# More.\n\n{test}"))
    after = ids(make(read_source(STEM, root)))
    elsewhere = {name: text for name, text in before.items() if "-double-" not in name}
    assert elsewhere.items() <= after.items()
    assert before[f"{STEM}-double-2"] == after[f"{STEM}-double-2"]


def test_a_configured_repository_adds_a_badge_and_a_clone_cell(root):
    plain = chapter(read_source(STEM, root))
    (root / "pyproject.toml").write_text('[tool.course]\nrepository = "ada/gpt"\n')
    badged = chapter(read_source(STEM, root))
    assert len(badged.cells) == len(plain.cells) + 1
    assert ids(badged).keys() > ids(plain).keys()
    assert badged.cells[0].source.splitlines() == [
        "# 90 · Mini",
        "",
        "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
        f"(https://colab.research.google.com/github/ada/gpt/blob/main/chapters/{STEM}.ipynb)",
        "",
        "Prose.",
    ]
    assert sources(badged)[0] == clone_cell("ada/gpt", "main")
    fetching = badged.cells[1]
    assert (fetching.id, fetching.metadata.tags) == (f"{STEM}-colab-clone", ["colab"])
    assert (fetching.metadata.jupyter["source_hidden"], fetching.metadata.cellView) == (True, "form")
    assert f"blob/main/solutions/{STEM}.ipynb" in solution(read_source(STEM, root)).cells[0].source


def test_a_folded_cell_is_closed_in_jupyterlab_and_in_colab(root):
    path = root / "solutions" / f"{STEM}.py"
    folded = '\n# %% tags=["active-ipynb", "folded"]\n# # @title Counts to three\n# print(1, 2, 3)\n'
    path.write_text(path.read_text(encoding="utf-8") + folded, encoding="utf-8")
    for notebook in (chapter(read_source(STEM, root)), solution(read_source(STEM, root))):
        cell = notebook.cells[-1]
        assert cell.source == "# @title Counts to three\nprint(1, 2, 3)"
        assert (cell.metadata.jupyter["source_hidden"], cell.metadata.cellView) == (True, "form")


def test_a_folded_heading_closes_its_section_in_jupyterlab_and_in_colab(root):
    write_course(root, SOURCE + '\n# %% [markdown] tags=["folded"]\n# ## More experiments\n\n# %% [markdown]\n# One.\n')
    notebook = chapter(read_source(STEM, root))
    heading = notebook.cells[-2]
    assert heading.source == "## More experiments"
    assert heading.metadata["jp-MarkdownHeadingCollapsed"] is True
    assert notebook.metadata.colab.collapsed_sections == [heading.metadata.id] == [heading.id]
    assert not notebook.cells[-1].metadata


def test_a_folded_text_needs_a_heading(root):
    write_course(root, SOURCE + '\n# %% [markdown] tags=["folded"]\n# More experiments.\n')
    with pytest.raises(CourseError, match="text tagged folded begins with the heading of the section to close"):
        read_source(STEM, root)


def test_a_folded_cell_says_what_it_does(root):
    path = root / "solutions" / f"{STEM}.py"
    folded = '\n# %% tags=["active-ipynb", "folded"]\n# print(1, 2, 3)\n'
    path.write_text(path.read_text(encoding="utf-8") + folded, encoding="utf-8")
    with pytest.raises(CourseError, match="tagged folded begins with what it does"):
        read_source(STEM, root)
