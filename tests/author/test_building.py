"""Building: what is written, when it is executed, what is stale, and what is never lost."""

import nbformat
import pytest

from author import building
from author.building import build, chapter_path, check, solution_path
from author.executing import check_portable
from tests.author.mini_course import SOURCE, STEM, write_course
from utils.course import CourseError


@pytest.fixture
def root(tmp_path):
    return write_course(tmp_path)


@pytest.fixture
def no_kernel(monkeypatch):
    """Executing a notebook only numbers its cells; the list holds the notebooks that were executed."""
    executed = []

    def number(notebook, path, root):
        executed.append(path.name)
        for count, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1):
            cell.execution_count = count

    monkeypatch.setattr(building, "execute", number)
    return executed


def edited(root, old, new):
    assert SOURCE.count(old)
    return write_course(root, SOURCE.replace(old, new, 1))


def test_building_twice_changes_no_byte_and_executes_once(root, no_kernel):
    assert list(build(STEM, root)) == [f"chapters/{STEM}.ipynb: written", f"solutions/{STEM}.ipynb: executed"]
    files = [chapter_path(STEM, root), solution_path(STEM, root)]
    before = [(file.read_bytes(), file.stat().st_mtime_ns) for file in files]
    assert list(build(STEM, root)) == []
    assert before == [(file.read_bytes(), file.stat().st_mtime_ns) for file in files]
    assert check(STEM, root) == []
    assert len(no_kernel) == 1
    list(build(STEM, root, force=True))
    assert [content for content, _ in before] == [file.read_bytes() for file in files]
    assert len(no_kernel) == 2
    assert {file.name for file in (root / "chapters").iterdir()} == {"__init__.py", f"{STEM}.ipynb"}


def test_what_is_stale_is_named_with_the_command_and_left_alone(root, no_kernel):
    missing = f"is missing. Make it again: python -m utils build {STEM}"
    assert check(STEM, root) == [f"chapters/{STEM}.ipynb {missing}", f"solutions/{STEM}.ipynb {missing}"]
    list(build(STEM, root))
    edited(root, "Prose.", "Other prose.")
    stale = f"is out of date. Make it again: python -m utils build {STEM}"
    assert check(STEM, root) == [f"chapters/{STEM}.ipynb {stale}", f"solutions/{STEM}.ipynb {stale}"]
    assert "Other prose" not in chapter_path(STEM, root).read_text()
    list(build(STEM, root))
    assert check(STEM, root) == []


def with_outputs(root):
    """The stored solution, each cell with an output of its own as if it had been executed."""
    path = solution_path(STEM, root)
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            data = {"text/plain": cell.id}
            cell.outputs = [nbformat.v4.new_output("execute_result", data=data, execution_count=cell.execution_count)]
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def stored(root):
    """What the stored solution shows: each code cell's number, that of its output, and the output."""
    cells = nbformat.read(solution_path(STEM, root), as_version=4).cells
    shown = [(cell.execution_count, cell.outputs) for cell in cells if cell.cell_type == "code"]
    return [(count, *((out.execution_count, out.data["text/plain"]) for out in outputs)) for count, outputs in shown]


CHANGES = {
    "prose": ("Prose.", "Other prose."),
    "a heading, and so the names of cells": ("# ## See it work", "# ## See it"),
    "a tag": (', "nbval-ignore-output"]', "]"),
    "a hint": ("# Remember.", "# Don't forget."),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_stored_stays_while_the_code_does(root, no_kernel, change):
    list(build(STEM, root))
    with_outputs(root)
    before = stored(root)
    edited(root, *change)
    assert list(build(STEM, root))[-1] == f"solutions/{STEM}.ipynb: written, its outputs kept"
    assert stored(root) == before and check(STEM, root) == [] and len(no_kernel) == 1
    list(build(STEM, root, force=True))
    assert len(no_kernel) == 2


def test_a_badge_executes_nothing_and_goes_without_a_trace(root, no_kernel):
    list(build(STEM, root))
    with_outputs(root)
    before, text = stored(root), solution_path(STEM, root).read_bytes()
    (root / "pyproject.toml").write_text('[tool.course]\nrepository = "ada/gpt"\n')
    list(build(STEM, root))
    clone, *others = stored(root)
    assert clone == (1,) and others == [(count + 1, (count + 1, shown)) for count, (_, shown) in before]
    (root / "pyproject.toml").unlink()
    list(build(STEM, root))
    assert solution_path(STEM, root).read_bytes() == text and len(no_kernel) == 1


@pytest.mark.parametrize("old", ["return number + number", "# test_double(double)\n"])
def test_other_code_is_executed_or_refused(root, no_kernel, old):
    list(build(STEM, root))
    edited(root, old, old.replace("number + number", "2 * number").replace("double(double)", "double(double) "))
    with pytest.raises(CourseError, match=rf"solutions/{STEM}\.ipynb is out of date\. Make it again: python -m utils"):
        list(build(STEM, root, may_execute=False))
    list(build(STEM, root))
    assert len(no_kernel) == 2


def test_what_was_unchecked_is_checked_when_its_outputs_are_kept(root, no_kernel):
    list(build(STEM, root))
    path = solution_path(STEM, root)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[-1].outputs = [nbformat.v4.new_output("stream", name="stderr", text="a warning")]
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    edited(root, ', "nbval-ignore-output"]', "]")
    with pytest.raises(CourseError, match="writes to stderr"):
        list(build(STEM, root))


@pytest.mark.parametrize("harm", ["not json", "no notebook", "no outputs", "other tags", "other source"])
def test_a_solution_that_was_changed_by_hand_is_stale(root, no_kernel, harm):
    list(build(STEM, root))
    path = solution_path(STEM, root)
    notebook = nbformat.read(path, as_version=4)
    if harm == "no outputs":
        notebook.cells[1].execution_count = None
    elif harm == "other tags":
        notebook.cells[1].metadata.tags = ["other"]
    elif harm == "other source":
        notebook.cells[1].source += "\n"
    texts = {"not json": "{", "no notebook": '{"cells": []}'}
    path.write_text(texts.get(harm) or nbformat.writes(notebook), encoding="utf-8")
    assert check(STEM, root) == [f"solutions/{STEM}.ipynb is out of date. Make it again: python -m utils build {STEM}"]
    list(build(STEM, root))
    assert check(STEM, root) == []


def test_what_opening_and_running_change_makes_nothing_stale(root, no_kernel):
    """As JupyterLab 4.6 saves a notebook that was opened and run, with cells that were folded and scrolled."""
    list(build(STEM, root))
    for path in (chapter_path(STEM, root), solution_path(STEM, root)):
        notebook = nbformat.read(path, as_version=4)
        notebook.metadata.language_info.version = "3.13.1"
        notebook.metadata.widgets = {"application/vnd.jupyter.widget-state+json": {}}
        for count, cell in enumerate(notebook.cells, 1):
            cell.metadata |= {"collapsed": True, "jupyter": {"source_hidden": True}, "execution": {}}
            if cell.cell_type == "code":
                cell.execution_count = count
                cell.outputs = [nbformat.v4.new_output("stream", text="seen")]
        path.write_text(nbformat.writes(notebook), encoding="utf-8")
    before = [path.read_bytes() for path in (chapter_path(STEM, root), solution_path(STEM, root))]
    assert check(STEM, root) == [] and list(build(STEM, root)) == []
    assert before == [path.read_bytes() for path in (chapter_path(STEM, root), solution_path(STEM, root))]


def test_a_learners_answer_is_not_written_over(root, no_kernel):
    for source in (SOURCE.replace("Prose.", "double:  sum = x + x"), SOURCE):  # prose that reads like an answer
        list(build(STEM, write_course(root, source)))
    path = chapter_path(STEM, root)
    stub = 'raise NotImplementedError(\\"double: write this part\\")'
    answer = path.read_text(encoding="utf-8").replace(stub, "return 1")
    path.write_text(answer, encoding="utf-8")
    with pytest.raises(CourseError, match=rf"chapters/{STEM}\.ipynb holds an answer for double.*--force"):
        list(build(STEM, root))
    assert path.read_text(encoding="utf-8") == answer
    list(build(STEM, root, force=True))
    assert check(STEM, root) == []


@pytest.mark.slow
def test_a_solution_is_executed_in_its_folder_with_a_hidden_state(root):
    list(build(STEM, root))
    notebook = nbformat.read(solution_path(STEM, root), as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    texts = [output.text for cell in code for output in cell.outputs]
    assert texts[:-1] == ["double: passed\n", "Counter: passed\n", "hidden solutions 4.0\n"]
    assert texts[-1].startswith("bundled True ")
    assert notebook.metadata.language_info.name == "python" and "version" not in notebook.metadata.language_info
    assert {key for cell in notebook.cells for key in cell.metadata} == {"tags"}
    assert check(STEM, root) == []


@pytest.mark.slow
def test_a_cell_that_fails_is_named_and_the_old_notebook_kept(root):
    solution_path(STEM, root).write_text("old")
    edited(root, "return number + number", "return number.none")
    with pytest.raises(CourseError) as caught:
        list(build(STEM, root))
    message = str(caught.value)
    stopped = f"cell {STEM}-double-3 stopped with AttributeError: 'int' object has no"
    assert message.startswith(f"solutions/{STEM}.ipynb: {stopped}")
    assert f"solutions/{STEM}.ipynb is left as it was. The cell:\n    test_double(double)\n" in message
    assert "\x1b" not in message
    assert solution_path(STEM, root).read_text() == "old"
    assert len(list((root / "solutions").iterdir())) == 3


@pytest.mark.slow
def test_an_authors_mistake_is_shown_without_a_traceback(root):
    call = "# test_double(double)\n"
    edited(root, call, f"# from utils.course import CourseError\n{call}# raise CourseError('here')\n")
    with pytest.raises(CourseError, match="stopped with CourseError: here") as caught:
        list(build(STEM, root))
    assert "What Python says" not in str(caught.value)


def test_outputs_that_other_machines_would_not_show_are_refused(root):
    path = solution_path(STEM, root).relative_to(root)
    warned = nbformat.v4.new_output("stream", name="stderr", text="a warning")
    folder = nbformat.v4.new_output("execute_result", data={"text/plain": f"'{root}/data'"})
    cell = nbformat.v4.new_code_cell("run()", id="here", outputs=[warned])
    with pytest.raises(CourseError, match=r"cell here writes to stderr; .*nbval-ignore-output:\n    a warning"):
        check_portable(cell, path, (str(root),))
    cell.metadata.tags = ["nbval-ignore-output"]
    check_portable(cell, path, (str(root),))
    cell.outputs = [folder]
    with pytest.raises(CourseError, match="another folder on another machine"):
        check_portable(cell, path, (str(root),))
    check_portable(cell, path, ("/somewhere/else",))


def test_a_solution_is_executed_anew_where_the_code_that_draws_its_figures_has_changed(root, no_kernel, monkeypatch):
    for digest in ("one", "another"):
        monkeypatch.setattr(building, "drawing_code", lambda notebook, digest=digest: digest)
        assert f"solutions/{STEM}.ipynb is " in " ".join(check(STEM, root))
        assert list(build(STEM, root))[-1] == f"solutions/{STEM}.ipynb: executed"
