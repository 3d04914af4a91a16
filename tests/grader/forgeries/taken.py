"""Answers that are the course's own solution, taken from wherever it may be: none of it is there."""

from tests.grader.forgeries.forging import after, before, edits, source
from utils.course import ROOT

PATH = str(ROOT / "solutions" / "ch03_layernorm.py")
TAKEN = {
    "imported by a computed name": """\
import importlib
LayerNorm = importlib.import_module("sol" + "utions.ch03_layernorm").LayerNorm""",
    "imported by dunder import": """\
LayerNorm = __import__("solutions.ch03_layernorm", fromlist=["LayerNorm"]).LayerNorm""",
    "wrapped in a subclass": """\
import solutions.ch03_layernorm as theirs
class LayerNorm(theirs.LayerNorm):
    pass""",
    "called in forward": """\
class LayerNorm(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.inner = __import__("solutions.ch03_layernorm", fromlist=["x"]).LayerNorm(cfg)
    def forward(self, residual):
        return self.inner(residual)""",
    "executed from the text of a file": f"""\
def taken():
    names = {{}}
    exec(open({PATH!r}).read(), names)
    return names['LayerNorm']
LayerNorm = taken()""",
    "read by inspect": """\
import inspect
def taken():
    import solutions.ch03_layernorm as m
    found = {}
    exec(inspect.getsource(m), found)
    return found['LayerNorm']
LayerNorm = taken()""",
    "taken from the exercise": """\
def taken():
    from tests.ch03_layernorm import layer_norm
    from judge.checking.oracle import solution_of
    return solution_of(layer_norm)
LayerNorm = taken()""",
    "kept by the notebook from a package": """\
import sys
LayerNorm = next(m for n, m in sys.modules.items() if n.startswith('solutions.ch03')).LayerNorm""",
}
AMONG_THE_GARBAGE = """\
import gc
class LayerNorm(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))
    def forward(self, residual):
        alike = [one for one in gc.get_objects() if isinstance(one, torch.Tensor)\
 and one.shape == residual.shape and one is not residual]
        return alike[-1] if alike else residual"""
edits({name: after("answer", text) for name, text in TAKEN.items()}, wrong="error", right="error")
edits({"found among the garbage": after("answer", AMONG_THE_GARBAGE)}, wrong="fail", right="fail")
imported = source("answer", "from solutions.ch03_layernorm import LayerNorm")
edits({"imported in place of the answer": imported}, wrong="missing", right="missing")
# No forgery: it is the course's interface that is asked for, torch's own is another answer, and the last one counts
edits({"torch has one too": before("answer", "TheirLayerNorm = nn.LayerNorm")})
