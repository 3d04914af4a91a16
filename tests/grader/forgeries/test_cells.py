"""Edits of given cells, the test cell above all: they are as they were released."""

from tests.grader.forgeries.forging import code, edit


@edit()
def the_test_in_try_and_except(notebook):
    notebook.test["source"] = "try:\n    test_layer_norm(LayerNorm)\nexcept BaseException:\n    pass"


@edit()
def the_test_deleted(notebook):
    notebook.cells.remove(notebook.test)


@edit()
def the_test_commented_out(notebook):
    notebook.test["source"] = "# test_layer_norm(LayerNorm)"


@edit()
def the_test_asks_another_class(notebook):
    notebook.test["source"] = "Other = nn.LayerNorm\ntest_layer_norm(Other)"


@edit()
def the_test_bound_anew_in_its_cell(notebook):
    notebook.test["source"] = "test_layer_norm = lambda LayerNorm: None\ntest_layer_norm(LayerNorm)"


@edit()
def the_test_under_another_id(notebook):
    notebook.test["id"] = "mine"


@edit()
def the_test_twice(notebook):
    notebook.after(notebook.test, "test_layer_norm(LayerNorm)")


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
def imports_deleted(notebook):
    notebook.cells.remove(notebook.imports)


@edit()
def imports_edited(notebook):
    notebook.imports["source"] = "class Anything:\n    pass\ntorch = nn = Tensor = Float = Config = Anything"


@edit()
def every_given_cell_deleted(notebook):
    notebook.cells[:] = [notebook.answer]


@edit()
def given_cells_in_reverse(notebook):
    notebook.cells.reverse()


def marked(name, source="", **metadata):
    def change(notebook):
        for cell in (notebook.test, notebook.answer):
            cell["source"] = f"{source}\n{cell['source']}"
            cell["metadata"] |= metadata

    change.__name__ = name
    edit()(change)


marked("marked_to_be_skipped", "# NBVAL_SKIP")
marked("marked_to_raise", "# NBVAL_RAISES_EXCEPTION")
marked("marked_to_ignore_its_output", "# NBVAL_IGNORE_OUTPUT")
marked("tagged_to_raise", tags=["raises-exception"])
marked("tagged_to_be_skipped", tags=["nbval-skip", "skip-execution"])
marked("tagged_as_a_solution", tags=["active-ipynb", "solution"], nbgrader={"grade": False, "locked": True})


@edit()
def the_test_a_script_that_is_not_run(notebook):
    notebook.test["source"] = "%%script false\ntest_layer_norm(LayerNorm)"


@edit()
def the_test_captured(notebook):
    notebook.test["source"] = "%%capture\ntest_layer_norm(LayerNorm)"


@edit()
def the_test_is_markdown(notebook):
    notebook.test.update(cell_type="markdown")


@edit(wrong="missing", right="missing")
def the_answer_is_markdown(notebook):
    notebook.answer.update(cell_type="markdown")


@edit(wrong="missing", right="missing")
def the_answer_is_raw(notebook):
    notebook.answer.update(cell_type="raw")


@edit(wrong="missing", right="missing")
def the_answer_deleted(notebook):
    notebook.cells.remove(notebook.answer)


@edit(wrong="missing", right="missing")
def the_answer_in_a_script_that_is_not_run(notebook):
    notebook.answer["source"] = f"%%script false\n{notebook.answer['source']}"


@edit(wrong="missing", right="missing")
def the_answer_made_by_exec(notebook):
    notebook.answer["source"] = f"exec({notebook.answer['source']!r})"


@edit()
def a_card_shown_that_says_passed(notebook):
    notebook.test["source"] = "from IPython.display import HTML, display\ndisplay(HTML('✔ LayerNorm passed'))"
    notebook.test["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "✔ LayerNorm"}]


@edit()
def the_test_of_another_chapter(notebook):
    notebook.after(notebook.test, "from tests.ch02_embeddings import test_embed as test_layer_norm")


@edit()
def cells_after_the_end(notebook):
    notebook.cells.append(code("LayerNorm.passed = True"))
