"""`python -m utils site [OUT]`: builds the site from what is stored in the repository."""

import io
import json
import re
import shutil
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import plotly.graph_objects as go

from utils.course import ROOT, CourseError, ExerciseInfo, exercises, stems
from utils.course.cells import defines, unanswered
from utils.drawing import Unsupported, drawn
from utils.model_map import model_map
from utils.reference import BUNDLED
from utils.solving import CHAPTERS
from utils.solving.bundling import minify, write_editor
from utils.solving.packing import write_runtime

Cell = dict[str, Any]
Notebook = dict[str, Any]
FIGURE = "application/vnd.plotly.v1+json"
HTML = "text/html"
TITLE = re.compile(r"# @title (.*)\n")
LEFT_OUT = {"setup", "colab"}  # tags of cells that prepare a kernel
SOLUTION = "-solution"  # the end of the name of a fold that the chapter has
FOLDED = "folded"  # and of cells that only draw
LINK = re.compile(r'href="(\w+)\.ipynb')
BADGE = re.compile(r"\[!\[Open in Colab\]\([^)]*\)\]")  # whose picture is on another host
FOLD = """\
<details>
<summary>A solution</summary>

```python
{}
```

</details>"""
READ = """
<p class="only-read">Nothing is run on this page: it shows what the cells print and draw, without their text boxes and
sliders. To have these, and to write the parts yourself, open the course in
<a href="index.html#three-ways-to-begin">one of three ways</a>.</p>
"""
SOLVE = """
<p class="only-read">This page shows what the cells print and draw with the course's solutions, without text boxes and
sliders. “Solve it here” under each stub opens an editor, and what you write is judged in your browser, if that runs
scripts and is no older than the middle of 2023. To have everything, open the course in
<a href="index.html#three-ways-to-begin">one of three ways</a>.</p>
<link rel="stylesheet" href="_static/panel.css">
<script type="module" src="_static/panel.mjs"></script>
"""
PANEL = """\
<div id="solve-{symbol}" data-solves="{symbol}" data-test="{test}" data-stem="{stem}" data-cell="{cell}"></div>"""
TRY = """
<p>The exercises of <a href="ch00_tokens.html#solve-SpaceTokenizer">chapter 0</a> and
<a href="ch10_cost.html#solve-count_parameters">chapter 10</a> can be solved on their pages, and the page
<a href="meet.html">Meet the model</a> shows what the model does with a text of yours. Nothing else is run here: to
write the other chapters' parts, open the course in <a href="index.html#three-ways-to-begin">one of three ways</a>.</p>
"""


def chapter_page(chapter: Notebook, solved: Notebook, solvable: Sequence[ExerciseInfo] = ()) -> Notebook:
    """The notebook that the site shows; under the stubs of the `solvable` exercises is a place for a panel.

    Raises Unsupported for a figure that utils.drawing does not draw.
    """
    solutions: dict[str, Cell] = {}
    for cell in solved["cells"]:
        solutions[cell["id"]] = cell
    folded = {_exercise(cell) for cell in chapter["cells"] if cell["id"].endswith(SOLUTION)}
    cells: list[Cell] = []
    for cell in _kept(chapter):
        if cell["id"].endswith(SOLUTION):
            folded.discard(_exercise(cell))  # a bug hunt may follow, which has none yet
        found = solutions.get(cell["id"]) or cell
        shown = _shown(cell, found, has_fold=_exercise(cell) in folded)
        cells += _with_panel(list(shown), found, solvable)
    kinds = [cell["cell_type"] for cell in cells]
    if kinds and kinds[0] == "markdown" and "code" in kinds:
        cells.insert(kinds.index("code"), _prose("only-read", SOLVE if solvable else READ))
    return chapter | {"cells": cells}


def start_page(start: Notebook) -> Notebook:
    """The start page: in place of the cell that looks for a learner's progress, the course as it is before that."""
    cells: list[Cell] = []
    for cell in _kept(start):
        if cell["cell_type"] == "code":
            outputs = map(_as_html, cell["outputs"])
            shown = [_joined(output["data"][HTML]) for output in outputs]
            cell = _prose(f"{cell['id']}-map", "".join([*shown, TRY]))
        cells.append(cell)
    return start | {"cells": cells}


def with_links_to_pages(html: str) -> str:
    """What led to a notebook leads to its page."""
    return LINK.sub(r'href="\1.html', html)


def _kept(notebook: Notebook) -> Iterator[Cell]:
    """Its cells without those for a kernel, and without badges."""
    for cell in notebook["cells"]:
        source = _joined(cell["source"])
        if cell["cell_type"] == "markdown":
            source = BADGE.sub("[Open this page in Colab]", source)
        if not LEFT_OUT & _tags(cell):
            yield cell | {"source": source}


def _shown(cell: Cell, solved: Cell, has_fold: bool) -> Iterator[Cell]:
    """The cell, and a fold with its solution where the chapter has none."""
    if cell["cell_type"] != "code":
        yield cell
        return
    source = cell["source"]
    solution = _joined(solved["source"])
    if unanswered(solution) == source != solution:  # a prediction, whose answer comes with the figure
        yield cell | {"metadata": {}, "outputs": [], "execution_count": None}
        return
    outputs = map(_as_html, solved.get("outputs", []))
    yield (cell | _folded(cell) | {"outputs": list(outputs), "execution_count": None})
    if solution != source and not has_fold:
        yield _prose(f"{cell['id'][:50]}-fold", FOLD.format(solution))


def _with_panel(shown: list[Cell], solved: Cell, solvable: Sequence[ExerciseInfo]) -> list[Cell]:
    """What is shown of a cell, and behind the stub of an exercise the place where it can be solved."""
    stub = shown[0]
    if stub["cell_type"] != "code" or _joined(solved["source"]) == stub["source"]:
        return shown
    for exercise in solvable:
        if defines(stub["source"], exercise.symbol):
            panel = PANEL.format(symbol=exercise.symbol, test=exercise.test, stem=exercise.stem, cell=stub["id"])
            return [stub, _prose(f"{stub['id'][:50]}-panel", panel), *shown[1:]]
    return shown


def _folded(cell: Cell) -> Cell:
    """The source, and how it is shown: of a cell that only draws, its title."""
    source = cell["source"]
    title = TITLE.match(source)
    if not title or FOLDED not in _tags(cell):
        return {"source": source, "metadata": {}}
    says = title[1]
    metadata = {"tags": ["hide-input"], "mystnb": {"code_prompt_show": says, "code_prompt_hide": says}}
    return {"source": source[title.end() :], "metadata": metadata}


def _as_html(output: Cell) -> Cell:
    """An output whose figure is drawn as HTML, which needs no script, and whose links lead to pages."""
    data = output.get("data", {})
    if FIGURE in data:
        figure = data[FIGURE]
        html = drawn(go.Figure(data=figure["data"], layout=figure["layout"]))
    elif HTML in data:
        html = with_links_to_pages(_joined(data[HTML]))
    else:
        return output
    return output | {"data": {HTML: html}}


def _prose(name: str, source: str) -> Cell:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}


def _exercise(cell: Cell) -> str:
    """What the names of its cells begin with."""
    return cell["id"].rpartition("-")[0]


def _tags(cell: Cell) -> set[str]:
    return set(cell["metadata"].get("tags", []))


def _joined(text: str | list[str]) -> str:
    return "".join(text)


HERE = Path(__file__).parent
START = "START"
MODEL = ("config.json", "tokenizer.json", "model.safetensors")
LOADED = {".mjs", ".css"}
OURS = ".buildinfo"  # Sphinx leaves it in what it has built
BUILT = "{0}: built. To read it: python -m http.server --directory {0}"


def build(out: str) -> str:
    """Write the site into a folder, in place of one that was built there before; says how it is read.

    Raises CourseError where the folder holds something else, or
    with all that Sphinx says, where it warns of anything.
    """
    place = Path(out)
    _refuse_others(place)
    with TemporaryDirectory(prefix="site-") as name:
        folder = Path(name)
        write_source(folder / "source")
        _run_sphinx(folder)
        minify(folder / "built" / "_static")
        if place.is_dir():
            shutil.rmtree(place)
        shutil.copytree(folder / "built", place)
    return BUILT.format(out)


def _refuse_others(place: Path) -> None:
    if place.exists() and not place.is_dir():
        raise CourseError(f"{place} is a file: name a folder for the site.")
    if not place.is_dir() or (place / OURS).is_file():
        return
    if any(place.iterdir()):
        raise CourseError(f"{place} holds something else than a site; nothing was written. Name a new folder.")


def write_source(folder: Path) -> None:
    """What Sphinx reads: a page for each notebook, those that only the site has, and what pages load."""
    folder.mkdir(parents=True)
    for name, page in _notebooks():
        text = json.dumps(page, ensure_ascii=False)
        (folder / f"{name}.ipynb").write_text(text, encoding="utf-8")
    map_of_model = model_map(loop=True)._repr_html_()
    filled = {"{{CHAPTERS}}": "\n".join(stems()), "{{MAP}}": with_links_to_pages(map_of_model)}
    for page in (HERE / "templates").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for name, value in filled.items():
            text = text.replace(name, value)
        (folder / page.name).write_text(text, encoding="utf-8")
    _write_static(folder / "_static")


def _write_static(folder: Path) -> None:
    shutil.copytree(HERE / "static", folder)
    for room in ("javascript", "pictures", "solving"):
        for file in (ROOT / "utils" / room).iterdir():
            if file.suffix in LOADED:
                shutil.copy(file, folder)
    for name in MODEL:
        shutil.copy(BUNDLED / name, folder)
    (folder / "notebooks").mkdir()
    for stem in CHAPTERS:
        shutil.copy(ROOT / "chapters" / f"{stem}.ipynb", folder / "notebooks")
    write_runtime(folder / "solving")
    write_editor(folder / "editor.mjs")  # in place of what it is made of


def _notebooks() -> Iterator[tuple[str, Notebook]]:
    """Each page that is made of a notebook, and its name."""
    for stem in stems():
        chapter = _notebook("chapters", stem)
        solved = _notebook("solutions", stem)
        try:
            yield stem, chapter_page(chapter, solved, exercises(stem) if stem in CHAPTERS else ())
        except Unsupported as error:
            raise CourseError(f"{stem}: a figure has what utils/drawing does not draw, {error}") from error
    yield START, start_page(_notebook("chapters", START))


def _notebook(place: str, stem: str) -> Notebook:
    path = ROOT / place / f"{stem}.ipynb"
    if not path.is_file():
        raise CourseError(
            f"{place}/{stem}.ipynb is not there, and the site shows what is stored: python -m utils build"
        )
    return json.loads(path.read_text(encoding="utf-8"))


def _run_sphinx(folder: Path) -> None:
    from sphinx.application import Sphinx  # the extra [site]
    from sphinx.util.docutils import docutils_namespace

    source = folder / "source"
    static = {"html_static_path": [str(source / "_static")]}
    warned = io.StringIO()
    # Warnings are of what libraries will change among themselves; docutils forgets what Sphinx has added to it
    with warnings.catch_warnings(action="ignore"), docutils_namespace():
        app = Sphinx(source, HERE, folder / "built", folder / "doctrees", "html", static, status=None, warning=warned)
        app.build()
    if warned.getvalue():
        raise CourseError(f"The site is not as it should be:\n{warned.getvalue()}")
