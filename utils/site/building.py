"""`python -m utils site [OUT]`: builds the site from what is stored in the repository."""

import io
import json
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from utils.course import ROOT, CourseError, stems
from utils.drawing import Unsupported
from utils.model_map import model_map
from utils.reference import BUNDLED
from utils.site.pages import Notebook, chapter_page, start_page, with_links_to_pages

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
    for room in ("javascript", "pictures"):
        for file in (ROOT / "utils" / room).iterdir():
            if file.suffix in LOADED:
                shutil.copy(file, folder)
    for name in MODEL:
        shutil.copy(BUNDLED / name, folder)


def _notebooks() -> Iterator[tuple[str, Notebook]]:
    """Each page that is made of a notebook, and its name."""
    for stem in stems():
        chapter = _notebook("chapters", stem)
        solved = _notebook("solutions", stem)
        try:
            yield stem, chapter_page(chapter, solved)
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
