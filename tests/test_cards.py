"""utils.learner.cards: the wording of every kind of card, as text and as HTML."""

import re
import sys
from html.parser import HTMLParser

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config as ShellConfig

from tests import tiny_exercise as tiny
from tests.tiny_exercise import Scale, judge_scale, scale, written
from utils.checking import CheckFailed, judging
from utils.learner import cards
from utils.learner.cards import Verdict, as_html, show, text
from utils.running.records import Frame


def line_of(function, offset):
    return function.__code__.co_firstlineno + offset


WRITTEN = {
    "wrong values": written(tiny.two_too_much),
    "wrong values with a known mistake": written(tiny.no_offset),
    "NaN": written(tiny.not_a_number),
    "wrong shape": written(tiny.shape_lost),
    "no return": written(tiny.nothing),
    "parameter names and shapes": tiny.OtherNames,
    "unexpected signature": written(tiny.no_input),
    "their exception": written(tiny.raising),
    "not yet": written(tiny.stub),
    "passed": Scale,
}
PARAMETERS = "  ✔ parameters `w` [d_model], `b` [d_model]"
SHAPE = f"{PARAMETERS}\n  ✔ keeps the shape"
SAID = f"""\
✘ Scale
{SHAPE}
  ✘ agrees with the reference solution
      48 of 48 values differ, by up to 2.0000 (allowed 0.000381)
      at [batch 0, pos 0, d_model 0]: got 2.5000, expected 0.5000
      every value is the expected one plus 2.0000
      (random numbers from seed 0)

✘ Scale
{SHAPE}
  ✘ agrees with the reference solution
      48 of 48 values differ, by up to 0.5000 (allowed 0.000381)
      at [batch 0, pos 0, d_model 0]: got 0.0000, expected 0.5000
      every value is the expected one plus -0.5000
      This is what you get from leaving out `b`: Add `self.b`.
      (random numbers from seed 0)

✘ Scale
{SHAPE}
  ✘ agrees with the reference solution
      1 of 48 values are NaN, the first at [batch 1, pos 2, d_model 7]
      all of them at batch 1 and pos 2 and d_model 7; elsewhere the values are right
      (random numbers from seed 0)

✘ Scale
{PARAMETERS}
  ✘ keeps the shape
      got shape [2, 8], expected [batch 2, pos 3, d_model 8]
      missing: pos
      This is what you get from averaging over `pos`: Keep the positions apart.
      (random numbers from seed 0)

✘ Scale
{PARAMETERS}
  ✘ keeps the shape
      the result is None: is there a `return`?
      (random numbers from seed 0)

✘ Scale
  ✘ parameters `w` [d_model], `b` [d_model]
      `w` is missing
      `weight` is not a parameter of this component
      A parameter is an nn.Parameter assigned in __init__ to self under exactly this name.
      `b` has shape [8, 1], expected [d_model 8]
      (random numbers from seed 0)

✘ Scale
{PARAMETERS}
  ✘ keeps the shape
      it is called as `Scale(cfg)(x)`, and Python answered
      TypeError: no_input() takes 1 positional argument but 2 were given
      (random numbers from seed 0)

✘ Scale
{PARAMETERS}
  ✘ keeps the shape
      AttributeError: 'Tensor' object has no attribute 'wieght'
      tiny_exercise.py, line {line_of(tiny.raising, 2)}, in raising:  return self.w * helper(x)
      tiny_exercise.py, line {line_of(tiny.helper, 1)}, in helper:  return x.wieght
      your code printed:
        x is <here>
      (random numbers from seed 0)

○ Scale: not yet
{PARAMETERS}
      Replace the line that raises NotImplementedError, then run this cell again.

✔ Scale
{SHAPE}
  ✔ agrees with the reference solution
  ✔ passes gradients back to `w`, `b` and `x`"""
CARDS = {kind: (WRITTEN[kind], card) for kind, card in zip(WRITTEN, SAID.split("\n\n"), strict=True)}
every_card = pytest.mark.parametrize(("component", "card"), CARDS.values(), ids=CARDS.keys())


@every_card
def test_the_words_of_a_card(component, card):
    verdicts = [scale.judge(component) for _ in range(2)]
    assert text(verdicts[0]) == card
    assert [text(verdicts[1]), as_html(verdicts[1])] == [text(verdicts[0]), as_html(verdicts[0])]


@every_card
def test_html_has_the_same_words_and_escapes_them(component, card):
    words, parser = [], HTMLParser()
    parser.handle_data = words.append
    parser.feed(as_html(scale.judge(component)))
    plain = card.replace("`", "").replace("(random numbers from seed 0)", "random numbers from seed 0")
    assert re.sub(r"\s", "", "".join(words)) == re.sub(r"\s", "", plain)


def test_html_makes_code_of_backticks_and_nothing_of_what_the_learner_wrote():
    frame = Frame("your cell", 3, "<lambda>", "a < b and `c`")
    verdict = Verdict("Scale", status="failed", failed="a `<b>` line", details=("one ` alone",), frames=(frame,))
    verdict.printed = "<script>alert('hi')</script>"
    page = as_html(verdict)
    for wanted in (
        "a <code>&lt;b&gt;</code> line",
        "<div>one ` alone</div>",
        "in &lt;lambda&gt;: <code>a &lt; b and `c`</code>",
        "&lt;script&gt;alert(&#x27;hi&#x27;)&lt;/script&gt;</pre>",
    ):
        assert wanted in page


def test_long_and_ragged_texts_stay_in_shape():
    frame = Frame("your cell", 3, "forward", "")
    printed = "\n".join(map(str, range(20))) + "\n\n"
    verdict = Verdict(
        "Scale", 5, "failed", failed="holds", details=("ValueError: a\nb",), frames=(frame,), printed=printed
    )
    said = ["ValueError: a", "b", "your cell, line 3, in forward", "your code printed:", "  ... (8 lines before)"]
    said += [f"  {number}" for number in range(8, 20)]
    card = ["✘ Scale", "  ✘ holds", *(f"      {line}" for line in said), "      (random numbers from seed 5)"]
    assert text(verdict).splitlines() == card
    assert "<div>ValueError: a</div><div>b</div><div>your cell, line 3, in forward</div>" in as_html(verdict)


def test_a_card_ends_with_what_comes_next_and_has_a_line_for_short():
    verdict = Verdict("Scale", passed=["holds"], footer=("Next: `Other`.",))
    assert text(verdict) == "✔ Scale\n  ✔ holds\n  Next: `Other`."
    assert as_html(verdict).endswith("Next: <code>Other</code>.</div></div>")
    assert verdict.summary() == "✔ Scale: passed"
    assert Verdict("Scale", status="not yet").summary() == "○ Scale: not yet"
    assert Verdict("Scale", status="failed", failed="holds").summary() == "✘ Scale: holds"


@pytest.fixture
def ipython(tmp_path, monkeypatch):
    """A terminal's IPython that knows what this test judges."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # the shell puts its own there
    shell = InteractiveShell(config=ShellConfig({"HistoryManager": {"enabled": False}}))
    shell.user_ns.update(judge_scale=judge_scale, Scale=WRITTEN["NaN"])
    return shell


def test_a_failure_in_a_notebook_is_the_card_and_one_line(ipython, monkeypatch, capsys):
    for module in (cards, judging):
        monkeypatch.setattr(module, "in_notebook", lambda: True)
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    ipython.run_cell("judge_scale(Scale)")
    assert shown == [{"text/plain": CARDS["NaN"][1], "text/html": as_html(scale.judge(WRITTEN["NaN"]))}]
    assert capsys.readouterr() == ("✘ Scale: agrees with the reference solution\n", "")


def test_a_failure_elsewhere_is_the_card(ipython, capsys):
    ipython.run_cell("judge_scale(Scale)")
    assert capsys.readouterr() == (CARDS["NaN"][1] + "\n", "")
    with pytest.raises(CheckFailed) as caught:
        judge_scale(WRITTEN["NaN"])
    assert str(caught.value) == CARDS["NaN"][1] and capsys.readouterr().out == ""


def test_a_pass_is_printed_outside_a_notebook(capsys):
    judge_scale(Scale)
    assert capsys.readouterr().out == CARDS["passed"][1] + "\n"
    show(Verdict("Scale"))
    assert capsys.readouterr().out == "✔ Scale\n"
