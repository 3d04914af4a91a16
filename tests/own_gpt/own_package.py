"""my_gpt/ of a learner who has passed some exercises, written as a package; for the tests of that package."""

import os
import shutil
from pathlib import Path

import pytest
import torch

from solutions.ch07_transformer import Transformer
from tests.house.warm_python import warm_python
from utils.config import Config
from utils.course import ROOT
from utils.learner.collecting import gather, save
from utils.learner.progress import record_pass
from utils.own_gpt.parts import known_exercises
from utils.own_gpt.writing import write_package

PIECES = (
    "from utils.pieces import pieces\n"
    "Embed, PosEmbed, LayerNorm, Attention, MLP, Unembed = pieces(\n"
    '    "Embed", "PosEmbed", "LayerNorm", "Attention", "MLP", "Unembed"\n)'
)
OWN = ["bpe_encode", "Embed", "LayerNorm", "gelu_new", "MLP", "Attention", "Unembed", "Transformer", "generate"]
BLOCKER = """\
import runpy, sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
for name in [name for name in sys.modules if name.partition(".")[0] in {blocked}]:
    del sys.modules[name]
sys.meta_path.insert(0, Blocker())
sys.path.insert(0, "")
sys.argv = ["my_gpt", *{arguments}]
runpy.run_module("my_gpt", run_name="__main__")
"""
COURSE = {"judge", "grader", "author", "utils", "tests", "solutions", "training", "benchmarks"}
OTHERS = {"tokenizers", "transformers", "transformer_lens"}


def keep(symbol, *cells):
    """What the reporter keeps after a pass."""
    exercise = known_exercises()[symbol]
    source = (ROOT / "solutions" / f"{exercise.stem}.py").read_text(encoding="utf-8")
    text = gather(symbol, [source, *cells])
    name = exercise.test.removeprefix("test_")
    header = f'"""{symbol}, written by you; it passed the checks of {exercise.stem}."""\n\n'
    save(header + text, Path(os.environ["COURSE_STATE"]) / "my_gpt" / f"{name}.py")
    record_pass(exercise.stem, symbol)


def written_package(folder):
    """my_gpt/ in this folder, of a learner who has passed OWN."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_STATE", str(folder))
        for symbol in OWN:
            keep(symbol, PIECES if symbol == "Transformer" else "")
        write_package()
    return folder / "my_gpt"


def reference_model(gpt):
    """The solution's Transformer with the same weights."""
    model = Transformer(Config(**vars(gpt.model.cfg)))
    model.load_state_dict(gpt.model.state_dict())
    return model


def alone(folder, *arguments, blocked=COURSE | OTHERS):
    """`python -m my_gpt` in this folder, in a Python without site-packages' .pth files and without these modules."""
    code = BLOCKER.format(blocked=blocked, arguments=list(arguments))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COURSE", "PYTHON"))}
    return warm_python(code, "-S", "-B", cwd=folder, env=environment)


def warm_run(command, input, env, stdout, stderr, timeout):
    """What `subprocess.run` does for utils.own_gpt.loading, by a Python that has imported torch already."""
    given = f"import io, sys\nsys.stdin = io.StringIO({input.decode()!r})\n"
    ran = warm_python(given + command[-1], env=env)
    stdout.write(ran.stdout.encode())
    stderr.write(ran.stderr.encode())


def huggingface_folders(folder):
    """A small GPT-2, all its weights random, in three kinds of folder; and the model."""
    from transformers.models.gpt2 import GPT2Config, GPT2LMHeadModel

    sizes = {"vocab_size": 4096, "n_positions": 40, "n_embd": 24, "n_layer": 3, "n_head": 4, "n_inner": 50}
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(**sizes, bos_token_id=0, eos_token_id=0, layer_norm_epsilon=1e-3)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    model.save_pretrained(folder / "one")
    model.save_pretrained(folder / "sharded", max_shard_size="100KB")
    (folder / "old").mkdir()
    torch.save(model.state_dict(), folder / "old" / "pytorch_model.bin")
    shutil.copy(folder / "one" / "config.json", folder / "old")
    for one in ("one", "sharded", "old"):
        shutil.copy(ROOT / "utils" / "reference_model" / "tokenizer.json", folder / one)
    return folder, model
