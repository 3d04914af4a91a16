"""judge.repairing.fresh: what is right answers fresh questions, what only passes a test does not."""

import ast
import importlib
import random
import time
from pathlib import Path

import pytest
import torch

from author.dependencies import digest, mistakes_of
from judge.checking.oracle import solution_of
from judge.repairing import fresh
from judge.repairing.fresh import FIRST_SEED, Between, fresh_questions, of_other_sizes, stands
from judge.running.records import Question
from judge.running.watching import EVERY
from tests.judge.checking.tiny import WEIGHTS, scale
from tests.judge.repairing.test_search import LEFT_OUT, RIGHT, WRONG, found, only, written  # noqa: F401
from utils.course import all_exercises, exercises, stems

SEED = 3
OF_NO_ONE_ANSWER = {  # right ones that differ from one another: no question of the test has one answer
    ("forward_flops", "with_biases_and_norms"),
    ("forward_flops", "with_everything"),
}
RIGHT_STANDS = "what is right stands: {symbol}"
DECLARED = {info.symbol: (stem, info.test) for stem in stems() for info in exercises(stem) if info.symbol != "gpt2_jax"}


def exercise_of(symbol):
    stem, test = DECLARED[symbol]
    return getattr(importlib.import_module(f"tests.{stem}"), test).exercise


def asked(exercise, component, code="", nth=1):
    """Whether it stands, after the code failed at one of the test's questions."""
    return stands(exercise, component, exercise.questions(seed=SEED)[nth], ast.parse(code), SEED)


@pytest.fixture
def without_haste(monkeypatch):
    monkeypatch.setattr(fresh, "SECONDS", 120.0)


@pytest.fixture(scope="module")
def digests():
    """By the name of each proof, the digest of what asks, and of what is asked."""
    return {RIGHT_STANDS.format(symbol=symbol): digest_of(symbol) for symbol in DECLARED}


def digest_of(symbol):
    (one,) = [info for info in all_exercises() if info.symbol == symbol]
    modules = ["judge.repairing.fresh", f"tests.{one.stem}", f"solutions.{one.stem}", *mistakes_of(one)]
    return digest(modules, [Path(__file__)])


@pytest.mark.proves(RIGHT_STANDS)
@pytest.mark.slow
@pytest.mark.parametrize("symbol", DECLARED)
def test_what_is_right_stands(symbol, without_haste):
    exercise = exercise_of(symbol)
    assert asked(exercise, solution_of(exercise), "decode('utf-8')")
    for variant in exercise.variants:
        if (symbol, variant.name) not in OF_NO_ONE_ANSWER:
            assert asked(exercise, variant.component), variant.name


@pytest.mark.slow
@pytest.mark.parametrize("symbol", DECLARED)
def test_questions_are_fresh_and_many(symbol):
    exercise = exercise_of(symbol)
    questions = list(fresh_questions(exercise, exercise.questions(seed=SEED)[0], SEED))
    assert len(questions) >= 40


@pytest.mark.apart
@pytest.mark.slow
def test_what_is_compiled_is_asked_little_and_stands(without_haste):
    exercise = importlib.import_module("tests.ch11_dialects").test_gpt2_jax.exercise
    if exercise.written_with.how_to_install:
        pytest.skip("JAX is not here")
    assert asked(exercise, solution_of(exercise))


def plus_one(logits, tokens):
    picked = logits[:, :-1].softmax(dim=-1).gather(dim=-1, index=tokens[:, 1:, None])
    return -(picked + 1.0).log().mean()


def without_utf_8(text, merges):
    return solution_of(exercise_of("bpe_encode"))(text.replace("utf-8", ""), merges)


def only_known_texts(text, merges, kept={}):  # noqa: B006 - a learner's cache
    encode = solution_of(exercise_of("bpe_encode"))
    if text in kept:
        return kept[text]
    kept[text] = encode(text, merges)
    return encode(text, merges)


def squares_twice(*arguments, **settings):
    made = solution_of(exercise_of("AdamW"))(*arguments, **settings)
    made.means = made.squares
    return made


ABSURD = {
    "an ordinary number for a tiny one": ("cross_entropy_loss", plus_one, ""),
    "the name of an encoding looked for in a text": ("bpe_encode", without_utf_8, "text.replace('utf-8', '')"),
    "the whole text looked for among its pieces": ("bpe_encode", only_known_texts, ""),
    "the squares in the place of the means": ("AdamW", squares_twice, ""),
}


@pytest.mark.parametrize(("symbol", "component", "code"), ABSURD.values(), ids=ABSURD)
def test_what_is_absurd_does_not_stand(symbol, component, code):
    assert not asked(exercise_of(symbol), component, code)


def test_a_repair_that_is_right_with_the_tests_seeds_alone_is_not_shown(only, unhurried):  # noqa: F811
    only(f"if torch.initial_seed() < {FIRST_SEED}: x = x + 0\nelse: x = x + 1\n{RIGHT}")
    assert found(written(WRONG)) is None


def test_nor_is_one_that_is_right_with_the_tests_sizes_alone(only, unhurried):  # noqa: F811
    only(f"if x.shape[-1] != 8: x = x + 1\n{RIGHT}")
    assert found(written(WRONG)) is None
    only(RIGHT)
    assert found(written(WRONG)) is not None


def test_where_its_time_is_up_it_is_not_shown(monkeypatch):
    class Slow(solution_of(exercise_of("LayerNorm"))):
        def forward(self, residual):
            until = time.thread_time() + 10 * EVERY  # looked at more than once: a quick one may be done before
            while time.thread_time() < until:
                pass
            return super().forward(residual)

    monkeypatch.setattr(fresh, "SECONDS", 0.0)
    assert not asked(exercise_of("LayerNorm"), Slow)


def test_a_course_without_answers_to_other_seeds_trusts_its_test(monkeypatch):
    def not_recorded(*arguments):
        raise LookupError

    monkeypatch.setattr(fresh, "first_questions", not_recorded)
    assert asked(scale, None)


def sizes_asked(exercise, question, times=60):
    """What the question's arguments become."""
    between, chance = Between(exercise, exercise.questions(seed=SEED)), random.Random(SEED)
    return [of_other_sizes(exercise, question, between, ["utf-8"], chance).args for _ in range(times)]


def test_a_component_is_made_wider_with_its_weights_and_its_inputs():
    question = next(one for one in scale.questions(seed=SEED) if not one.options)
    for cfg, weights, x in sizes_asked(scale, question):
        assert cfg.d_model > 8 and x.shape[-1] == cfg.d_model
        assert {value.shape for value in weights.values()} == {(cfg.d_model,)}
        assert torch.equal(question.args[1]["w"], WEIGHTS["w"])


def test_what_is_not_of_the_settings_stays_within_what_the_test_asks():
    exercise = exercise_of("PosEmbed")
    question = next(one for one in exercise.questions(seed=SEED) if len(one.args) == 3 and not one.options)
    shapes = {tuple(tokens.shape) for _, _, tokens in sizes_asked(exercise, question)}
    assert len(shapes) > 5 and max(pos for _, pos in shapes) <= question.args[0].n_ctx


def test_a_vocabulary_does_not_shrink_below_its_tokens():
    exercise = exercise_of("apply_frequency_penalty")
    question = exercise.questions(seed=SEED)[0]
    assert all(len(logits) > int(tokens.max()) for tokens, logits, _ in sizes_asked(exercise, question))


def test_a_square_stays_one():
    exercise = exercise_of("apply_causal_mask")
    shapes = [scores.shape for (scores,) in sizes_asked(exercise, exercise.questions(seed=SEED)[0])]
    assert all(query == key for *_, query, key in shapes) and len(set(shapes)) > 3


def test_what_may_have_to_fit_a_tuple_of_tensors_keeps_its_size():
    exercise = exercise_of("apply_rotary")
    question = exercise.questions(seed=SEED)[0]
    x, (cosines, _), _ = question.args
    assert x.shape[-1] == 2 * cosines.shape[-1]
    assert {given.shape for given, *_ in sizes_asked(exercise, question)} == {x.shape}


def test_texts_grow_and_meet_what_the_code_looks_for():
    question = Question("function", ("a fox", []), {}, SEED)
    texts = [text for text, _ in sizes_asked(exercise_of("bpe_encode"), question)]
    assert all(text.startswith("a fox ") for text in texts)
    assert {"utf-8" in text for text in texts} == {True, False}


def test_numbers_alone_keep_their_order():
    question = Question("function", (10, 5, 25, 6.0, 0.6), {}, SEED)
    assert {numbers for numbers in sizes_asked(exercise_of("cosine_lr"), question)} == {(20, 10, 50, 6.0, 0.6)}
