"""grader.jobs: what was given is as it was released, whatever a learner has done to it."""

import contextlib
import errno
import json
import os
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from grader import jobs
from grader.grades import Grade
from grader.jobs import Job, Terms, close_here, done_here
from grader.judging import open_judge
from grader.owners import decide
from grader.submissions import reading
from grader.submissions.finding import Found
from grader.submissions.reading import read_submission
from tests.grader.answers import chapter, grade_of, write_submission
from utils.course import CourseError
from utils.course.cells import defines

STEM = "ch03_layernorm"
ROUND_AN_ANSWER: dict[str, Callable[[str], str]] = {
    "as they were": lambda given: given,
    "deleted": lambda given: "",
    "half deleted": lambda given: given[: len(given) // 2],
    "made into comments": lambda given: "\n".join(f"# {line}" for line in given.split("\n")),
    "spoilt": lambda given: f"{given}\n)",
}
# No compiler starts: it would take longer than an answer may
COMPILED: dict[str, Callable[[str], str]] = {
    "the method": lambda cell: cell.replace("    def forward", "    @torch.compile(fullgraph=True)\n    def forward"),
    "the class": lambda cell: f"{cell}\n\nLayerNorm = torch.compile(LayerNorm)",
    "each that is made": lambda cell: cell.replace("super().__init__()", "super().__init__()\n        self.compile()"),
}


def unchanged(cell: str) -> str:
    return cell


def without_eps(cell: str) -> str:
    changed = cell.replace("self.cfg.layer_norm_eps", "0.0")
    assert changed != cell
    return changed


@pytest.fixture(scope="module")
def judge():
    with open_judge(seed=5, allow_none=True) as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "status"), [(unchanged, "pass"), (without_eps, "fail")])
@pytest.mark.parametrize(
    ("of_the_answer", "of_what_is_given"),
    [*((unchanged, change) for change in ROUND_AN_ANSWER.values()), *((one, unchanged) for one in COMPILED.values())],
    ids=[*ROUND_AN_ANSWER, *COMPILED],
)
def test_given_cells_and_torch_compile_decide_nothing(judge, tmp_path, of_the_answer, of_what_is_given, answer, status):
    cells = [
        of_the_answer(answer(cell)) if defines(cell, "LayerNorm") else of_what_is_given(cell) for cell in chapter(STEM)
    ]
    assert of_the_answer is unchanged or any("compile" in cell for cell in cells)
    submission = read_submission(write_submission(tmp_path / f"{STEM}.ipynb", cells))
    grade = grade_of(Job(submission, {STEM: ""}).done_by(judge), "LayerNorm")
    assert grade.status == status, grade.said


@pytest.mark.slow
def test_a_box_that_ends_costs_nobody_anything(tmp_path):
    submission = read_submission(write_submission(tmp_path / f"{STEM}.ipynb", chapter(STEM)))
    terms = Terms(seed=5, allow_none=True)
    try:
        for _ in range(2):
            grade = grade_of(done_here(Job(submission, {STEM: ""}), terms), "LayerNorm")
            assert grade.status == "pass", grade.said
            source = getattr(jobs._judge(terms).box, "source", None)  # a box without Linux has none
            if source:
                source.process.kill()
                source.process.wait()
    finally:
        close_here()


def test_where_no_box_lasts_nobody_is_graded(tmp_path, monkeypatch):
    submission = read_submission(write_submission(tmp_path / f"{STEM}.ipynb", chapter(STEM)))
    opened = []

    @contextlib.contextmanager
    def failing(*terms):
        opened.append(terms)
        yield Mock(done_by=Mock(side_effect=CourseError("it has ended")))

    monkeypatch.setattr(jobs, "open_judge", failing)
    monkeypatch.setattr(Job, "done_by", lambda job, judge: judge.done_by(job))
    try:
        grade = grade_of(done_here(Job(submission, {STEM: ""}), Terms(seed=5)), "LayerNorm")
    finally:
        close_here()
    assert (grade.status, grade.points, len(opened)) == ("not_graded", 0.0, 3)
    assert grade.said == "It could not be judged, in 3 boxes one after another: it has ended"


def test_a_chapter_that_needs_a_library_is_graded_beside_the_others_and_its_grades_stand_in_their_place(tmp_path):
    chapters = ["ch03_layernorm", "ch11_dialects", "ch12_since_gpt2"]
    for stem in chapters:
        write_submission(tmp_path / "ada" / f"{stem}.ipynb", chapter(stem))
    begun = threading.Event()

    def grades(cells, stem, *others):
        if stem == "ch11_dialects":
            begun.set()
        assert begun.wait(30)  # the chapter before it waits for it
        grade = Grade("", stem, "", "pass", 1.0, 1.0)
        return {"": grade}

    judge = Mock(alone=threading.Lock(), grades=grades, protection="")
    graded = Job(read_submission(tmp_path / "ada"), dict.fromkeys(chapters, "")).done_by(judge)
    assert [grade.stem for grade in graded.grades] == chapters


@pytest.mark.parametrize("name", [f"{STEM}.ipynb", "all.zip"])
def test_what_the_system_does_not_open_is_not_graded(tmp_path, monkeypatch, name):
    write_submission(tmp_path / "ada" / f"{STEM}.ipynb", chapter(STEM))
    if name == "all.zip":
        with zipfile.ZipFile(tmp_path / "ada" / name, "w") as made:
            made.write(tmp_path / "ada" / f"{STEM}.ipynb", f"{STEM}.ipynb")
        (tmp_path / "ada" / f"{STEM}.ipynb").unlink()
    opening = os.open

    def refused(path, *how, **more):
        if Path(path).name == name:
            raise PermissionError(errno.EACCES, "Permission denied")
        return opening(path, *how, **more)

    monkeypatch.setattr(os, "open", refused)
    submission = read_submission(tmp_path / "ada")
    assert submission.problems == submission.unopened == (f"{name} can't be opened (Permission denied).",)
    assert decide(Found(), [submission], []).questions == [
        f"ada: {name} can't be opened (Permission denied). It is not graded."
    ]
    judge = Mock(alone=contextlib.nullcontext(), seed=5, protection="")
    grade = grade_of(Job(submission, {STEM: ""}).done_by(judge), "LayerNorm")
    assert (grade.status, grade.said) == ("not_graded", f"{name} can't be opened (Permission denied).")


LARGE = {
    "printed": (lambda cell: cell, {"outputs": ["x" * 3_000_000]}, "is larger than 2 MB: clear its outputs, "),
    "code": (lambda cell: cell, {"source": "pass\n" * 300_000}, "No cell defines `LayerNorm`, but cell "),
    "statements": (lambda cell: "a = 1\n" * 3_000 + cell, {}, "No cell defines `LayerNorm`, but cell "),
    "much code": (lambda cell: cell + "\n" + "#" * 500_000, {"source": "#" * 520_000}, "holds more than 1 MB of code"),
}


@pytest.mark.parametrize("kind", LARGE)
def test_no_grade_is_taken_for_a_size(judge, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(reading, "LARGEST", 2_000_000)
    change, added, said = LARGE[kind]
    cells = [change(cell) if defines(cell, "LayerNorm") else cell for cell in chapter(STEM)]
    if kind == "code":
        cells = [cell for cell in cells if not defines(cell, "LayerNorm")]
    path = write_submission(tmp_path / f"{STEM}.ipynb", cells)
    content = json.loads(path.read_text(encoding="utf-8"))
    content["cells"].append({"cell_type": "code", "source": "pass", **added})
    path.write_text(json.dumps(content), encoding="utf-8")
    grade = grade_of(Job(read_submission(path), {STEM: ""}).done_by(judge), "LayerNorm")
    assert (grade.status, grade.points) == ("not_graded", 0.0) and said in grade.said
