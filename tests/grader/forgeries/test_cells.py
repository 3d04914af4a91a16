"""Edits of given cells, the test cell above all: they are as they were released."""

from tests.grader.forgeries.forging import Change, after, code, edit, edits, source


def marked(text: str = "", **metadata: object) -> Change:
    """The test and the answer with a first line, and with metadata of their cells."""

    def change(notebook):
        for cell in (notebook.test, notebook.answer):
            cell["source"] = f"{text}\n{cell['source']}"
            cell["metadata"] |= metadata

    return change


def deleted(cell: str) -> Change:
    return lambda notebook: notebook.cells.remove(getattr(notebook, cell))


def of_type(cell: str, kind: str) -> Change:
    return lambda notebook: getattr(notebook, cell).update(cell_type=kind)


TRIED = "try:\n    test_layer_norm(LayerNorm)\nexcept BaseException:\n    pass"
BOUND = "test_layer_norm = lambda LayerNorm: None\ntest_layer_norm(LayerNorm)"
ANYTHING = "class Anything:\n    pass\ntorch = nn = Tensor = Float = Config = Anything"
EMBED = "from tests.ch02_embeddings import test_embed as test_layer_norm"
edits(
    {
        "the test in try and except": source("test", TRIED),
        "the test deleted": deleted("test"),
        "the test commented out": source("test", "# {}"),
        "the test asks another class": source("test", "Other = nn.LayerNorm\ntest_layer_norm(Other)"),
        "the test bound anew in its cell": source("test", BOUND),
        "the test under another id": lambda notebook: notebook.test.update(id="mine"),
        "the test twice": after("test", "test_layer_norm(LayerNorm)"),
        "the test a script that is not run": source("test", "%%script false\n{}"),
        "the test captured": source("test", "%%capture\n{}"),
        "the test is markdown": of_type("test", "markdown"),
        "the test of another chapter": after("test", EMBED),
        "imports deleted": deleted("imports"),
        "imports edited": source("imports", ANYTHING),
        "given cells in reverse": lambda notebook: notebook.cells.reverse(),
        "cells after the end": lambda notebook: notebook.cells.append(code("LayerNorm.passed = True")),
        "marked to be skipped": marked("# NBVAL_SKIP"),
        "marked to raise": marked("# NBVAL_RAISES_EXCEPTION"),
        "marked to ignore its output": marked("# NBVAL_IGNORE_OUTPUT"),
        "tagged to raise": marked(tags=["raises-exception"]),
        "tagged to be skipped": marked(tags=["nbval-skip", "skip-execution"]),
        "tagged as a solution": marked(tags=["active-ipynb", "solution"], nbgrader={"grade": False, "locked": True}),
    }
)
edits(
    {
        "the answer is markdown": of_type("answer", "markdown"),
        "the answer is raw": of_type("answer", "raw"),
        "the answer deleted": deleted("answer"),
        "the answer in a script that is not run": source("answer", "%%script false\n{}"),
    },
    wrong="missing",
    right="missing",
)


@edit(wrong="missing", right="missing")
def the_answer_made_by_exec(notebook):
    notebook.answer["source"] = f"exec({notebook.answer['source']!r})"


@edit()
def the_test_under_the_answers_id(notebook):
    """Ids are changed by copying; the answer is found by its symbol."""
    notebook.test["id"], notebook.answer["id"] = notebook.answer["id"], notebook.test["id"]


@edit()
def ids_and_metadata_gone(notebook):
    for cell in notebook.cells:
        cell.pop("id", None)
        cell["metadata"] = {}


@edit()
def every_given_cell_deleted(notebook):
    notebook.cells[:] = [notebook.answer]


@edit()
def a_card_shown_that_says_passed(notebook):
    notebook.test["source"] = "from IPython.display import HTML, display\ndisplay(HTML('✔ LayerNorm passed'))"
    notebook.test["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "✔ LayerNorm"}]
