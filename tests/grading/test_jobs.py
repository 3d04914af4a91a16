"""utils.grading.jobs: what was given is as it was released, whatever a learner has done to it."""

from collections.abc import Callable

import pytest

from tests.grading.answers import chapter, write_submission
from utils.course.cells import defines
from utils.grading.jobs import Job
from utils.grading.judging import open_judge
from utils.grading.submissions.reading import read_submission

STEM = "ch03_layernorm"
ROUND_AN_ANSWER: dict[str, Callable[[str], str]] = {
    "as they were": lambda given: given,
    "deleted": lambda given: "",
    "half deleted": lambda given: given[: len(given) // 2],
    "made into comments": lambda given: "\n".join(f"# {line}" for line in given.split("\n")),
    "spoilt": lambda given: f"{given}\n)",
}


@pytest.fixture(scope="module")
def judge():
    with open_judge(seed=5, allow_none=True) as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize("change", ROUND_AN_ANSWER)
def test_given_cells_decide_nothing(judge, tmp_path, change):
    for answer, status in ((lambda text: text, "pass"), (_wrong, "fail")):
        cells = [
            answer(cell) if defines(cell, "LayerNorm") else ROUND_AN_ANSWER[change](cell) for cell in chapter(STEM)
        ]
        submission = read_submission(write_submission(tmp_path / status / f"{STEM}.ipynb", cells))
        (grade,) = Job(submission, {STEM: ""}).done_by(judge).grades
        assert grade.status == status, grade.said


def _wrong(cell: str) -> str:
    """The answer without its eps."""
    changed = cell.replace("self.cfg.layer_norm_eps", "0.0")
    assert changed != cell
    return changed


COMPILED = {
    "the method": lambda cell: cell.replace("    def forward", "    @torch.compile(fullgraph=True)\n    def forward"),
    "the class": lambda cell: f"{cell}\n\nLayerNorm = torch.compile(LayerNorm)",
    "each that is made": lambda cell: cell.replace("super().__init__()", "super().__init__()\n        self.compile()"),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", COMPILED)
def test_torch_compile_leaves_an_answer_as_it_is(judge, tmp_path, change):
    """No compiler starts: it would take longer than an answer may."""
    for answer, status in ((lambda text: text, "pass"), (_wrong, "fail")):
        cells = [COMPILED[change](answer(cell)) if defines(cell, "LayerNorm") else cell for cell in chapter(STEM)]
        assert any("compile" in cell for cell in cells)
        submission = read_submission(write_submission(tmp_path / status / f"{STEM}.ipynb", cells))
        (grade,) = Job(submission, {STEM: ""}).done_by(judge).grades
        assert grade.status == status, grade.said
