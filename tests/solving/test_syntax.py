"""What is said of a cell that Python can't read."""

import pytest

from utils.solving.syntax import ROWS, unreadable

SAID = {
    "x = 4 × 3": "For `×` Python has `*`.",
    "x = “a": 'straight: write `"`',
    "x = 12d_model": "`12 * d_model`",
    "x = 2cfg.d_model": "`2 * cfg.d_model`",
    "def f(): pass\nreturn 3": "outside of the function",
    "if x:\n    pass\nelse if y:\n    pass": "`elif`",
    "def f(x) {": "curly brackets",
    "x++": "`x += 1`",
    "x--": "`x -= 1`",
    "if x && y:\n    pass": "`&&` as `and`",
    "if x || y:\n    pass": "`||` as `or`",
    "x = !y": "`!` as `not`",
    "if x => 3:\n    pass": "`=>` as `>=`",
    "if x =< 3:\n    pass": "`=<` as `<=`",
    "if x <> 3:\n    pass": "`<>` as `!=`",
    "x = 3 +  # more\n    4": "behind the last `+`",
    "x = y and\n    z": "behind the last `and`",
    "x =": "behind the last `=`",
    "lambda = 3": "`lambda` is one of Python's own words",
    "else:\n    x = 3": "This `else` belongs to no `if`",
    "int x = 3": "no `int` before it: write `x = ...`",
    "x = cfg.d_model d_mlp": "between `cfg.d_model` and `d_mlp`",
    "x = f(3) y": "between `)` and `y`",
}
LEFT_TO_PYTHON = [
    *("x = (3", "x = 3)", "if x = 3:\n    pass", "def f(x)\n    return x", "x = [1, 2 3]", "print 'a'", "x = 'abc"),
    *("x = 3 if y", "x = 007", "  x = 3", "if x:\nx = 3", "x = 3.d", "x = a ? b : c", "x = 3 for y in z", "f(a=1, 2)"),
    *("class A:\n    return 3", "x = a not b", "x = 5$", "x = 5 if !=3 else 4"),
]


def said(source):
    with pytest.raises(SyntaxError) as caught:
        compile(source, "<cell>", "exec")
    return unreadable(caught.value, source)


@pytest.mark.parametrize("source", SAID)
def test_a_sentence_says_what_to_write(source):
    _, _, advice = said(source)
    assert advice and SAID[source] in advice


@pytest.mark.parametrize("source", LEFT_TO_PYTHON)
def test_nothing_is_added_where_python_says_enough(source):
    assert said(source)[2] is None


def test_each_row_has_its_case():
    sentences = {row.sentence.partition("{")[0] for row in ROWS if "invalid character" not in row.message}
    advices = [said(source)[2] for source in SAID]
    assert [one for one in sentences if not any(advice.startswith(one) for advice in advices)] == []


def test_the_place_is_marked_below_the_line():
    assert said("y = 1\nx = y z\n")[:2] == ("SyntaxError: invalid syntax", ["x = y z", "      ^"])


def test_the_mark_is_in_sight_where_the_line_is_long():
    line, mark = said("x = (aaaaaaaaaaa + bbbbbbbbbbbbbb) * ccccccccccccc ddddddddddd + e - f")[1]
    assert len(line) > len(mark) > mark.index("^") < 24 and line[mark.index("^") :].startswith("ddddddddddd")


@pytest.mark.parametrize("source", ["return 3", "def f():\n    x = 1\n    global x\n"])
def test_the_line_is_there_where_the_compiler_does_not_name_it(source):
    assert source.splitlines()[-1].strip() in said(source)[1][0]
