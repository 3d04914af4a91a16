"""Asking the failed question again: a component, functions, draws, errors, a tokenizer; and the call on the card."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch

from judge.checking.judging import CheckFailed
from solutions.ch00_tokens import SpaceTokenizer, bpe_encode
from solutions.ch03_layernorm import LayerNorm
from solutions.ch08_sampling import apply_frequency_penalty, beam_search, generate, sample_basic
from tests.ch00_tokens import test_bpe_encode as judge_encode
from tests.ch00_tokens import test_space_tokenizer as judge_tokenizer
from tests.ch03_layernorm import test_layer_norm as judge_norm
from tests.ch04_attention import test_softmax as judge_softmax
from tests.ch08_sampling import test_apply_frequency_penalty as judge_penalty
from tests.ch08_sampling import test_beam_search as judge_beams
from tests.ch08_sampling import test_generate as judge_generate
from tests.ch08_sampling import test_sample_basic as judge_basic
from tests.judge.checking.kinds import numpy_mlp
from utils.course import ROOT


class Scaled(LayerNorm):
    def forward(self, residual):
        print("called")
        return 1.5 * super().forward(residual)


class Emptying(SpaceTokenizer):
    def decode(self, ids):
        text = super().decode(list(ids))
        ids.clear()
        return text


def asked_again(test, wrong, *others, seed=0) -> tuple[Any, ...]:
    """The verdict, and what its lines give, run as a learner runs them."""
    verdict = test.exercise.judge(wrong, *others, seed=seed)
    lines = verdict.failure.again
    assert len(lines) == 3 and "\n".join(f"        {line}" for line in lines) in str(verdict)
    names: dict[str, Any] = {verdict.symbol: wrong}
    exec("\n".join(lines), names)
    return verdict.failure, names["given"], names["got"], names["expected"]


def test_a_component_with_weights_is_asked_with_them_and_what_it_prints_is_seen(capsys):
    failure, given, got, expected = asked_again(judge_norm, Scaled)
    assert capsys.readouterr().out.startswith("called\n")
    torch.testing.assert_close(got, 1.5 * expected)
    assert torch.equal(given[0], failure.question.args[2]) and not got.requires_grad


@pytest.mark.parametrize("seed", [0, 3])
def test_a_function_is_asked_the_very_question_whatever_the_seed(seed):
    wrong = lambda input_ids, logits, freq_penalty: logits - freq_penalty  # noqa: E731
    failure, given, got, expected = asked_again(judge_penalty, wrong, seed=seed)
    assert all(map(_same, given, failure.question.args))
    assert torch.equal(got, wrong(*given)) and torch.equal(expected, apply_frequency_penalty(*given))
    assert ("seed=3" in failure.again[1]) == (seed == 3)


def _same(one, other):
    return torch.equal(one, other) if isinstance(one, torch.Tensor) else one == other


@pytest.mark.slow
def test_draws_begin_with_the_same_random_numbers():
    failure, _, got, expected = asked_again(judge_basic, lambda logits: sample_basic(logits * 2))
    assert len(got) == len(expected) == failure.question.options["times"]
    assert judge_basic.again(sample_basic, question=1).got == judge_basic.again(sample_basic, question=1).expected
    before = torch.get_rng_state()
    judge_basic.again(sample_basic, question=1)
    assert torch.equal(before, torch.get_rng_state())


def test_an_error_is_an_error_and_a_due_one_is_a_value():
    def broken(text, merges):
        return text[0].nothing

    verdict = judge_encode.exercise.judge(broken)
    with pytest.raises(AttributeError, match="nothing"):
        exec("\n".join(verdict.failure.again), {"bpe_encode": broken})

    class Forgiving(SpaceTokenizer):
        def encode(self, text):
            return [self.ids.get(word, -1) for word in text.split()]

    failure, _, got, expected = asked_again(judge_tokenizer, Forgiving)
    assert failure.about == "due error" and expected.startswith("KeyError: ") and -1 in got[0]
    assert judge_tokenizer.again(SpaceTokenizer, question=_number(failure)).got.startswith("KeyError: ")


def _number(failure):
    return int(failure.again[1].partition("question=")[2].partition(")")[0].partition(",")[0])


def test_a_tokenizer_is_made_and_its_methods_are_called():
    failure, given, got, expected = asked_again(judge_tokenizer, Emptying)
    assert 'of="inputs"' in failure.again[1] and given == expected
    assert got[-1] == ("decode", []) and expected[-1][1]


def test_gradients_and_parameters_are_values_too():
    class Detached(LayerNorm):
        def forward(self, residual):
            return super().forward(residual.detach())

    failure, _, got, expected = asked_again(judge_norm, Detached)
    assert 'of="gradients"' in failure.again[1]
    assert got["residual"] is None and expected["residual"].shape and expected["w"].shape == got["w"].shape

    class Zeros(LayerNorm):
        def __init__(self, cfg):
            super().__init__(cfg)
            self.w.data.zero_()

    failure, _, got, expected = asked_again(judge_norm, Zeros)
    assert 'of="parameters"' in failure.again[1] and not got["w"].any() and expected["w"].all()
    with pytest.raises(ValueError, match="what can be looked at"):
        judge_norm.again(Zeros, question=1, of="outputs")


def test_arrays_are_the_librarys_own():
    given, got, expected = numpy_mlp.exercise.again(lambda x, params: x, question=1)
    assert all(isinstance(value, np.ndarray) for value in (given[0], got, expected))


@pytest.mark.parametrize(
    ("test", "wrong"),
    [
        (judge_beams, lambda *args: [(score - 1, text) for score, text in beam_search(*args)]),
        pytest.param(
            judge_generate,
            lambda model, tokens, n, **more: generate(model, tokens, n, **more)[:-1],
            marks=pytest.mark.slow,
        ),
        (judge_softmax, lambda x, dim=-1: x.exp()),
    ],
)
def test_the_question_of_the_lines_is_the_one_that_failed(test, wrong):
    _, _, got, expected = asked_again(test, wrong)
    assert str(got) != str(expected)


def test_no_lines_where_nobody_could_import_the_test_and_none_for_a_stub():
    def stub(text, merges):
        raise NotImplementedError("bpe_encode: write this part")

    assert judge_encode.exercise.judge(stub).failure.again == ()
    assert judge_encode.exercise.judge(bpe_encode).failure is None


@pytest.mark.slow
def test_behind_a_terminal_the_lines_are_in_the_text():
    with pytest.raises(CheckFailed) as failed:
        judge_encode(lambda text, merges: [])
    lines = str(failed.value).splitlines()
    start = next(index for index, line in enumerate(lines) if line.endswith("Try it yourself:"))
    code = "\n".join(line.strip() for line in lines[start + 1 : start + 4])
    ran = subprocess.run(
        [sys.executable, "-c", f"bpe_encode = lambda text, merges: []\n{code}"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert ran.stdout.startswith("[]\n[b'")


def test_the_call_is_on_the_card_with_its_arguments():
    failure = judge_encode.exercise.judge(lambda text, merges: [b"a"]).failure
    assert failure.call[0].startswith("bpe_encode('") and failure.call[-1].startswith("expected  [b'")
    failure = judge_penalty.exercise.judge(lambda input_ids, logits, freq_penalty: logits).failure
    assert failure.call[:2] == ("apply_frequency_penalty(", "    input_ids=torch.tensor([3, 1, 3, 7, 3, 1]),")
    assert "    freq_penalty=0.7," in failure.call and failure.call[-2].startswith("got       torch.tensor([")
    failure = judge_tokenizer.exercise.judge(Emptying).failure
    assert failure.call[0].startswith("made = SpaceTokenizer([") and failure.call[-1].startswith("made.decode([")
    assert judge_norm.exercise.judge(Scaled).failure.call == ()  # weights are no plain data


def test_questions_are_counted_from_1():
    with pytest.raises(ValueError, match=r"^question=0: questions are counted from 1\.$"):
        judge_norm.again(Scaled, question=0)
