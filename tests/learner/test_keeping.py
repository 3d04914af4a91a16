"""utils.learner.keeping: kept is what was judged, and whatever can't be kept says why."""

import inspect
import itertools
import os
import pickle
import sys
from functools import partial

import pytest

from judge.running.limited import TooSlow
from utils.course import exercises
from utils.learner.collecting import save
from utils.learner.keeping import NotKept, keep, kept_path, module_in, module_of, running_alone

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


DOUBLED = "def factor():\n    return 2\n\n\ndef scaled(residual):\n    return residual * factor()\n"
TRIPLED = DOUBLED.replace("2", "3")


MOMENTS = itertools.count(0, 1000)  # of one second, which is as far as __pycache__ tells versions apart


def written(folder, source, name="scale.py"):
    file = folder / name
    file.write_text(source)
    moment = next(MOMENTS)
    os.utime(file, ns=(moment, moment))
    return file


def compiled(function):
    import torch

    return torch.compile(function, backend="eager", fullgraph=True)


def ways_to_load(folder):
    return {
        "out of my_gpt/": module_in(written(folder, DOUBLED)),
        "out of a chapter": module_of(DOUBLED, "chapters_scaled"),
    }


def test_what_is_loaded_can_be_compiled_and_pickled(tmp_path):
    import torch

    for way, module in ways_to_load(tmp_path).items():
        assert compiled(module.scaled)(torch.ones(2)).tolist() == [2, 2], way
        assert pickle.loads(pickle.dumps(module.scaled)) is module.scaled, way


def test_the_source_of_what_is_in_my_gpt_is_found(tmp_path):
    source = "class Scale:\n    factor = 2\n"
    module = module_in(written(tmp_path, source))
    assert inspect.getsource(module.Scale) == source


def test_a_changed_file_is_loaded_as_it_is_now_and_what_was_loaded_before_stays_as_it_was(tmp_path):
    """torch keeps what it once found under a name, so that no two modules may have the same."""
    import torch

    ones = torch.ones(2)
    before = module_in(written(tmp_path, DOUBLED))
    assert compiled(before.scaled)(ones).tolist() == [2, 2]
    after = module_in(written(tmp_path, TRIPLED))
    assert compiled(after.scaled)(ones).tolist() == [3, 3] and "return 3" in inspect.getsource(after.factor)
    assert compiled(lambda residual: before.scaled(residual))(ones).tolist() == [2, 2]
    assert pickle.loads(pickle.dumps(before.scaled)) is before.scaled


def test_files_of_the_same_name_in_two_folders_do_not_see_one_another(tmp_path):
    import torch

    folders = [tmp_path / name for name in ("ada", "ben")]
    for folder in folders:
        folder.mkdir()
    ada, ben = (module_in(written(*one)) for one in zip(folders, (DOUBLED, TRIPLED), strict=True))
    assert [compiled(one.scaled)(torch.ones(1)).item() for one in (ada, ben, ada)] == [2, 3, 2]
    assert ada.__name__ != ben.__name__ and sys.modules[ada.__name__] is ada


def test_keeping_a_part_does_not_lose_the_one_that_was_loaded(tmp_path):
    module = module_in(written(tmp_path, DOUBLED))
    with running_alone(TRIPLED, "my_gpt_scale"):
        pass
    assert sys.modules[module.__name__] is module


@pytest.mark.parametrize("source", ["1 / 0", "def", "while True: pass", "raise SystemExit(3)"])
def test_what_can_not_be_loaded_leaves_nothing_behind(source, tmp_path):
    import torch  # noqa: F401  # what else is in sys.modules doesn't come of the file

    before = dict(sys.modules)
    for load in (partial(module_in, written(tmp_path, source)), partial(module_of, source, "chapters_scale")):
        with pytest.raises((ArithmeticError, SyntaxError, TimeoutError, SystemExit)):
            load(seconds=0.1)
        assert sys.modules == before
