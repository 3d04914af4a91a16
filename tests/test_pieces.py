"""utils.pieces: the learner's own components where they are kept, the reference solutions elsewhere, and it says so."""

from functools import partial

import pytest
import torch

from solutions.ch02_embeddings import Embed, PosEmbed
from utils.learner import keeping
from utils.pieces import pieces


@pytest.fixture
def my_gpt(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    (tmp_path / "my_gpt").mkdir()
    return tmp_path / "my_gpt"


def test_what_is_not_kept_is_borrowed_and_said_so(my_gpt, capsys):
    assert pieces("Embed", "PosEmbed") == [Embed, PosEmbed]
    assert capsys.readouterr().out == "from the reference solutions: Embed, PosEmbed\n"


def test_what_is_kept_is_used(my_gpt, capsys):
    (my_gpt / "embed.py").write_text("class Embed:\n    mine = True\n")
    own, borrowed = pieces("Embed", "PosEmbed")
    assert own.mine and borrowed is PosEmbed
    assert capsys.readouterr().out == "yours: Embed\nfrom the reference solutions: PosEmbed\n"


def test_what_no_longer_runs_is_borrowed_and_the_reason_told(my_gpt, capsys):
    (my_gpt / "embed.py").write_text("class Embed(nn.Module): pass\n")
    assert pieces("Embed") == [Embed]
    stops = "(my_gpt/embed.py stops with NameError: name 'nn' is not defined)"
    assert capsys.readouterr().out == f"from the reference solutions: Embed {stops}\n"


def test_what_does_not_end_is_borrowed_too_and_what_it_sets_does_not_stay(my_gpt, capsys, monkeypatch):
    monkeypatch.setattr(keeping, "_soon", partial(_sooner, keeping._soon))
    sets = "import torch\ntorch.set_default_dtype(torch.float64)\n"
    (my_gpt / "embed.py").write_text(f"{sets}while True: pass\n")
    assert pieces("Embed") == [Embed] and torch.get_default_dtype() == torch.float32
    stops = "(my_gpt/embed.py stops with TimeoutError: it takes longer than 0.1 seconds)"
    assert capsys.readouterr().out == f"from the reference solutions: Embed {stops}\n"


def _sooner(soon, run, seconds):
    soon(run, 0.1)


def test_an_unknown_name_is_refused_with_those_that_there_are(my_gpt):
    with pytest.raises(LookupError, match=r"no exercise is called Embedding; there are .*Embed, PosEmbed"):
        pieces("Embedding")


def test_what_is_compiled_is_lent_as_it_was_written(my_gpt, capsys):
    """To start a compiler takes longer than a kept file may, and a figure would wait for it at every new size."""
    source = "import torch\n\n@torch.compile\nclass Embed:\n    mine = True\n"
    (my_gpt / "embed.py").write_text(source)
    (own,) = pieces("Embed")
    assert own.mine and capsys.readouterr().out == "yours: Embed\n"
