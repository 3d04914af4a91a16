"""A function that draws batches from data, by a generator."""

import torch
from torch import Tensor

from utils.running.calling import Code, Observed
from utils.running.kinds.kind import Kind


class Batches(Kind):
    """The question's arguments are the data, the length of a window, the size of a batch, and the generator's seed."""

    name = "batches"
    call = "{}(data, n_ctx, batch_size, generator)"
    has_inputs = False
    names_inputs = False
    is_drawn = True
    library = "torch"

    def drive(
        self, get_batch: Code, data: Tensor, n_ctx: int, batch_size: int, generator_seed: int, times: int = 1
    ) -> Observed:
        """Call get_batch(data, n_ctx, batch_size, generator) `times` times, then once with a generator seeded anew.

        The output also says whether torch's global random numbers were used.
        """
        before = torch.get_rng_state()
        generator = torch.Generator().manual_seed(generator_seed)
        drawn = [get_batch(data.clone(), n_ctx, batch_size, generator) for _ in range(times)]
        again = get_batch(data.clone(), n_ctx, batch_size, torch.Generator().manual_seed(generator_seed))
        ambient = not torch.equal(before, torch.get_rng_state())
        return Observed([{"drawn": drawn, "again": again, "uses global random numbers": ambient}])
