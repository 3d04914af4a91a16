"""Reading a source: a mistake in it is named with its file and line."""

import pytest

from author.source import Task, read_source
from tests.author.mini_course import SOURCE, STEM, write_course
from utils.course import CourseError

BEGIN, END = "    # BEGIN SOLUTION\n", "    # END SOLUTION\n"
BODY = "    return number + number\n"
HALF, SUMMED = "    return number / 2\n", "    # by adding\n"
DOUBLE, COUNTER = '# %% [markdown] exercise="d', '# %% [markdown] exercise="C'
ELSE = "    if number:\n        return 1\n    # END SOLUTION\n    else:\n        return 0\n"

# what the mistake is: (what is replaced, by what, the start of the line that is named, what the message contains)
REGIONS = {
    "no end": (END, "", "    # BEGIN", "`# BEGIN SOLUTION` has no `# END SOLUTION` in the same cell"),
    "no begin": (BEGIN, "", "    # END", "`# END SOLUTION` without a `# BEGIN SOLUTION`"),
    "nested": (SUMMED, BEGIN, "    # BEGIN SOLUTION\n    return", "regions can't be nested"),
    "trailing text": ("BEGIN SOLUTION", "BEGIN SOLUTION here", "    # BEGIN SOLUTION here", "stands alone"),
    "after code": ("# by adding", "x = 1  # END SOLUTION", "    x = 1", "a marker stands alone on its line"),
    "small letters": (BEGIN, BEGIN.lower(), "    # begin", "a marker stands alone on its line"),
    "other indentation": (END, "# END SOLUTION\n", "# END", "`# END SOLUTION` is not indented like its"),
    "empty": (BODY, "", "    # BEGIN", "this region holds no code"),
    "at top level": ("import math\n", "# BEGIN SOLUTION\nx = 1\n# END SOLUTION\n", "# BEGIN", "inside a function"),
    "half a statement": (BODY + END, ELSE, "    # BEGIN", "put the markers around whole statements"),
    "in a helper": (HALF, BEGIN + BODY + END, "# %%\nimport", "_half has a solution region, but no"),
    "in a notebook cell": ("# # the set-up\n", "# # BEGIN SOLUTION\n", "# # BEGIN", "only the notebook runs"),
}
CELLS = {
    "not commented": ("# test_double(", "test_double(", "test_double(", "is commented out; begin this with `# `"),
    "no python": ("import math", "import math as", "import", "Fix that first, then build; prose stands behind `# `."),
    "half a function": (HALF, "# %%\n" + HALF, "# %%\nimport", "is no Python; put `# %%` between whole statements."),
    "code on top": ('"""Chapter 90', 'import os\n"""Chapter 90', "import os", "code above the first `# %%`"),
    "unknown key": ("difficulty=1", "dificulty=1", DOUBLE, "can't read dificulty here"),
    "unreadable key": ("difficulty=1", "difficulty=one", DOUBLE, "can't read"),
    "six dots": ("difficulty=1", "difficulty=6", DOUBLE, "difficulty=6 is not a whole"),
    "words": ("minutes=1", 'minutes="ten"', DOUBLE, "minutes='ten' is not a whole number from 1"),
    "unknown hint": ('hint="idea"', 'hint="what"', '# %% [markdown] hint="what"', "is none of idea, pseudocode"),
    "hint twice": ("pseudocode", "idea", '# %% [markdown] hint="idea"\n# number', "a second hint='idea' for double"),
    "hint on code": ("# %%\nimport", '# %% hint="idea"\nimport', '# %% hint="idea"\nimport', "on a Markdown cell"),
    "hint too early": ("# %% [markdown]\n# # 90", '# %% [markdown] hint="idea"\n# # 90', "# %% [m", "before the first"),
}
EXERCISES = {
    "no heading": ("# ## Exercise: `Counter`", "# Counter", COUNTER, "begins with a heading"),
    "no region": (
        *(BEGIN + SUMMED + BODY + END, BODY, DOUBLE),
        "double has no solution region, so nothing is left to write. Put `# BEGIN SOLUTION` and `# END SOLUTION` "
        "around what learners write.",
    ),
    "other function": (
        *("def double(", "def duoble(", DOUBLE),
        "double has no solution region, but duoble has one: is that a typing mistake?",
    ),
    "no call": ("# test_counter(C", "# print(C", COUNTER, "calls test_counter(Counter)"),
    "call in a comment": ("# test_counter(C", "# # test_counter(C", COUNTER, "calls test_counter("),
    "no cell": (DOUBLE[:-2], f'{DOUBLE[:-1]}new"\n# ## New\n\n{DOUBLE[:-2]}', '"""', "new, double"),
    "other name": ('"double"', '"twice"', '"""', "exercises here: twice, Counter; tested in tests/ch90"),
}
STARTS = {
    "started as another": (
        *('start("ch90_mini")', 'start("ch20_length")', "# start("),
        "start('ch20_length') starts another chapter than this one; write start(\"ch90_mini\").",
    ),
    "started as nothing": ('start("ch90_mini")', "start()", "# start(", "starts another chapter than this one"),
    "never started": (
        *('# start("ch90_mini")', "# pass", '"""'),
        'no cell tagged active-ipynb calls start("ch90_mini"), as a chapter\'s first code cell does.',
    ),
}
MISTAKES = REGIONS | CELLS | EXERCISES | STARTS


@pytest.mark.parametrize(("old", "new", "where", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_in_a_source_is_named_with_its_line(tmp_path, old, new, where, message):
    source = SOURCE.replace(old, new, 1)
    assert source != SOURCE
    write_course(tmp_path, source)
    line = f"\n{source}"[: f"\n{source}".index(f"\n{where}")].count("\n") + 1
    with pytest.raises(CourseError) as caught:
        read_source(STEM, tmp_path)
    assert str(caught.value).startswith(f"solutions/{STEM}.py:{line}: ")
    assert message in str(caught.value)


def test_two_chapters_of_one_number_are_named(tmp_path):
    write_course(tmp_path)
    (tmp_path / "tests" / "ch90_other.py").touch()
    with pytest.raises(CourseError, match="ch90_mini and ch90_other are two chapters of one number; give one of them"):
        read_source(STEM, tmp_path)


def test_a_source_that_is_missing_is_named(tmp_path):
    (write_course(tmp_path) / "solutions" / f"{STEM}.py").unlink()
    with pytest.raises(CourseError, match=rf"solutions/{STEM}\.py is missing, though tests/{STEM}\.py is there"):
        read_source(STEM, tmp_path)


def test_what_a_source_says_about_its_exercises_is_read(tmp_path):
    write_course(tmp_path, SOURCE.replace(" minutes=15", " draft=true"))
    first, second = read_source(STEM, tmp_path).tasks
    line = SOURCE[: SOURCE.index('exercise="double"')].count("\n") + 1
    assert first == Task("double", line, 1, 5, 1, draft=False, hints=["idea", "pseudocode"])
    assert (second.symbol, second.minutes, second.draft) == ("Counter", None, True)


def test_comments_that_look_like_shell_commands_stay_comments(tmp_path):
    write_course(tmp_path, SOURCE.replace("import math\n", "# copy the tensor\n# ls of things\nimport math\n"))
    assert any(cell.source.startswith("# copy the tensor\n# ls") for cell in read_source(STEM, tmp_path).cells)
