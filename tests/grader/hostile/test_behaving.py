"""Right answers that print, warn, log, show a bar or draw: none of that is a fault, and a wrong one is no better."""

import pytest

from tests.ch03_layernorm import layer_norm
from tests.grader.hostile.judged import RIGHT, Case, holds, in_pairs, judged
from tests.judge.running.sent import text_of

DATACLASS = """
from dataclasses import dataclass

@dataclass
class Mine:
    size: "int" = 3
"""
CASES = (
    Case("prints", "print('shape', x.shape)"),
    Case("prints much", "print('x' * 10**6)"),
    Case("prints what nobody can write", "print('\\x00\\ud800' * 10**5)"),
    Case("prints to both", "import sys\nprint('a', file=sys.stderr); sys.stdout.flush()"),
    Case("prints past Python", "import os\nos.write(1, b'x' * 10000); os.write(2, b'y')"),
    Case("prints at the top", head="print('made')"),
    Case("warns", "import warnings\nwarnings.warn('deprecated', DeprecationWarning)"),
    Case("warns with errors on", "import warnings\nwarnings.simplefilter('error')"),
    Case("logs", "import logging\nlogging.basicConfig(level=10); logging.getLogger(__name__).warning('here')"),
    Case("a progress bar", "from tqdm import tqdm\nfor _ in tqdm(range(3)): pass"),
    Case("draws", "torch.manual_seed(1); torch.rand(3)"),
    Case("reads from the keyboard", "try: input('more? ')\nexcept EOFError: pass"),
    Case("its own dataclass", head=DATACLASS),
    Case("einops and jaxtyping", head="import einops\nfrom jaxtyping import Float\nfrom torch import Tensor\n"),
    Case("the course's settings", head="from utils.config import Config\ncfg = Config()\n"),
    Case("compares itself", "assert torch.allclose(x, x)"),
    Case("a temporary file that is not there", "import os\nos.path.exists('/tmp/none')"),
)


@pytest.mark.slow
@in_pairs(*CASES)
def test_manners_change_no_verdict(box, case, which):
    holds(box, case, which)


def test_a_module_that_prints_passes(box):
    source = text_of(layer_norm.solution, "LayerNorm").replace(
        "        centred", "        print(residual)\n        centred", 1
    )
    assert "print" in source
    assert judged(box, source, layer_norm).status == "pass"


def test_a_stub_is_not_yet(box):
    stub = "def softmax(x, dim=-1):\n    raise NotImplementedError('write it')\n"
    assert judged(box, stub).status == "not_yet"


@pytest.mark.parametrize("times", [3])
def test_an_answer_has_the_same_card_each_time(box, times):
    source = Case("", "print('twice')").source(RIGHT.replace("exp", "sigmoid"))
    cards = {judged(box, source).said for _ in range(times)}
    assert len(cards) == 1 and "✘ softmax" in cards.pop()
