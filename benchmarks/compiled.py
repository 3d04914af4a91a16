"""What torch.compile makes of chapter 7's Transformer: kernels, seconds to compile, milliseconds a call, on one thread.

    python benchmarks/compiled.py [--rounds 30]

The bundled model reads a passage and a single token; on this way and compiled, in turns, the fastest call of each in
processor time. Compiling counts the C++ compiler's processor time too, and begins with an empty cache. Where there is
no C++ compiler, torch.compile can't be measured, and the script says so.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable

import torch
from torch import Tensor


def processor_seconds() -> float:
    """Of this process and of those that it started and that have ended."""
    import resource  # not on Windows

    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def fastest(ways: dict[str, Callable[[Tensor], Tensor]], tokens: Tensor, rounds: int) -> dict[str, float]:
    """Milliseconds of processor time of each way's fastest call, all ways in turns."""
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            began = time.process_time()
            way(tokens)
            best[name] = min(best[name], 1000 * (time.process_time() - began))
    return best


def main() -> None:
    """Print the figures of one process, which starts with an empty cache."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    if sys.platform == "win32":
        raise SystemExit("Windows does not tell the C++ compiler's processor time: use Linux, WSL or macOS")
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as cache, torch.no_grad():
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache  # read when the first graph is compiled
        measure(rounds)


def measure(rounds: int) -> None:
    """Compile, count and time, length by length."""
    from torch._dynamo.utils import counters
    from torch._inductor.exc import InductorError, InvalidCxxCompiler
    from torch._inductor.graph import GraphLowering

    from judge.running.parameters import load_weights
    from solutions.ch07_transformer import Transformer
    from utils.passages import passage_tokens
    from utils.reference import reference

    reference_model = reference()
    model = Transformer(reference_model.cfg)
    load_weights(model, reference_model.weights)
    passage = passage_tokens()[:1]
    compiled = torch.compile(model)
    ways: dict[str, Callable[[Tensor], Tensor]] = {"as written": model, "compiled": compiled}
    print(f"torch {torch.__version__}, load of this machine before: {os.getloadavg()[0]:.1f}")
    graphs, programs = 0, []
    GraphLowering.save_output_code = staticmethod(programs.append)
    for length in (passage.shape[1], 100, 50, 1):
        tokens = passage[:, :length]
        clock, spent = time.perf_counter(), processor_seconds()
        try:
            answer = compiled(tokens)
        except InductorError as error:
            if not isinstance(error.inner_exception, InvalidCxxCompiler):
                raise
            raise SystemExit("There is no C++ compiler here: install g++ or clang++, or set CXX") from None
        clock, spent = time.perf_counter() - clock, processor_seconds() - spent
        apart = (answer - model(tokens)).abs().max().item()
        best = fastest(ways, tokens, rounds)
        saved = best["as written"] - best["compiled"]
        before, graphs, breaks = graphs, counters["stats"]["unique_graphs"], sum(counters["graph_break"].values())
        print(f"\n{length} tokens: the first call took {spent:.1f} s of processor time, {clock:.1f} by the clock")
        print(f"graphs so far {graphs}, breaks {breaks}, operations {counters['stats']['calls_captured']}")
        calls = programs[-1].partition("def call")[2]
        loops, products = (len(re.findall(name, calls)) for name in (r"cpp_fused_\w+\(", r"extern_kernels\.\w+\("))
        print(f"the newest program: {loops} loops of its own, {products} calls of a library for products")
        print(f"largest difference of a logit {apart:.1e}")
        print(", ".join(f"{name} {milliseconds:.2f} ms" for name, milliseconds in best.items()), end=": ")
        print(f"{best['as written'] / best['compiled']:.2f} times as fast")
        if graphs > before and saved > 0:
            print(f"the first call has paid after {1000 * spent / saved:.0f} calls")
    print(f"load after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
