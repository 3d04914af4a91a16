"""Questions for a mended program: a quick gate, one of them; then fresh ones, before a repair is shown.

A test asks what it asks, and an absurd change may happen to answer just that. So the test's questions are drawn again
with other seeds, and put with other sizes; what the reference itself does not answer then is no question.
"""

import ast
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import starmap
from typing import Any

from judge.checking import Exercise
from judge.checking.asking import record_of
from judge.checking.counts import are_indices, same_draws
from judge.checking.likeness import ANOTHER_WAY, FIRST_LOOK, QUICK_GATE, VISIBLE, equal, largest, near
from judge.checking.oracle import expected
from judge.checking.survey import first_questions
from judge.checking.wording import spelled_out
from judge.errors import CourseError
from judge.running.kinds import briefly, is_drawn, kind_of
from judge.running.limited import Limit, TooSlow, limited
from judge.running.on_demand import Tensor, torch
from judge.running.records import Arguments, Question, Record, Weights
from judge.running.settings import fields_of, with_field
from judge.running.values import is_list, is_list_or_tuple, is_tuple


def gets_through(exercise: Exercise, question: Question, record: Record, false_alarms: float = QUICK_GATE) -> bool:
    """Whether the record is what the reference answers, but for rounding; draws may be those of one distribution.

    `false_alarms` is how often right draws may be refused. Of draws that are no indices, and of work, only the form is
    compared.
    """
    right = expected(exercise, question)
    if record.error or right.error:
        return _error_type(record) == _error_type(right)
    if kind_of(question).varies(question):
        return _same_kind(question, record, right, false_alarms)
    return (
        (_only_made(question) or _same_values(exercise, record, right))
        and _forms(record.parameters) == _forms(right.parameters)
        and _inputs_kept(record, right)
        and _same_gradients(record, right)
    )


def _error_type(record: Record) -> str | None:
    return record.error.type if record.error else None


def _same_kind(question: Question, record: Record, right: Record, false_alarms: float) -> bool:
    """Whether these may be answers to one question that has many: of one form, and drawn alike."""
    got, want = record.outputs, right.outputs
    if list(map(type, got)) != list(map(type, want)):
        return False
    are_drawn_indices = is_drawn(question) and are_indices(got) and are_indices(want)
    return not are_drawn_indices or same_draws(got, want, false_alarms)


def _only_made(question: Question) -> bool:
    """Whether a component is only made, to see its parameters: what else it is made of is its own affair."""
    return "names" in question.options


def _same_values(exercise: Exercise, record: Record, right: Record) -> bool:
    try:
        got = list(map(exercise.view, record.outputs))
        want = list(map(exercise.view, right.outputs))
    except Exception:  # a view may be made for right answers alone
        return False
    return near(got, want, ANOTHER_WAY)


def _inputs_kept(record: Record, right: Record) -> bool:
    """Whether they are as they were, or one is the answer itself: a test may allow that, and is asked afterwards."""
    changed = record.inputs_after
    return equal(changed, right.inputs_after) or equal(changed[:1], record.outputs[:1])


def _same_gradients(record: Record, right: Record) -> bool:
    got = [record.grads.get(name) for name in right.grads]
    pairs = [*zip(got, right.grads.values(), strict=True), *zip(record.input_grads, right.input_grads, strict=False)]
    return all(starmap(_near, pairs))


def _near(got: Tensor | None, want: Tensor | None) -> bool:
    """Whether two gradients are the same; none at all is as good as zeros."""
    if want is None:
        return got is None
    if got is None:
        return largest(want) == 0.0
    return near(got, want, VISIBLE)


def _forms(parameters: dict[str, Tensor]) -> dict[str, tuple]:
    return {name: (value.shape, value.dtype) for name, value in parameters.items()}


MORE = 3  # by how much a size grows at most
APART = 0.1  # by about this share numbers become others: what is repeated or cut out may hold the same ones twice
Sizes = dict[str, int]


class Between:
    """The smallest and the largest size of each axis in a test's own questions: a right answer need know no other."""

    def __init__(self, exercise: Exercise, questions: Sequence[Question]):
        self.sizes: dict[tuple[str, str], list[int]] = {}
        for question in questions:
            kind = kind_of(question)
            inputs = kind.inputs(question) if kind.names_inputs else ()
            for name, size in _sizes(inputs, _axes(exercise, inputs)).items():
                self.sizes.setdefault((name, _settings(question)), []).append(size)

    def another(self, name: str, size: int, question: Question, chance: random.Random) -> int:
        """Another size for this axis."""
        known = self.sizes.get((name, _settings(question)), [size])
        return chance.randint(min(*known, size), min(max(*known, size), size + MORE))


def _settings(question: Question) -> str:
    """A text for what the component is made of: with other settings, other sizes may do."""
    return repr(fields_of(question.args[0])) if kind_of(question).of_settings else ""


def of_other_sizes(
    exercise: Exercise, question: Question, between: Between, texts: Sequence[str], chance: random.Random
) -> Question:
    """The question with other sizes; itself where it has none that can be others. `texts` may be put into a text."""
    kind = kind_of(question)
    inputs = kind.inputs(question)
    if not inputs or "cotangent" in question.options:
        return question
    if not kind.names_inputs:
        return replace(question, args=tuple(_longer_call(arg, texts, chance) for arg in question.args))
    settings = question.args[: len(question.args) - len(inputs)]
    if settings and isinstance(settings[0], Tensor):  # of a model in which other texts may be equally likely
        return question
    if any(map(_holds_tensors, inputs)):  # nobody has named their axes, which may have to fit the others
        return question
    axes = _axes(exercise, inputs)
    new = _other_sizes(question, inputs, axes, between, chance)
    if kind.of_settings and kind.weights(question):
        made_of, weights = settings
        made_of, weights, wider = _wider(exercise, made_of, weights, chance)
        settings, new = (made_of, weights), {name: wider.get(name, size) for name, size in new.items()}
    changed = [
        _resized(value, [new[name] for name in names]) if names else _longer(value, texts, chance)
        for value, names in zip(inputs, axes, strict=True)
    ]
    if all(isinstance(value, (int, float)) or fields_of(value) for value in inputs):
        changed = _larger(inputs, chance)
    return replace(question, args=(*settings, *changed))


def _axes(exercise: Exercise, inputs: Arguments) -> list[list[str]]:
    """The names of each input's axes; none of what is no tensor, or of any shape."""
    declared = [*exercise.inputs_axes, *([] for _ in inputs)]
    pairs = zip(inputs, declared, strict=False)
    return [_named(value, names) for value, names in pairs]


def _named(value: Any, axes: list[str]) -> list[str]:
    if not isinstance(value, Tensor):
        return []
    names = axes if axes == ["..."] else spelled_out(axes, value.ndim)
    return names if len(names) == value.ndim else []


def _sizes(inputs: Arguments, axes: list[list[str]]) -> Sizes:
    given = [(value, names) for value, names in zip(inputs, axes, strict=True) if names]
    return {name: size for value, names in given for name, size in zip(names, value.shape, strict=True)}


def _other_sizes(
    question: Question, inputs: Arguments, axes: list[list[str]], between: Between, chance: random.Random
) -> Sizes:
    """A new size for each axis; those that are as long as one another stay so, since they may have to be.

    Where whole numbers are given, what they count is not known: then no axis shrinks but those along which they stand.
    """
    along_whole = {name for value, names in zip(inputs, axes, strict=True) if _is_whole(value) for name in names}
    any_whole = any(map(_is_whole, inputs))
    old = _sizes(inputs, axes)
    new: Sizes = {}
    for size in set(old.values()):
        names = [name for name, other in old.items() if other == size]
        other = between.another(chance.choice(names), size, question, chance)
        may_shrink = not any_whole or along_whole.issuperset(names)
        new |= dict.fromkeys(names, size if size == 0 or (other < size and not may_shrink) else other)
    return new


def _holds_tensors(value: Any) -> bool:
    return is_list_or_tuple(value) and any(isinstance(item, Tensor) for item in value)


def _is_whole(value: Any) -> bool:
    if isinstance(value, Tensor):
        return not value.is_floating_point()
    return type(value) is int


def _wider(exercise: Exercise, made_of: Any, weights: Weights, chance: random.Random) -> tuple[Any, Weights, Sizes]:
    """Settings of which one size is larger, and weights of that size; the same where axes are products of sizes."""
    axes = {name: of.split() for name, of in exercise.axes(made_of).items()}
    fields = fields_of(made_of)
    used = sorted({name for names in axes.values() for name in names})
    if not axes.keys() >= weights.keys() or not all(type(fields.get(name)) is int for name in used):
        return made_of, weights, {}
    name = chance.choice(used)
    size = fields[name] + chance.randint(1, MORE)
    larger = {
        key: _resized(value, [size if axis == name else old for axis, old in zip(axes[key], value.shape, strict=True)])
        for key, value in weights.items()
    }
    return with_field(made_of, name, size), larger, {name: size}


def _larger(inputs: Arguments, chance: random.Random) -> list[Any]:
    """All whole numbers doubled, so that none passes another, and settings of which one is larger."""
    larger: list[Any] = []
    for value in inputs:
        sizes = [name for name, size in fields_of(value).items() if type(size) is int]
        if sizes:
            name = chance.choice(sizes)
            value = with_field(value, name, fields_of(value)[name] + chance.randint(1, MORE))
        larger.append(2 * value if type(value) is int else value)
    return larger


def _longer(value: Any, texts: Sequence[str], chance: random.Random) -> Any:
    """A text with its words once more in another order, now and then with these texts among them; a list likewise."""
    if isinstance(value, str):
        words = value.split(" ") + list(texts) * chance.randint(0, 1)
        return " ".join([value, *chance.sample(words, len(words))])
    if is_list(value) and value and all(isinstance(item, (str, bytes)) for item in value):
        return [*value, *chance.sample(value, chance.randint(1, len(value)))]
    return value


def _longer_call(value: Any, texts: Sequence[str], chance: random.Random) -> Any:
    """("encode", "a fox") with a longer text."""
    if not is_tuple(value):
        return value
    name, *given = value
    return (name, *(_longer(item, texts, chance) if isinstance(item, str) else item for item in given))


def _resized(value: Tensor, sizes: list[int]) -> Tensor:
    """The tensor, cut or repeated to these sizes."""
    made = value
    for axis, size in enumerate(sizes):
        made = made.index_select(axis, torch.arange(size) % max(1, value.shape[axis]))
    if not made.is_floating_point() or made.shape == value.shape:
        return made
    generator = torch.Generator().manual_seed(sum(sizes))
    apart = torch.randn(made.shape, generator=generator).to(made.dtype)
    return made * (1 + APART * apart)


FRESH, OF_THE_FAILED = 50, 3  # questions, and how many are the one that failed, with other sizes
COMPILED = 6  # where each operation is compiled anew for each size
FIRST_SEED, SEEDS = 1_000, 6  # with which the test is drawn again: far from those that anyone is judged with
EVERY_QUESTION = 10_000  # more than any test has
SECONDS = 5.0  # of work for all of them: where that is not enough, the repair is not shown
LONGEST_TEXT = 12  # characters of a text in the code that is put into the texts that are given


def stands(exercise: Exercise, component: Any, failed: Question, code: ast.Module, seed: int) -> bool:
    """Whether what the mended code makes answers fresh questions as the reference does; False where its time is up.

    `failed` is the question that the code answered wrongly before. A course without its solutions has no answers to
    questions of another seed: there, the test alone decides.
    """

    def answers_all() -> bool:
        # each is asked as soon as it is drawn: what the first refutes needs no further ones
        questions = fresh_questions(exercise, failed, seed, texts_in(code))
        return all(_answers(exercise, component, question) for question in questions)

    try:
        return limited(Limit(SECONDS), answers_all)
    except (CourseError, LookupError):
        return True
    except TooSlow:
        return False


def _answers(exercise: Exercise, component: Any, question: Question) -> bool:
    """Whether it ends as the reference does; where that raises an error, which one is for the test to say."""
    record = record_of(component, question)
    if expected(exercise, question).error:
        return record.error is not None
    return gets_through(exercise, question, record, FIRST_LOOK)


def texts_in(code: ast.Module) -> tuple[str, ...]:
    """The short texts that the code writes out: a program that looks for one should meet it."""
    constants = (node.value for node in ast.walk(code) if isinstance(node, ast.Constant))
    return tuple(
        dict.fromkeys(
            constant for constant in constants if isinstance(constant, str) and 0 < len(constant) <= LONGEST_TEXT
        )
    )


def fresh_questions(exercise: Exercise, failed: Question, seed: int, texts: Sequence[str] = ()) -> Iterator[Question]:
    """The test's questions with other seeds and other sizes: fifty, or as many as there are with `SEEDS` seeds."""
    if exercise.written_with.is_compiled:
        yield from first_questions(exercise, seed + FIRST_SEED, 1, COMPILED)
        return
    chance, failed = random.Random(seed), briefly(failed)
    known: set[str] = set()
    for number in range(SEEDS):
        drawn = first_questions(exercise, seed + FIRST_SEED + number, 1, EVERY_QUESTION)
        draws = any(kind_of(one).varies(one) for one in drawn)
        asked = list(map(briefly, drawn))
        between = Between(exercise, [failed, *asked])
        for question in [*([failed] * OF_THE_FAILED), *chance.sample(asked, len(asked))]:
            other = of_other_sizes(exercise, question, between, texts, chance)
            fresh = [question] if question is not failed else []
            fresh += [other] if other is not question and not expected(exercise, other).error else []
            for one in fresh:
                if one.name not in known and _has_one_answer(exercise, one, draws):
                    known.add(one.name)
                    yield one
            if len(known) >= FRESH:
                return


def _has_one_answer(exercise: Exercise, question: Question, draws: bool) -> bool:
    """Whether its answer, or how often each comes, can be compared; whatever else a test looks at, it judges itself.

    Where an exercise draws, a test also asks for a draw or two, of which it looks at the form alone.
    """
    kind = kind_of(question)
    if not draws or not kind.is_value or kind.varies(question):
        return kind.is_value
    if "times" in question.options:
        return False
    here, *elsewhere = (expected(exercise, replace(question, seed=question.seed + more)) for more in range(4))
    return all(equal(here.outputs, record.outputs) for record in elsewhere)
