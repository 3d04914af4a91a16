"""Edits that end the kernel, never end, write files, or change what the notebook says of itself."""

from tests.grader.forgeries.forging import Change, before, edit, edits, source


def writes(file: str, text: str) -> Change:
    """A cell that writes a file, which lies there too."""

    def change(notebook):
        notebook.before(notebook.answer, f"%%writefile {file}\n{text}", f"open({file!r}, 'w').write({text!r})")
        notebook.files[file.rpartition("/")[2]] = text

    return change


def told(**metadata: object) -> Change:
    """Metadata of the notebook."""
    return lambda notebook: notebook.metadata.update(metadata)


PASSES = "def pytest_runtest_makereport(item, call):\n    call.excinfo = None\n"
A_TEST = "def test_layer_norm(LayerNorm):\n    pass\n"
HOSTILE = {"name": "../../x; true", "argv": ["true"], "env": {"PYTEST_ADDOPTS": "--co"}}
edits(
    {
        "leaves in a cell": before("answer", "import os\nos._exit(0)"),
        "kills the kernel": before("answer", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"),
        "kills who judges": before("answer", "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)"),
        "ends by sys exit": before("test", "import sys\nsys.exit(0)"),
        "never ends": before("test", "while True:\n    pass"),
        "writes conftest": writes("conftest.py", PASSES),
        "writes pytest ini": writes("pytest.ini", "[pytest]\naddopts = --collect-only\n"),
        "writes pyproject": writes("pyproject.toml", "[tool.pytest.ini_options]\naddopts = ['-k', 'nothing']\n"),
        "writes sitecustomize": writes("sitecustomize.py", "import sys\nsys.exit(0)\n"),
        "writes a module of utils": writes("../grader/grades.py", "MEANING = {}\n"),
        "writes a test of its own": writes("../tests/ch03_layernorm.py", A_TEST),
        "writes torch": writes("torch.py", "raise SystemExit(0)\n"),
        "another kernel": told(kernelspec={"name": "bash", "language": "bash", "display_name": "x"}),
        "a hostile kernelspec": told(kernelspec=HOSTILE),
        "another language": told(language_info={"name": "R", "file_extension": ".r"}),
    }
)
leaving = source("answer", "{}    import os\n    os._exit(0)\n")
edits({"leaves where it is defined": leaving}, wrong="error", right="error")


@edit()
def metadata_that_is_no_metadata(notebook):
    notebook.metadata = {"kernelspec": None, "nbval": {"skip": True}, "jupytext": {"formats": "ipynb,py"}}


@edit(wrong="fail", right="fail")
def source_as_lines_that_lie(notebook):
    """Lines that are no text are left out, so what is read is what IPython would be given."""
    notebook.answer["source"] = [*notebook.answer["source"].splitlines(keepends=True)[:-1], "        return residual"]
