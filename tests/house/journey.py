"""A learner's way through a chapter's notebook, for tests: what they write, what they run, what they are shown."""

import importlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from author.executing import client_for
from judge.checking import Misconception
from utils.course import ROOT, UNWATCHED, ExerciseInfo

SECONDS_PER_CELL = 600  # by the clock, so far off: one of half a minute takes four times as long beside other work
FIRST_SENTENCE = re.compile(r"^.+?[.?](?= |$)")
FIGURE = "application/vnd.plotly.v1+json"
DRAWN = 'class="cf" role="img"'  # what utils.drawing makes: below controls it stands for a figure
# One slip in the solution of each exercise: what stands there, what a learner writes instead, the misconception's name.
SLIPS = {
    "SpaceTokenizer": ("enumerate(vocab)", "enumerate(vocab, start=1)", "numbering the words from 1"),
    "train_bpe": ("(pair_counts[pair], pair)", "pair_counts[pair]", "ties to the pair that was counted first"),
    "bpe_encode": ("min(known", "max(known", "the latest merge first"),
    "bpe_decode": ('"utf-8", errors="replace"', '"utf-8", errors="ignore"', "leaving out what is no UTF-8"),
    "ResidualStream": ("resid + layer(resid)", "layer(resid)", "layers one after another, without adding"),
    "decompose_residual": (
        'f"{layer}_attn_out", f"{layer}_mlp_out"',
        'f"{layer + 1}_attn_out", f"{layer + 1}_mlp_out"',
        "blocks counted from 1",
    ),
    "Embed": ("self.W_E[tokens]", "self.W_E[tokens] * self.cfg.d_model**0.5", "scaling by the square root of d_model"),
    "PosEmbed": (".expand(batch, -1, -1)", "", "a result without the batch axis"),
    "LayerNorm": (
        "centred.pow(2).mean(dim=-1, keepdim=True)",
        "centred.var(dim=-1, keepdim=True)",
        "the unbiased variance",
    ),
    "softmax": (" - x.amax(dim=dim, keepdim=True).detach()", "", "exp without the largest score subtracted"),
    "apply_causal_mask": ("triu(1)", "triu(0)", "hiding the present too"),
    "Attention": ("self.cfg.d_head**0.5", "self.cfg.d_model**0.5", "scores divided by the root of d_model"),
    "gelu_new": ("0.044715 * x**3", "0.044715 * x**2", "the square in place of the cube"),
    "MLP": ("gelu_new(pre)", "pre", "no GELU between the layers"),
    "Unembed": (" + self.b_U", "", "leaving out `b_U`"),
    "cross_entropy_loss": (".mean()", ".sum()", "a sum in place of the mean"),
    "TransformerBlock": ("self.ln1(resid_pre)", "resid_pre", "attention reading the raw stream"),
    "Transformer": ("self.ln_final(resid)", "resid", "leaving `ln_final` out"),
    "greedy": ("logits.argmax()", "logits.sort(descending=True).values.argmax()", "0 whatever the logits are"),
    "apply_temperature": ("logits / temperature", "logits * temperature", "multiplying by the temperature"),
    "apply_frequency_penalty": ("logits - freq_penalty", "logits + freq_penalty", "the penalty added"),
    "sample_basic": ("logits.softmax(-1)", "(-logits).softmax(-1)", "softmax of minus the logits"),
    "sample_top_k": ("int(tokens[sample_basic(best)])", "sample_basic(best)", "the rank instead of the token"),
    "sample_top_p": (
        "int(tokens[sample_basic(ranked[:n_kept])])",
        "sample_basic(ranked[:n_kept])",
        "the rank instead of the token",
    ),
    "sample_next_token": ("apply_frequency_penalty(input_ids, logits, freq_penalty)", "logits", "the penalty left out"),
    "generate": ("tokens[None, -model.cfg.n_ctx :]", "tokens[None]", "a text that is never cropped"),
    "beam_search": ("text[None, -model.cfg.n_ctx :]", "text[None]", "a text that is never cropped"),
    "attend_with_cache": (".triu(n_all - n_new + 1)", ".triu(1)", "the mask of a text without old positions"),
    "generate_with_cache": (
        "W_pos[n_read : len(tokens)]",
        "W_pos[: len(tokens) - n_read]",
        "positions that start at 0 again",
    ),
    "AdamW": ("unbiased_square.sqrt() + self.eps", "(unbiased_square + self.eps).sqrt()", "eps inside the square root"),
    "cosine_lr": ("(step - warmup) / (total - warmup)", "step / total", "a curve that counts the warm-up's steps"),
    "Muon": ("** 0.5", "", "a scale without its root"),
    "get_batch": ("len(data) - n_ctx + 1", "len(data) - n_ctx", "never the last window"),
    "lm_loss": (
        "cross_entropy_loss(model(tokens), tokens)",
        "cross_entropy_loss(model(tokens).softmax(-1), tokens)",
        "softmax taken twice",
    ),
    "dropout": ("x * kept / (1 - p)", "x * kept", "numbers that are not scaled up"),
    "train": ("            optimiser.zero_grad()\n", "", "gradients that add up over the steps"),
    "count_parameters": ("+ norm + unembed", "+ unembed", "a count without `ln_final`"),
    "forward_flops": ("2 * batch * seq * each", "batch * seq * each", "multiply-and-adds, each counted once"),
    "kv_cache_bytes": ("2 * cfg.n_layers", "cfg.n_layers", "keys alone"),
    "generation_time": ("cache and seq > prompt", "cache", "a first pass over one token"),
    "gpt2_numpy": ("variance + 1e-5", "variance", "no eps in the LayerNorm, or a far smaller one"),
    "CausalSelfAttention": ("q, k, v, is_causal=True", "q, k, v", "no mask"),
    "gpt2_jax": ("approximate=True", "approximate=False", "the exact GELU, with erf"),
}


class Reader:
    """A kernel with one notebook open in it; `run` does what Shift+Enter does, and sees what stands below controls."""

    def __init__(self, client: NotebookClient):
        self.client = client

    def run(self, cell: NotebookNode, source: str | None = None) -> NotebookNode:
        """A copy of the cell with what it shows, errors too; with another source, after that was written into it."""
        ran = nbformat.v4.new_code_cell(cell.source if source is None else source)
        before = set(self.client.widget_state)
        self.client.nb.cells.append(ran)
        self.client.execute_cell(ran, len(self.client.nb.cells) - 1)
        controls = [made for name, made in self.client.comm_objects.items() if name not in before]
        ran.outputs += [nbformat.from_dict(out) for made in controls for out in getattr(made, "outputs", ())]
        states = [state for name, state in self.client.widget_state.items() if name not in before]
        if any(DRAWN in str(state.get("value")) for state in states):
            ran.outputs.append(nbformat.v4.new_output("display_data", {FIGURE: {}}))
        return ran


@contextmanager
def opened(folder: Path) -> Iterator[Reader]:
    """A new kernel among the chapters of a learner's folder, which also holds their my_gpt/."""
    ours = {name: value for name, value in os.environ.items() if name not in UNWATCHED}
    search = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    learners = {"COURSE_STATE": str(folder), "COURSE_REFERENCE": "bundled", "PYTHONPATH": search}
    one_thread = {"OMP_NUM_THREADS": "1"}  # several threads on busy cores get in each other's way
    client = client_for(nbformat.v4.new_notebook(), folder / "chapters", timeout=SECONDS_PER_CELL, allow_errors=True)
    with client.setup_kernel(env=ours | learners | one_thread):
        yield Reader(client)


def code_cells(path: Path) -> list[NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def error_of(cell: NotebookNode) -> str:
    """The error that a cell stopped with, "" when it did not."""
    return next((f"{out.ename}: {out.evalue}" for out in cell.outputs if out.output_type == "error"), "")


CONTROL = "application/vnd.jupyter.widget-view+json"


def shown(cell: NotebookNode) -> str:
    """What a cell shows, as plain text: what it prints, and the words of each output."""
    texts = (out.get("text") or out.get("data", {}).get("text/plain", "") for out in cell.outputs)
    return "\n".join(filter(None, texts))


def kinds(cell: NotebookNode) -> set[str]:
    """In what ways a cell shows something: as text, a figure, an image, a control, which holds its text itself."""
    found = {kind for out in cell.outputs for kind in out.get("data", {out.output_type: ""})}
    return found | {"stream"} if CONTROL in found else found


@dataclass(frozen=True)
class WrongAnswer:
    """A misconception as a learner would have it in their cell."""

    source: str
    misconception: Misconception

    @property
    def said(self) -> str:
        """What the card must say of it: the advice to its first full stop, for the rest may be about other code."""
        return f"The cause: {self.misconception.name}. {FIRST_SENTENCE.findall(self.misconception.advice)[0]}"


def wrong_answer(one: ExerciseInfo, solved: str) -> WrongAnswer:
    """The cell of an exercise with its slip in it; `solved` is the cell as the solution has it."""
    assert one.symbol in SLIPS, f"{one.symbol} has no slip: add one to SLIPS"
    right, wrong, name = SLIPS[one.symbol]
    assert solved.count(right) == 1, f"SLIPS: {right!r} is not once in the solution of {one.symbol}"
    known = getattr(importlib.import_module(f"tests.{one.stem}"), one.test).exercise.misconceptions
    named = next((misconception for misconception in known if misconception.name == name), None)
    assert named, f"SLIPS: {one.symbol} has no misconception {name!r}"
    return WrongAnswer(solved.replace(right, wrong), named)
