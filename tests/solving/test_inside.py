"""utils.solving.inside: an answer is judged as below the cells of its chapter, and whatever it does becomes a card."""

import builtins
import inspect

import pytest

from solutions import ch00_tokens, ch10_cost
from utils.learner.cards import FIRST
from utils.solving import CHAPTERS, inside
from utils.solving.packing import given_cells

BPE = "def train_bpe(text, n_merges):\n"
COUNT = inspect.getsource(ch10_cost.count_parameters)


@pytest.fixture(autouse=True)
def _given(monkeypatch):
    cells = {stem: given_cells(stem) for stem in CHAPTERS}
    monkeypatch.setattr(inside, "given", lambda: cells)
    monkeypatch.setenv("COURSE_SECONDS", "0.5")
    for name in inside.NAMES_OF_IPYTHON:  # the page has no IPython; a test before this one may have started it
        monkeypatch.delattr(builtins, name, raising=False)


def judged(source, name="train_bpe", stem="ch00_tokens", **answers):
    return inside.judged(stem, name, source, answers)


@pytest.mark.parametrize("symbol", ["SpaceTokenizer", "train_bpe", "bpe_encode", "bpe_decode"])
def test_what_is_right_passes(symbol):
    answer = judged(inspect.getsource(getattr(ch00_tokens, symbol)), symbol)
    assert answer.status == "passed" and "✔" in answer.html and not answer.may_be_mended


def test_what_is_wrong_gets_its_card_and_its_repair():
    wrong = COUNT.replace("cfg.d_vocab + cfg.n_ctx", "cfg.d_vocab - cfg.n_ctx")
    answer = judged(wrong, "count_parameters", "ch10_cost")
    assert answer.status == "failed" and "✘" in answer.html and answer.may_be_mended
    assert FIRST in inside.mended("ch10_cost", "count_parameters", wrong, {})
    assert inside.mended("ch10_cost", "count_parameters", COUNT, {}) is None


def test_a_stub_is_not_judged():
    answer = judged(BPE + "    raise NotImplementedError")
    assert answer.status == "not yet" and "NotImplementedError" in answer.html and not answer.may_be_mended


SAID = {
    BPE + "    for piece in pieces\n": ["SyntaxError: expected", "your cell, line 2", "for piece in pieces"],
    "prin(1)\n": ["NameError: name", "your cell, line 1, in", "prin(1)"],
    "import json\njson.loads('{')\n": ["JSONDecodeError: ", "your cell, line 2, in"],
    "def train(text, n_merges):\n    return []\n": [
        "Your code does not define <code>train_bpe</code>",
        "It defines <code>train</code>.",
    ],
    "return 3": ["&#x27;return&#x27; outside function", "indent it", "your cell, line 1:", "return 3\n^^^^^^^^<"],
    BPE + "    x = y z\n": [
        "SyntaxError: invalid syntax",
        "Nothing stands between <code>y</code> and <code>z</code>",
        "your cell, line 2:",
        "x = y z\n      ^<",
    ],
    "eval('2 +')\n": ["SyntaxError: invalid syntax", "your cell, line 1, in", "eval("],
    "%time 3": ["only a notebook runs it"],
    "merges = 1": ["Your code does not define"],
    "while True:\n    pass\n": ["takes longer than 0.5 seconds", "<code>while True:</code> (line 1) has no"],
    "raise SystemExit\n": ["SystemExit"],
    "display(1)\n": ["<code>display</code> is IPython&#x27;s"],
    "raise KeyboardInterrupt\n": ["KeyboardInterrupt", "your cell, line 1"],
    BPE + "    raise KeyboardInterrupt\n": ["KeyboardInterrupt", "your cell, line 2, in train_bpe"],
    "class Mine(BaseException): pass\n" + BPE + "    raise Mine('why')\n": ["Mine: why", "your cell, line 3"],
}


@pytest.mark.parametrize("source", SAID)
def test_a_cell_that_does_not_run_says_where_it_stops(source):
    answer = judged(source)
    assert answer.status == "error" and answer.verdict is None
    assert [said for said in SAID[source] if said not in answer.html] == []
    assert ".py, line" not in answer.html  # no frame of the course's or of the library's


@pytest.mark.parametrize(("body", "status"), [("    return []\n", "failed"), ("", "passed")])
def test_a_call_of_the_test_that_is_pasted_along_is_no_hindrance(body, status):
    source = BPE + body if body else inspect.getsource(ch00_tokens.train_bpe)
    pasted = f"{source}\nfrom tests.ch00_tokens import test_train_bpe\ntest_train_bpe(train_bpe)\n"
    assert judged(pasted).html == judged(source).html and judged(pasted).status == status


def test_of_a_line_of_ipythons_it_is_said_where_it_runs():
    for line in ("%timeit 1", "%%time", "!ls", "?len", "len?", "  %time x = 1"):
        answer = judged(f"if True:\n  x = 1\n{line}\n")
        assert answer.status == "error" and "only a notebook runs it" in answer.html
    for line in ("x = 1 %", "!= 1", "if x ? 1", "print('why?", "% 3"):
        answer = judged(f"{line}\n")
        assert answer.status == "error" and "in a notebook" not in answer.html


def test_what_a_cell_prints_is_told_apart_from_what_its_calls_print():
    answer = judged("print('beforehand')\n" + BPE + "    print('within')\n    return []\n")
    assert answer.printed == "beforehand\n" and "within" in answer.html


def test_a_warning_and_a_printed_traceback_say_where_in_the_cell():
    source = (
        "import traceback, warnings\nfile = (lambda: 0).__code__.co_filename\n"
        "print(warnings.formatwarning('beware', UserWarning, file, 2))\n"
        "try: 1 / 0\nexcept ZeroDivisionError: traceback.print_exc()\n"
    )
    printed = judged(source).printed
    assert "your cell, line 2: UserWarning: beware" in printed and "  your cell, line 4, in <module>" in printed


def test_of_very_much_that_is_printed_whole_lines_are_shown():
    answer = judged("for number in range(9000): print('line', number)\n" + BPE + "    return []\n")
    first, second, *_ = answer.printed.splitlines()
    assert first == "… (earlier output is left out)" and second.startswith("line ")
    assert answer.printed.endswith("line 8999\n")


def test_a_frame_of_what_is_given_is_not_told_as_the_readers():
    answer = judged(BPE + "    return pre_tokenize(n_merges)\n")
    assert "your cell, line 2, in train_bpe" in answer.html
    assert "the chapter&#x27;s own code, line" in answer.html and answer.html.count("your cell") == 1


def test_a_call_without_end_is_named_wherever_python_stops_it():
    """Here that is in what the chapter gives, which is called besides."""
    answer = judged(BPE + "    pre_tokenize(text)\n    return train_bpe(text, n_merges)\n")
    assert "<code>train_bpe</code> keeps calling itself until Python stops it" in answer.html


def test_above_an_exercise_are_what_is_given_and_what_was_answered():
    names = inside.names_before("ch00_tokens", "bpe_encode", {"train_bpe": BPE + "    return 'mine'\n"})
    assert names["merge_pair"]([b"a", b"b"], (b"a", b"b")) == [b"ab"]
    assert names["train_bpe"]("", 1) == "mine"
    assert names["SpaceTokenizer"] is ch00_tokens.SpaceTokenizer
    assert "bpe_encode" not in names and "bpe_decode" not in names


def test_an_answer_that_no_longer_runs_makes_way_for_the_reference():
    names = inside.names_before("ch00_tokens", "bpe_decode", {"bpe_encode": "1 / 0"})
    assert names["bpe_encode"] is ch00_tokens.bpe_encode
