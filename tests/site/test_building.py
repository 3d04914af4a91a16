"""What the site is made of: the learner's cells with stored outputs, and nothing that is somebody else's lost."""

import json

import pytest
from docutils import nodes

from utils.course import ROOT, CourseError, ExerciseInfo, stems
from utils.site import conf
from utils.site.building import FIGURE, build, chapter_page, start_page, write_source

BARS = {
    "data": [{"type": "bar", "x": ["a"], "y": [1], "marker": {"color": "#369"}}],
    "layout": {"template": {"data": {"scatter": [{"type": "scatter"}]}}},
}


def notebook(*cells):
    return {"cells": [{"metadata": {}, **cell} for cell in cells], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}


def code(name, source, data=None, **metadata):
    outputs = [{"output_type": "display_data", "metadata": {}, "data": data}] if data else []
    return {"cell_type": "code", "id": name, "source": source, "outputs": outputs, "metadata": metadata}


def text_of(page):
    return "\n".join(cell["source"] for cell in page["cells"])


def shown_in(page):
    return [output.get("data", {}) for cell in page["cells"] for output in cell.get("outputs", ())]


def test_a_stub_has_the_solutions_output_and_the_solution_in_a_fold():
    stub = notebook(code("one", "raise NotImplementedError"))
    solved = notebook(code("one", "answer = 42", {"text/plain": "42"}))
    shown, fold = chapter_page(stub, solved)["cells"]
    assert shown["source"] == "raise NotImplementedError"
    assert shown["outputs"][0]["data"] == {"text/plain": "42"}
    assert "<details>" in fold["source"] and "answer = 42" in fold["source"]


def test_a_solution_that_the_chapter_folds_itself_stands_there_once():
    hint = {"cell_type": "markdown", "id": "one-solution", "source": "answer = 42"}
    stub = notebook(code("one-stub", "raise NotImplementedError"), hint)
    page = chapter_page(stub, notebook(code("one-stub", "answer = 42"), hint))
    assert text_of(page).count("answer = 42") == 1


def test_a_bug_hunt_after_an_exercise_has_a_fold_of_its_own():
    hint = {"cell_type": "markdown", "id": "one-solution", "source": "answer = 42"}
    stub = notebook(code("one-2", "raise NotImplementedError"), hint, code("one-8", "wrong = 1"))
    page = chapter_page(stub, notebook(code("one-2", "answer = 42"), hint, code("one-8", "right = 1")))
    assert text_of(page).count("answer = 42") == 1
    assert "<details>" in page["cells"][-1]["source"] and "right = 1" in page["cells"][-1]["source"]


def test_a_prediction_stands_without_its_answer_and_a_reader_of_the_page_can_make_it():
    asked = 'predict(\n    "rise",\n    """How much?""",\n    answer="{}",\n)'
    solved = code("one-2", asked.format("b"), {"text/plain": "Noted: b"})
    (shown,) = chapter_page(notebook(code("one-2", asked.format(""))), notebook(solved))["cells"]
    assert shown["source"] == asked.format("") and shown["outputs"] == []


def test_under_the_stub_of_an_exercise_is_the_place_where_it_is_solved():
    call, hunt = code("one-3", "one()"), code("hunt-1", "wrong = 1")
    cells = [code("one-2", "def one():\n    raise NotImplementedError"), call, hunt]
    solved = [code("one-2", "def one():\n    return 1"), call, code("hunt-1", "right = 1")]
    beginning = {"cell_type": "markdown", "id": "a", "source": "# 0 · Tokens"}
    chapter, solved = notebook(beginning, *cells), notebook(beginning, *solved)
    page = chapter_page(chapter, solved, [ExerciseInfo("ch00_tokens", "one", "test_one")])
    assert [cell["id"] for cell in page["cells"]] == [
        *("a", "only-read", "one-2", "one-2-panel", "one-2-fold", "one-3", "hunt-1", "hunt-1-fold")
    ]
    place = (
        '<div id="solve-one" data-solves="one" data-test="test_one" data-stem="ch00_tokens" data-cell="one-2"></div>'
    )
    assert page["cells"][3]["source"] == place
    assert "Nothing is run" not in text_of(page) and text_of(page).count("panel.mjs") == 1
    assert "panel" not in text_of(chapter_page(chapter, solved))


def test_a_chapter_says_behind_its_beginning_that_nothing_is_run():
    beginning = notebook({"cell_type": "markdown", "id": "a", "source": "# 0 · Tokens"}, code("b", "1 + 1"))
    first, second, _ = chapter_page(beginning, beginning)["cells"]
    assert first["source"] == "# 0 · Tokens" and "Nothing is run on this page" in second["source"]


def test_formulas_have_their_names_and_operators_their_spaces():
    formula = conf.mathml(nodes.math("", "", nodes.Text(r"\text{gelu\_new}(x) - \text{lr}")), "inline")
    assert '<mi mathvariant="normal">gelu_new</mi>' in formula and "<mtext>" not in formula


@pytest.mark.parametrize("tag", ["setup", "colab"])
def test_cells_for_a_kernel_are_left_out(tag):
    cell = code("one", "start()", tags=[tag])
    assert chapter_page(notebook(cell), notebook(cell))["cells"] == []


def test_a_figure_is_drawn_without_plotly():
    cell = code("one", "draw()", {FIGURE: BARS})
    (shown,) = chapter_page(notebook(cell), notebook(cell))["cells"]
    assert "<svg" in shown["outputs"][0]["data"]["text/html"]


def test_a_figure_that_is_not_drawn_here_is_named(tmp_path, monkeypatch):
    cell = code("six", "draw()", {FIGURE: {"data": [{"type": "pie"}], "layout": {}}})
    for place, name in [("chapters", "ch00_pies"), ("solutions", "ch00_pies")]:
        (tmp_path / place).mkdir()
        (tmp_path / place / f"{name}.ipynb").write_text(json.dumps(notebook(cell)), encoding="utf-8")
    monkeypatch.setattr("utils.site.building.ROOT", tmp_path)
    monkeypatch.setattr("utils.site.building.stems", lambda: ["ch00_pies"])
    with pytest.raises(CourseError, match=r"ch00_pies: a figure has what .* a trace 'pie'"):
        write_source(tmp_path / "source")


def test_links_lead_to_pages_and_badges_fetch_nothing():
    badge = {
        "cell_type": "markdown",
        "id": "one",
        "source": "# A\n\n[![Open in Colab](https://x/b.svg)](https://colab/a)",
    }
    cell = code("two", "map()", {"text/html": '<a href="ch04_attention.ipynb">4</a>'})
    page = chapter_page(notebook(badge, cell), notebook(badge, cell))
    assert page["cells"][0]["source"] == "# A\n\n[Open this page in Colab](https://colab/a)"
    assert page["cells"][-1]["outputs"][0]["data"]["text/html"] == '<a href="ch04_attention.html">4</a>'


def test_the_start_page_shows_the_course_and_no_code():
    page = start_page(notebook(code("one", "welcome()", {"text/html": "<p>the map</p>"})))
    assert "the map" in text_of(page) and "welcome()" not in text_of(page)


@pytest.mark.slow
def test_every_stored_figure_is_on_its_page(site):
    for stem in stems():
        stored = json.loads((ROOT / "solutions" / f"{stem}.ipynb").read_text(encoding="utf-8"))
        figures = sum(
            FIGURE in output.get("data", {}) for cell in stored["cells"] for output in cell.get("outputs", ())
        )
        page = (site / f"{stem}.html").read_text(encoding="utf-8")
        assert page.count('class="cf"') == figures


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("three years", encoding="utf-8")
    with pytest.raises(CourseError, match="something else than a site"):
        build(str(tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(CourseError, match="is a file"):
        build(str(tmp_path / "thesis.txt"))


def test_a_chapter_that_was_not_built_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("utils.site.building.ROOT", tmp_path)
    with pytest.raises(CourseError, match=r"chapters/ch00_tokens\.ipynb is not there"):
        write_source(tmp_path / "source")
