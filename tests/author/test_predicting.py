"""Predictions as an author writes them: one in five lines, and what is refused with where, what and what next."""

import nbformat
import pytest
from nbformat import v4

from author.building import build, chapter, drawing_code, solution_path
from author.notebooks import notebook_of
from author.source import read_source
from grader.given import places
from tests.author.mini_course import SOURCE, STEM, write_course
from utils.course import CourseError
from utils.course.cells import unanswered

ASKED = '''
# %% tags=["active-ipynb"]
# from tests.predictions.ch90_mini import predict, see
# predict(
#     "twice",
#     """What is twice two?
#     a) less than 3
#     b) 3 or more""",
#     answer="b",
# )

# %% tags=["active-ipynb"]
# see("twice", twice=double(2))
'''
TABLE = '''\
"""Chapter 90's predictions."""

from utils.learner.predictions import Choice, Number, Predictions, Rows

chapter = Predictions(
    __name__,
    twice=Choice(a=(lambda twice: twice < 3, "It is a small number."), b=lambda twice: twice >= 3),
)
predict, see = chapter.predict, chapter.see
'''
KIND = TABLE[TABLE.index("Choice(a") : TABLE.index(",\n)")]


def course(root, asked=ASKED, table=TABLE):
    write_course(root, SOURCE + asked)
    if table:
        (root / "tests" / "predictions").mkdir()
        (root / "tests" / "predictions" / "__init__.py").touch()
        (root / "tests" / "predictions" / f"{STEM}.py").write_text(table, encoding="utf-8")
    return root


def test_a_learner_gets_the_question_without_the_answer(tmp_path):
    source = read_source(STEM, course(tmp_path))
    *_, cell, see = chapter(source).cells
    assert 'answer="",' in cell.source and "b) 3 or more" in cell.source and see.source.startswith("see(")
    assert 'answer="b"' not in str(chapter(source))


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ('predict("a", "b?", answer="c")', 'predict("a", "b?", answer="")'),
        ('predict(\n    "a",\n    answer=\'way == "own"\',\n)', 'predict(\n    "a",\n    answer="",\n)'),
        ('hard_to_predict("a", answer="c")', 'hard_to_predict("a", answer="c")'),
    ],
)
def test_an_answer_goes_out_of_the_cell_of_a_prediction(written, left):
    assert unanswered(written) == left


@pytest.mark.slow
def test_a_build_proves_it_and_shows_the_right_prediction(tmp_path):
    root = course(tmp_path)
    list(build(STEM, root))
    *_, cell, see = nbformat.read(solution_path(STEM, root), as_version=4).cells
    assert 'answer="b"' in cell.source and "✔ You predicted b) 3 or more: right" in str(see.outputs)
    released = [place.source for place in places(STEM, root)]
    assert any('answer=""' in text for text in released) and 'answer="b"' not in "".join(released)
    (root / "tests" / "predictions" / f"{STEM}.py").write_text(TABLE.replace("twice < 3", "twice < 9"))
    with pytest.raises(CourseError, match=r"tests/predictions/ch90_mini\.py: twice: a and b true, and exactly"):
        list(build(STEM, root, force=True))


def test_a_card_is_out_of_date_when_its_table_has_changed():
    cell = v4.new_code_cell("from tests.predictions.ch03_layernorm import predict, see")
    assert drawing_code(notebook_of([cell])) != drawing_code(notebook_of([]))


MISTAKES = {  # in the cells: (what is replaced, by what, the start of the line that is named, what is said)
    "no such name": ('"twice"', '"thrice"', "# predict(", "has no 'thrice': write there what its answers mean"),
    "no answer": ('answer="b"', 'answer=""', "# predict(", "predict lacks an answer=, each a text that is written"),
    "no such choice": ('answer="b"', 'answer="c"', "# predict(", "the answer= of 'twice': `c` is none of the choices"),
    "other choices": ("    c) ", "    d) ", "# predict(", "the question has the choices a or d, the table a or b"),
    "answer kept": ('answer="b",', 'answer="b",  # so', "# predict(", "a learner would get the answer of 'twice'"),
    "never seen": (
        'see("twice"',
        'print("twice"',
        "# predict(",
        "predict('twice') is never answered: behind the figure",
    ),
    "seen twice": (
        "double(2))",
        'double(2))\n# see("twice", twice=4)',
        '# see("twice", twice=4)',
        "a second see('twice')",
    ),
    "seen before": ("# predict(", '# see("twice", twice=4)\n# predict(', '# see("twice", twice=4)', "ask first, in a"),
    "seen under another name": ('see("twice"', 'see("twcie"', '# see("twcie"', "did you mean 'twice'?"),
    "seen under no name": ('see("twice"', "see(which", "# see(which", "see needs the question's name, written out"),
    "asked twice": (
        *(
            '# %% tags=["active-ipynb"]\n# see(',
            '# %% tags=["active-ipynb"]\n# predict("twice", "?", answer="b")\n# see(',
        ),
        *('# predict("twice", "?"', "a second predict('twice'); the first is in line"),
    ),
}


@pytest.mark.parametrize(("old", "new", "where", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_in_the_cells_is_named_with_its_line(tmp_path, old, new, where, message):
    asked = ASKED.replace("    b) ", "    d) ") if old == "    c) " else ASKED.replace(old, new, 1)
    assert asked != ASKED
    text = SOURCE + asked
    with pytest.raises(CourseError) as caught:
        read_source(STEM, course(tmp_path, asked))
    line = text[: text.index(where)].count("\n") + 1
    assert str(caught.value).startswith(f"solutions/{STEM}.py:{line}: ") and message in str(caught.value)


TABLES = {
    "a number without tolerance": ('Number(low="L.", high="H.")', "a number has times= or within=, and not both"),
    "a tolerance unsaid": (
        'Number(times=2, low="L.", high="H.")',
        "the question does not say the tolerance: write 'factor of 2' into it",
    ),
    "a number unexplained": ('Number(times=2, low="L.", high="")', "low= and high= say why too little and too much"),
    "a choice unexplained": (
        "Choice(a=lambda twice: twice < 3, b=lambda twice: twice >= 3)",
        "a is wrong, and no sentence says why it tempts: write one",
    ),
    "a factor of one": ('Number(times=1, low="L.", high="H.")', "nothing is within that: times= is above 1"),
    "a tolerance said otherwise": (
        'Number(within=0.5, low="L.", high="H.")',
        "the question does not say the tolerance: write '± 0.5' into it",
    ),
    "rows unexplained": ('Rows(lambda twice: twice < 3, others="", left_out="L.")', "others= and left_out= say why"),
}


@pytest.mark.parametrize(("kind", "message"), TABLES.values(), ids=TABLES.keys())
def test_a_broken_table_is_refused(tmp_path, kind, message):
    asked = ASKED if "'factor of 2'" in message else ASKED.replace("two?", "two, to within a factor of 2, or ± 0.55?")
    if "Number" in kind:
        asked = asked.replace('answer="b"', 'answer="4"')
    with pytest.raises(CourseError) as caught:
        read_source(STEM, course(tmp_path, asked, TABLE.replace(KIND, kind)))
    assert f"'twice' in tests/predictions/{STEM}.py: {message}" in str(caught.value)


def test_a_table_that_is_no_python_or_asked_by_nobody_is_refused(tmp_path):
    (tmp_path / "one").mkdir()
    with pytest.raises(CourseError, match=rf"^tests/predictions/{STEM}\.py:7: SyntaxError: "):
        read_source(STEM, course(tmp_path / "one", table=TABLE.replace("twice=Choice", "twice=:Choice")))
    (tmp_path / "none").mkdir()
    with pytest.raises(CourseError, match=rf"^tests/predictions/{STEM}\.py:1: write one `chapter = Predictions"):
        read_source(STEM, course(tmp_path / "none", table='"""Nothing."""\n'))
    (tmp_path / "two").mkdir()
    with pytest.raises(CourseError, match="has 'twice', and no cell asks it: write `predict"):
        read_source(STEM, course(tmp_path / "two", asked=""))
    (tmp_path / "three").mkdir()
    with pytest.raises(CourseError, match=rf"tests/predictions/{STEM}\.py has no 'twice': write there"):
        read_source(STEM, course(tmp_path / "three", table=""))
