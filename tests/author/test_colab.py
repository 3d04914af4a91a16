"""author.notebooks and utils.learner.colab: the cell that fetches the course, and what makes a runtime ready."""

import subprocess
import sys
from importlib.metadata import version
from types import ModuleType

import pytest

from author.notebooks import badge, clone_cell
from utils.course.links import to_chapter
from utils.learner import colab
from utils.learner.colab import NotInstalled, install, versions

CONFLICT = "ERROR: Cannot install these\nERROR: ResolutionImpossible: for help visit"


@pytest.fixture
def in_colab(monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))


@pytest.fixture
def cell(tmp_path, monkeypatch):
    """The first cell of a notebook, with /content in a folder of its own and GitHub in another."""
    config = tmp_path / "gitconfig"
    config.write_text(f'[url "file://{tmp_path}/remote"]\n\tinsteadOf = https://github.com/ada/gpt\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setattr(sys, "path", list(sys.path))
    ready = []
    monkeypatch.setattr(colab, "prepare", ready.append)
    (tmp_path / "content").mkdir()
    code = clone_cell("ada/gpt", "main").replace("/content/", f"{tmp_path}/content/")
    return lambda: (exec(code, {}), ready)[1]


def publish(folder):
    """A repository of one file."""
    folder.mkdir()
    (folder / "here.txt").write_text("here")
    for command in ("init -q -b main", "add .", "-c user.name=a -c user.email=b@c commit -qm a"):
        subprocess.run(["git", *command.split()], cwd=folder, check=True)


def test_the_cell_does_nothing_elsewhere(cell, tmp_path, capsys):
    before = list(sys.path)
    assert cell() == [] and sys.path == before
    assert list((tmp_path / "content").iterdir()) == [] and capsys.readouterr().out == ""


def test_the_cell_fetches_the_course_once_and_puts_it_first(cell, in_colab, tmp_path, capsys):
    publish(tmp_path / "remote")
    assert cell() == [False]
    course = tmp_path / "content" / "gpt"
    assert (course / "here.txt").read_text() == "here" and sys.path[0] == str(course)
    assert capsys.readouterr().out.startswith("Fetching the course, about half a minute.")
    (course / "mine.txt").touch()
    assert cell() == [False, False] and (course / "mine.txt").exists()
    assert capsys.readouterr().out == ""


def test_an_interrupted_fetch_begins_anew(cell, in_colab, tmp_path):
    publish(tmp_path / "remote")
    partial = tmp_path / "content" / "gpt.partial"
    (partial / ".git").mkdir(parents=True)
    cell()
    assert (tmp_path / "content" / "gpt" / "here.txt").exists() and not partial.exists()


def test_without_a_network_the_cell_says_what_to_do_and_leaves_nothing(cell, in_colab, tmp_path):
    with pytest.raises(
        ConnectionError, match=r"github\.com/ada/gpt could not be fetched\. Run this cell again"
    ) as caught:
        cell()
    assert "no network, or the address is wrong.\nfatal: " in str(caught.value)
    assert not (tmp_path / "content" / "gpt").exists()


def test_the_branch_can_be_another():
    assert "/blob/main/chapters/START.ipynb)" in badge("ada/gpt", "main", "chapters/START.ipynb")
    assert "/ada/gpt/blob/term/2027/chapters/START.ipynb)" in badge("ada/gpt", "term/2027", "chapters/START.ipynb")
    assert '"--branch", "term/2027"' in clone_cell("ada/gpt", "term/2027")


@pytest.fixture
def pip(monkeypatch, tmp_path):
    """pip that answers what the list `says`, one text for each call; "" where it succeeds."""
    says, calls = [], []

    def answer(command, **options):
        kept = command[command.index("--constraint") + 1]
        with open(kept) as file:
            calls.append((command, set(file.read().split()), options["cwd"]))
        told = says.pop(0)
        return subprocess.CompletedProcess(command, int(bool(told)), "", told)

    monkeypatch.setattr(colab.subprocess, "run", answer)
    (tmp_path / "requirements.txt").write_text("torch\n")
    return says, calls


@pytest.mark.slow
def test_pip_keeps_every_version_that_is_there(pip, tmp_path):
    says, calls = pip
    says += [""]
    assert install(tmp_path) is True
    ((command, kept, folder),) = calls
    assert command[:4] == [sys.executable, "-m", "pip", "install"] and "--quiet" in command
    assert command[-2:] == ["--requirement", "requirements.txt"] and folder == tmp_path
    assert {f"{name}=={version(name)}" for name in ("torch", "plotly", "ipywidgets", "numpy")} <= kept


@pytest.mark.slow
def test_pip_runs_once_for_a_runtime(pip, tmp_path):
    says, calls = pip
    says += ["", ""]
    assert [install(tmp_path), install(tmp_path)] == [True, False] and len(calls) == 1
    (tmp_path / "requirements.txt").write_text("torch\neinops\n")
    assert install(tmp_path) is True


@pytest.mark.slow
def test_an_interrupted_pip_runs_again(pip, tmp_path, monkeypatch):
    says, calls = pip
    run = colab.subprocess.run
    monkeypatch.setattr(colab.subprocess, "run", lambda *arguments, **options: exec("raise KeyboardInterrupt"))
    with pytest.raises(KeyboardInterrupt):
        install(tmp_path)
    monkeypatch.setattr(colab.subprocess, "run", run)
    says += [""]
    assert install(tmp_path) is True and len(calls) == 1


@pytest.mark.slow
def test_where_pip_fails_the_message_says_what_to_do(pip, tmp_path):
    says, _ = pip
    says += ["WARNING: Retrying\nERROR: No matching distribution found for einops", ""]
    with pytest.raises(NotInstalled) as caught:
        install(tmp_path)
    (told,) = caught.value._render_traceback_()
    assert told.startswith("What the course needs could not be installed. Run this cell again: pip then begins anew.")
    assert told.endswith("pip says:\n    ERROR: No matching distribution found for einops")
    assert install(tmp_path) is True


@pytest.mark.slow
def test_where_a_later_colab_has_what_does_not_fit_torch_alone_is_kept(pip, tmp_path, monkeypatch):
    says, calls = pip
    says += [CONFLICT, ""]
    before, after = versions(), versions() | {"typeguard": "4.0"}
    monkeypatch.setattr(colab, "versions", lambda: after if len(calls) == 2 else before)
    with pytest.raises(NotInstalled, match=r"other versions of typeguard had to.*Restart session, then run this cell"):
        install(tmp_path)
    assert calls[1][1] == {f"torch=={version('torch')}"}
    assert install(tmp_path) is False  # after the restart


def test_a_runtime_that_is_ready_says_how_to_keep_what_is_written(monkeypatch, capsys):
    monkeypatch.setattr(colab, "install", lambda: True)
    colab.prepare()
    told = capsys.readouterr().out
    assert told.startswith(
        "Ready, after 0 seconds.\nWhat you write is kept in my_gpt/. That goes when this runtime ends"
    )
    assert "tick keep_on_drive" in told and "download_my_gpt()" in told and "bring_back_my_gpt()" in told


def test_links_lead_to_colab_in_colab_and_beside_the_page_elsewhere(monkeypatch, request):
    assert to_chapter("ch05_mlp") == 'href="ch05_mlp.ipynb"'
    request.getfixturevalue("in_colab")
    monkeypatch.setattr("utils.course.links.repository", lambda: None)
    assert to_chapter("ch05_mlp") == 'href="ch05_mlp.ipynb"'
    monkeypatch.setattr("utils.course.links.repository", lambda: "ada/gpt")
    address = "https://colab.research.google.com/github/ada/gpt/blob/main/chapters/ch05_mlp.ipynb"
    assert to_chapter("ch05_mlp") == f'href="{address}" target="_blank"'
