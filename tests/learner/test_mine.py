"""`pytest --mine`: the chapters' test functions, and nothing else, over what lies in my_gpt/."""

import os
import subprocess
import sys

import pytest

from utils.course import ROOT, exercises, stems

WRONG = """\
class Embed:
    def __init__(self, cfg):
        raise RuntimeError("no rows left")
"""

COMPILED = """\
import torch
from solutions.ch06_unembed import cross_entropy_loss


@torch.compile
def lm_loss(model, tokens):
    return cross_entropy_loss(model(tokens), tokens)
"""


@pytest.mark.slow
def test_mine_judges_what_has_passed_and_skips_what_has_not(tmp_path):
    (tmp_path / "my_gpt").mkdir()
    (tmp_path / "my_gpt" / "embed.py").write_text(WRONG, encoding="utf-8")
    (tmp_path / "my_gpt" / "pos_embed.py").write_text("class PosEmbed\n", encoding="utf-8")
    (tmp_path / "my_gpt" / "lm_loss.py").write_text(COMPILED, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "--mine", "-rs", "--color=no", "-p", "no:cacheprovider"]
    environment = {**os.environ, "COURSE_STATE": str(tmp_path)}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8")
    skipped = sum(len(exercises(stem)) for stem in stems()) - 3
    assert f"2 failed, 1 passed, {skipped} skipped" in ran.stdout, ran.stdout
    assert "RuntimeError: no rows left" in ran.stdout
    assert "my_gpt/pos_embed.py can't be imported: SyntaxError" in ran.stdout
    assert "layer_norm.py is not in my_gpt/: LayerNorm has not passed yet, or could not be kept" in ran.stdout
