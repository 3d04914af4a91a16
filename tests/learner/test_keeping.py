"""utils.learner.keeping: kept is what was judged, and whatever can't be kept says why."""

import sys

import pytest

from judge.running.limited import TooSlow
from utils.course import exercises
from utils.learner.collecting import save
from utils.learner.keeping import NotKept, keep, kept_path, running_alone

EXERCISE = next(one for one in exercises("ch03_layernorm") if one.symbol == "LayerNorm")
GIVEN = "import torch\nfrom solutions.ch03_layernorm import LayerNorm as Given"
STUB = "class LayerNorm(Given):\n    def forward(self, residual):\n        raise NotImplementedError"
FORWARD = "def forward(self, residual):\n    return Given.forward(self, residual) * factor"
ADVICE = (
    "Kept are imports, classes, functions and assignments, but no loops, `with` blocks, files that are read or long "
    "computations. Write what `LayerNorm` needs without these, run it, then run this cell again."
)
ALONE = "run on its own, without the rest of this notebook, your code"


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Where the learner's LayerNorm would be kept."""
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    return kept_path(EXERCISE)


def test_what_was_written_over_several_cells_is_kept_whole(path):
    cells = [GIVEN, "factor = 0", STUB, "factor = 1", FORWARD, "LayerNorm.forward = forward", "print('demo')"]
    keep(EXERCISE, cells)
    header = '"""LayerNorm, written by you; it passed the checks of ch03_layernorm."""'
    imports = "from solutions.ch03_layernorm import LayerNorm as Given"
    expected = "\n\n\n".join([imports, STUB, "factor = 1", FORWARD, "LayerNorm.forward = forward"])
    assert path.read_text(encoding="utf-8") == f"{header}\n\n{expected}\n"
    assert path.name == "layer_norm.py" and path.parent.name == "my_gpt"


NOT_KEPT = {
    "what was judged came about in a loop": (
        [GIVEN, STUB, FORWARD, "factor = 1", "for _ in [1]:\n    LayerNorm.forward = forward"],
        f"{ALONE} no longer passes: ○ LayerNorm: not yet. {ADVICE}",
    ),
    "a global that is computed": (
        [GIVEN, STUB, FORWARD, "LayerNorm.forward = forward", "with torch.no_grad():\n    factor = 1"],
        f"{ALONE} no longer passes: ✘ LayerNorm: keeps the shape [batch pos d_model]: "
        f"NameError: name 'factor' is not defined. {ADVICE}",
    ),
    "a number that a loop adds up": (
        [GIVEN, STUB, FORWARD, "LayerNorm.forward = forward", "factor = 0\nfor _ in [1]:\n    factor += 1"],
        f"{ALONE} no longer passes: ✘ LayerNorm: agrees with the reference solution on random weights: "
        f"120 of 120 values differ, most at batch 1, pos 4, d_model 2: got -0.0000, expected -4.0468. {ADVICE}",
    ),
    "a base class that is not there": (
        ["class LayerNorm(Missing): ..."],
        f"{ALONE} stops with NameError: name 'Missing' is not defined. {ADVICE}",
    ),
    "an import that fails": (
        ["import no_such_module", "LayerNorm = no_such_module.LayerNorm"],
        f"{ALONE} stops with ModuleNotFoundError: No module named 'no_such_module'. {ADVICE}",
    ),
    "code that never ends": (
        ["def wait():\n    while True: pass", "size = wait()", "class LayerNorm:\n    width = size"],
        f"{ALONE} stops with TooSlow: it takes longer than 2 seconds. {ADVICE}",
    ),
    "code that leaves Python": (
        ["import sys", "size = sys.exit(3)", "class LayerNorm:\n    width = size"],
        f"{ALONE} stops with SystemExit: 3. {ADVICE}",
    ),
    "code that no cell defines": (["print(LayerNorm)"], "no cell of this notebook defines `LayerNorm`."),
}


@pytest.mark.slow
@pytest.mark.parametrize(("cells", "said"), NOT_KEPT.values(), ids=NOT_KEPT)
def test_what_would_not_pass_again_is_not_kept(cells, said, path, capsys):
    with pytest.raises(NotKept) as caught:
        keep(EXERCISE, cells)
    assert str(caught.value) == said
    assert not path.exists() and capsys.readouterr() == ("", "")


def test_an_earlier_version_stays_and_is_named(path):
    save("old", path)
    with pytest.raises(NotKept, match=r"again\. `my_gpt/layer_norm.py` still holds an earlier version\.$"):
        keep(EXERCISE, ["class LayerNorm(Missing): ..."])
    assert path.read_text() == "old"


def test_running_alone_leaves_nothing_behind(capsys):
    import torch

    before, state, trace = dict(sys.modules), torch.get_rng_state(), sys.gettrace()
    source = "import torch, warnings\nprint('said')\nwarnings.warn('beware')\nN = torch.rand(1)\nname = __name__"
    with running_alone(source, "my_gpt_scale") as module:
        assert sys.modules["my_gpt_scale"] is module and module.name == "my_gpt_scale"
    assert dict(sys.modules) == before and sys.gettrace() is trace
    assert torch.equal(torch.get_rng_state(), state) and capsys.readouterr() == ("", "")


def test_running_alone_ends_what_does_not_end_and_believes_in_no_main():
    with (
        pytest.raises(TooSlow, match=r"it takes longer than 0\.1 seconds"),
        running_alone("while True: pass", "m", 0.1),
    ):
        raise AssertionError("it came to an end")
    with running_alone("ran = False\nif __name__ == '__main__':\n    ran = True", "m") as module:
        assert module.ran is False
