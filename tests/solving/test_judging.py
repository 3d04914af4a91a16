"""utils.solving in a browser: answers are judged in Pyodide, whatever they do, and no other host is asked."""

import inspect

import pytest

from solutions import ch00_tokens, ch10_cost
from utils.learner.cards import FIRST

pytestmark = [pytest.mark.browser, pytest.mark.slow]
OPEN = """async () => {
  const { openJudge } = await import("./_static/judging.mjs");
  window.said = [];
  window.judge = openJudge({ says: (text) => said.push(text) });
}"""
RUN = "async (run) => { const { mended, ...told } = await judge.run(run); return { ...told, mended: await mended } }"
BPE = "def train_bpe(text, n_merges):\n"
RIGHT = inspect.getsource(ch00_tokens.train_bpe)
RIGHT_TOKENIZER = inspect.getsource(ch00_tokens.SpaceTokenizer)


@pytest.fixture(scope="module")
def asked():
    """The addresses of all that was asked for."""
    return []


@pytest.fixture(scope="module")
def page(browser, address, asked):
    """A page that judges nothing by itself, with a judge."""
    opened = browser.new_page()
    opened.on("request", lambda request: asked.append(request.url.removeprefix(address)))
    opened.goto(f"{address}/START.html")
    opened.evaluate(OPEN)
    yield opened
    opened.close()


def run(page, source, name="train_bpe", stem="ch00_tokens"):
    return page.evaluate(RUN, {"stem": stem, "name": name, "source": source})


@pytest.fixture(autouse=True)
def _still_judges(page):
    """Whatever an answer has done, the next one is judged."""
    yield
    assert run(page, RIGHT)["status"] == "passed"


def test_what_is_right_passes(page, asked):
    told = run(page, RIGHT)
    assert told["status"] == "passed" and "✔" in told["html"] and told["mended"] is None
    said = page.evaluate("said")
    assert said[0] == "Loading Python …" and said[-1] == ""
    assert "/_static/solving/pyodide.asm.wasm.gzip" in asked
    assert not [one for one in asked if "rest.zip" in one or one.startswith("http")]  # on this host all is loaded


def test_what_is_wrong_gets_its_card_then_its_repair(page):
    wrong = inspect.getsource(ch10_cost.count_parameters).replace("cfg.d_vocab + cfg.n_ctx", "cfg.d_vocab - cfg.n_ctx")
    told = run(page, wrong, "count_parameters", "ch10_cost")
    assert told["status"] == "failed" and "✘" in told["html"]
    assert FIRST in told["mended"] and FIRST not in told["html"]


def test_a_misconception_is_named(page):
    """Of an exercise some of whose misconceptions need torch, which no page has."""
    told = run(page, RIGHT_TOKENIZER.replace("self.ids[word]", "self.ids.get(word)"), "SpaceTokenizer")
    assert told["status"] == "failed" and "The cause:" in told["html"]


def test_an_endless_loop_is_named(page):
    told = run(
        page, BPE + "    merges = []\n    while len(merges) < n_merges:\n        text = text\n    return merges\n"
    )
    assert told["status"] == "failed"
    assert "The condition of <code>while len(merges) &lt; n_merges:</code> (line 3) was still true" in told["html"]


def test_what_never_comes_back_to_python_is_ended(page):
    endless = BPE + "    from itertools import repeat\n    return sum(repeat(1))\n"
    with page.expect_console_message(lambda said: said.text == "ended"):
        page.evaluate(
            """(source) => {
              judge.run({ stem: "ch00_tokens", name: "train_bpe", source }).then(({ status, html }) => {
                window.ended = [status, html];
                console.log("ended");
              });
              setTimeout(judge.stop, 2000);
            }""",
            endless,
        )
    status, html = page.evaluate("ended")
    assert status == "stopped" and "Stopped." in html


def test_what_takes_all_memory_gets_a_card(page):
    told = run(page, BPE + "    parts = []\n    while True:\n        parts.append(bytearray(10_000_000))\n")
    assert told["status"] == "failed" and "There is no memory left" in told["html"]


def test_code_that_breaks_python_itself_is_told_of(page):
    told = run(page, BPE + "    import ctypes\n    return ctypes.string_at(2**32 - 8, 4)\n")
    assert told["status"] == "ended" and "Python itself crashed" in told["html"]


def test_code_that_breaks_the_judge_is_told_of(page):
    told = run(page, "import builtins\nbuiltins.len = None\n" + RIGHT)
    assert told["status"] == "no judge" and "The judge itself broke down" in told["html"]
    assert "Traceback" not in told["html"]


def test_a_recursion_without_end_is_an_error(page):
    told = run(page, BPE + "    return train_bpe(text, n_merges - 1)\n")
    assert told["status"] == "failed" and "keeps calling itself" in told["html"]


def test_the_rest_of_the_library_comes_when_it_is_imported(page, asked):
    told = run(page, "import email.message, html.parser\n" + RIGHT)  # of html a part was loaded first
    assert told["status"] == "passed"
    assert "/_static/solving/rest.zip.gzip" in asked


def test_a_mistyped_name_is_said(page):
    told = run(page, "prin(1)\n" + RIGHT)
    assert told["status"] == "error" and "Did you mean: &#x27;print&#x27;" in told["html"]


def test_nobody_can_type(page):
    told = run(page, "name = input()\n" + RIGHT)
    assert told["status"] == "error" and "nobody can type here" in told["html"]


def test_what_is_nowhere_is_said(page):
    told = run(page, "import torch\n" + RIGHT)
    assert told["status"] == "error" and "No module named &#x27;torch&#x27;: this page has only" in told["html"]
    told = run(page, BPE + "    import numpy.linalg\n")
    assert told["status"] == "failed" and "a notebook also has what is installed" in told["html"]
    told = run(page, "import jsn\n" + RIGHT)
    assert told["status"] == "error" and "No module named &#x27;jsn&#x27;</" in told["html"]


@pytest.mark.parametrize("lacks, says", [("", "could not be loaded"), ("delete window.DecompressionStream", "too old")])
def test_a_browser_in_which_it_does_not_run_is_told_so(browser, address, lacks, says):
    old = browser.new_page()
    old.add_init_script(lacks)
    old.route("**/worker.mjs", lambda route: route.fulfill(body="static {", content_type="text/javascript"))
    old.goto(f"{address}/START.html")
    old.evaluate(OPEN)
    told = run(old, RIGHT)
    old.close()
    assert told["status"] == "no judge" and says in told["html"]


def test_what_becomes_of_a_worker_that_was_ended_is_not_told_of_the_next(page):
    """Python that is ended while it waits may raise an error as it goes."""
    waiting = BPE + "    import time\n    time.sleep(20)\n"
    for _ in range(4):
        page.evaluate("(run) => void judge.run(run)", {"stem": "ch00_tokens", "name": "train_bpe", "source": waiting})
        page.wait_for_function("said.at(-1) === 'Running your code …'")
        page.wait_for_timeout(1000)
        page.evaluate("judge.stop()")
        assert run(page, RIGHT)["status"] == "passed"
