"""What a learner has compiled is judged as it was written: no compiler starts, and no right shape is refused."""

import threading

import pytest
import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor, nn

from judge.checking import CheckFailed
from judge.running.ambient import uncompiled
from solutions.ch03_layernorm import LayerNorm
from solutions.ch06_unembed import cross_entropy_loss
from tests.ch03_layernorm import test_layer_norm as asked_of_layer_norm
from tests.ch09_training import test_lm_loss as asked_of_lm_loss


def never(graph, inputs):
    raise AssertionError("a compiler was started")


compiled = torch.compile(backend=never)
typed = jaxtyped(typechecker=beartype)


# Classes that are made where a test asks for them: `torch.compile` imports the compiler, which takes seconds


def method_compiled():
    class MethodCompiled(LayerNorm):
        forward = compiled(LayerNorm.forward)

    return MethodCompiled


def each_compiled():
    class EachCompiled(LayerNorm):
        def __init__(self, cfg):
            super().__init__(cfg)
            self.compile(backend=never)

    return EachCompiled


def within_a_call():
    class WithinACall(LayerNorm):
        def forward(self, residual):
            return torch.compile(super().forward, backend=never)(residual)

    return WithinACall


def with_types():
    class Typed(LayerNorm):
        @compiled
        @typed
        def forward(self, residual: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
            return nn.functional.layer_norm(residual, residual.shape[-1:], self.w, self.b, self.cfg.layer_norm_eps)

    return Typed


def without_a_bias():
    class WithoutABias(method_compiled()):
        def forward(self, residual):
            return super().forward(residual) - self.b

    return WithoutABias


@pytest.mark.slow
@pytest.mark.parametrize("right", [method_compiled, each_compiled, within_a_call, with_types])
def test_a_right_answer_passes_compiled(right):
    asked_of_layer_norm(right())


@pytest.mark.slow
def test_a_wrong_answer_fails_compiled():
    with pytest.raises(CheckFailed, match="✘ agrees"):
        asked_of_layer_norm(without_a_bias())


@pytest.mark.slow
def test_what_it_calls_may_have_its_shapes_checked():
    """As the solutions' are under pytest."""

    @compiled
    def lm_loss(model, tokens):
        return typed(cross_entropy_loss)(model(tokens), tokens)

    asked_of_lm_loss(lm_loss)


@pytest.mark.slow
def test_it_ends_with_the_block():
    before = torch.compile
    with uncompiled():
        assert torch.compile(abs) is abs and torch.compile(dynamic=True)(abs) is abs
    assert torch.compile is before
    with pytest.raises(Exception, match="a compiler was started"):
        compiled(torch.relu)(torch.ones(2))


@pytest.mark.slow
@pytest.mark.parametrize("first_to_end", ["first", "second"])
def test_where_threads_overlap_it_ends_with_the_last_block(first_to_end):
    before, ends = torch.compile, {"first": threading.Event(), "second": threading.Event()}
    begun = threading.Barrier(3)

    def judging(name):
        with uncompiled():
            begun.wait()
            ends[name].wait()

    threads = {name: threading.Thread(target=judging, args=[name], daemon=True) for name in ends}
    for thread in threads.values():
        thread.start()
    begun.wait()
    for name in sorted(threads, key=lambda name: name != first_to_end):
        assert torch.compile(abs) is abs
        assert compiled(torch.relu)(torch.ones(2)).tolist() == [1, 1]
        ends[name].set()
        threads[name].join()
    assert torch.compile is before
    with pytest.raises(Exception, match="a compiler was started"):
        compiled(torch.relu)(torch.ones(2))
