"""Edits that change what judges: torch, exceptions, the test functions, the course's modules."""

from tests.grader.forgeries.forging import edit


def before(source):
    """An edit that runs this before the answer is defined; a right answer is right all the same."""

    def change(notebook):
        notebook.before(notebook.answer, source)

    return change


def patch(name, source, **outcome):
    change = before(source)
    change.__name__ = name
    edit(**outcome)(change)


patch(
    "torch_allclose_says_yes",
    "import torch\ntorch.allclose = lambda *given, **named: True\ntorch.equal = torch.allclose",
)
patch("torch_testing_says_nothing", "import torch\ntorch.testing.assert_close = lambda *given, **named: None")
patch("numpy_says_yes", "import numpy as np\nnp.allclose = np.array_equal = lambda *given, **named: True")
patch("tensors_are_never_apart", "import torch\ntorch.Tensor.__sub__ = lambda one, other: one * 0")
patch("load_state_dict_does_nothing", "nn.Module.load_state_dict = lambda self, *given, **named: None")
patch("the_exception_is_another", "import builtins\nclass Quiet(BaseException): pass\nbuiltins.AssertionError = Quiet")
patch("not_implemented_is_no_error", "NotImplementedError = print")
patch("check_failed_can_not_be_made", "import judge.checking\njudge.checking.CheckFailed.__init__ = None")
patch("check_failed_is_a_warning", "import judge.checking as c\nc.CheckFailed = type('CheckFailed', (Warning,), {})")
patch("judge_patched_in_the_module", "import judge.checking.exercise as e\ne.judge = lambda *given, **named: None")
patch(
    "a_module_of_its_own_in_sys_modules",
    "import sys, types\nsys.modules['tests.ch03_layernorm'] = types.ModuleType('t')",
)
patch("utils_in_sys_modules", "import sys\nsys.modules['judge.checking.comparing'] = sys")
patch("the_test_is_another_function", "def test_layer_norm(LayerNorm):\n    print('✔ LayerNorm')")
patch("the_test_is_a_lambda_of_the_imports", "import tests.ch03_layernorm as t\nt.test_layer_norm = lambda one: None")
patch("the_reporter_says_passed", "from judge.checking.reporting import use_reporter\nuse_reporter(print)")
patch("assertions_are_off", "import sys\nsys.flags = None\n__debug__off = True")
patch("print_is_gone", "print = lambda *given, **named: None")
patch("errors_end_well", "import sys\nsys.excepthook = lambda *given: None\nget_ipython().showtraceback = print")
patch("no_cell_raises", "get_ipython().set_custom_exc((Exception,), lambda *given, **named: None)")
patch("cells_are_not_run", "get_ipython().run_cell = lambda *given, **named: None")
patch("cells_are_emptied", "get_ipython().input_transformers_cleanup.append(lambda lines: [])")
patch("the_loader_of_tests_is_another", "import importlib\nimportlib.import_module = lambda name: None")
