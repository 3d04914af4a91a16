"""author.canonical: what surely computes the same has one form, and nothing else has."""

import ast

import pytest

from author.canonical import canonical, of_whole_numbers


def same(one, other):
    return canonical(ast.parse(one), {"tokens"}) == canonical(ast.parse(other), {"tokens"})


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
        ("k.transpose(-2, -1)", "k.transpose(-1, -2)"),
        ("k.swapaxes(0, 1)", "k.swapaxes(1, 0)"),
        ("torch.ones(2)[:, None] * w", "torch.ones(2)[:, None, :] * w"),
        ("b[None]", "b[None, :, :]"),
        ("w[tokens.detach()]", "w[tokens]"),
        ("w[tokens[1:, None].detach()]", "w[tokens[1:, None]]"),
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
        ("k.transpose(-2, -1)", "k.transpose(-2, -3)"),
        ("torch.transpose(k, -2, -1)", "torch.transpose(k, -1, -3)"),
        ("b[:, None]", "b[..., None]"),
        ("b[:, None]", "b[None, :]"),
        ("b[1, :]", "b[1]"),  # of a dict, or of a table of something else
        ("b[..., None, :]", "b[..., None]"),
        ("x.detach()", "x"),
        ("w[tokens].detach()", "w[tokens]"),
    ],
)
def test_whatever_may_compute_something_else_has_another_form(one, other):
    assert not same(one, other)


def test_arguments_of_whole_numbers_are_known_by_their_annotations():
    code = """
def one(tokens: Int[Tensor, "pos"], hidden: Bool[Tensor, "pos"], x: Float[Tensor, "pos"], n: int):
    pass
def either(either: Int[Tensor, "pos"]):
    pass
def other(tokens: Int[Tensor, "pos"], either):
    pass
"""
    assert of_whole_numbers(ast.parse(code)) == {"tokens", "hidden"}
