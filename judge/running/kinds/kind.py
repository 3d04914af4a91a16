"""`Kind`: all that is particular to one kind of exercise, and the registry in which both sides of the wall find it.

A question is plain data and names its kind. Whoever has to know how such a question is asked, which answer fits it or
how a card writes the call asks the kind; nothing else knows one kind from another. What driving a component showed is
`Observed`; in `called` most kinds end: it calls on copies, and looks.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from judge.running.ambient import seed_all
from judge.running.on_demand import Tensor, is_imported, torch
from judge.running.records import Arguments, Gradients, Options, Question, Record, Unchanged, Values, Weights
from judge.running.values import copied, same

Code = Callable[..., Any]  # a function or a class that a learner wrote


class CannotDrive(Exception):
    """What was handed over is not of the kind that the question names; the message is for the learner."""


@dataclass(frozen=True)
class Observed:
    """What driving a component showed; the fields are those of `Record`."""

    outputs: Values = field(default_factory=Values)
    inputs_after: Values = field(default_factory=Values)
    grads: Gradients = field(default_factory=Gradients)
    input_grads: list[Tensor | None] = field(default_factory=list[Tensor | None])
    parameters: Weights = field(default_factory=Weights)


# of `called`; others are f's own
OWN_OPTIONS = {"times", "drawn", "before", "manual_seed", "all_seeds", "written", "cotangent", "trained"}


def called(
    f: Code,
    *inputs: Any,
    times: int = 1,
    drawn: bool = False,
    before: Sequence[Arguments] = (),
    manual_seed: int | None = None,
    all_seeds: int | None = None,
    written: bool = False,
    cotangent: Tensor | None = None,
    trained: Mapping[str, Tensor] | None = None,
    **settings: Any,
) -> Observed:
    """Call f(*inputs, **settings) `times` times, each on fresh copies, after calls on the inputs in `before`.

    Of a list or a dict all these calls get one object, filled anew: who knows it by its `id` alone is mistaken.
    Where there is a `manual_seed`, torch is seeded with it before each of them, as by `torch.manual_seed`; with
    `all_seeds` Python's `random` and NumPy are too. That the answers are `drawn` changes nothing here: it tells the
    judge how to compare them. With `written` the last answer is written into afterwards, which shows in every input
    that shares its memory.
    With a cotangent of the output's shape, `(output * cotangent).sum()` is backpropagated, and the gradients of the
    float inputs and of the `trained` parameters are reported.
    """
    containers: dict[int, Any] = {}
    for earlier in before:
        f(*_handed_over(earlier, containers), **settings)
    differentiable = cotangent is not None
    leaves = [_leaf(value, differentiable) for value in inputs]
    outputs: Values = []
    given: Values = []
    result = None
    for _ in range(times):
        if manual_seed is not None and is_imported("torch"):
            torch.default_generator.manual_seed(manual_seed)
        if all_seeds is not None:
            seed_all(all_seeds)
        given = _handed_over(leaves, containers)  # an in-place change must be seen, not refused: no leaf goes in
        result = f(*given, **settings)
        outputs.append(copied(result) if times > 1 or written else result)
    if written and isinstance(result, Tensor):
        with contextlib.suppress(RuntimeError):  # a view that shows one number at several places takes none
            result.detach().add_(1)
    after = after_the_call(given, inputs)
    if cotangent is None:
        return Observed(outputs, after)
    _backpropagate(result, cotangent)
    parameters = trained or {}
    grads = {name: _gradient(parameter) for name, parameter in parameters.items()}
    return Observed(outputs, after, grads, list(map(_gradient, leaves)))


def _handed_over(values: Sequence[Any], containers: dict[int, Any]) -> Values:
    """Copies of the values, those of lists and dicts in the place of what the containers of earlier calls held."""
    given = [copied(value) for value in values]
    for index, value in enumerate(given):
        container = containers.setdefault(index, value)
        if container is value or type(container) is not type(value):
            continue
        if type(value) is list:
            container[:] = value
            given[index] = container
        elif type(value) is dict:
            container.clear()
            container.update(value)
            given[index] = container
    return given


def after_the_call(given: Sequence[Any], before: Sequence[Any]) -> Values:
    """What each input holds after the call; `Unchanged` for those that hold what they held."""
    pairs = zip(given, before, strict=True)
    return [Unchanged() if same(now, value) else now for now, value in pairs]


def _backpropagate(result: Any, cotangent: Tensor) -> None:
    """Where the result is one that this can be done with: what it is instead, the output shows."""
    if not isinstance(result, Tensor) or not result.requires_grad:
        return
    if result.shape == cotangent.shape:
        torch.autograd.backward((result * cotangent).sum())


def _leaf(value: Any, differentiable: bool) -> Any:
    if not isinstance(value, Tensor):
        return value
    leaf = value.detach().clone()
    return leaf.requires_grad_(differentiable and value.is_floating_point())


def _gradient(value: Any) -> Tensor | None:
    if not isinstance(value, Tensor) or value.grad is None:
        return None
    return value.grad.to_dense()  # an embedding's gradient may be sparse


Axes = dict[str, str]  # of parameters, by their names
Parameters = Axes | Callable[[Any], Axes] | None
# What the items of an answer are called, the outermost first: "step" for each by its number, or a name for each, of a
# dict by its keys.
Named = str | tuple[str, ...] | Mapping[Any, str]
Places = tuple[Named, ...]


@dataclass(frozen=True)
class Call:
    """A call as a card writes it: its form, of the symbol and the arguments, and what it is given."""

    form: str
    arguments: Arguments
    options: Options = field(default_factory=Options)
    by_name: bool = True  # whether the exercise names the arguments


class Kind:
    """One kind of exercise. A new one overrides `drive`, and whatever else is not as it is here."""

    name = ""  # as `Exercise(drive=...)` has it
    call = ""  # how a card writes the call: what was written, and the names of its inputs; "" where it says nothing
    n_settings = 0  # how many arguments come before those that the learner's code is called on
    has_inputs = True  # whether the learner's code is called on arguments of the question, and they are looked at after
    names_inputs = True  # whether the exercise declares the name and the axes of each of these
    of_settings = False  # whether it is a module, made of settings whose fields are the sizes of its parameters
    has_parameters = False  # whether it is a module that can be trained
    is_function = False  # whether it is a function, which may have defaults of its own
    is_drawn = False  # whether the answer depends on a generator, so that two right ones may differ
    is_value = True  # whether the output is what the learner's code answers, and not what its call did besides
    library = ""  # which library the answers belong to; "" where any
    work = ""  # the kind whose output is how much such a call computes
    model_after = ""  # the kind whose output is what such a call left of its model

    def drive(self, component: Any, *args: Any, **options: Any) -> Observed:
        """Make the component work on these arguments, on the learner's side of the wall, and say what happened."""
        raise NotImplementedError

    def inputs(self, question: Question) -> Arguments:
        """The question's arguments that the learner's code is called on."""
        return question.args[self.n_settings :] if self.has_inputs else ()

    def made_of(self, question: Question) -> Any:
        """What the component is made of, such as a Config; None for a function."""
        return question.args[0] if len(question.args) > len(self.inputs(question)) else None

    def n_outputs(self, question: Question) -> int:
        """How many outputs its record has."""
        return question.options.get("times", 1) if self.has_inputs else 1

    def handed(self, question: Question) -> Arguments:
        """The inputs as a record shows them, and as the learner's code gets them."""
        return self.inputs(question)

    def given_in(self, value: Any) -> Any:
        """The part of an input that a card shows."""
        return value

    def input_names(self, symbol: str, declared: list[str], question: Question) -> list[str]:
        """A card's name for each input."""
        return [f"`{name}`" for name in declared][: len(self.inputs(question))]

    def calls(self, question: Question) -> list[Call]:
        """The calls that a card can write with all that they are given; none where that is more than plain data."""
        if not self.is_function:
            return []
        options = {name: value for name, value in question.options.items() if name not in OWN_OPTIONS}
        return [Call(self.call, self.handed(question), options)]

    def places(self, question: Question) -> Places:
        """The names of an answer's items, where the exercise does not say."""
        return ()

    def keywords(self, question: Question) -> list[str]:
        """The names of the keyword arguments that a card writes into the call."""
        return []

    def weights(self, question: Question) -> Weights | None:
        """The weights that the question hands over, by the names of the parameters; None if initial ones are kept."""
        return {}

    def parts(self, question: Question) -> Iterator[tuple[str, Any]]:
        """Whatever the answer should depend on beside the inputs: as learners write it, and its value."""
        yield from ()

    def with_part(self, question: Question, name: str, value: Any) -> Question:
        """The question with another value in the place of one of its `parts`."""
        raise NotImplementedError

    def only_made(self, made_of: Any, names: list[str], seed: int) -> Question:
        """The question for the initial parameters: a component is made, and not called."""
        return Question(self.name, (made_of,), {}, seed)

    def varies(self, question: Question) -> bool:
        """Whether two right answers may differ, so that only their form, or how often each comes, can be compared."""
        return is_drawn(question) or bool(question.options.keys() & {"manual_seed", "all_seeds"})

    def asks_for_a_value(self, question: Question) -> bool:
        """Whether the answer is a value alone, which all who do the same have in common."""
        return self.is_value and not question.options.keys() & ASKING_FOR_MORE

    def misfit(self, record: Record, question: Question) -> str | None:
        """The part of a record of the right types and counts that can't be the answer; None where all can."""
        return None

    def may_have_more(self, name: str) -> bool:
        """Whether a component may have this parameter beside those of its weights."""
        return False

    def misgiven(self, arguments: Arguments) -> str | None:
        """What a check takes, where these arguments can't be that; None where they can."""
        return None

    def unfit(self, solution: Any) -> str | None:
        """Why this is no solution of this kind, as the end of a sentence that begins with its name; None if it is."""
        return None

    def parameters_of(self, solution: Any) -> list[str] | None:
        """The names of what the solution is called on; None where these are not the exercise's."""
        return None

    def given(self, parameters: Parameters, initial: dict[str, float]) -> type | None:
        """The class that a `forward` alone is put into, where the declaration says all of it."""
        return None


ASKING_FOR_MORE = {
    "before",
    "times",
    "names",
    "manual_seed",
    "all_seeds",
    "written",
}  # options of questions that ask for more than a value

KINDS: dict[str, Kind] = {}


def register(*kinds: Kind) -> None:
    """Make these known by their names. Raises ValueError for a name that another kind has already."""
    for kind in kinds:
        other = KINDS.setdefault(kind.name, kind)
        if type(other) is not type(kind):
            raise ValueError(f"there is another kind of exercise called {kind.name!r}")


def kind_of(question: Question) -> Kind:
    """The kind that a question names. Raises LookupError where nobody has registered it in this process."""
    try:
        return KINDS[question.drive]
    except KeyError:
        known = ", ".join(KINDS)
        raise LookupError(f"no kind of exercise is called {question.drive!r}; known are {known}") from None


def drives_with(what: str) -> str:
    """The kinds for which this is said, as an author writes them: `drive="with_model" and drive="with_gpt"`."""
    return " and ".join(f'drive="{name}"' for name, kind in KINDS.items() if getattr(kind, what)) or "no kind here"


def is_drawn(question: Question) -> bool:
    """Whether the answer to a question depends on random numbers, by its kind or by what is asked.

    Raises LookupError for a kind that nobody has registered.
    """
    return kind_of(question).is_drawn or bool(question.options.get("drawn"))


# Draws for a first look: enough to tell most mistakes apart, in a thirtieth of the time.
FEW = 150


def briefly(question: Question, few: int = FEW) -> Question:
    """The question, with few draws where it asks for many: for a first look, which need not be as sure as a test."""
    if question.options.get("times", 1) <= few:
        return question
    return replace(question, options=question.options | {"times": few})
