"""grader.reports: the pages that learners and instructors get, and what a learner's text can do in them."""

import os
import subprocess
import time

import pytest
from bs4 import BeautifulSoup

from grader.grades import Person, SubmissionGrades
from grader.owners import Matched
from grader.reports.class_page import class_page
from grader.reports.counting import identical_answers, misconceptions
from grader.reports.page import learner_page
from tests import serving
from tests.grader.reports.made_up import HOSTILE, grade, made_up_class

LN = "ch03_layernorm"


def hostile() -> SubmissionGrades:
    """Everything that a learner may have written."""
    one = grade(HOSTILE, LN, HOSTILE, "fail", check=HOSTILE, misconception=HOSTILE, printed=HOSTILE, notes=(HOSTILE,))
    other = grade(HOSTILE, LN, "softmax", "error", check=HOSTILE)
    return SubmissionGrades(HOSTILE, [one, other], (Person(HOSTILE),), problems=(HOSTILE,), protection=HOSTILE)


def whole_class(graded: list[SubmissionGrades], **more) -> str:
    return class_page(Matched(graded, [Person("Nobody Yet")], [HOSTILE], [HOSTILE]), **more)


@pytest.mark.parametrize(
    "make", [learner_page, lambda one: whole_class([one], title=HOSTILE)], ids=["learner", "class"]
)
def test_a_learners_text_stays_text(make):
    page = BeautifulSoup(make(hostile()), "html.parser")
    assert page.find_all("img") == []
    assert [link for link in page.find_all(href=True) if not link["href"].endswith(".ipynb")] == []
    assert [tag for tag in page.find_all(True) if any(name.startswith("on") for name in tag.attrs)] == []
    assert all("alert(1)" not in script.text for script in page.find_all("script") if script.get("type") is None)
    assert "<script>alert(1)</script>" in page.get_text()


def test_a_learners_page_says_all_and_loads_nothing():
    one = made_up_class(2)[1]
    text = learner_page(one, file="mine.zip")
    page = BeautifulSoup(text, "html.parser")
    assert page.find("script") is None and "://" not in text
    assert len(page.find_all(class_="exercise")) == len(one.grades)
    assert "python -m utils grade mine.zip --exercise LayerNorm --seed 123" in page.get_text()
    assert f"{one.points:g} of {one.max_points:g} points" in page.find(class_="total").get_text()
    assert "prefers-color-scheme" in text and len(text) < 300_000


def test_the_class_page_repeats_a_grade_where_the_submission_lies():
    one = SubmissionGrades("ada", [grade("ada", LN, "LayerNorm", "fail", misconception="eps outside the root")])
    page = BeautifulSoup(whole_class([one], places={"ada": "handed in/ada.zip"}), "html.parser")
    assert "python -m utils grade 'handed in/ada.zip' --exercise LayerNorm --seed 123" in page.get_text()


@pytest.mark.skipif(os.name == "nt", reason="names of files are text there")
def test_a_name_that_is_no_text_is_written_as_a_shell_reads_it(tmp_path):
    path = tmp_path / os.fsdecode(b"a\xff\xfe1'\\\n ada")
    path.mkdir()
    one = SubmissionGrades("ada", [grade("ada", LN, "LayerNorm", "fail")])
    page = learner_page(one, file=str(path))
    assert page.encode()
    (command,) = [pre.text for pre in BeautifulSoup(page, "html.parser")("pre") if "utils grade" in pre.text]
    quoted = command.removeprefix("python -m utils grade ").partition(" --exercise")[0]
    assert subprocess.run(["bash", "-c", f"test -d {quoted}"]).returncode == 0


def test_a_late_one_and_files_that_were_not_read_are_said():
    late = grade("a", LN, "LayerNorm", "pass", late=True)
    page = learner_page(SubmissionGrades("a", [late], problems=("x.ipynb is empty.",)))
    assert ">late<" in page and "x.ipynb is empty." in page and "a time that is not known" in page


def test_when_each_chapter_was_handed_in_is_said():
    on_time = grade("a", LN, "LayerNorm", "pass", submitted=0.0)
    missing = grade("a", "ch05_mlp", "MLP", "missing")
    page = BeautifulSoup(learner_page(SubmissionGrades("a", [on_time, missing])), "html.parser")
    said = {heading.text: heading.find_next("p").text for heading in page("h2")}
    assert said == {LN: "Handed in 1970-01-01 00:00 UTC.", "ch05_mlp": "Not handed in."}


@pytest.mark.slow
def test_the_page_of_a_large_class_is_small_enough_and_made_quickly():
    began = time.thread_time()
    text = whole_class(made_up_class(200))
    assert len(text.encode()) < 8_000_000
    assert time.thread_time() - began < 30
    page = BeautifulSoup(text.partition("<script>/**")[0], "html.parser")
    assert len(page.select("table.grades tbody tr")) == 200


def test_misconceptions_are_counted_with_whom_and_one_card():
    graded = [
        SubmissionGrades(name, [grade(name, LN, "LayerNorm", "fail", misconception=what)], (Person(f"Mx {name}"),))
        for name, what in (("a", "eps outside"), ("b", "no mean"), ("c", "no mean"), ("d", ""))
    ]
    found = misconceptions(graded)
    assert [(one.name, one.who) for one in found] == [("no mean", ["b", "c"]), ("eps outside", ["a"])]
    page = BeautifulSoup(whole_class(graded), "html.parser")
    first, _ = page.select("#s-misconceptions details.shared")
    assert first.summary.get_text() == "2 LayerNorm no mean" and "Mx b, Mx c" in first.get_text()
    assert len(first.select(".card")) == 1 and "no mean" in first.select_one(".card").get_text()
    assert "Mx d" in page.select_one("#s-other-checks-that-do-not-hold").get_text()


def test_identical_answers_are_those_of_different_people_that_are_long_and_not_the_courses():
    shapes = {"a": "90:x", "b": "90:x", "c": "30:y", "d": "30:y", "e": "90:z", "f": "90:z", "g": "90:w"}
    graded = [
        SubmissionGrades(name, [grade(name, LN, "LayerNorm", "pass", shape=shape)]) for name, shape in shapes.items()
    ]
    assert [one.who for one in identical_answers(graded, known={"90:z"})] == [["a", "b"]]
    same = Person("One")
    ours = [SubmissionGrades(one.submission, one.grades, (same,)) for one in graded[:2]]
    assert identical_answers(ours) == []


@pytest.fixture(scope="module")
def browser():
    """Chromium. Without one: skipped, or failed if one is named."""
    with serving.browser() as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_in_a_browser(browser, width, theme, tmp_path):
    """Nothing is wider than the page, nothing hostile runs, axe finds nothing, and columns are sorted."""
    graded = [hostile(), *made_up_class(12, stems="ch04")]
    pages = {"class": whole_class(graded), "learner": learner_page(hostile())}
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme)
        said: list[str] = []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("pageerror", lambda error, said=said: said.append(str(error)))
        page.goto((tmp_path / f"{name}.html").as_uri())
        if name == "class":
            page.wait_for_selector("#exercises .bars")
            page.get_by_role("button", name="Points").click()
            points = [float(row) for row in page.locator("table.grades tbody tr td:nth-child(2)").all_inner_texts()]
            assert points == sorted(points, reverse=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert said == []
        assert serving.serious(page) == []
        page.context.close()
