"""my_gpt/ as a package: self-contained, the learner's own where it passed, and nothing of theirs lost."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.house.fresh_python import at_once
from tests.own_gpt.own_package import alone, keep, warm_run
from utils.course import ROOT, exercises
from utils.learner.collecting import save
from utils.own_gpt import loading
from utils.own_gpt.parts import known_exercises, whose
from utils.own_gpt.writing import NOTES, doubt_now, write_package

AS_USUAL = {"temperature": 0.8, "top_p": 0.9, "freq_penalty": 0.2}  # of the command line


@pytest.fixture
def state(tmp_path, monkeypatch):
    """An empty folder for what the learner keeps."""
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    return tmp_path


@pytest.fixture
def warm(monkeypatch):
    """The process that tries what nobody has run is a fork; test_damage.py has whole ones."""
    monkeypatch.setattr(loading.subprocess, "run", warm_run)


@pytest.mark.slow
def test_it_runs_elsewhere_without_the_course_and_tells_what_it_tells_here(own, gpt, tmp_path):
    shutil.copytree(own, tmp_path / "far" / "my_gpt")
    ran = alone(tmp_path / "far", "Once", "upon a time", "--tokens", "60", "--seed", "3")
    assert ran.stderr == "" and ran.returncode == 0
    assert ran.stdout == gpt.text("Once upon a time", 60, seed=3, **AS_USUAL) + "\n"
    assert ran.stdout.startswith("Once upon a time") and len(ran.stdout) > 150
    without_weights = tmp_path / "other" / "my_gpt"
    shutil.copytree(own, without_weights)
    shutil.rmtree(without_weights / "model")
    model = ("--model", str(own / "model"))
    fast = alone(tmp_path / "other", "Once upon a time", "--tokens", "60", "--seed", "3", "--fast", *model)
    assert (fast.stdout, fast.stderr) == (ran.stdout, "")


def test_each_part_says_whose_it_is(own):
    for name in ("bpe_encode", "transformer", "attention", "generate"):
        text = (own / "parts" / f"{name}.py").read_text(encoding="utf-8")
        assert f"written by you: my_gpt/{name}.py, but for its imports. To change it, change that file." in text
        assert not re.search(r"^(from|import) (utils|solutions|tests)\b", text, re.MULTILINE)
    for name, stem in (("pos_embed", "ch02_embeddings"), ("generate_with_cache", "ch08_sampling")):
        text = (own / "parts" / f"{name}.py").read_text(encoding="utf-8")
        assert f"borrowed: the reference solution of {stem}." in text and "SOLUTION" not in text
    assert "from .pieces import pieces" in (own / "parts" / "transformer.py").read_text(encoding="utf-8")
    assert "class TransformerBlock" in (own / "parts" / "transformer.py").read_text(encoding="utf-8")
    assert "from .sample_next_token import" in (own / "parts" / "generate_with_cache.py").read_text(encoding="utf-8")


def test_the_page_says_whose_when_how_long_and_how_right(own):
    text = (own / "README.md").read_text(encoding="utf-8")
    story, _, _ = text.partition("## Models since GPT-2")
    rows = dict(re.findall(r"^\| \[(\w+)\]\(parts/\w+\.py\) \| (.*) \|$", story, re.MULTILINE))
    assert re.fullmatch(r"\*\*yours\*\* \| \d{4}-\d\d-\d\d \| \d+", rows["Attention"])
    assert rows["PosEmbed"] == "borrowed from ch02_embeddings | |"
    own_rows = [row for row in rows.values() if row.startswith("**yours**")]
    assert len(own_rows) == 8 and f"8 of the {len(rows)} parts that tell a story are yours" in text
    flat = text.replace("\n", " ")
    assert "at most, where the largest logit is 15.1. The likeliest next token is the same at 22 of 22." in flat
    assert "Yours too" in text and "[gelu_new](gelu_new.py)" in text
    libraries = ["torch", "safetensors", "einops", "jaxtyping", "regex"]
    assert (own / "requirements.txt").read_text(encoding="utf-8").split() == libraries
    assert "`torch`, `safetensors`, `einops`, `jaxtyping` and `regex` beside it:\n`pip install -r my_gpt/requ" in text
    assert max(map(len, text.splitlines())) <= 120
    (far_from,) = re.findall(r"differ from the reference model's by (\S+) at most", flat)
    assert float(far_from) < 1e-4


@pytest.mark.slow
def test_a_part_that_can_not_be_taken_along_is_borrowed_and_the_reason_told(state, warm):
    keep("Embed")
    kept = state / "my_gpt" / "embed.py"
    kept.write_text("from utils.reference import encode\n\nclass Embed:\n    sample = encode\n")
    (state / "my_gpt" / "unembed.py").write_text("class Unembed(Missing):\n    pass\n")
    (state / "my_gpt" / "mlp.py").write_text("class MLP(:\n")
    (state / "my_gpt" / "generate.py").write_text("made = 1\n")
    parts = {part.symbol: part for part in write_package()}
    assert not any(part.yours for part in parts.values())
    text = (state / "my_gpt" / "README.md").read_text(encoding="utf-8")
    for reason in (
        "`Embed`: yours is kept in my_gpt/embed.py, but it needs `from utils.reference import encode`, which is",
        "`Unembed`: yours is kept in my_gpt/unembed.py, but it stops with NameError: name 'Missing' is not defined.",
        "`MLP`: yours is kept in my_gpt/mlp.py, but it stops with SyntaxError: invalid syntax (line 1).",
        "`generate`: yours is kept in my_gpt/generate.py, but it does not define `generate`.",
    ):
        assert reason in text
    assert "Embed (yours: it needs `from utils.reference import encode`, which is the course's)" in whose(
        [*parts.values()]
    )
    kept.unlink()
    keep("Embed")
    assert {part.symbol: part.yours for part in write_package()}["Embed"]


@pytest.mark.slow
def test_a_part_that_was_changed_for_the_worse_is_doubted(state, warm):
    keep("LayerNorm")
    write_package()
    page, kept = state / "my_gpt" / "README.md", state / "my_gpt" / "layer_norm.py"
    advice = "In the course's folder, `pytest --mine` says which part fails."
    assert doubt_now() == "" and "pytest --mine" not in page.read_text(encoding="utf-8")
    right = kept.read_text(encoding="utf-8")
    kept.write_text(right.replace("(variance +", "(2 * variance +"), encoding="utf-8")
    write_package()
    assert re.fullmatch(r"The logits that these parts make are \S+ away from the reference's. " + advice, doubt_now())
    assert f"That is too far. {advice}" in page.read_text(encoding="utf-8").replace("\n", " ")
    kept.write_text(right.replace("variance =", "return 1 / 0\n        variance ="), encoding="utf-8")
    write_package()
    assert doubt_now().endswith(f"stops with ZeroDivisionError: division by zero. {advice}")
    assert f"could not be measured. {doubt_now()}" in page.read_text(encoding="utf-8").replace("\n", " ")


def test_the_solution_itself_can_be_built_upon(state, warm):
    """As a learner may: a class of the same name made of the reference solution's."""
    cell = "from solutions.ch03_layernorm import LayerNorm as Given\nclass LayerNorm(Given):\n    'Mine.'"
    save(f'"""LayerNorm."""\n\n{cell}\n', state / "my_gpt" / "layer_norm.py")
    given = "from solutions.ch04_attention import project_heads, Attention as Given"
    helper = f"{given}\nclass Attention(Given):\n    project = project_heads"
    save(f'"""Attention."""\n\n{helper}\n', state / "my_gpt" / "attention.py")
    parts = {part.module: part for part in write_package()}
    assert parts["layer_norm"].yours and parts["attention"].yours and not parts["given_layernorm"].yours
    assert "from .given_layernorm import LayerNorm as Given" in parts["layer_norm"].source
    assert "given_project_heads" in parts and not any(part.problem for part in parts.values())


def test_nothing_changes_when_nothing_has_changed_and_nothing_is_lost(state):
    keep("Embed")
    write_package()
    folder = state / "my_gpt"
    times = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file() and path.name != NOTES}
    write_package()
    assert {path: path.stat().st_mtime_ns for path in times} == times
    (folder / "parts" / "embed.py").write_text("by hand", encoding="utf-8")
    (folder / "README.md").write_text("my own page", encoding="utf-8")
    (folder / "parts" / "mine.py").write_text("left alone", encoding="utf-8")
    (folder / NOTES).write_text("{", encoding="utf-8")
    write_package()
    versions = {path.name: path.read_text(encoding="utf-8") for path in (folder / "versions").iterdir()}
    assert versions["parts.embed.1.py"] == "by hand" and versions["README.1.md"] == "my own page"
    assert "by hand" not in (folder / "parts" / "embed.py").read_text(encoding="utf-8")
    assert (folder / "parts" / "mine.py").read_text(encoding="utf-8") == "left alone"
    assert "class Embed" in (folder / "embed.py").read_text(encoding="utf-8")


def test_the_page_that_was_written_is_no_version_of_somebody_elses(state):
    for one in ("Embed", "PosEmbed", "Unembed"):
        keep(one)
        write_package()
    assert not list((state / "my_gpt" / "versions").glob("README*"))


WRITE = """\
from pathlib import Path
from utils.learner.collecting import save
from utils.own_gpt.writing import write_package
# ready
save(Path({source!r}).read_text(), Path({target!r}))
write_package()
"""


@pytest.mark.slow
def test_two_that_write_at_once_leave_both_parts(own, state):
    names = ("layer_norm", "attention")
    codes = [
        WRITE.format(source=str(own / f"{name}.py"), target=str(state / "my_gpt" / f"{name}.py")) for name in names
    ]
    at_once(codes, state / "waiting", COURSE_STATE=str(state))
    for name in names:
        assert "written by you" in (state / "my_gpt" / "parts" / f"{name}.py").read_text(encoding="utf-8")
    assert not list((state / "my_gpt").rglob("*.partial"))


@pytest.mark.slow
def test_the_course_tells_the_same_story_and_says_whose_it_is(own, gpt):
    environment = {**os.environ, "COURSE_STATE": str(own.parent)}
    command = [sys.executable, "-m", "utils", "generate", "Once upon a time", "--tokens", "20", "--seed", "4"]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8")
    yours, borrowed, empty, *story = ran.stdout.splitlines()
    assert yours == "yours: bpe_encode, Embed, LayerNorm, Attention, MLP, Unembed, Transformer, generate", ran.stderr
    assert borrowed.startswith("from the reference solutions: ") and "PosEmbed" in borrowed and empty == ""
    assert "\n".join(story) == gpt.text("Once upon a time", 20, seed=4, **AS_USUAL)


def test_every_exercise_of_the_story_is_known():
    assert {"bpe_encode", "Transformer", "generate"} <= known_exercises().keys()
    assert known_exercises()["Transformer"] in exercises("ch07_transformer")
