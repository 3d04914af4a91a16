"""The editor as one file."""

import re

import pytest

from utils.course import CourseError
from utils.solving import bundling

pytestmark = pytest.mark.slow


def test_the_editor_imports_nothing_and_names_its_licence(tmp_path):
    bundling.write_editor(tmp_path / "editor.mjs")
    text = (tmp_path / "editor.mjs").read_text(encoding="utf-8")
    assert text.startswith(bundling.LICENCE) and "openEditor" in text
    assert "@codemirror/view" not in text


def test_what_esbuild_says_against_it_is_passed_on(tmp_path, monkeypatch):
    (tmp_path / "editor.mjs").write_text("import 'nowhere'", encoding="utf-8")
    monkeypatch.setattr(bundling, "HERE", tmp_path)
    with pytest.raises(CourseError, match='Could not resolve "nowhere"'):
        bundling.write_editor(tmp_path / "made.mjs")


def test_modules_and_styles_become_smaller_and_stay_what_they_are(tmp_path):
    module = "// why\nexport const shown = (text) => `… ${text}`;\n"
    style = "/* why */\n.card {\n  color: #ff0000;\n}\n"
    for name, text in (("one.mjs", module), ("one.css", style), ("old.js", "// a script\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    bundling.minify(tmp_path)
    made = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    assert re.fullmatch(r"const (\w)=(\w)=>`… \${\2}`;export{\1 as shown};\n", made["one.mjs"])
    assert made["one.css"].strip() == ".card{color:red}" and made["old.js"] == "// a script\n"
