"""Answers that are the course's own solution, taken from wherever it may be: none of it is there."""

from tests.grader.forgeries.forging import Forged, edit
from utils.course import ROOT


def in_place_of_the_answer(notebook: Forged, source: str) -> None:
    notebook.after(notebook.answer, source)


@edit(wrong="missing", right="missing")
def imported_in_place_of_the_answer(notebook):
    notebook.answer["source"] = "from solutions.ch03_layernorm import LayerNorm"


@edit(wrong="error", right="error")
def imported_by_a_computed_name(notebook):
    in_place_of_the_answer(
        notebook, 'import importlib\nLayerNorm = importlib.import_module("sol" + "utions.ch03_layernorm").LayerNorm'
    )


@edit(wrong="error", right="error")
def imported_by_dunder_import(notebook):
    in_place_of_the_answer(
        notebook, 'LayerNorm = __import__("solutions.ch03_layernorm", fromlist=["LayerNorm"]).LayerNorm'
    )


@edit(wrong="error", right="error")
def wrapped_in_a_subclass(notebook):
    in_place_of_the_answer(
        notebook, "import solutions.ch03_layernorm as theirs\nclass LayerNorm(theirs.LayerNorm):\n    pass"
    )


@edit(wrong="error", right="error")
def called_in_forward(notebook):
    in_place_of_the_answer(
        notebook,
        "class LayerNorm(nn.Module):\n"
        "    def __init__(self, cfg):\n        super().__init__()\n"
        '        self.inner = __import__("solutions.ch03_layernorm", fromlist=["x"]).LayerNorm(cfg)\n'
        "    def forward(self, residual):\n        return self.inner(residual)",
    )


@edit(wrong="error", right="error")
def executed_from_the_text_of_a_file(notebook):
    path = ROOT / "solutions" / "ch03_layernorm.py"
    in_place_of_the_answer(
        notebook,
        f"def taken():\n    names = {{}}\n    exec(open({str(path)!r}).read(), names)\n    return names['LayerNorm']\n"
        "LayerNorm = taken()",
    )


@edit(wrong="error", right="error")
def read_by_inspect(notebook):
    in_place_of_the_answer(
        notebook,
        "import inspect\ndef taken():\n    import solutions.ch03_layernorm as m\n    found = {}\n"
        "    exec(inspect.getsource(m), found)\n    return found['LayerNorm']\nLayerNorm = taken()",
    )


@edit(wrong="error", right="error")
def taken_from_the_exercise(notebook):
    in_place_of_the_answer(
        notebook,
        "def taken():\n    from tests.ch03_layernorm import layer_norm\n"
        "    from judge.checking.oracle import solution_of\n    return solution_of(layer_norm)\nLayerNorm = taken()",
    )


@edit(wrong="fail", right="fail")
def found_among_the_garbage(notebook):
    in_place_of_the_answer(
        notebook,
        "import gc\nclass LayerNorm(nn.Module):\n"
        "    def __init__(self, cfg):\n        super().__init__()\n        self.cfg = cfg\n"
        "        self.w = nn.Parameter(torch.ones(cfg.d_model))\n"
        "        self.b = nn.Parameter(torch.zeros(cfg.d_model))\n"
        "    def forward(self, residual):\n"
        "        alike = [one for one in gc.get_objects() if isinstance(one, torch.Tensor)"
        " and one.shape == residual.shape and one is not residual]\n"
        "        return alike[-1] if alike else residual",
    )


@edit(wrong="error", right="error")
def kept_by_the_notebook_from_a_package(notebook):
    in_place_of_the_answer(
        notebook,
        "import sys\nLayerNorm = next(m for n, m in sys.modules.items() if n.startswith('solutions.ch03')).LayerNorm",
    )


@edit()
def torch_has_one_too(notebook):
    """It is the course's interface that is asked for: torch's own is another answer, and the last one counts."""
    notebook.before(notebook.answer, "TheirLayerNorm = nn.LayerNorm")
