"""author.building: stored figures are stale once the code that draws them does something else."""

import pytest
from nbformat import v4

from author import building
from author.building import KEY, is_drawn_as_now, remember_drawing_code

DRAWING = v4.new_notebook(
    cells=[v4.new_code_cell("from utils.plotting import bars\n%time bars.draw([1])\nprint('%d'\n% 1)")]
)
OTHER = v4.new_notebook(
    cells=[v4.new_code_cell("import math\n!ls"), v4.new_markdown_cell("import utils.plotting.bars")]
)
MODULES = {
    "__init__": '"""Figures."""\n',
    "bars": '"""Bars."""\n\nfrom utils.plotting.style import INK\n\n\ndef draw(x):\n    # in ink\n    return INK\n',
    "style": '"""Style."""\n\nINK = "black"\n',
    "lines": '"""Lines."""\n',
}
PICTURE = v4.new_notebook(cells=[v4.new_code_cell("from utils.pictures.arcs import arcs")])
FILES = {
    "arcs.py": "from utils.pictures.picture import Picture\n",
    "arcs.mjs": 'import { tag } from "./common.mjs";\nexport function draw() {}\n  // arcs\n',
    "arcs.css": ".arcs { margin: 0; }",
    "common.mjs": "export function tag() {}",
    "picture.py": "class Picture: ...",
    "picture.css": ".cp { margin: 0; }",
    "pairs.py": "",
    "pairs.mjs": "",
}


@pytest.fixture
def plotting(tmp_path, monkeypatch):
    """The folder of the modules that draw."""
    folder = tmp_path / "utils" / "plotting"
    folder.mkdir(parents=True)
    for name, text in MODULES.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(building, "ROOT", tmp_path)
    return folder


@pytest.mark.parametrize(
    ("name", "old", "new", "stale"),
    [
        ("bars", "return INK", "return INK, x", True),
        ("style", "black", "white", True),  # which only another module imports
        ("__init__", "Figures", "All figures", True),
        ("lines", "Lines", "Long lines", False),
        ("bars", "    # in ink\n", "\n", False),
    ],
)
def test_figures_are_stale_where_a_module_that_draws_them_does_something_else(plotting, name, old, new, stale):
    before = building.drawing_code(DRAWING)
    path = plotting / f"{name}.py"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert (building.drawing_code(DRAWING) != before) is stale


@pytest.mark.parametrize("name", FILES)
def test_pictures_are_stale_where_their_script_or_style_does_something_else(plotting, name):
    folder = plotting.with_name("pictures")
    folder.mkdir()
    for each, text in FILES.items():
        (folder / each).write_text(text, encoding="utf-8")
    before = building.drawing_code(PICTURE)
    (folder / name).write_text(f"{FILES[name]}\nmore()", encoding="utf-8")
    assert (building.drawing_code(PICTURE) != before) is (not name.startswith("pairs"))
    comment = "# more" if name.endswith(".py") else "  // more"
    (folder / name).write_text(f"{FILES[name]}\n{comment}\n", encoding="utf-8")
    assert building.drawing_code(PICTURE) == before


def test_a_notebook_that_draws_nothing_has_no_digest(plotting):
    assert building.drawing_code(OTHER) == ""
    remember_drawing_code(OTHER)
    assert is_drawn_as_now(OTHER, OTHER) and not OTHER.metadata


def test_an_executed_notebook_remembers_what_drew_it(plotting):
    remember_drawing_code(DRAWING)
    assert is_drawn_as_now(DRAWING, DRAWING) and DRAWING.metadata[KEY]
    assert not is_drawn_as_now(DRAWING, OTHER)


def test_outputs_are_stale_where_the_passages_are_others(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "ROOT", tmp_path)
    (tmp_path / "utils").mkdir()
    (tmp_path / "utils" / "passages.py").write_text("TEXT = 'passages.txt'\n", encoding="utf-8")
    texts = tmp_path / "utils" / "passages.txt"
    texts.write_text("# The Bees\nOnce upon a time\n", encoding="utf-8")
    measuring = v4.new_notebook(cells=[v4.new_code_cell("from utils.passages import over_passages")])
    remember_drawing_code(measuring)
    assert is_drawn_as_now(measuring, measuring)
    texts.write_text("# The Bees\nOnce upon a day\n", encoding="utf-8")
    assert not is_drawn_as_now(measuring, measuring)


@pytest.mark.parametrize("changed", ["tests/predictions/ch90_mini.py", "utils/learner/predictions.py"])
def test_outputs_are_stale_where_a_question_or_its_card_is_another(changed, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "ROOT", tmp_path)
    for name, text in {
        "tests/predictions/ch90_mini.py": "from utils.learner.predictions import Predictions\n",
        "utils/learner/predictions.py": "class Predictions: ...\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    asking = v4.new_notebook(cells=[v4.new_code_cell("from tests.predictions.ch90_mini import predict, see")])
    remember_drawing_code(asking)
    assert is_drawn_as_now(asking, asking)
    (tmp_path / changed).write_text("class Predictions: text = 'Right.'\n", encoding="utf-8")
    assert not is_drawn_as_now(asking, asking)
