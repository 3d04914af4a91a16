"""judge.repairing.repair: what is shown of a change is what stands there, and what it becomes."""

import ast

import pytest

from judge.edits.candidates import Edit
from judge.edits.trees import expression, walk
from judge.repairing.repair import shown


@pytest.mark.parametrize(
    ("line", "old", "new", "before", "after"),
    [
        ("names = [f'{i}_attention']", "_attention", "'_attn'", "f'{i}_attention'", "f'{i}_attn'"),
        ("names = f('attention_out')", "attention_out", "'attn_out'", "'attention_out'", "'attn_out'"),
    ],
)
def test_a_part_of_an_f_string_is_shown_with_all_of_it(line, old, new, before, after):
    tree = ast.parse(line)
    path = next(path for node, path in walk(tree) if isinstance(node, ast.Constant) and node.value == old)
    edit = Edit("text", ((path, expression(new)),), repr(old), new, 1, 1.0)
    assert shown(edit, tree, line) == (before, after)
