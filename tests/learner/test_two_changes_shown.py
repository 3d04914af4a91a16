"""utils.learner.folds: how two changes are shown, and what is left beside one."""

from tests.learner.test_repair_shown import repair, words
from utils.learner.folds import as_folds, as_line
from utils.repairing import Repair

OTHER = Repair(9, "return z", "A step is missing.", "z", "z.mean()", 1, False)


def test_two_changes_are_told_together():
    both = repair(then=OTHER)
    assert both.changes == (repair(then=OTHER), OTHER)
    _, where, kind, change = words(both).split("FOLD")
    assert "Two things are wrong" in where and "ine 7" in where and "ine 9" in where
    assert "A name is another." in kind and "A step is missing." in kind and "mean" not in kind
    assert "x[<b>] → x[<i>]" in change and "z → z.mean()" in change
    assert "lines 7 and 9 " in as_line(both)


def test_two_changes_to_one_line_name_it_once():
    both = repair(then=repair(before="z"))
    assert words(both).count("Line 7") == 1 and words(both).count("A name is another.") == 1
    assert "line 7 " in as_line(both)


def test_what_is_left_beside_a_change_is_told_in_a_fold_of_its_own():
    both = repair(left="a mask of -100. Use `-inf`.")
    _, where, kind, change, other = words(both).split("FOLD")
    assert "Two things are wrong" in where and "ine 7" in where and "A name is another." in kind
    assert "x[<b>] → x[<i>]" in change and "every check" not in change
    assert "the other" in other and "a mask of -100. Use -inf." in other
    assert "line 7 " in as_line(both) and "a mask of -100" in as_line(both)


def test_of_two_changes_none_is_shown_where_one_is_the_whole_solution():
    both = repair(then=repair(whole=True, before="SECRET BEFORE", after="SECRET AFTER"))
    assert "x[<i>]" not in as_folds(both) and "SECRET" not in as_folds(both)
