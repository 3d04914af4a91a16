"""One check, with lines of its own, for what nearly every answer must do: shape, unchanged inputs, the same twice."""

from collections.abc import Callable, Sequence
from typing import Any

from judge.checking.answer import line
from judge.checking.checks.invariance import check_inputs_unchanged, check_repeatable
from judge.checking.checks.outputs import check_shape
from judge.checking.randomness import random_weights
from judge.checking.session import session
from judge.running.on_demand import Tensor

# Batch and positions: one of each alone, and no two alike.
SIZES = ((2, 5), (1, 5), (2, 1), (1, 1), (3, 9))


def check_form(
    component: Any,
    cfg: Any,
    probe: Callable[[int, int], Tensor],
    *more: Any,
    sizes: Sequence[tuple[int, int]] = SIZES,
    repeats: bool = True,
) -> None:
    """Two lines of the card: the shape at every size; inputs left as they were, and the same answer twice.

    `probe(batch, pos)` makes the first input, `more` are the others. `repeats=False` is for what may modify its input.
    """
    exercise = session().exercise
    made_of = (cfg, random_weights(cfg)) if cfg is not None else ()
    with line(_shape_title(exercise.inputs_axes[0], exercise.output.split())):
        for batch, pos in sizes:
            check_shape(component, *made_of, probe(batch, pos), *more)
    if not repeats:
        return
    given = probe(3, 5)
    name = next(iter(exercise.inputs))
    with line(f"leaves `{name}` as {'they were' if name.endswith('s') else 'it was'}, and answers the same twice"):
        check_inputs_unchanged(component, *made_of, given, *more)
        check_inputs_unchanged(component, *made_of, probe(6, 9), *more)
        others = (given[:1, :2], given[:1], given[:, :2], given.flip(1), given)
        check_repeatable(component, *made_of, given, *more, before=[(other, *more) for other in others])


def _shape_title(before: list[str], after: list[str]) -> str:
    if before == after:
        return f"keeps the shape [{' '.join(after)}]"
    return f"turns [{' '.join(before)}] into [{' '.join(after)}]"
