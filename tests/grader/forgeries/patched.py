"""Edits that change what judges, before the answer is defined: torch, exceptions, test functions, modules."""

from tests.grader.forgeries.forging import before, edits

YES, OTHER = "lambda *given, **named: True", "sys.modules['tests.ch03_layernorm']"
PATCHES = {
    "torch allclose says yes": f"import torch\ntorch.allclose = {YES}\ntorch.equal = torch.allclose",
    "torch testing says nothing": "import torch\ntorch.testing.assert_close = lambda *given, **named: None",
    "numpy says yes": f"import numpy as np\nnp.allclose = np.array_equal = {YES}",
    "tensors are never apart": "import torch\ntorch.Tensor.__sub__ = lambda one, other: one * 0",
    "load state dict does nothing": "nn.Module.load_state_dict = lambda self, *given, **named: None",
    "the exception is another": "import builtins\nclass Quiet(BaseException): pass\nbuiltins.AssertionError = Quiet",
    "not implemented is no error": "NotImplementedError = print",
    "check failed can not be made": "import judge.checking\njudge.checking.CheckFailed.__init__ = None",
    "check failed is a warning": "import judge.checking as c\nc.CheckFailed = type('CheckFailed', (Warning,), {})",
    "judge patched in the module": "import judge.checking.exercise as e\ne.judge = lambda *given, **named: None",
    "a module of its own in sys modules": f"import sys, types\n{OTHER} = types.ModuleType('t')",
    "utils in sys modules": "import sys\nsys.modules['judge.checking.comparing'] = sys",
    "the test is another function": "def test_layer_norm(LayerNorm):\n    print('✔ LayerNorm')",
    "the test is a lambda of the imports": "import tests.ch03_layernorm as t\nt.test_layer_norm = lambda one: None",
    "the reporter says passed": "from judge.checking.reporting import use_reporter\nuse_reporter(print)",
    "assertions are off": "import sys\nsys.flags = None\n__debug__off = True",
    "print is gone": "print = lambda *given, **named: None",
    "errors end well": "import sys\nsys.excepthook = lambda *given: None\nget_ipython().showtraceback = print",
    "no cell raises": "get_ipython().set_custom_exc((Exception,), lambda *given, **named: None)",
    "cells are not run": "get_ipython().run_cell = lambda *given, **named: None",
    "cells are emptied": "get_ipython().input_transformers_cleanup.append(lambda lines: [])",
    "the loader of tests is another": "import importlib\nimportlib.import_module = lambda name: None",
}
edits({name: before("answer", source) for name, source in PATCHES.items()})
