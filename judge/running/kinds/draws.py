"""A function that draws: batches from data, or a mask that sets numbers to 0."""

from __future__ import annotations

import random
from typing import Any

from judge.running.kinds.kind import Code, Kind, Observed, Places
from judge.running.on_demand import Tensor, np, torch
from judge.running.records import Question, Record
from judge.running.values import is_dict, same

PLACES_OF_BATCHES = (
    {"drawn": "the batches", "again": "the first batch, drawn again", "set back": "the same, set back"},
    "number",
)


class Batches(Kind):
    """The question's arguments are the data, the length of a window, the size of a batch, and the generator's seed."""

    name = "batches"
    call = "{}(data, n_ctx, batch_size, generator)"
    has_inputs = False
    names_inputs = False
    is_drawn = True
    library = "torch"

    def places(self, question: Question) -> Places:
        """The places of an answer, as an author's view hands it on."""
        return PLACES_OF_BATCHES

    def n_outputs(self, question: Question) -> int:
        """One that says all, or the batches alone."""
        return question.options["times"] if question.options.get("drawn") else 1

    def drive(
        self,
        get_batch: Code,
        data: Tensor,
        n_ctx: int,
        batch_size: int,
        generator_seed: int,
        times: int = 1,
        drawn: bool = False,
    ) -> Observed:
        """Call get_batch(data, n_ctx, batch_size, generator) `times` times; then once more with the generator set back
        to where it was before all of them, and once with another that is seeded alike.

        The output also says whose global random numbers were used, whether the generator's own were, and whether the
        data was changed. With `drawn` the outputs are the batches alone, for a check that counts how often each comes.
        """
        before, given = _global_states(), data.clone()
        generator = torch.Generator().manual_seed(generator_seed)
        began = generator.get_state()
        batches = [get_batch(given, n_ctx, batch_size, generator) for _ in range(times)]
        if drawn:
            return Observed(batches)
        draws = not torch.equal(began, generator.get_state())
        generator.set_state(began)
        set_back = get_batch(given, n_ctx, batch_size, generator)
        again = get_batch(given, n_ctx, batch_size, torch.Generator().manual_seed(generator_seed))
        used = [whose for whose, state in _global_states().items() if state != before[whose]]
        said = {"uses global random numbers": used, "changes the data": not torch.equal(given, data)}
        said |= {"again": again, "set back": set_back, "draws from the generator": draws}
        return Observed([{"drawn": batches, **said}])


def _global_states() -> dict[str, Any]:
    """How far each library's global random numbers are."""
    of_numpy: Any = np.random.get_state(legacy=False)["state"]
    return {
        "torch": torch.get_rng_state().numpy().tobytes(),
        "random": random.getstate(),
        "NumPy": (of_numpy["pos"], of_numpy["key"].tobytes()),
    }


PLACES_OF_MASKS = (
    {
        "drawn": "the calls",
        "again": "the first call, made again",
        "set back": "the first call, its random numbers set back",
        "after": "`x` after the call",
    },
    "number",
)
OTHER = 1_000_003  # is added to a seed for another one


class Masks(Kind):
    """The question's arguments are x, p, whether it is training, and the generator's seed; None hands over none."""

    name = "masks"
    call = "{}(x, p, training, generator)"
    has_inputs = False
    names_inputs = False
    is_drawn = True
    library = "torch"

    def places(self, question: Question) -> Places:
        """The places of an answer, as an author's view hands it on."""
        return PLACES_OF_MASKS

    def drive(
        self, dropout: Code, x: Tensor, p: float, training: bool, generator_seed: int | None, calls: int = 1
    ) -> Observed:
        """Call dropout(x, p, training, generator) `calls` times; then once more with the random numbers set back
        to where they were before the first call, and once with each of two seeds set anew.

        The output also says what the first call left of x, which gradient reached x in it where its answer has the
        gradient 1 everywhere, and whether torch's global random numbers were used. It repeats what was asked.
        """
        first = 0 if generator_seed is None else generator_seed
        generator = _seeded(generator_seed, first)
        before = torch.get_rng_state()
        source = torch.default_generator if generator is None else generator
        began = source.get_state()
        leaf = x.clone().requires_grad_()
        given = leaf.clone()
        drawn = [dropout(given, p, training, generator)]
        gradient = _gradient(drawn[0], leaf)
        drawn += [dropout(x.clone(), p, training, generator) for _ in range(calls - 1)]
        ambient = not torch.equal(before, torch.get_rng_state())
        source.set_state(began)
        set_back = dropout(x.clone(), p, training, generator)
        return Observed(
            [
                {
                    "drawn": drawn,
                    "set back": set_back,
                    "again": dropout(x.clone(), p, training, _seeded(generator_seed, first)),
                    "otherwise": dropout(x.clone(), p, training, _seeded(generator_seed, first + OTHER)),
                    "after": given,
                    "gradient": gradient,
                    "uses global random numbers": ambient,
                    "x": x,
                    "p": p,
                    "training": training,
                    "has a generator": generator is not None,
                }
            ]
        )

    def misfit(self, record: Record, question: Question) -> str | None:
        """What it repeats has to be what was asked: the judge compares with that."""
        output: Any = record.output
        x, p, training, generator_seed = question.args
        asked = {"x": x, "p": p, "training": training, "has a generator": generator_seed is not None}
        repeats = is_dict(output) and same({name: output.get(name) for name in asked}, asked)
        return None if repeats else "its output does not repeat what was asked"


def _seeded(generator_seed: int | None, seed: int) -> torch.Generator | None:
    """A generator of this seed; without one to hand over, torch's global random numbers begin with the seed."""
    if generator_seed is None:
        torch.default_generator.manual_seed(seed)
        return None
    return torch.Generator().manual_seed(seed)


def _gradient(result: Any, leaf: Tensor) -> Tensor | None:
    if not isinstance(result, Tensor) or not result.requires_grad:
        return None
    result.sum().backward()  # pyright: ignore[reportUnknownMemberType]
    return leaf.grad
