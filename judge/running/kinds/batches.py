"""A function that draws batches from data, by a generator."""

import random
from typing import Any

import numpy as np
import torch
from torch import Tensor

from judge.running.calling import Code, Observed
from judge.running.kinds.kind import Kind, Places
from judge.running.records import Question

PLACES = ({"drawn": "the batches", "again": "the first batch, drawn again", "set back": "the same, set back"}, "number")


class Batches(Kind):
    """The question's arguments are the data, the length of a window, the size of a batch, and the generator's seed."""

    name = "batches"
    call = "{}(data, n_ctx, batch_size, generator)"
    has_inputs = False
    names_inputs = False
    is_drawn = True
    library = "torch"

    def places(self, question: Question) -> Places:
        """As an author's view hands on what it can't look at."""
        return PLACES

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
