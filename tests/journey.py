"""A learner's way through a chapter's notebook, for tests: what they write, what they run, what they are shown."""

import ast
import importlib
import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from utils.authoring.executing import OwnKernel
from utils.checking import Misconception
from utils.course import ROOT, ExerciseInfo
from utils.learner.collecting import gather
from utils.learner.statements import statements

SECONDS_PER_CELL = 120
NOT_A_LEARNERS = re.compile(r"(?:from|import) (?:tests|solutions|utils\.(?!config))")
# One slip in the solution of each exercise: what stands there, what a learner writes instead, the misconception's name.
SLIPS = {
    "SpaceTokenizer": ("enumerate(vocab)", "enumerate(vocab, start=1)", "numbering the words from 1"),
    "train_bpe": ("(pair_counts[pair], pair)", "pair_counts[pair]", "ties to the pair that was counted first"),
    "bpe_encode": ("min(known", "max(known", "the latest merge first"),
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
    "MLP": ("gelu_new(pre)", "pre", "multiplying `pre` by `W_out` where `post` is meant"),
    "Unembed": (" + self.b_U", "", "leaving out `b_U`"),
    "cross_entropy_loss": (".mean()", ".sum()", "a sum in place of the mean"),
    "TransformerBlock": ("self.ln1(resid_pre)", "resid_pre", "attention reading the raw stream"),
    "Transformer": ("self.ln_final(resid)", "resid", "leaving `ln_final` out"),
}


class Reader:
    """A kernel with one notebook open in it; `run` does what Shift+Enter does."""

    def __init__(self, client: NotebookClient):
        self.client = client

    def run(self, cell: NotebookNode, source: str | None = None) -> NotebookNode:
        """A copy of the cell with what it shows, errors too; with another source, after that was written into it."""
        ran = nbformat.v4.new_code_cell(cell.source if source is None else source)
        self.client.nb.cells.append(ran)
        self.client.execute_cell(ran, len(self.client.nb.cells) - 1)
        return ran


@contextmanager
def opened(folder: Path) -> Iterator[Reader]:
    """A new kernel among the chapters of a learner's folder, which also holds their my_gpt/."""
    ours = {name: value for name, value in os.environ.items() if name != "COURSE_PROGRESS"}
    search = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    learners = {"COURSE_STATE": str(folder), "COURSE_REFERENCE": "bundled", "PYTHONPATH": search}
    one_thread = {"OMP_NUM_THREADS": "1"}  # several threads on busy cores get in each other's way
    client = NotebookClient(
        nbformat.v4.new_notebook(),
        kernel_name="python3",
        kernel_manager_class=OwnKernel,
        extra_arguments=["--log-level=ERROR"],
        timeout=SECONDS_PER_CELL,
        allow_errors=True,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder / "chapters")}},
    )
    with client.setup_kernel(env=ours | learners | one_thread):
        yield Reader(client)


def code_cells(path: Path) -> list[NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def error_of(cell: NotebookNode) -> str:
    """The error that a cell stopped with, "" when it did not."""
    return next((f"{out.ename}: {out.evalue}" for out in cell.outputs if out.output_type == "error"), "")


def shown(cell: NotebookNode) -> str:
    """What a cell shows, as plain text: what it prints, and the words of each output."""
    texts = (out.get("text") or out.get("data", {}).get("text/plain", "") for out in cell.outputs)
    return "\n".join(filter(None, texts))


def kinds(cell: NotebookNode) -> set[str]:
    """In what ways a cell shows something: as text, a figure, an image, a control."""
    return {kind for out in cell.outputs for kind in out.get("data", {out.output_type: ""})}


@dataclass(frozen=True)
class WrongAnswer:
    """A misconception as a learner would have it in their cell."""

    source: str
    misconception: Misconception

    @property
    def said(self) -> str:
        """What the card must say of it."""
        return f"This is what you get from {self.misconception.name}: {self.misconception.advice}"


def wrong_answer(one: ExerciseInfo, solved: str, taken: Collection[str]) -> WrongAnswer:
    """The slip of an exercise, or the first of its misconceptions whose source can stand in a cell.

    `solved` is the cell as the solution has it, `taken` are names of the notebook that no helper may overwrite.
    """
    known = getattr(importlib.import_module(f"tests.{one.stem}"), one.test).exercise.misconceptions
    if one.symbol in SLIPS:
        right, wrong, name = SLIPS[one.symbol]
        assert solved.count(right) == 1, f"SLIPS: {right!r} is not once in the solution of {one.symbol}"
        named = next((misconception for misconception in known if misconception.name == name), None)
        assert named, f"SLIPS: {one.symbol} has no misconception {name!r}"
        return WrongAnswer(solved.replace(right, wrong), named)
    for misconception in known:
        if source := _in_cell(misconception.component.__name__, one, taken):
            return WrongAnswer(source, misconception)
    raise AssertionError(f"no misconception of {one.symbol} can stand in a cell: give it a slip, in SLIPS")


def _in_cell(name: str, one: ExerciseInfo, taken: Collection[str]) -> str | None:
    """A wrong function's source under the exercise's name, with what it needs; None if that is the tests' own."""
    try:
        source = gather(name, [_without_decorators(one.stem)])
    except LookupError:
        return None
    bound = {bound for part in statements(source) if not part.is_import for bound in part.binds} - {name}
    if NOT_A_LEARNERS.search(source) or bound & {*taken, one.symbol}:
        return None
    return re.sub(rf"\b{name}\b", one.symbol, source)


@cache
def _without_decorators(stem: str) -> str:
    """A chapter's tests, with plain functions where misconceptions are registered."""
    tree = ast.parse((ROOT / "tests" / f"{stem}.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = []
    return ast.unparse(tree)
