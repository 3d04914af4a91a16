"""Tokens per second of every dialect, side by side: ours, the package my_gpt's, HuggingFace's and nanoGPT's.

Greedy, from the same prompt, on one thread, in rounds in which every way takes its turn, all in one run. What is
printed is tokens per second by processor time and by the clock, the best round of each, and both over HuggingFace's.
Every way has to write the same tokens; nanoGPT's model, whose GELU is the exact one, may differ and is said to.

    python benchmarks/dialects.py [--rounds 3] [--only bundled|small] [--nanogpt DIR]

bundled   the reference model of the course, 100 tokens
small     random weights in the shape of GPT-2 small, made on the fly (3 GB of memory), 20 tokens
--nanogpt a folder with nanoGPT's model.py (github.com/karpathy/nanoGPT), to run it beside ours; without, it is left out
"""

import argparse
import gc
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from judge.running.parameters import load_weights
from solutions import ch11_dialects as dialects
from solutions.ch07_transformer import Transformer
from tests.reference.gpt2_small import random_gpt2_small
from utils.config import Config
from utils.course import throwaway_state
from utils.dialects import fused_attention, jax_params, numpy_params
from utils.own_gpt.loading import BUNDLED, loaded, module
from utils.own_gpt.writing import write_package
from utils.reference import folders

PEER = "HuggingFace generate"
NANO = "nanoGPT's generate"
Way = Callable[[Tensor, int], list[int]]


def huggingface(folder: Path) -> Any:
    """The model as `transformers` reads it, in float32."""
    from transformers.models.gpt2 import GPT2LMHeadModel

    return GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32).eval()


def numpy_way(folder: Path) -> Way:
    """The whole text through NumPy for every token."""
    params, cfg = numpy_params(folder)
    return lambda start, count: dialects.generate_greedy_numpy(start.tolist(), params, cfg.n_heads, count)


def jax_way(folder: Path) -> Way:
    """The whole text through one compiled function for every token, filled up to the length that it ends with."""
    import jax

    params, cfg = jax_params(folder)
    compiled = jax.jit(dialects.gpt2_jax, static_argnums=2)

    def tell(start: Tensor, count: int) -> list[int]:
        length = len(start) + count
        table = params._replace(W_p=params.W_p[:length])
        return dialects.generate_greedy_jax(start.tolist(), table, cfg.n_heads, count, compiled)

    return tell


def fused_way(folder: Path) -> Way:
    """The Transformer of chapter 7 with fused attention, the whole text for every token."""
    cfg, weights = folders.read(folder)
    model = with_fused_attention(cfg, weights)

    def tell(start: Tensor, count: int) -> list[int]:
        tokens = start[None]
        for _ in range(count):
            tokens = torch.cat([tokens, model(tokens)[:, -1:].argmax(-1)], dim=1)
        return tokens[0].tolist()

    return tell


def with_fused_attention(cfg: Config, weights: dict[str, Tensor]) -> Transformer:
    """The model, its attention layers replaced by chapter 11's."""
    model = Transformer(cfg)
    load_weights(model, weights)
    for layer in range(cfg.n_layers):
        attention = dialects.CausalSelfAttention(cfg)
        attention.load_state_dict(fused_attention(weights, f"blocks.{layer}.attn"))
        model.blocks[layer].attn = attention  # type: ignore[union-attr]
    return model.eval()


def package_ways(folder: Path) -> dict[str, Way]:
    """The package my_gpt's: `generate_with_cache` of chapter 8, and the loops of --fast."""
    gpt, fast = module("course.telling").load(folder), module("course.fast").FastGPT2
    cached = module("parts.generate_with_cache").generate_with_cache

    def by_loop(loop: Any) -> Way:
        def tell(start: Tensor, count: int) -> list[int]:
            loop.n_read = 0
            return [*start.tolist(), *loop.tokens(start, count)]

        return tell

    loops = {"my_gpt --fast, 32 bits": fast(gpt.model, bits=32)}
    halves = fast(gpt.model)
    if halves.from_16_bits:
        loops["my_gpt --fast, 16 bits"] = halves
    return {
        "generate_with_cache": lambda start, count: cached(gpt.model, start, count, temperature=0).tolist(),
        **{name: by_loop(loop) for name, loop in loops.items()},
    }


def huggingface_way(folder: Path) -> Way:
    """`generate` of transformers, with its cache."""
    theirs = huggingface(folder)

    def tell(start: Tensor, count: int) -> list[int]:
        settings = {"do_sample": False, "max_new_tokens": count, "min_new_tokens": count, "pad_token_id": 0}
        return theirs.generate(start[None], attention_mask=torch.ones_like(start[None]), **settings)[0].tolist()

    return tell


def nanogpt_way(folder: Path, source: Path) -> Way:
    """nanoGPT's model, from its own model.py, with the weights of the folder; its generate with top_k=1."""
    spec = importlib.util.spec_from_file_location("nanogpt_model", source / "model.py")
    assert spec and spec.loader, f"{source}/model.py is not there"
    theirs = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = theirs
    spec.loader.exec_module(theirs)
    cfg, _ = folders.read(folder)
    sizes = {"n_layer": cfg.n_layers, "n_head": cfg.n_heads, "n_embd": cfg.d_model, "dropout": 0.0, "bias": True}
    model = theirs.GPT(theirs.GPTConfig(block_size=cfg.n_ctx, vocab_size=cfg.d_vocab, **sizes)).eval()
    state = huggingface(folder).state_dict()
    turned = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
    with torch.no_grad():
        for name, parameter in model.state_dict().items():
            parameter.copy_(state[name].T if name.endswith(turned) else state[name])
    return lambda start, count: model.generate(start[None], count, top_k=1)[0].tolist()


def ways(folder: Path, nanogpt: Path | None) -> dict[str, Way]:
    """All of them, by name."""
    found = {PEER: huggingface_way(folder)}
    if nanogpt:
        found[NANO] = nanogpt_way(folder, nanogpt)
    found |= {"NumPy, whole text": numpy_way(folder), "fused attention, whole text": fused_way(folder)}
    if importlib.util.find_spec("jax"):
        found["JAX, compiled, whole text"] = jax_way(folder)
    return found | package_ways(folder)


def measured(found: dict[str, Way], start: Tensor, count: int, rounds: int) -> dict[str, tuple[float, float]]:
    """The best processor time and the best time by the clock of each; in the first round caches fill, uncounted."""
    best = dict.fromkeys(found, (float("inf"), float("inf")))
    right = found[PEER](start, count)
    for number in range(rounds + 1):
        for name, way in found.items():
            gc.collect()
            cpu, wall = time.process_time(), time.perf_counter()
            made = way(start, count)
            spent = time.process_time() - cpu, time.perf_counter() - wall
            if number:
                best[name] = min(best[name][0], spent[0]), min(best[name][1], spent[1])
            elif made != right:
                first = next(at for at, (one, other) in enumerate(zip(made, right, strict=True)) if one != other)
                if name != NANO:
                    raise SystemExit(f"{name} writes another token at {first}")
                print(f"({name} writes another token from {first} on: its GELU is the exact one)")
    return best


def report(title: str, count: int, best: dict[str, tuple[float, float]]) -> None:
    """The table of one model."""
    print(f"\n{title}: {count} tokens")
    print(f"{'':30}{'tokens/s, processor':>20}{'by the clock':>14}{'times HuggingFace':>19}{'by the clock':>14}")
    peer_cpu, peer_wall = best[PEER]
    for name, (cpu, wall) in best.items():
        row = f"{count / cpu:20.1f}{count / wall:14.1f}{peer_cpu / cpu:19.2f}{peer_wall / wall:14.2f}"
        print(f"{name:30}{row}")


def main() -> None:
    """Measure both models, or the one that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["bundled", "small"])
    parser.add_argument("--nanogpt", type=Path)
    wanted = parser.parse_args()
    if "OPENBLAS_NUM_THREADS" not in os.environ:  # which NumPy reads once, when it is imported
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, load of this machine before: {os.getloadavg()[0]:.1f}")
    with throwaway_state() as state, tempfile.TemporaryDirectory() as scratch, torch.no_grad():
        write_package()
        with loaded(state / "my_gpt"):
            for name, count in (("bundled", 100), ("small", 20)):
                if wanted.only not in (None, name):
                    continue
                folder = BUNDLED if name == "bundled" else Path(scratch)
                if name == "small":
                    random_gpt2_small(folder)
                    (folder / "tokenizer.json").write_bytes((BUNDLED / "tokenizer.json").read_bytes())
                tokenizer = module("course.telling").load(folder).tokenizer
                start = torch.tensor([tokenizer.end, *tokenizer.encode("Once upon a time there was")])
                report(name, count, measured(ways(folder, wanted.nanogpt), start, count, wanted.rounds))
    print(f"load after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
