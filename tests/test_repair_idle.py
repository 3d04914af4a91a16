"""utils.repairing.idle: an edit that only keeps a branch from being run is no repair."""

from tests.test_repair_search import _unhurried, found, written  # noqa: F401, an autouse fixture


def test_a_condition_that_never_holds_any_more_is_no_repair():
    repair = found(written("if x.shape[1] == 3:\n    x = x + 1\nreturn x * self.w + self.b"))
    assert (repair.line, repair.before, repair.after) == (9, "x + 1", "x")  # and not shape[0] in line 8


def test_a_condition_that_always_holds_is_no_repair():
    repair = found(written("if x.shape[1] == 3:\n    return x * self.w + self.b\nreturn x * self.w"))
    assert repair is None or repair.after != "x.shape[1] >= 3"


def test_order_in_the_place_of_equality_is_no_repair_where_the_condition_never_holds():
    repair = found(written("if x.shape[1] > 0:\n    x = x + 1\nreturn x * self.w + self.b"))
    assert (repair.line, repair.before, repair.after) == (9, "x + 1", "x")


def test_a_condition_may_be_turned_round_though_it_never_holds_then():
    repair = found(written("if x is not None:\n    return None\nreturn x * self.w + self.b"))
    assert (repair.line, repair.before) == (8, "x is not None")
