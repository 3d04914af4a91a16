"""author.readme: the table of chapters between two marks in README, made of what the chapters say."""

from author.readme import BEGIN, END, build_readme, check_readme
from tests.author.mini_course import STEM, write_course

STALE = ["README.md's table of chapters is out of date. Make it again: python -m utils build"]
BEFORE, AFTER = f"# A course\n\n{BEGIN}\n", f"{END}\n\nMore.\n"


def test_the_readme_here_is_up_to_date():
    assert check_readme() == []


def test_the_table_alone_is_written_and_checked(tmp_path):
    readme = write_course(tmp_path) / "README.md"
    readme.write_text(BEFORE + "old\n" + AFTER, encoding="utf-8")
    assert check_readme(tmp_path) == STALE
    assert build_readme(tmp_path) == ["README.md: its table of chapters written"] and build_readme(tmp_path) == []
    text = readme.read_text(encoding="utf-8")
    assert text.startswith(BEFORE) and text.endswith(AFTER) and check_readme(tmp_path) == []
    assert f"](chapters/{STEM}.ipynb) | `double`, `Counter` |" in text


def test_a_chapter_keeps_its_title_and_a_new_exercise_gets_into_its_row(tmp_path):
    readme = write_course(tmp_path) / "README.md"
    readme.write_text(f"{BEFORE}| [90 · Short](chapters/{STEM}.ipynb) | `double` | |\n{AFTER}", encoding="utf-8")
    assert check_readme(tmp_path) == STALE and build_readme(tmp_path)
    assert f"| [90 · Short](chapters/{STEM}.ipynb) | `double`, `Counter` |" in readme.read_text(encoding="utf-8")


def test_a_readme_without_the_marks_is_left_alone(tmp_path):
    write_course(tmp_path)
    assert check_readme(tmp_path) == []
    (tmp_path / "README.md").write_text("Mine.\n", encoding="utf-8")
    assert check_readme(tmp_path) == build_readme(tmp_path) == []
