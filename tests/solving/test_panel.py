"""The panel "Solve it here", as a reader uses it; in all tests but one a fake judge gives the verdicts."""

import json
from urllib.parse import urlparse

import nbformat
import pytest

from tests.serving import serious
from tests.solving.fake_judge import SOLVED, WRONG
from utils.course import ROOT, exercises
from utils.course.cells import cells_of, defines
from utils.solving import CHAPTERS

pytestmark = [pytest.mark.browser, pytest.mark.slow]
RIGHT = "class SpaceTokenizer:\n    pass\n"  # to the fake judge
STUB = "ch00_tokens-SpaceTokenizer-2"
# what is read comes after what was written before
KEPT = "import('/_static/kept.mjs').then(({ answersOf }) => answersOf(['ch00_tokens/train_bpe']))"


@pytest.fixture
def context(browser, judging):
    """A browser that has not been here before."""
    opened = browser.new_context(reduced_motion="reduce", accept_downloads=True)
    opened.route("**/judging.mjs", lambda route: route.fulfill(body=judging, content_type="text/javascript"))
    yield opened
    opened.close()


@pytest.fixture
def visit(context, address):
    """Opens chapter 0 anew; nothing that it does may be complained of."""
    complaints = []

    def opened(stem="ch00_tokens"):
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{address}/{stem}.html")
        page.get_by_role("button", name="Solve it here").last.wait_for()
        return page

    yield opened
    assert complaints == []


def panel(page, name="SpaceTokenizer"):
    return page.locator(f"[data-solves={name}]")


def editor(page, name="SpaceTokenizer"):
    return page.get_by_role("textbox", name=f"Your {name}")


def begun(page, name="SpaceTokenizer"):
    """The panel, with its editor open and the focus in it."""
    panel(page, name).get_by_role("button", name="Solve it here").click()
    editor(page, name).wait_for()
    return panel(page, name)


def written(page, text, name="SpaceTokenizer"):
    """In place of all that the editor holds."""
    editor(page, name).press("Control+a")
    page.keyboard.insert_text(text)


def text_in(page, name="SpaceTokenizer"):
    lines = editor(page, name).locator(".cm-line").all_inner_texts()
    return "\n".join("" if line == "\n" else line for line in lines)


def run(page, text, says, name="SpaceTokenizer", keys="Shift+Enter"):
    written(page, text, name)
    page.keyboard.press(keys)
    panel(page, name).get_by_role("status").get_by_text(says).wait_for()


def stub_of(stem, symbol):
    (found,) = [
        cell["source"]
        for cell in cells_of(ROOT / "chapters" / f"{stem}.ipynb")
        if cell["cell_type"] == "code" and defines(cell["source"], symbol)
    ]
    return found


def test_with_the_real_judge(context, visit, address):
    """A wrong answer's card, and the right one; no other host is asked."""
    context.unroute_all()
    hosts = set()
    context.on("request", lambda request: hosts.add(urlparse(request.url).netloc))
    page = visit()
    page.set_default_timeout(120_000)
    place = begun(page)
    run(page, f'print("hello")\n{WRONG}', "It does not pass yet")
    assert place.get_by_text("Every number is 1 too large: from where do you count?").is_visible()
    assert place.locator(".solve-printed pre").inner_text() == "hello\n"
    run(page, SOLVED, "It passes")
    assert place.get_by_text("✔ passed", exact=True).is_visible()
    assert {host for host in hosts if host} == {urlparse(address).netloc}


@pytest.mark.parametrize("stem", CHAPTERS)
def test_each_exercise_begins_with_its_stub(visit, stem):
    page = visit(stem)
    for exercise in exercises(stem):
        begun(page, exercise.symbol)
        assert text_in(page, exercise.symbol) == stub_of(stem, exercise.symbol)
        read = page.locator("pre", has_text=f'NotImplementedError("{exercise.symbol}')
        assert read.count() == 1 and not read.is_visible()


@pytest.mark.parametrize("stem", CHAPTERS)
def test_the_card_of_the_solution_does_not_stand_beside_the_readers(visit, stem):
    page = visit(stem)
    for exercise in exercises(stem):
        called = page.get_by_text(f"{exercise.test}({exercise.symbol})", exact=True)
        card = page.locator(".cell", has=called).locator(".cell_output")
        assert called.is_visible() and card.is_visible()
        begun(page, exercise.symbol)
        assert not called.is_visible() and not card.is_visible()


def test_nothing_is_loaded_before_it_is_asked_for(visit, context):
    asked = []
    context.on("request", lambda request: asked.append(urlparse(request.url).path.rpartition("/")[2]))
    page = visit()
    page.wait_for_load_state("networkidle")
    assert not {"editor.mjs", "judging.mjs", "worker.mjs"} & set(asked) and "panel.mjs" in asked
    begun(page)
    assert "editor.mjs" in asked and "judging.mjs" not in asked
    page.keyboard.type("x")
    panel(page).get_by_text("Python is being fetched, 3 of 6 MB").wait_for()
    assert page.evaluate("asked.map(({ warm }) => warm)") == ["ch00_tokens"]
    assert not any(name.endswith(".ipynb") for name in asked)


@pytest.mark.parametrize("width", [390, 1200])
def test_the_front_page_leads_to_the_first_exercise(context, address, width):
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{address}/index.html")
    page.get_by_role("link", name="Solve the first exercise here").click()
    opener = panel(page).get_by_role("button", name="Solve it here")
    opener.wait_for()
    page.wait_for_timeout(500)  # the page scrolls
    box = opener.bounding_box()
    assert box and 100 < box["y"] < 700


def test_other_chapters_have_no_panel(context, address):
    page = context.new_page()
    page.goto(f"{address}/ch03_layernorm.html", wait_until="networkidle")
    assert page.get_by_role("button", name="Solve it here").count() == 0
    assert page.get_by_text("Nothing is run on this page").is_visible()


def test_without_scripts_the_page_is_for_reading(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/ch00_tokens.html")
    assert page.get_by_text("SpaceTokenizer.encode: write this part").is_visible()
    assert panel(page).inner_text() == "" and page.get_by_text("Solve it here").count() == 1  # where it is told of
    context.close()


def test_the_card_and_what_was_printed_are_shown(visit):
    page = visit()
    place = begun(page)
    run(page, f'print("<b>hello</b>")\n{WRONG}', "It does not pass yet")
    assert place.get_by_text("Every number is 1 too large: from where do you count?").is_visible()
    assert place.locator(".solve-printed pre").inner_text() == "<b>hello</b>"
    run(page, RIGHT, "It passes", keys="Control+Enter")
    assert place.get_by_text("Every number is 1 too large").count() == 0
    assert not place.locator(".solve-printed").is_visible()


def test_a_repair_that_is_found_later_leaves_folds_and_focus_where_they_are(visit):
    page = visit()
    place = begun(page)
    run(page, WRONG, "It does not pass yet")
    fold = place.get_by_text("Try it yourself")
    fold.click()
    page.evaluate("mend()")
    place.get_by_text("One change to your code would make every check pass. Where?").wait_for()
    assert place.locator("details[open] > summary").all_inner_texts() == ["Try it yourself"]
    assert page.evaluate("document.activeElement.textContent") == "Try it yourself"


def test_a_repair_of_an_answer_that_was_run_before_is_not_shown(visit):
    page = visit()
    place = begun(page)
    run(page, WRONG, "It does not pass yet")
    run(page, RIGHT, "It passes")
    page.evaluate("(mend(), new Promise((done) => setTimeout(done)))")
    assert place.get_by_text("One change to your code").count() == 0


def test_by_keys_alone(visit):
    """Tab indents; Escape and Tab leave the editor, which then indents again."""
    page = visit()
    place = panel(page)
    opener = place.get_by_role("button", name="Solve it here")
    opener.focus()
    page.keyboard.press("Enter")
    editor(page).wait_for()
    page.keyboard.type("self.")  # in the place of what is to be written first
    assert text_in(page) == stub_of("ch00_tokens", "SpaceTokenizer").replace(
        'raise NotImplementedError("SpaceTokenizer.__init__: write this part")', "self."
    )
    page.keyboard.press("Home")
    page.keyboard.press("Tab")
    assert "            self." in text_in(page)
    page.keyboard.press("Escape")
    page.evaluate("Date.now = ((now) => () => now() + 60000)(Date.now)")  # however long one takes
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Run"
    page.keyboard.press("Enter")
    place.get_by_role("status").get_by_text("A part is still to be written").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Run"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert "                self." in text_in(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.tagName") != "DIV"


def test_it_is_stopped(visit):
    page = visit()
    place = begun(page)
    written(page, "while True: pass")
    place.get_by_role("button", name="Run").click()
    stop = place.get_by_role("button", name="Stop")
    stop.wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Stop"
    assert not place.get_by_role("button", name="Run").is_visible()
    page.keyboard.press("Enter")
    place.get_by_role("status").get_by_text("Stopped.").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Run" and not stop.is_visible()


def test_start_over_is_one_step_back(visit):
    page = visit()
    place = begun(page)
    stub = text_in(page)
    written(page, WRONG)
    page.keyboard.type("# mine")
    mine = text_in(page)
    place.get_by_role("button", name="Start over").click()
    assert text_in(page) == stub
    page.keyboard.press("Control+z")
    assert text_in(page) == mine


def test_what_was_written_is_there_at_the_next_visit(visit):
    page = visit()
    begun(page)
    run(page, RIGHT, "It passes")
    begun(page, "train_bpe")
    written(page, "def train_bpe():\n    return []", "train_bpe")
    page.evaluate(KEPT)
    page.close()
    page = visit()
    for name in ("SpaceTokenizer", "train_bpe"):
        editor(page, name).wait_for()
    assert text_in(page) == RIGHT and text_in(page, "train_bpe") == "def train_bpe():\n    return []"
    assert panel(page).get_by_text("✔ passed", exact=True).is_visible()
    assert panel(page, "train_bpe").get_by_text("✔").count() == 0
    assert panel(page, "bpe_encode").get_by_role("button", name="Solve it here").is_visible()
    editor(page).press("Control+End")
    page.keyboard.type("# more")
    assert panel(page).get_by_text("✔ an earlier version passed").is_visible()


def test_the_card_is_there_at_the_next_visit(visit):
    page = visit()
    place = begun(page)
    run(page, f'print("hello")\n{WRONG}', "It does not pass yet")
    page.evaluate("mend()")
    place.get_by_text("One change to your code would make every check pass. Where?").wait_for()
    page.evaluate("(becomes = 'no judge')")
    place.get_by_role("button", name="Run").click()
    place.get_by_role("status").get_by_text("It could not be judged").wait_for()
    page.evaluate(KEPT)
    page.close()
    page = visit()
    place = panel(page)
    place.get_by_role("status").get_by_text("It does not pass yet").wait_for()
    assert place.get_by_text("Every number is 1 too large: from where do you count?").is_visible()
    assert place.get_by_text("One change to your code would make every check pass. Where?").is_visible()
    assert place.locator(".solve-printed pre").inner_text() == "hello"
    editor(page).press("Control+End")
    page.keyboard.type("# more")
    page.evaluate(KEPT)
    page.close()
    page = visit()
    editor(page).wait_for()
    assert panel(page).get_by_text("Every number is 1 too large").count() == 0  # that was said of another text


def test_the_judge_gets_the_answers_that_passed(visit):
    page = visit()
    begun(page)
    run(page, RIGHT, "It passes")
    written(page, f"{RIGHT}# unfinished")
    begun(page, "train_bpe")
    run(page, "wrong", "It does not pass yet", "train_bpe")
    begun(page, "bpe_encode")
    run(page, "def bpe_encode(): pass", "It passes", "bpe_encode")
    assert page.evaluate("asked.at(-1)") == {
        "stem": "ch00_tokens",
        "name": "bpe_encode",
        "source": "def bpe_encode(): pass",
        "answers": {"SpaceTokenizer": RIGHT},
    }


def test_two_tabs_show_the_same_text_and_card(visit):
    """Else the one in which somebody types last would overwrite what the other has."""
    first, second = visit(), visit()
    begun(first)
    run(first, WRONG, "It does not pass yet")
    panel(second).get_by_role("status").get_by_text("It does not pass yet").wait_for()
    assert text_in(second) == WRONG.removesuffix("\n") + "\n"
    assert panel(second).get_by_text("Every number is 1 too large").is_visible()
    editor(second).press("Control+End")
    second.keyboard.type("# more")
    first.wait_for_function("document.querySelector('.cm-content').textContent.endsWith('# more')")
    run(first, RIGHT, "It passes")
    panel(second).get_by_text("✔ passed", exact=True).wait_for()
    begun(second, "train_bpe")
    run(second, "def train_bpe(): pass", "It passes", "train_bpe")
    assert second.evaluate("asked.at(-1).answers") == {"SpaceTokenizer": RIGHT}


@pytest.mark.parametrize("width", [390, 1400])
def test_the_card_below_a_long_answer_comes_into_view(visit, width):
    page = visit()
    page.set_viewport_size({"width": width, "height": 800})
    begun(page)
    run(page, WRONG + "\n" * 60, "It does not pass yet")
    place = "document.querySelector('.solve-card').getBoundingClientRect().top"
    page.wait_for_function(f"0 < {place} && {place} < 600")  # the page scrolls smoothly


OLD = "The card below is of your code before your last change."


def test_a_card_of_other_code_says_so(visit):
    page = visit()
    place = begun(page)
    run(page, RIGHT, "It passes")
    assert not place.get_by_text(OLD).is_visible()
    page.keyboard.press("Control+End")
    page.keyboard.type("#")
    place.get_by_text(OLD).wait_for()
    assert place.get_by_text("It passes").count() == 0
    page.keyboard.press("Backspace")
    place.get_by_text(OLD).wait_for(state="hidden")
    place.get_by_role("button", name="Start over").click()
    place.get_by_text(OLD).wait_for()
    run(page, WRONG, "It does not pass yet")
    assert not place.get_by_text(OLD).is_visible()


def test_a_card_of_what_was_changed_while_it_ran_says_so(visit):
    page = visit()
    place = begun(page)
    page.evaluate("void (delays = new Promise((done) => (go = done)))")  # a promise would be waited for
    written(page, WRONG)
    page.keyboard.press("Shift+Enter")
    place.get_by_role("button", name="Stop").wait_for()
    page.keyboard.type("# more")
    assert not place.get_by_text(OLD).is_visible()
    page.evaluate("go()")
    place.get_by_text(OLD).wait_for()


FAILING = ["Object.defineProperty(window, 'indexedDB', { get() { throw new Error('private') } })"]
FAILING.append("indexedDB.open = () => { const asked = {}; setTimeout(() => asked.onerror()); return asked; }")


@pytest.mark.parametrize("failing", FAILING)
def test_where_nothing_is_kept_it_works_and_says_so(context, visit, failing):
    context.add_init_script(failing)
    page = visit()
    place = begun(page)
    run(page, RIGHT, "It passes")
    assert place.get_by_text("This browser keeps nothing: take your answers along").is_visible()


def test_a_browser_that_stops_keeping_says_so(visit):
    page = visit()
    place = begun(page)
    assert place.get_by_text("What you write is kept in this browser.").is_visible()
    page.evaluate("void (IDBDatabase.prototype.transaction = () => { throw new Error('full') })")
    page.keyboard.type("x")
    place.get_by_text("This browser keeps nothing").wait_for()


def taken(page, name="SpaceTokenizer"):
    with page.expect_download() as found:
        panel(page, name).get_by_role("button", name="Take it along").click()
    assert found.value.suggested_filename == "ch00_tokens.ipynb"
    return found.value.path().read_text(encoding="utf-8")


def test_the_notebook_has_the_answers_in_the_cells_of_their_stubs(visit):
    page = visit()
    begun(page)
    chapter = (ROOT / "chapters" / "ch00_tokens.ipynb").read_text(encoding="utf-8")
    assert taken(page) == chapter
    written(page, RIGHT)
    text = taken(page)
    nbformat.validate(nbformat.reads(text, as_version=4))
    notebook = json.loads(chapter)
    (stub,) = [cell for cell in notebook["cells"] if cell["id"] == STUB]
    stub["source"] = ["class SpaceTokenizer:\n", "    pass\n"]
    assert json.loads(text) == notebook


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_with_panels_open_it_fits_and_can_be_read(visit, theme):
    page = visit()
    page.emulate_media(color_scheme=theme)
    place = begun(page)
    run(page, f'print("{"hello " * 50}")\n{WRONG}', "It does not pass yet")
    begun(page, "train_bpe")
    run(page, f"def train_bpe(): return {list(range(100))}", "It passes", "train_bpe")
    for fold in place.locator("summary").all():
        fold.click()
    for width in (390, 700, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert serious(page) == []


def test_an_editor_that_does_not_come_is_said(context, address):
    context.route("**/editor.mjs", lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{address}/ch00_tokens.html")
    panel(page).get_by_role("button", name="Solve it here").click()
    panel(page).get_by_text("Reload the page to try again.").wait_for()
    assert page.get_by_text("SpaceTokenizer.encode: write this part").is_visible()


def test_a_judge_that_does_not_come_is_said(context, address):
    context.route("**/judging.mjs", lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{address}/ch00_tokens.html")
    place = begun(page)
    place.get_by_role("button", name="Run").click()
    place.get_by_text("Reload the page to try again.").wait_for()
    assert place.get_by_role("button", name="Run").is_visible()


def test_what_passed_leads_to_where_it_is_used(visit):
    page = visit()
    place = begun(page, "bpe_encode")
    use = place.get_by_role("link", name="Let it cut a text that the model reads")
    for body, passes in (("# wrong", False), ("# right", True), ("# wrong", False)):
        written(page, f"def bpe_encode(text, merges):\n    return []  {body}\n", "bpe_encode")
        place.get_by_role("button", name="Run").click()
        place.get_by_text("It passes." if passes else "It does not pass yet").wait_for()
        assert use.is_visible() == passes
    written(page, "def bpe_encode(text, merges):\n    return []\n", "bpe_encode")
    place.get_by_role("button", name="Run").click()
    use.click()
    page.get_by_label("cut by your own bpe_encode").wait_for()


def test_what_leads_nowhere_has_no_such_link(visit):
    page = visit()
    place = begun(page)
    run(page, RIGHT, "It passes.")
    assert place.get_by_role("link", name="the model").count() == 0


@pytest.mark.parametrize(
    ("status", "says", "mark"),
    [
        ("failed", "It does not pass yet", ""),
        ("error", "Your code does not run", ""),
        ("ended", "It was ended", "✔ passed"),
        ("no judge", "It could not be judged", "✔ passed"),
    ],
)
def test_what_passed_and_no_longer_does_is_not_marked(visit, status, says, mark):
    """Another answer, which it uses, may have changed; where nothing was judged, nothing is known."""
    page = visit()
    place = begun(page)
    run(page, RIGHT, "It passes")
    place.get_by_text("✔ passed").wait_for()
    page.evaluate("(given) => (becomes = given)", status)
    place.get_by_role("button", name="Run").click()
    place.get_by_role("status").get_by_text(says).wait_for()
    assert place.locator(".solve-mark").inner_text() == mark
