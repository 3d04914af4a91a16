"""The editor as one file."""

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
