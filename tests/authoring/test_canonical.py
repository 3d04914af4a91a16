"""utils.authoring.canonical: what surely computes the same has one form, and nothing else has."""

import ast

import pytest

from utils.authoring.canonical import canonical


def same(one, other):
    return canonical(ast.parse(one)) == canonical(ast.parse(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a + b + c", "a + (b + c)"),
        ("a * b * c * d", "a * (b * c * d)"),
        ("2 * (a + b * (c * d))", "2 * (a + b * c * d)"),
        ("a - b + 1", "a + 1 - b"),
        ("a - (b - c)", "a - b + c"),
        ("-a + b", "b - a"),
        ("max(a, len(b))", "max(len(b), a)"),
        ("return_ = f(a + (b + c))", "return_ = f(a + b + c)"),
    ],
)
def test_brackets_and_order_that_change_nothing_are_one_form(one, other):
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a + b", "b + a"),  # of two lists, another list
        ("a - b", "b - a"),
        ("a - b - c", "a - (b - c)"),
        ("a * b + c", "a * (b + c)"),
        ("a / b * c", "a / (b * c)"),
        ("a @ b * c", "a @ (b * c)"),
        ("-a + b", "-(a + b)"),
        ("max(a, b)", "min(a, b)"),
        ("max(a, b, key=f)", "max(b, a, key=f)"),  # where two are equal by the key, the first is chosen
        ("x.max(a, b)", "x.max(b, a)"),
        ("a += b + c", "a += b - c"),
    ],
)
def test_whatever_may_compute_something_else_has_another_form(one, other):
    assert not same(one, other)
