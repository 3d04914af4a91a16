"""Answers that are handed in from outside a release: the reference solutions as text, and wrong ones."""

from pathlib import Path

from utils.course import ROOT

# In the release: what the solutions' text defines, in a package that is not called solutions.
JUDGE = """\
import importlib, json, sys
sys.path.append({folder!r})
import torch
torch.set_num_threads(1)
from judge.checking import CheckFailed
found = dict()
for stem, symbol, test in {exercises!r}:
    exercise = getattr(importlib.import_module(f"tests.{{stem}}"), test).exercise
    component = getattr(importlib.import_module(f"handed_in.{{stem}}"), symbol)
    verdict = exercise.judge(component)
    found[symbol] = [verdict.status, verdict.failure and verdict.failure.misconception, str(verdict)]
assert "solutions" not in sys.modules
print(json.dumps(found))
"""
WRONG = {
    "ch03_layernorm": (
        "import torch\nfrom torch import nn\n\n\nclass LayerNorm(nn.Module):\n    def __init__(self, cfg):\n"
        "        super().__init__()\n        self.cfg = cfg\n        self.w = nn.Parameter(torch.ones(cfg.d_model))\n"
        "        self.b = nn.Parameter(torch.zeros(cfg.d_model))\n\n    def forward(self, x):\n"
        "        away = x - x.mean(-1, keepdim=True)\n"
        "        return away / (x.var(-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt() * self.w + self.b\n"
    ),
    "ch04_attention": (
        "def softmax(x, dim=-1):\n    grown = x.exp()\n    return grown / grown.sum(dim, keepdim=True)\n"
    ),
    "ch08_sampling": ("def sample_basic(logits):\n    return int(logits.argmax())\n"),
    "ch00_tokens": "def train_bpe(text, n_merges):\n    return []\n",
}


def hand_in(folder: Path, texts: dict[str, str]) -> Path:
    """Write these chapters' answers into a package in this folder."""
    package = folder / "handed_in"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    for stem, text in texts.items():
        (package / f"{stem}.py").write_text(text, encoding="utf-8")
    return folder


def solutions() -> dict[str, str]:
    """The reference solutions as somebody would hand them in."""
    paths = (ROOT / "solutions").glob("ch*.py")
    return {path.stem: path.read_text(encoding="utf-8").replace("from solutions.", "from handed_in.") for path in paths}


def judge(folder: Path, exercises) -> str:
    """The code that judges these exercises of what was handed in, and prints what came of it as JSON."""
    return JUDGE.format(folder=str(folder), exercises=[(one.stem, one.symbol, one.test) for one in exercises])
