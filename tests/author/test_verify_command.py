"""The whole way of an author from the command line, in a copy of the tools: new, build, verify, a change, check."""

import os
import re
import subprocess
import sys

import pytest

from tests.author.mini_course import copy_utils
from tests.author.new_chapter import spoil

pytestmark = pytest.mark.prover  # every case proves an exercise


@pytest.fixture
def run(tmp_path):
    """What Python does with a program in a copy of the tools."""
    copy_utils(tmp_path)
    for folder in ("solutions", "tests"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    told = {"env": {**os.environ, "PYTHONPATH": str(tmp_path)}, "capture_output": True, "encoding": "utf-8"}
    return lambda program: subprocess.run([sys.executable, "-W", "error", "-c", program], cwd=tmp_path, **told)


def test_new_builds_and_verifies_from_the_command_line(run):
    """With a real kernel."""
    program = """if True:
        from pathlib import Path
        from utils.__main__ import main
        stem = "ch12_scale"
        assert main(["new", stem, "--symbol", "Scale"]) == 0
        assert main(["verify"]) == 1
        assert main(["build"]) == main(["verify", stem]) == main(["check"]) == main(["build", "--check"]) == 0
        source = Path("solutions", f"{stem}.py")
        source.write_text(source.read_text(encoding="utf-8").replace("learned number", "number"), encoding="utf-8")
        assert main(["check", stem]) == main(["verify"]) == main(["build", "ch77_none"]) == main(["new", stem]) == 1
    """
    done = run(program)
    assert done.returncode == 0, done.stderr
    assert "solutions/ch12_scale.ipynb: executed" in done.stdout
    row = "ch12_scale Scale  ✔         ✔         ✔     ✔ 14       ✔ 1             ✔ 1       ✔ 18/18  ✔      ✔ 10 min  ✔"
    assert row in done.stdout
    assert "chapters/ch12_scale.ipynb is out of date. Make it again: python -m utils build ch12_scale" in done.stderr
    assert "There is no chapter ch77_none. The chapters are: ch12_scale." in done.stderr


def test_stale_cards_and_wrong_annotations_are_named(run, tmp_path):
    """What only pytest and nbval said: both are in files that `verify` reads."""
    made = "from utils.__main__ import main; main(['new', 'ch12_length']); main(['build'])"
    assert run(made).returncode == 0
    verify = "from utils.__main__ import main; raise SystemExit(main(['verify', 'ch12_length']))"
    assert run(verify).returncode == 0
    spoil(tmp_path, "tests/ch12_length.py", ("agrees with", "is the same as"))
    done = run(verify)
    said = "solutions/ch12_length.ipynb has another card than test_length gives now: python -m utils build ch12_length"
    assert done.returncode == 1 and f"{said} --force" in done.stdout, done.stdout
    source = (tmp_path / "solutions" / "ch12_length.py").read_text(encoding="utf-8")
    (annotation,) = set(re.findall(r"-> (Float\[.*\]):", source))
    spoil(tmp_path, "solutions/ch12_length.py", (f"-> {annotation}:", '-> Float[Tensor, "one two three four"]:'))
    done = run(verify)
    assert done.returncode == 1 and "the solution is judged 'failed'" in done.stdout, done.stdout
    assert "TypeCheckError" in done.stdout or "BeartypeCallHint" in done.stdout, done.stdout
