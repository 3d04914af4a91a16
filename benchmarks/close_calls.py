"""How near a chapter's stored texts are to being others: `python benchmarks/close_calls.py ch08_sampling`.

Another processor rounds otherwise, by some 1e-6 of a number. A draw, or a choice of the largest, that is decided by
less makes another text there, and the stored output fails. For each cell of the solution's notebook that chooses: how
many times it does, and by how much its closest choice was decided. For `torch.multinomial`, which gives the token that
wins a race, that is a share of the winner's number; for `argmax` a difference of logits. Below 1e-4, take another seed.
"""

import sys

import nbformat
from nbformat.v4 import new_code_cell

from author.executing import client_for
from utils.course import ROOT

WATCH = """
import torch as _torch
_draw, _largest = _torch.multinomial, _torch.Tensor.argmax
_draws, _choices = [], []

def _multinomial(weights, num_samples, *more, **options):
    if num_samples == 1 and weights.ndim == 1 and len(weights) > 1:
        state = _torch.get_rng_state()
        first, second = (weights / _torch.empty_like(weights).exponential_()).topk(2).values.tolist()
        _torch.set_rng_state(state)
        _draws.append(first / second - 1 if second else 1.0)
    return _draw(weights, num_samples, *more, **options)

def _argmax(values, *more, **options):
    if values.is_floating_point() and values.ndim and values.shape[-1] > 1:
        _choices.append(float(-values.detach().topk(2).values.diff().max()))
    return _largest(values, *more, **options)

_torch.multinomial, _torch.Tensor.argmax = _multinomial, _argmax
"""
SAY = """
print("; ".join(f"{len(some)} {what}, the closest by {min(some):.1g}"
                for some, what in ((_draws, "draws"), (_choices, "choices")) if some))
_draws.clear(), _choices.clear()
"""


def main(stem: str) -> None:
    """Print a line for each cell that draws or chooses, but for the tests' own."""
    path = ROOT / "solutions" / f"{stem}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    written = [cell for cell in notebook.cells if cell.cell_type == "code"]
    notebook.cells = [new_code_cell(WATCH)]
    for cell in written:
        notebook.cells += [cell, new_code_cell(SAY)]
    client_for(notebook, path.parent).execute()
    for number, (cell, said) in enumerate(zip(notebook.cells[1::2], notebook.cells[2::2], strict=True)):
        text = "".join(output.get("text", "") for output in said.outputs).strip()
        if text and not cell.source.startswith("test_"):
            print(f"cell {number}, {cell.source.splitlines()[0]!r}: {text}")


if __name__ == "__main__":
    main(*sys.argv[1:])
