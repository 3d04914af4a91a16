"""Training on a text: several processes make the run that one makes, and what can't be shared out is said."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch.testing import assert_close

from solutions.ch07_transformer import Transformer
from solutions.ch09_training import TrainArgs
from training.shakespeare import Together, train_together
from utils.config import Config
from utils.course import ROOT

SIZES = "--layers 1 --heads 2 --d-model 16 --n-ctx 16 --batch-size 4 --steps 6 --warmup 2".split()
TINY = Config(d_model=8, d_vocab=11, n_ctx=6, d_head=4, d_mlp=16, n_heads=2, n_layers=1)
ARGS = TrainArgs(steps=1, batch_size=3, lr=0.1)


@pytest.fixture
def text(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("".join(f"{number} hens in a boat, and the boat sank.\n" for number in range(60)), encoding="utf-8")
    return file


def run(*options, text, folder):
    """Where a run of the command is kept."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    command = [*options, "-m", "training.shakespeare", *SIZES, "--text", str(text), "--out", str(folder)]
    done = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "history.json").read_text())["history"], load_file(folder / "model.safetensors"), done


@pytest.mark.slow
def test_two_processes_make_the_run_that_one_makes(text, tmp_path):
    alone, weights, said = run(text=text, folder=tmp_path / "alone")
    two = ("-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone")
    together, other_weights, other_said = run(*two, text=text, folder=tmp_path / "together")
    assert [entry["step"] for entry in together] == [1, 2, 3, 4, 5, 6]
    for one, other in zip(alone, together, strict=True):
        assert math.isclose(one["loss"], other["loss"], rel_tol=1e-4)
        assert math.isclose(one["held_out"], other["held_out"], rel_tol=1e-4)
    for name, weight in weights.items():
        assert_close(other_weights[name], weight, rtol=1e-3, atol=1e-4)
    assert said.stdout.count("step     6 of 6") == other_said.stdout.count("step     6 of 6") == 1


def test_each_process_has_rows_of_its_own():
    batch = torch.arange(12).view(4, 3)
    parts = [Together(rank, 2, torch.device("cpu")).share(batch) for rank in range(2)]
    assert torch.cat(parts).sort(dim=0).values.equal(batch)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (ARGS, "a batch of 3 windows can't be shared evenly by 2 processes"),
        (TrainArgs(steps=1, batch_size=4, lr=0.1, checkpoint=Path("run.pt")), "keeps no checkpoint"),
    ],
)
def test_what_several_processes_can_not_do_is_said(args, said):
    with pytest.raises(ValueError, match=said):
        train_together(Transformer(TINY), torch.arange(40) % 11, args, Together(0, 2, torch.device("cpu")))
