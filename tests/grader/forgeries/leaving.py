"""Edits that end the kernel, never end, write files, or change what the notebook says of itself."""

from tests.grader.forgeries.forging import edit


@edit()
def leaves_in_a_cell(notebook):
    notebook.before(notebook.answer, "import os\nos._exit(0)")


@edit()
def kills_the_kernel(notebook):
    notebook.before(notebook.answer, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")


@edit()
def kills_who_judges(notebook):
    notebook.before(notebook.answer, "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)")


@edit()
def ends_by_sys_exit(notebook):
    notebook.before(notebook.test, "import sys\nsys.exit(0)")


@edit()
def never_ends(notebook):
    notebook.before(notebook.test, "while True:\n    pass")


@edit(wrong="error", right="error")
def leaves_where_it_is_defined(notebook):
    notebook.answer["source"] += "    import os\n    os._exit(0)\n"


def writes(name, file, text):
    def change(notebook):
        notebook.before(notebook.answer, f"%%writefile {file}\n{text}", f"open({file!r}, 'w').write({text!r})")
        notebook.files[file.rpartition("/")[2]] = text

    change.__name__ = f"writes_{name}"
    edit()(change)


PASSES = "def pytest_runtest_makereport(item, call):\n    call.excinfo = None\n"
writes("conftest", "conftest.py", PASSES)
writes("pytest_ini", "pytest.ini", "[pytest]\naddopts = --collect-only\n")
writes("pyproject", "pyproject.toml", "[tool.pytest.ini_options]\naddopts = ['-k', 'nothing']\n")
writes("sitecustomize", "sitecustomize.py", "import sys\nsys.exit(0)\n")
writes("a_module_of_utils", "../grader/grades.py", "MEANING = {}\n")
writes("a_test_of_its_own", "../tests/ch03_layernorm.py", "def test_layer_norm(LayerNorm):\n    pass\n")
writes("torch", "torch.py", "raise SystemExit(0)\n")


@edit()
def another_kernel(notebook):
    notebook.metadata["kernelspec"] = {"name": "bash", "language": "bash", "display_name": "x"}


@edit()
def a_hostile_kernelspec(notebook):
    notebook.metadata["kernelspec"] = {"name": "../../x; true", "argv": ["true"], "env": {"PYTEST_ADDOPTS": "--co"}}


@edit()
def another_language(notebook):
    notebook.metadata["language_info"] = {"name": "R", "file_extension": ".r"}


@edit()
def metadata_that_is_no_metadata(notebook):
    notebook.metadata = {"kernelspec": None, "nbval": {"skip": True}, "jupytext": {"formats": "ipynb,py"}}


@edit(wrong="fail", right="fail")
def source_as_lines_that_lie(notebook):
    """Lines that are no text are left out, so what is read is what IPython would be given."""
    notebook.answer["source"] = [*notebook.answer["source"].splitlines(keepends=True)[:-1], "        return residual"]
