"""my_gpt/ on a full disk, or damaged by hand: nothing outside it changes, nothing hangs, what was written stays."""

import errno
import json
import shutil
from types import SimpleNamespace

import pytest

from tests.own_gpt.own_package import keep, warm_run
from utils.course import CourseError
from utils.learner.collecting import saved_here
from utils.own_gpt import loading
from utils.own_gpt.generating import generate
from utils.own_gpt.parts import whose
from utils.own_gpt.writing import NOTES, doubt_now, write_package


@pytest.fixture
def state(tmp_path, monkeypatch):
    """An empty folder for what the learner keeps, within another."""
    monkeypatch.setenv("COURSE_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


def yours():
    return [part.symbol for part in write_package() if part.yours]


@pytest.mark.slow
def test_notes_never_name_what_lies_elsewhere(state):
    keep("Embed")
    write_package()
    outside = [state.parent / "mine.py", state / "my_gpt" / "versions" / "mine.py", state / "my_gpt" / "mine.py"]
    for file in outside:
        file.write_text("mine")
    names = ["parts/../../../mine.py", "course/../versions/mine.py", "parts/../mine.py", str(outside[0])]
    notes = json.loads((state / "my_gpt" / NOTES).read_text())
    for name in names:
        changed = notes | {"files": notes["files"] | {name: "0"}}
        (state / "my_gpt" / NOTES).write_text(json.dumps(changed))
        assert yours() == ["Embed"] and all(file.read_text() == "mine" for file in outside)
    notes = json.loads((state / "my_gpt" / NOTES).read_text())
    assert notes["files"].keys().isdisjoint(names[:-1])


OTHER_KINDS = ["files", "read", "broken", "measured", "run"]
OTHERS = [[1], {"a": 1}, 1, None, "x", {"a": {}}, [["parts/embed.py"]]]


@pytest.mark.slow
@pytest.mark.parametrize("key", [*OTHER_KINDS, None])
def test_notes_of_another_kind_are_none(key, state):
    keep("Embed")
    write_package()
    file = state / "my_gpt" / NOTES
    right = json.loads(file.read_text())
    stale = right | {"read": "before the last pass"}
    broken = [stale | {key: other} for other in OTHERS] if key else OTHERS
    for damaged in broken:
        file.write_text(json.dumps(damaged))
        assert yours() == ["Embed"] and json.loads(file.read_text()) == right
    file.write_text("[" * 10_000)
    assert doubt_now() == "" and yours() == ["Embed"] and json.loads(file.read_text()) == right
    assert not list((state / "my_gpt" / "versions").glob("parts*"))


def test_without_room_for_the_model_the_rest_is_written_and_nothing_left_over(state, monkeypatch):
    keep("Embed")
    full = SimpleNamespace(free=12 * 2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: full)
    with pytest.raises(OSError, match=r"the disk is nearly full: .*README\.md"):
        write_package()
    keep("PosEmbed")
    with pytest.raises(CourseError, match=r"my_gpt/ can't be made a package: .* the disk is nearly full"):
        generate(None)
    folder = state / "my_gpt"
    assert "written by you" in (folder / "parts" / "pos_embed.py").read_text() and (folder / NOTES).is_file()
    assert not list(folder.rglob("*.partial")) and not list(folder.rglob("*.safetensors"))
    full.free = 2**30
    write_package()
    assert (folder / "model" / "model.safetensors").is_file()


def test_a_copy_that_breaks_off_leaves_nothing(state, monkeypatch):
    def fills_the_disk(source, file):
        file.write_bytes(b"as far as it goes")
        raise OSError(errno.ENOSPC, "No space left on device")

    keep("Embed")
    monkeypatch.setattr(shutil, "copy2", fills_the_disk)
    with pytest.raises(OSError, match="No space left"):
        write_package()
    assert not list((state / "my_gpt").rglob("*.partial"))


def test_what_was_kept_and_run_before_needs_no_process_of_its_own(state, monkeypatch):
    def refused(*arguments, **options):
        raise AssertionError("another process")

    monkeypatch.setattr(loading.subprocess, "run", refused)
    keep("Embed")
    write_package()
    saved_here.clear()  # as in another kernel
    keep("PosEmbed")
    assert yours() == ["Embed", "PosEmbed"]
    (state / "my_gpt" / "embed.py").write_text("class Embed: ...  # by hand", encoding="utf-8")
    with pytest.raises(AssertionError, match="another process"):
        write_package()


IN_PLACE = "import os, sys, threading, time\nimport torch\nclass {name}(torch.nn.Module):\n    pass\n"
DAMAGE = {
    "pos_embed": "os.write(1, b'my_gpt tries'); os._exit(0)\n",
    "unembed": "sys.exit()\n",
    "mlp": "threading.Thread(target=time.sleep, args=(600,)).start()\nwhile True: pass\n",
}


@pytest.mark.slow
def test_parts_that_hang_or_end_python_do_it_elsewhere(state, monkeypatch):
    monkeypatch.setattr(loading.subprocess, "run", warm_run)  # the two below have whole processes
    monkeypatch.setattr(loading, "CODE", f"from utils.own_gpt import loading; loading.SECONDS = 3; {loading.CODE}")
    keep("Embed")
    names = {"pos_embed": "PosEmbed", "unembed": "Unembed", "mlp": "MLP"}
    for module, damage in DAMAGE.items():
        text = IN_PLACE.format(name=names[module]) + damage
        (state / "my_gpt" / f"{module}.py").write_text(text, encoding="utf-8")
    parts = write_package()
    assert [part.symbol for part in parts if part.yours] == ["Embed"] and doubt_now() == ""
    said = whose(parts)
    assert "PosEmbed (yours: it stops with SystemExit: it ends the Python that runs it)" in said
    assert "Unembed (yours: it stops with SystemExit: )" in said
    assert "MLP (yours: it stops with TimeoutError: it takes longer than 10 seconds)" in said


STARTING = """\
import subprocess, sys
LIVES_ON = "import time, pathlib; time.sleep(60); pathlib.Path({file!r}).touch()"
CHILD = subprocess.Popen([sys.executable, "-c", LIVES_ON])
"""


@pytest.mark.slow
def test_nobody_waits_for_a_process_that_a_part_has_started(state):
    """It holds the output that is read, and ends long after the part."""
    ended = state / "ended"
    keep("Embed")
    file = state / "my_gpt" / "pos_embed.py"
    file.write_text(IN_PLACE.format(name="PosEmbed") + STARTING.format(file=str(ended)), encoding="utf-8")
    assert "PosEmbed" in yours() and not ended.exists()


@pytest.mark.slow
def test_a_model_that_hangs_is_doubted_until_it_is_changed(state, monkeypatch):
    monkeypatch.setattr(loading, "CODE", f"from utils.own_gpt import loading; loading.SECONDS = 3; {loading.CODE}")
    keep("Embed")
    kept = state / "my_gpt" / "embed.py"
    right = kept.read_text(encoding="utf-8")
    kept.write_text(right.replace("return ", "while True: pass\n        return "), encoding="utf-8")
    write_package()
    assert doubt_now().startswith("The Transformer made of these parts stops with TimeoutError: it takes longer")
    kept.write_text(f"{right}\n# by hand, and right\n", encoding="utf-8")
    assert yours() == ["Embed"] and doubt_now() == ""
