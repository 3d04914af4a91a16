"""An update keeps all that a learner did, brings all that is new, and says both."""

import pytest

from tests.releasing.courses import (
    ANSWER,
    CHAPTER,
    COUNTER,
    STUB,
    cell,
    cells_of,
    chapter,
    course,
    everything,
    prose,
    sources,
    updated,
    work,
)
from utils.course import CourseError
from utils.releasing.merging import BOTH_STAY

OUTPUT = {"output_type": "stream", "name": "stdout", "text": ["all hold\n"]}


@pytest.fixture
def mine(tmp_path):
    return course(tmp_path / "mine")


def release(tmp_path, cells=None, name="new", **files):
    """The next release, with these cells."""
    return course(tmp_path / name, {CHAPTER: cells} if cells else None, version="2.0", **files)


def changed(cells, place, source, **more):
    """The cells with one of them replaced."""
    return [{**one, "source": source, **more} if number == place else one for number, one in enumerate(cells)]


def with_prose(text="# 90 · Mini, once more"):
    return changed(chapter(), 0, text)


def test_an_answer_is_kept_with_its_output_and_given_cells_are_renewed(mine, tmp_path):
    work(mine, changed(chapter(), 3, ANSWER, outputs=[OUTPUT], execution_count=7))
    said = updated(mine, release(tmp_path, with_prose()))
    assert f"{CHAPTER}: 1 answer kept, 1 given cell renewed" in said and said[-1] == "This is now version 2.0."
    assert sources(mine) == [one["source"] for one in changed(with_prose(), 3, ANSWER)]
    kept = cells_of(mine)[3]
    assert kept["outputs"] == [OUTPUT] and kept["execution_count"] == 7


@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=["Windows", "an old Mac"])
@pytest.mark.parametrize("as_lines", [False, True])
def test_an_editors_own_ends_of_lines_are_no_change(mine, tmp_path, end, as_lines):
    def edited(one):
        text = one["source"].replace("\n", end)
        return {**one, "source": text.splitlines(keepends=True) if as_lines else text}

    work(mine, list(map(edited, changed(chapter(), 3, ANSWER))))
    new = changed(with_prose(), 4, "test_double(double)  # anew")
    said = updated(mine, release(tmp_path, new))
    assert f"{CHAPTER}: 1 answer kept, 2 given cells renewed" in said and said[-1] == "This is now version 2.0."
    assert [text.replace(end, "\n") for text in sources(mine)] == [one["source"] for one in changed(new, 3, ANSWER)]


def test_a_second_time_nothing_is_left_to_do(mine, tmp_path):
    work(mine, changed(chapter(), 3, ANSWER))
    new = release(tmp_path, changed(with_prose(), 3, STUB.replace("number", "n")), utils__tool_py="TWO = 2\n")
    updated(mine, new)
    before = everything(mine)
    assert updated(mine, new) == ["Everything is as in version 2.0: nothing to do."]
    assert everything(mine) == before


def test_a_dry_run_writes_nothing_and_says_the_same(mine, tmp_path):
    work(mine, changed(chapter(), 3, ANSWER))
    before = everything(mine)
    said = updated(mine, release(tmp_path, with_prose()), dry_run=True)
    assert everything(mine) == before
    assert said[-1] == "Nothing was written: this is what would be done."
    assert f"{CHAPTER}: 1 answer kept, 1 given cell renewed" in said


def pasted(cells):
    """The answer cut and pasted: it has an id of Jupyter's."""
    return changed(cells, 3, ANSWER, id="a1b2c3")


def moved(cells):
    """The answer moved to the end, where its test is not."""
    answer = changed(cells, 3, ANSWER)
    return [*answer[:3], *answer[4:], answer[3]]


def twice(cells):
    """A first try, and a copy of it below that is better."""
    first = {**cells[3], "source": ANSWER.replace("2 * number", "number ** 2")}
    return [*cells[:3], first, {**cells[3], "id": "copy", "source": ANSWER}, *cells[4:]]


def below(cells):
    """The stub left as it was, the answer in a cell of its own below."""
    return [*cells[:4], {**cells[3], "id": "own", "source": ANSWER}, *cells[4:]]


def without_ids(cells):
    """From a program that writes the format before 4.5."""
    return [{key: value for key, value in one.items() if key != "id"} for one in changed(cells, 3, ANSWER)]


def surrounded(cells):
    """With cells of the learner's own on both sides, which the answer needs."""
    helper, note = cell("x", "def twice(n):\n    return 2 * n", id="helper"), prose("y", "My notes.") | {"id": "note"}
    return [*cells[:3], helper, {**cells[3], "source": ANSWER.replace("2 * number", "twice(number)")}, note, *cells[4:]]


def broken_in_syntax(cells):
    """An answer that is not finished."""
    return changed(cells, 3, "def double(number):\n    return 2 *")


@pytest.mark.parametrize("worked", [pasted, moved, twice, below, without_ids, surrounded, broken_in_syntax])
def test_answers_are_kept_wherever_they_stand(mine, tmp_path, worked):
    theirs = worked(chapter())
    work(mine, theirs)
    updated(mine, release(tmp_path, with_prose()))
    now = sources(mine)
    handed_out = {one["source"] for one in chapter()}
    for one in theirs:
        assert one["source"] in now or one["source"] in handed_out
    defining = [source for source in now if source.startswith("def double")]
    assert defining[-1] == [one["source"] for one in theirs if one["source"].startswith("def double")][-1]
    assert now[0] == "# 90 · Mini, once more" and BOTH_STAY not in now
    assert len({one["id"] for one in cells_of(mine)}) == len(now)


def test_what_was_moved_stays_where_the_learner_put_it(mine, tmp_path):
    work(mine, moved(chapter()))
    updated(mine, release(tmp_path, [*with_prose(), prose("end-2", "New at the end.")]))
    assert sources(mine)[-3:] == ["## The end", "New at the end.", ANSWER]


def test_a_deleted_given_cell_comes_back(mine, tmp_path):
    cells = chapter()
    work(mine, [*cells[:4], *cells[5:]])
    said = updated(mine, release(tmp_path, with_prose()))
    assert f"{CHAPTER}: 1 given cell renewed, 1 deleted cell restored" in said
    assert sources(mine)[4] == "test_double(double)"


def test_where_a_signature_has_changed_both_stay_and_the_learners_counts(mine, tmp_path):
    work(mine, changed(chapter(), 3, ANSWER))
    stub = STUB.replace("double(number)", "double(number, times)")
    said = updated(mine, release(tmp_path, changed(chapter(), 3, stub)))
    assert f"{CHAPTER}: conflict in cell 6: both stay (the exercise double has changed)" in said
    assert "1 place where both versions stay: look at each, keep one." in said
    assert sources(mine)[3:6] == [stub, BOTH_STAY, ANSWER]


def test_another_docstring_is_no_other_exercise(mine, tmp_path):
    work(mine, changed(chapter(), 3, ANSWER))
    said = updated(mine, release(tmp_path, changed(with_prose(), 3, STUB.replace("Twice", "Two times"))))
    assert f"{CHAPTER}: 1 answer kept, 1 given cell renewed" in said and sources(mine)[3] == ANSWER


def test_a_given_cell_that_both_have_changed_stays_twice(mine, tmp_path):
    work(mine, changed(chapter(), 1, "import math, cmath"))
    said = updated(mine, release(tmp_path, changed(chapter(), 1, "import math\nimport os")))
    assert f"{CHAPTER}: conflict in cell 4: both stay (you and the course have changed it)" in said
    assert sources(mine)[1:4] == ["import math\nimport os", BOTH_STAY, "import math, cmath"]


def test_a_given_cell_that_only_the_learner_has_changed_is_the_learners(mine, tmp_path):
    work(mine, changed(chapter(), 1, "import math, cmath"))
    said = updated(mine, release(tmp_path, with_prose()))
    assert f"{CHAPTER}: 1 given cell renewed, 1 given cell that you changed kept" in said
    assert sources(mine)[1] == "import math, cmath"


def test_a_conflict_that_was_settled_stays_settled(mine, tmp_path):
    work(mine, changed(chapter(), 3, ANSWER))
    stub = STUB.replace("double(number)", "double(number, times)")
    updated(mine, release(tmp_path, changed(chapter(), 3, stub)))
    cells = cells_of(mine)
    work(mine, [*cells[:3], *cells[5:]])
    updated(mine, course(tmp_path / "third", {CHAPTER: changed(with_prose(), 3, stub)}, version="3.0"))
    assert sources(mine) == [one["source"] for one in changed(with_prose(), 3, ANSWER)]


def test_a_new_exercise_and_a_removed_one(mine, tmp_path):
    tests = "def test_double(double):\n    pass\n\n\ndef test_half(half):\n    pass\n"
    half = [cell("half-1", 'def half(n):\n    raise NotImplementedError("half: write this part")')]
    work(
        mine,
        changed(chapter(), 5, COUNTER.replace('raise NotImplementedError("Counter.next: write this part")', "pass")),
    )
    cells = chapter()
    new = course(
        tmp_path / "new", {CHAPTER: [*cells[:5], *half, cells[7]]}, version="2.0", **{"tests__ch90_mini_py": tests}
    )
    said = updated(mine, new)
    assert f"{CHAPTER}: 1 new cell, 1 cell of your own kept, 1 given cell taken out" in said
    assert half[0]["source"] in sources(mine) and any("class Counter" in source for source in sources(mine))


def test_a_folder_that_is_no_release_is_refused(mine, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(CourseError, match="it has no folder chapters and no tests and no utils"):
        updated(mine, tmp_path / "empty")
    with pytest.raises(CourseError, match="is neither a folder nor a file, and this course is no git checkout"):
        updated(mine, "v7")
    with pytest.raises(CourseError, match="is the course that is to be updated"):
        updated(mine, mine)
