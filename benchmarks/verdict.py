"""How long a learner waits: from a fresh kernel to the first verdict, and for a check once everything is imported.

Run `python benchmarks/verdict.py`. Beside each figure stands a peer measured in the same run: a kernel that imports
TransformerLens and boots the reference model, which is what a check would cost if it asked the model itself.
"""

import contextlib
import io
import statistics
import time

import nbformat
from nbclient import NotebookClient

from solutions.ch02_embeddings import Embed, PosEmbed
from solutions.ch03_layernorm import LayerNorm
from tests.ch02_embeddings import test_embed, test_pos_embed
from tests.ch03_layernorm import test_layer_norm
from utils.course import ROOT, throwaway_state

KERNEL_RUNS, CHECK_RUNS = 5, 50
PEER = "from utils.reference import boot\nboot()"


def seconds_in_fresh_kernel(sources: list[str]) -> float:
    """Start a kernel, run the cells, and return the seconds from the kernel's start to the last answer."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    client = NotebookClient(notebook, kernel_name="python3", allow_errors=True)
    started = time.perf_counter()
    with client.setup_kernel():
        for index, cell in enumerate(notebook.cells):
            client.execute_cell(cell, index)
        return time.perf_counter() - started


def cells_to_the_verdict(stem: str, test_call: str) -> list[str]:
    """The solved chapter's code cells up to the first test call, without those that draw figures.

    Solved, because a stub's verdict comes before most of the checks.
    """
    solved = nbformat.read(ROOT / "solutions" / f"{stem}.ipynb", as_version=4)
    sources = [cell.source for cell in solved.cells if cell.cell_type == "code"]
    last = next(index for index, source in enumerate(sources) if source.startswith(test_call))
    drawn = ("lines(", "bars(", "heatmap(")
    return [source for source in sources[: last + 1] if not any(call in source for call in drawn)]


def milliseconds_of(test, component) -> float:
    """The median time of one test function on a component that passes, its card included."""
    times = []
    for _ in range(CHECK_RUNS):
        started = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            test(component)
        times.append(time.perf_counter() - started)
    return 1000 * statistics.median(times)


def main() -> None:
    """Print both figures, each with its peer."""
    verdict = cells_to_the_verdict("ch03_layernorm", "test_layer_norm")
    with throwaway_state():  # a learner's my_gpt/ stays as it is
        pairs = [(seconds_in_fresh_kernel(verdict), seconds_in_fresh_kernel([PEER])) for _ in range(KERNEL_RUNS)]
    ours, peer = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    print(f"fresh kernel to first verdict: {ours:.2f} s   (booting TransformerLens: {peer:.2f} s, ratio {ratio:.2f})")
    for test, component in ((test_embed, Embed), (test_pos_embed, PosEmbed), (test_layer_norm, LayerNorm)):
        print(f"{test.__name__}: {milliseconds_of(test, component):.0f} ms, the median of {CHECK_RUNS} runs")


if __name__ == "__main__":
    main()
