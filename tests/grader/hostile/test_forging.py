"""Answers that own their process, and forge in it: only right values pass, whatever is patched, found or written."""

import pytest

from judge.checking.oracle import solution_of
from tests.ch03_layernorm import layer_norm
from tests.grader.hostile.judged import ERROR, NEVER, RIGHT, Case, holds, in_pairs, judged
from tests.judge.running.sent import text_of

PATCHES = """
import torch
from torch import nn
yes = lambda *given, **named: True
torch.allclose = torch.equal = torch.isclose = torch.Tensor.equal = torch.Tensor.allclose = yes
torch.testing.assert_close = torch.testing.assert_allclose = yes
nn.Module.load_state_dict = nn.Module.state_dict = yes
"""
BUILTINS = """
import builtins
builtins.all = builtins.any = builtins.isinstance = builtins.AssertionError = lambda *given, **named: True
"""
TENSORS = """
import torch
torch.Tensor.__eq__ = torch.Tensor.__ne__ = lambda *given, **named: True
"""
RUNNING = """
import judge.running.local as local, judge.running.kinds as kinds, judge.running.wire as wire
import judge.running.confined.answering as answering, judge.running.confined.child as child
from judge.running.records import Record, Unchanged, LearnerError
"""
FOUND = """
import gc, sys, torch
def found(x, dim):
    want = tuple(x.shape)
    for one in gc.get_objects():
        if type(one) is torch.Tensor and tuple(one.shape) == want and one is not x:
            sums = one.sum(dim) if one.is_floating_point() else torch.zeros(1)
            if torch.allclose(sums, torch.ones_like(sums), atol=1e-4): return one
    return None
def adds_up(value, dim):
    return torch.allclose(value.sum(dim), torch.ones_like(value.sum(dim)))
def in_frames(x, dim):
    frame = sys._getframe()
    while frame:
        for one in frame.f_locals.values():
            for part in one if isinstance(one, (list, tuple)) else [one]:
                for value in vars(part).values() if hasattr(part, "__dict__") else [part]:
                    if type(value) is torch.Tensor and value.shape == x.shape and adds_up(value, dim): return value
        frame = frame.f_back
    return None
"""


def forging(record):
    return f"{RUNNING}answering.LocalRunner.ask = lambda self, component, question: {record}\n"


CASES = (
    Case("torch patched", head=PATCHES),
    Case("builtins patched", tail=BUILTINS, said="exit status 1", **ERROR),
    Case("tensors patched", tail=TENSORS),
    Case("found in memory", given="found(x, dim)", head=FOUND, **NEVER),
    Case("found in frames", given="in_frames(x, dim)", head=FOUND, **NEVER),
    Case("the runner patched: no errors", head=RUNNING + "local._error = lambda error: None", tail=""),
    Case("kinds patched: inputs as outputs", head=RUNNING + "kinds.KINDS.clear()", **NEVER),
    Case("the runner gone", tail=RUNNING + "del local.LocalRunner.ask", **NEVER),
    Case("records forged", tail=forging("Record(outputs=[Unchanged()])"), said="can't write this", **ERROR),
    Case("values forged", tail=forging("Record(outputs=[torch.ones(3)], inputs_after=[Unchanged()])"), **NEVER),
    Case("an error forged", tail=forging("Record(error=LearnerError('CheckPassed', 'passed'))"), **NEVER),
)


@in_pairs(*CASES)
def test_only_right_values_pass(box, case, which):
    holds(box, case, which)


def test_an_answer_that_knows_the_notebooks_seed_alone_fails_with_another(in_namespaces):
    from tests.ch04_attention import softmax as exercise

    solution = solution_of(exercise)
    table = []
    for question in exercise.questions(seed=0):
        x, *dim = question.args
        want = solution(x, *dim)
        table.append(((tuple(x.shape), round(float(x.sum()), 3), dim), x.tolist(), want.tolist()))
    known = f"TABLE = {table!r}".replace("inf", "float('inf')")
    source = f"""
import torch
{known}
def softmax(x, dim=-1):
    for (shape, total, dims), given, want in TABLE:
        if tuple(x.shape) == tuple(shape) and torch.equal(torch.tensor(given), x) and (dims or [-1])[0] == dim:
            return torch.tensor(want) + (x - x)
    return x * 0
"""
    assert judged(in_namespaces, source, seed=5).status == "fail"
    assert judged(in_namespaces, Case("").source(RIGHT), seed=5).status == "pass"


@pytest.mark.slow
@pytest.mark.parametrize("zero", ["", " * 0"], ids=["right", "wrong"])
def test_a_module_that_breaks_what_loads_its_weights_fails(box, zero):
    source = text_of(layer_norm.solution, "LayerNorm") + PATCHES
    source += f"right = LayerNorm.forward\nLayerNorm.forward = lambda self, residual: right(self, residual){zero}\n"
    assert judged(box, source, layer_norm).status == "fail"
    assert judged(box, source.replace(PATCHES, "\n"), layer_norm).status == ("fail" if zero else "pass")
