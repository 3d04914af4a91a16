"""The threads of torch and NumPy: one for a small model, their own number for a large one; what was chosen stays."""

import json
import os
import sys

import pytest

from tests.house.fresh_python import fresh_python
from utils.own_gpt import threads
from utils.own_gpt.fitting import OF_NUMPY, fit_threads_to_reference
from utils.own_gpt.threads import WIDE, fit_threads

ITS_OWN = 6
SMALL = WIDE - 1


class FakeTorch:
    """Has only a number of threads."""

    def __init__(self):
        self.n = ITS_OWN

    def get_num_threads(self):
        return self.n

    def set_num_threads(self, n):
        self.n = n


@pytest.fixture
def torch(monkeypatch):
    """A torch that nobody has told anything, in a process where nothing is chosen."""
    for name in (*threads.CHOSEN, "COURSE_REFERENCE", OF_NUMPY):
        monkeypatch.setenv(name, "")  # so that what the tests set is undone
        monkeypatch.delenv(name)
    monkeypatch.setattr(threads, "_torchs_own", None)
    monkeypatch.setattr(threads, "_ours", None)
    monkeypatch.setattr(threads, "_usual", lambda: {12, ITS_OWN})
    fake = FakeTorch()
    monkeypatch.setitem(sys.modules, "torch", fake)
    return fake


def test_a_small_model_has_one_thread_a_large_one_all(torch):
    for width, n in ((SMALL, 1), (SMALL, 1), (WIDE, ITS_OWN), (192, 1)):
        fit_threads(width)
        assert torch.n == n


@pytest.mark.parametrize("name", threads.CHOSEN)
def test_what_the_environment_chooses_stays(name, torch, monkeypatch):
    monkeypatch.setenv(name, "3")
    fit_threads(SMALL)
    assert torch.n == ITS_OWN


def test_what_was_chosen_before_or_after_stays(torch):
    torch.n = 3
    fit_threads(SMALL)
    assert torch.n == 3
    torch.n = ITS_OWN
    fit_threads(SMALL)
    assert torch.n == 1
    torch.n = 2
    for width in (SMALL, WIDE):
        fit_threads(width)
        assert torch.n == 2


def test_the_reference_model_decides_in_a_notebook(torch, monkeypatch, tmp_path):
    fit_threads_to_reference()
    assert torch.n == 1
    for n_embd, n in ((WIDE, ITS_OWN), (64, 1), ("many", ITS_OWN)):
        (tmp_path / "config.json").write_text(json.dumps({"n_embd": n_embd}))
        monkeypatch.setenv("COURSE_REFERENCE", str(tmp_path))
        fit_threads_to_reference()
        assert torch.n == n
    for name, n in (("bundled", 1), ("gpt2", ITS_OWN), ("", 1), ("/nowhere", ITS_OWN)):
        monkeypatch.setenv("COURSE_REFERENCE", name)
        fit_threads_to_reference()
        assert torch.n == n


def test_numpys_products_have_one_thread_too_unless_somebody_chose(torch, monkeypatch):
    monkeypatch.setenv("COURSE_REFERENCE", "gpt2")
    fit_threads_to_reference()
    assert OF_NUMPY not in os.environ
    monkeypatch.setenv("COURSE_REFERENCE", "bundled")
    monkeypatch.setenv(threads.CHOSEN[0], "2")
    fit_threads_to_reference()
    assert OF_NUMPY not in os.environ
    monkeypatch.delenv(threads.CHOSEN[0])
    fit_threads_to_reference()
    assert os.environ[OF_NUMPY] == "1"
    monkeypatch.setenv(OF_NUMPY, "4")
    fit_threads_to_reference()
    assert os.environ[OF_NUMPY] == "4"


def test_that_torch_is_missing_is_for_the_next_cell_to_say(torch, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    fit_threads_to_reference()


@pytest.mark.slow
def test_a_chapter_and_a_story_have_one_thread(own, monkeypatch):
    for name in threads.CHOSEN:
        monkeypatch.delenv(name, raising=False)
    for first in ("", "import torch\n"):
        code = f"{first}from utils.setup import start\nstart('ch03_layernorm')\nimport torch\n"
        assert fresh_python(f"{code}print(torch.get_num_threads())").stdout.split()[-1] == "1"
    numpys = "from utils.setup import start\nimport sys\nassert 'numpy' not in sys.modules\nstart('ch11_dialects')\n"
    assert fresh_python(f"{numpys}import os\nprint(os.environ[{OF_NUMPY!r}])").stdout.split()[-1] == "1"
    told = fresh_python(
        f"import sys\nsys.path.insert(0, {str(own.parent)!r})\nimport my_gpt, torch\n"
        "gpt = my_gpt.load()\nprint(torch.get_num_threads())"
    )
    assert told.stdout.split()[-1] == "1"
