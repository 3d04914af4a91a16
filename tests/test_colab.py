"""utils.authoring.colab: the cell that fetches the course acts in Google Colab and nowhere else."""

import subprocess
import sys
from types import ModuleType

import pytest

from utils.authoring.colab import clone_cell


def test_the_clone_cell_acts_in_colab_alone(monkeypatch, tmp_path):
    commands = []
    monkeypatch.setattr(subprocess, "run", lambda command, **options: commands.append((command, options)))
    code = clone_cell("ada/gpt").replace("/content/gpt", str(tmp_path / "gpt"))
    exec(code, {})
    assert commands == []
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    monkeypatch.setattr("site.addsitedir", lambda folder: commands.append(folder))
    (tmp_path / "gpt").mkdir()
    exec(code, {})
    (install, options), *added = commands
    assert install[1:4] == ["-m", "pip", "install"]
    assert install[-4:] == ["-r", "requirements.txt", "-e", "."]
    assert options == {"cwd": tmp_path / "gpt", "check": True}
    assert (tmp_path / "gpt" / "colab-torch.txt").read_text().startswith("torch==")
    assert added
    (tmp_path / "gpt" / "colab-torch.txt").unlink()
    (tmp_path / "gpt").rmdir()
    commands.clear()
    with pytest.raises(FileNotFoundError):  # nothing was really cloned
        exec(code, {})
    assert commands[0][0][:2] == ["git", "clone"]
    assert "https://github.com/ada/gpt" in commands[0][0]
