"""utils.learner.cards: the card says in HTML what the verdict says in plain text, and nothing of it is markup."""

import re
import sys
from html.parser import HTMLParser

import pytest

from judge.checking.verdict import Failure, Verdict
from judge.running.records import Frame
from utils.course import ROOT, exercises, stems
from utils.drawing.colours import contrast, rgb
from utils.learner.cards import HEADING, as_html

FRAMES = (Frame("your cell", 3, "forward", "return x.wieght"), Frame("your cell", 9, "<lambda>", ""))
VERDICTS = {
    "passed": Verdict("Scale", passed=["keeps the shape", "agrees on `w` and `b`"]),
    "failed": Verdict("Scale", 5, ["keeps the shape"], Failure("agrees", ("48 of 48 differ", "at [pos 0]: got 2.5"))),
    "named": Verdict("Scale", 0, [], Failure("agrees", ("all differ",), "leaving out `b`", "Add `self.b`.")),
    "advice alone": Verdict("Scale", 0, [], Failure("agrees", ("all differ",), advice="Stay in torch.")),
    "hints": Verdict("Scale", 0, [], Failure("agrees", (), hints=("`table` is of another cell", "in:  0, 2\nout: 1"))),
    "hints and advice": Verdict("Scale", 0, [], Failure("agrees", (), hints=("a hint",), advice="Do this.")),
    "an error": Verdict("Scale", 7, ["holds"], Failure("agrees", ("TypeError: a\nb",), frames=FRAMES, printed="x\n")),
    "proved": Verdict(
        *("Scale", 3, ["keeps the shape"]),
        Failure(
            *("agrees", ("1 of 4 differs",), "leaving out `b`", "Add `self.b`."),
            example="On the example:\n  yours: 1",
            call=("scale(\n    x=[1, 2],\n)", "got       1", "expected  2"),
            more=("the largest difference is 1",),
            again=("from tests.x import test_scale", "given, got, expected = test_scale.again(Scale, question=3)"),
        ),
    ),
    "many frames": Verdict("Scale", failure=Failure("agrees", ("KeyError: 'a'",), frames=FRAMES + FRAMES[:1])),
    "much printed": Verdict("Scale", 0, [], Failure("agrees", (), printed="\n".join(map(str, range(20))))),
    "not yet": Verdict("Scale", 0, ["holds"], Failure("agrees", (), advice="Replace the line.", not_yet=True)),
    "nothing drawn": Verdict("Scale", 0, [], Failure("agrees", ("48 of 48 differ",), drawn=False)),
}
every_verdict = pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS.keys())


class Page(HTMLParser):
    """The words of a page, its tags, and whether every tag is closed."""

    def __init__(self, page: str):
        super().__init__()
        self.words, self.open, self.tags, self.attributes = [], [], set(), set()
        self.feed(page)

    def handle_data(self, data):
        self.words.append(data)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


FOLDS = re.compile(r"^ *(Details|Try it yourself):$", re.MULTILINE)  # in HTML they fold, and have no colon


@every_verdict
def test_the_html_has_the_words_of_the_text(verdict):
    page = Page(as_html(verdict, ("Kept as `my_gpt/scale.py`.", "Next: `Other`.")))
    text = f"{verdict}\nKept as my_gpt/scale.py.\nNext: Other."
    assert re.sub(r"\s", "", "".join(page.words)) == re.sub(r"\s", "", FOLDS.sub(r"\1", text.replace("`", "")))
    assert page.open == []


def test_the_chapter_that_comes_next_is_a_link():
    page = as_html(VERDICTS["passed"], ("Next: read on here, then `MLP` in chapters/ch05_mlp.ipynb.",))
    assert 'in <a href="ch05_mlp.ipynb" style="text-decoration:underline">chapters/ch05_mlp.ipynb</a>.' in page
    assert Page(page).open == []


def test_the_exercise_that_comes_next_is_a_link_to_its_heading():
    page = as_html(VERDICTS["passed"], ("Next: `train_bpe`, further down.",))
    link = '<a href="#Exercise:-write-train_bpe" style="text-decoration:underline"><code>train_bpe</code></a>'
    assert f"Next: {link}, further down." in page


def test_in_colab_a_chapter_is_a_link_to_colab_and_an_exercise_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", sys)
    monkeypatch.setattr("utils.course.links.repository", lambda: "owner/name")
    footer = ("Next: `train_bpe`, further down.", "Next: `MLP` in chapters/ch05_mlp.ipynb.")
    page = as_html(VERDICTS["passed"], footer)
    assert page.count("<a ") == 1 and "/github/owner/name/blob/main/chapters/ch05_mlp.ipynb" in page


@pytest.mark.parametrize("stem", stems())
def test_each_exercise_has_the_heading_that_the_links_lead_to(stem):
    text = (ROOT / "solutions" / f"{stem}.py").read_text(encoding="utf-8")
    for one in exercises(stem):
        heading = re.search(rf"^# ## (.*`{one.symbol}`)$", text, re.MULTILINE)
        assert heading and "#" + heading[1].replace("`", "").replace(" ", "-") == HEADING + one.symbol


def test_a_stressed_word_is_shown_so_and_what_a_learner_wrote_is_left_alone():
    advice = "The sum *before* it, as in `a *b* c`: 2 * 3 * 4."
    failure = Failure("a*b*c", ("got *x*",), hints=("it *was* so",), advice=advice)
    page = as_html(Verdict("Scale", failure=failure))
    assert "a*b*c" in page and "got *x*" in page and "it <em>was</em> so" in page
    assert "The sum <em>before</em> it, as in <code>a *b* c</code>: 2 * 3 * 4." in page


def test_the_line_of_a_comprehension_stands_once_and_a_recursion_stays():
    line = "return [row.size for row in x]"
    frames = (Frame("your cell", 3, "forward", line), Frame("your cell", 3, "<listcomp>", line))
    assert as_html(Verdict("Scale", failure=Failure("agrees", (), frames=frames))).count(line) == 1
    again = (Frame("your cell", 3, "f", line),) * 2
    assert as_html(Verdict("Scale", failure=Failure("agrees", (), frames=again))).count(line) == 2


@every_verdict
def test_a_card_brings_no_script_no_class_and_no_page_of_its_own(verdict):
    page = Page(as_html(verdict))
    assert page.tags <= {"div", "span", "b", "code", "pre", "details", "summary"}
    assert page.attributes <= {"style", "open"}
    assert "background" not in as_html(verdict)  # a colour of paper would be wrong on one of the themes
    assert re.findall(r"(?<!-)color:(.{7})", as_html(verdict)) == [
        {"✔": "#278f50", "✘": "#db4b3f", "○": "#a87400"}[mark] for mark in re.findall("[✔✘○]", str(verdict))
    ]


@pytest.mark.parametrize("colour", ["#278f50", "#db4b3f", "#a87400"])
@pytest.mark.parametrize("paper", ["#ffffff", "#111111", "#1e1e1e"])
def test_marks_stand_out_on_light_and_dark_pages(colour, paper):
    assert contrast(rgb(colour), rgb(paper)) > 4


def test_backticks_become_code_and_nothing_that_the_learner_wrote_becomes_html():
    frame = Frame("your cell", 3, "<lambda>", "a < b and `c`")
    failure = Failure(
        "a `<b>` line", ("one ` alone",), frames=(frame,), hints=("<i>",), printed="<script>'hi'</script>"
    )
    page = as_html(Verdict("Sc<ale", failure=failure))
    for wanted in (
        "<code>Sc&lt;ale</code>",
        "a <code>&lt;b&gt;</code> line",
        "<div>one ` alone</div>",
        "in &lt;lambda&gt;:  <code>a &lt; b and `c`</code>",
        "<div>&lt;i&gt;</div>",
        "&lt;script&gt;&#x27;hi&#x27;&lt;/script&gt;</pre>",
    ):
        assert wanted in page


def test_hints_stand_in_a_block_of_their_own_behind_the_advice():
    page = as_html(VERDICTS["hints and advice"])
    advice, hint = page.index("Do this."), page.index("a hint")
    assert advice < hint
    assert page[advice:hint].count("</div></div>") == 1 and "border:1px solid" in page[advice:hint]


def test_the_cause_stands_before_its_proof_and_what_passed_comes_last():
    parts = (
        *("agrees", "The cause: leaving out ", "1 of 4 differs", "x=[1, 2]", "got       1", "On the example:"),
        *("Details", "the largest difference", "Try it yourself", "test_scale.again", "from seed 3", "keeps the shape"),
    )
    for said in (str(VERDICTS["proved"]), as_html(VERDICTS["proved"])):
        places = [said.index(part) for part in parts]
        assert places == sorted(places)


def test_details_stand_open_only_where_no_cause_is_named():
    assert "<details" in as_html(VERDICTS["proved"]) and " open>" not in as_html(VERDICTS["proved"])
    assert as_html(VERDICTS["failed"]).count("<details") == as_html(VERDICTS["failed"]).count(" open>") == 1
    assert "<details" not in as_html(VERDICTS["nothing drawn"])


def test_of_many_frames_the_last_is_seen_and_all_are_in_the_fold():
    page = as_html(VERDICTS["many frames"])
    before, fold = page.split("<details")
    assert before.count("line 3") == 1 and fold.count("line 3") == 2 and fold.count("line 9") == 1
    assert "<details" not in as_html(Verdict("Scale", failure=Failure("agrees", (), frames=FRAMES, drawn=False)))


def test_what_is_lined_up_stays_lined_up():
    assert "<div>in:  0, 2</div><div>out: 1</div>" in as_html(VERDICTS["hints"])
    assert "white-space:pre-wrap" in as_html(VERDICTS["hints"])
