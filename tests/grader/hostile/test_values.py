"""Answers that give what is no plain tensor of the right values: each is compared as what it is."""

import pytest

from tests.grader.hostile.judged import LIMIT, NEVER, Case, holds, in_pairs

LIAR = """
class Liar(torch.Tensor):
    def __eq__(self, other): return torch.ones_like(self).bool()
    def allclose(self, *given, **named): return True
    def equal(self, other): return True
    def __reduce__(self): import os; os._exit(5)
    @classmethod
    def __torch_function__(cls, function, types, given=(), named=None):
        if "close" in function.__name__ or "eq" in function.__name__: return True
        return super().__torch_function__(function, types, given, named or {})
"""
HOSTILE = """
class Hostile:
    def __init__(self, value): self.value = value
    def __reduce__(self): return eval, ("__import__('os').system('touch /tmp/reduced')",)
    def __eq__(self, other): return True
    def __getattr__(self, name): return getattr(object.__getattribute__(self, "value"), name)
    def __iter__(self): return iter([self] * 10**9)
    def __len__(self): return 10**9
    def __repr__(self): raise SystemExit
"""
CASES = (
    Case("a tensor that says equal", given="answer(x, dim).as_subclass(Liar)", head=LIAR),
    Case("an object with a hostile reduce", given="Hostile(answer(x, dim))", head=HOSTILE, **NEVER),
    Case("NaN", given="answer(x, dim) * float('nan')", **NEVER),
    Case("infinite", given="answer(x, dim) / 0", **NEVER),
    Case("None", given="None", **NEVER),
    Case("float64", given="answer(x, dim).double()", **NEVER),
    Case("float16", given="answer(x, dim).half()", **NEVER),
    Case("whole numbers", given="answer(x, dim).long()", **NEVER),
    Case("complex", given="answer(x, dim).to(torch.complex64)", **NEVER),
    Case("a list", given="answer(x, dim).tolist()", **NEVER),
    Case("a generator", given="(row for row in answer(x, dim))", **NEVER),
    Case("a generator without an end", given="iter(int, 1)", **NEVER),
    Case("a list inside itself", "a = []; a.append(a)", given="a", **NEVER),
    Case("a list of a million", given="[0] * 10**6", **NEVER),
    Case("a dict of hostile keys", given="{Hostile(1): 2}", head=HOSTILE, **NEVER),
    Case("a number of a million bits", given="1 << 10**6", **NEVER),
    Case("a text of 10 MB", given="'x' * 10**7", **NEVER),
    Case("a tiny memory of a huge shape", given="torch.zeros(1).expand(10**6, 10**6)", said="of memory", **LIMIT),
    Case("another shape", given="answer(x, dim).unsqueeze(0)", **NEVER),
    Case("sparse", given="answer(x, dim).to_sparse()", head="import warnings"),
    Case("on no device", given="answer(x, dim).to('meta')", **NEVER),
    Case("quantised", given="torch.quantize_per_tensor(answer(x, dim), 0.1, 0, torch.qint8)", **NEVER),
    Case(
        "another at each second call",
        "calls.append(0)",
        head="calls = []",
        given="answer(x, dim) + len(calls) % 2",
        **NEVER,
    ),
    Case("the input changed", "x.mul_(0)", given="x", **NEVER),
    Case("gradients without a hold", given="answer(x, dim).detach()", **NEVER),
    Case("a function", given="lambda: 1", **NEVER),
    Case(
        "the settings of torch changed", "torch.set_default_dtype(torch.float64)", said="torch's default dtype", **NEVER
    ),
)


@pytest.mark.slow
@in_pairs(*CASES)
def test_a_value_is_compared_as_what_it_is(box, case, which):
    holds(box, case, which)
