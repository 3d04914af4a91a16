"""A course without its solutions: what learners wrote is used, and what they have not is named."""

import json

import pytest

from utils import pieces as module
from utils.course.lending import NothingToLend, has_solutions
from utils.pieces import pieces


@pytest.fixture
def without(tmp_path, monkeypatch):
    """A course without solutions, whose chapter 2 has an Embed and a stub of PosEmbed; nothing is kept."""
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    monkeypatch.setattr(module, "has_solutions", lambda: False)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "my_gpt").mkdir()
    (tmp_path / "chapters").mkdir()
    sources = [
        "%time\nimport math",
        "SIZE = math.floor(2.5)\nclass Embed:\n    size = SIZE\n",
        'class PosEmbed:\n    def forward(self):\n        raise NotImplementedError("write this part")\n',
    ]
    cells = [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in sources]
    notebook = tmp_path / "chapters" / "ch02_embeddings.ipynb"
    notebook.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    return tmp_path


def test_what_stands_in_the_chapter_is_used_though_it_has_not_passed(without, capsys):
    (Embed,) = pieces("Embed")
    assert Embed.size == 2 and capsys.readouterr().out == "yours, though not passed yet: Embed\n"


def test_a_stub_is_nothing_and_what_is_kept_comes_first(without, capsys):
    (without / "my_gpt" / "embed.py").write_text("class Embed:\n    size = 7\n")
    with pytest.raises(NothingToLend) as caught:
        pieces("Embed", "PosEmbed")
    assert str(caught.value).endswith("Yours to write first: PosEmbed (chapters/ch02_embeddings.ipynb).")
    assert caught.value._render_traceback_() == [str(caught.value)] and capsys.readouterr().out == ""
    (Embed,) = pieces("Embed")
    assert Embed.size == 7 and capsys.readouterr().out == "yours: Embed\n"


def test_here_there_are_solutions():
    assert has_solutions() and has_solutions("ch02_embeddings") and not has_solutions("ch99_nothing")
