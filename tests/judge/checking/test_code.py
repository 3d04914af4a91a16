"""judge.checking.code, slips: what is said beside code is true of it."""

import ast
import linecache
import math
from dataclasses import replace

import pytest

from judge.checking.code import (
    Claims,
    Code,
    apart_in_line,
    code_of,
    never_read,
    no_f_string,
    no_power,
    no_sum,
    thrown_away,
)
from judge.checking.known import Misconception
from judge.checking.places import Place
from judge.running.records import Frame, LearnerError, Record

ADVICE = "`sort` goes from low to high: pass `descending=True`. The sum is that of the more likely: `topk` finds them."


def claims(advice=ADVICE, forms="x.sort()", solution="x.sort(descending=True)", name="wrong way round"):
    words = [Code((text,)).words for text in (forms, forms, solution)]
    return Claims(Misconception(name, advice, None, Place.__new__(Place)), *words, of_tensors=True)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("y = x.sort()", ADVICE),
        ("y = sorted(x)", "The sum is that of the more likely: `topk` finds them."),
        ("", ADVICE),  # nothing is known of it
    ],
)
def test_what_an_advice_says_of_a_call_is_said_where_the_call_is(answer, said):
    assert claims().advice_for(Code((answer,) if answer else ())) == said


@pytest.mark.parametrize(
    ("advice", "kept"),
    [
        ("`view` and `reshape` only cut: move the axis first.", "`view` and `reshape` only cut: move the axis first."),
        ("`.item()` or `int(...)` makes an int.", "`.item()` or `int(...)` makes an int."),
        ("`W_in` fits as it is: `x @ self.W_in`.", "`W_in` fits as it is: `x @ self.W_in`."),  # no function
        ("`var_mean` gives the variance first.", ""),
    ],
)
def test_only_what_begins_with_a_function_speaks_of_it(advice, kept):
    assert claims(advice).advice_for(Code(("y = x.reshape(2, 3)[y.item()]",))) == kept


@pytest.mark.parametrize(
    ("advice", "of_tensors", "kept"),
    [
        ("`new` tokens take `new` passes.", False, "`new` tokens take `new` passes."),
        ("`split` cuts at spaces.", False, "`split` cuts at spaces."),
        ("`sum` begins with 0. Join them.", False, "Join them."),
        ("`new` tokens take `new` passes.", True, ""),  # torch has a method of this name
    ],
)
def test_of_plain_python_a_function_is_what_python_has(advice, of_tensors, kept):
    """So that a page, where there is no torch, says the same as a notebook."""
    assert replace(claims(advice), of_tensors=of_tensors).advice_for(Code(("total += piece",))) == kept


def test_an_advice_asks_for_what_is_there_only_where_all_of_it_is():
    asking = claims("Take the softmax first.", "torch.multinomial(x, 1)", "torch.multinomial(x.softmax(-1), 1)")

    assert asking.asks_for_what_is_there(Code(("p = x.softmax(-1)\nd = torch.multinomial(p, 1)",)))
    assert not asking.asks_for_what_is_there(Code(("d = torch.multinomial(x, 1)",)))


def error_in(line):
    return Record(error=LearnerError("RuntimeError", "the same", [Frame("your cell", 1, "forward", line)]))


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("e = (x - x.amax(dim=dim)).exp()", "x = x - x.amax(dim)", True),
        ("scores.append((stream * column).sum(-1))", "return stream * self.W_U + self.b_U", False),
        ("return x - mean", "centred = residual - average", True),  # signs alone
        ("for row in x * y:", "return x * y", True),  # a block that is cut off
    ],
)
def test_errors_are_alike_where_their_lines_have_something_in_common(one, other, alike):
    assert (apart_in_line(error_in(one), error_in(other)) < math.inf) == alike


def code(body):
    return Code((f"def forward(self, x):\n    {body}\n    return x",))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x + self.mlp(x)", "`x + self.mlp(x)` (line 2) is computed and thrown away: nothing keeps"),
        ("+ self.b_U", "`+self.b_U` (line 2) stands on a line of its own"),
        ("x.masked_fill(mask, 0.0)", "`x.masked_fill(mask, 0.0)` (line 2) is computed and thrown away: nothing keeps"),
        ("sorted(beams)", "`sorted(beams)` (line 2) is computed and thrown away: nothing keeps"),
        ("torch.cat([x, x])", "`torch.cat([x, x])` (line 2) is computed and thrown away: nothing keeps"),
        ("x == x + 1", "`x == x + 1` (line 2) compares and changes nothing. To assign, write `=`."),
        ("x.masked_fill_(mask, 0.0)", None),
        ("beams.sort()", None),  # a list's own
        ("text.split()", None),  # torch has a `split` too
        ("torch.add(x, x, out=x)", None),  # kept there
        ("self.remember(x)", None),
        ("torch.manual_seed(3)", None),
        ("nn.init.normal_(x)", None),
        ("'a text'", None),
        ("...", None),
    ],
)
def test_what_is_thrown_away_is_seen(body, said):
    found = thrown_away(code(body))
    assert found == said if said is None else found.startswith(said)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (
            "def encode(self, text):\n    tokens = [1]\n    tokens",
            "(line 3) is computed and thrown away: write `return tokens`.",
        ),
        (
            "def encode(self, text):\n    if not text:\n        return []\n    text",
            "nothing keeps what this line gives.",
        ),
        ("def encode(self, text):\n    text\n    print(text)", "nothing keeps what this line gives."),
        ("def encode(self, text):\n    yield text\n    text", "nothing keeps what this line gives."),
        ("def __init__(self, text):\n    text", "nothing keeps what this line gives."),
        ("def encode(self, text):\n    kept == text", "`kept == text` (line 2) compares and changes nothing."),
    ],
)
def test_a_last_line_that_lacks_its_return_is_told_so(function, said):
    assert said in thrown_away(Code((function,)))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("biased = x + self.b_U", "`biased = x + self.b_U` is computed, and `biased` is never read."),
        ("_ = x + 1", None),
        ("scale = 2.0", None),
        ("batch, pos = x.shape", None),
        ("y = x + 1; x = y", None),
    ],
)
def test_what_is_never_read_is_seen(body, said):
    assert never_read(code(body)) == said


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("for layer in range(2): x = cache['blocks.{layer}.out']", "`{layer}` in `'blocks.{layer}.out'` is plain text"),
        ("for layer in range(2): x = cache[f'blocks.{layer}.out']", None),
        ("for layer in range(2): x = cache['blocks.{layer}.out'.format(layer=layer)]", None),
        ("x = '{a} {b}'", None),
    ],
)
def test_a_text_that_should_be_an_f_string_is_seen(body, said):
    found = no_f_string(code(body))
    assert found == said if said is None else found.startswith(said)


@pytest.mark.parametrize(
    ("body", "power"),
    [
        ("return x ^ 2", 2),
        ("return 2 * x ^ 3", 3),
        ("return x ^ 2 * y", 2),
        ("return (x ^ 2 + 1) * y", 2),
        ("return x ^ 1", None),
        ("return x ^ y", None),
        ("return 2 ^ x", None),
        ("return x ** 2 | 2", None),
    ],
)
def test_a_power_that_is_no_power_is_seen(body, power):
    found = no_power(code(body))
    assert found == power if power is None else found.startswith(f"`^ {power}` is no power")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("total = 0\n    total =+ x\n    return total", "`total =+ x` replaces"),
        ("total = 0\n    for n in x:\n        total =+ n * 2", "`total += n * 2`"),
        ("x =+ 1\n    return x", "`x += 1`"),
        ("total =+ x\n    return total", None),
        ("sign = -1\n    sign = +1", None),
        ("total = 0\n    total = -x", None),
        ("total = 0\n    total = x + 1", None),
        ("total = 0\n    total += x", None),
    ],
)
def test_a_sum_that_is_no_sum_is_seen(body, told):
    found = no_sum(code(body))
    assert found == told if told is None else told in found


def test_the_source_is_that_of_the_answer_and_of_what_it_calls_in_its_own_file():
    text = "def helper(x):\n    return x.sqrt()\n\ndef answer(x):\n    return helper(x).exp()\n\n"
    text += "def other(x):\n    return x.log()\n"
    linecache.cache["<a cell>"] = (len(text), None, text.splitlines(keepends=True), "<a cell>")
    names = {"elsewhere": test_what_is_never_read_is_seen}
    exec(compile(text, "<a cell>", "exec"), names)
    assert {"sqrt", "exp"} <= code_of(names["answer"]).words
    assert "log" not in code_of(names["answer"]).words
    assert code_of(ast.parse).words  # a library's own is read too, and judged by nobody
    assert not code_of(len).words
