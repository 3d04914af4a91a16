"""All that a card may say of a wrong answer, in the order in which it is tried: the first sentence that fits is said.

A new one is a function from `Evidence` to a sentence, or None where it is not proved, with the cases that prove it
(`proved_by`), and an entry here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from judge.checking.diagnosis import (
    amounts,
    behaviour,
    errors,
    gradients,
    items,
    nothing,
    numbers,
    parameters,
    scopes,
    sequences,
    shaped,
    shares,
)
from judge.checking.diagnosis.unused import unused
from judge.checking.evidence import Evidence
from judge.checking.recorded import NotRecorded

Clue = Callable[[Evidence], str | None]

OF_NUMBERS: tuple[Clue, ...] = (
    numbers.another_dtype,
    numbers.not_finite,
    numbers.factor,
    shares.adds_up_to_1,
    numbers.of_one_index,
    numbers.moved,
    numbers.never_written,
    numbers.few_digits,
    numbers.relu,
    numbers.clamp,
)
OF_SHAPES: tuple[Clue, ...] = (
    shaped.order_of_axes,
    shaped.size_of_an_axis,
    shaped.one_index_alone,
    shaped.in_one_row,
    shaped.axes_of_size_1,
    shaped.cut_into_axes,
)
SENTENCES: dict[str, tuple[Clue, ...]] = {
    # `got` is the answer, `want` the right one, `sizes` has its axes.
    "form": (
        nothing.nothing_returned,
        sequences.among_others,
        sequences.in_a_dict,
        sequences.one_by_one,
        sequences.plain_list,
        sequences.several,
        sequences.an_array,
        sequences.uncalled,
        numbers.another_dtype,
        *OF_SHAPES,
        unused,
    ),
    "value": (
        nothing.nothing_returned,
        sequences.method_itself,
        sequences.number_in_a_list,
        amounts.off_by,
        items.in_another_order,
        items.each_once,
        items.item_alone,
        sequences.other_words,
        sequences.no_list,
        sequences.number_in_a_tensor,
        items.held_with_more,
        items.joined_to_one,
        items.of_another_type,
        behaviour.shared_by_all,
        items.too_large_by,
        items.white_space,
        *OF_SHAPES,
        *OF_NUMBERS,
        behaviour.kept_outside,
        unused,
    ),
    # The same, where indices of the axis in `name` see one another.
    "alone": (*OF_NUMBERS, behaviour.runs_over_an_axis),
    # `got` is the first answer that is no index, or how often each came, `want` how likely each is.
    "index": (nothing.nothing_returned,),
    "draws": (
        shares.always_the_same,
        shares.another_power,
        shares.left_out,
        shares.one_beside,
        shares.places_in_a_list,
        shares.rearranged,
    ),
    # `got` and `want` are the outputs, where a gradient is wrong; `got` is None where none arrives.
    "gradient": (gradients.none_arrives, gradients.values_right),
    # `got` is a `Made`, `want` a `Due`.
    "parameters": (
        parameters.missing_parts,
        parameters.too_many_parts,
        parameters.wrong_names,
        parameters.too_many_names,
        parameters.buffers_saved,
        parameters.wrong_shape,
        parameters.not_float32,
    ),
    # `name` is the parameter's, `want` the constant that it starts with.
    "start": (parameters.where_to_start,),
    # `got` is an input after the call, `want` before it.
    "input": (behaviour.entries_changed, behaviour.changed_in_place),
    # `got` is a `Repeated`.
    "repeat": (behaviour.other_random_numbers, behaviour.random_numbers, behaviour.kept_from_before),
    # `got` is the error that came, None where none did; `want` is the type that is due.
    "due error": (
        behaviour.returned,
        behaviour.shared_by_all,
        behaviour.unnamed,
        behaviour.asserted,
        behaviour.another_raised,
    ),
    # `got` is what was left of a model: the name of the first thing that is not as it was.
    "model": (behaviour.model_changed,),
    "work": (behaviour.done_again,),
    # `got` is a `Raised`.
    "error": (
        behaviour.raised_by_what_was_kept,
        scopes.of_the_object,
        scopes.input_renamed,
        scopes.without_a_dot,
        scopes.without_a_default,
        scopes.compared,
        scopes.named_for_its_class,
        scopes.of_an_argument,
        scopes.name_of_a_builtin,
        scopes.in_a_branch,
        scopes.no_such_key_yet,
        scopes.making,
        errors.misspelt,
        errors.translated,
        errors.own_raise,
    ),
}
EXPECTING_ERRORS = {"due error"}
# The worked example compares values.
SHOWING_THE_EXAMPLE = {"value"}
# These say little: the example helps beside them.
SAYING_LITTLE = {nothing.nothing_returned, shares.adds_up_to_1, numbers.not_finite, unused}


@dataclass(frozen=True)
class Sentence:
    """A card's sentence, and which function found it."""

    text: str
    clue: Clue

    @property
    def says_enough(self) -> bool:
        """Whether nothing else is needed to go on."""
        return self.clue not in SAYING_LITTLE


def _said(clue: Clue, evidence: Evidence) -> str | None:
    """The clue's sentence; None where it asks for an answer that a course without its solutions does not have."""
    try:
        return clue(evidence)
    except NotRecorded:
        return None


def sentence(evidence: Evidence) -> Sentence | None:
    """The first sentence that this evidence proves; None where none is proved."""
    for clue in SENTENCES.get(evidence.about, ()):
        text = _said(clue, evidence)
        if text:
            return Sentence(text, clue)
    return None
