"""How TransformerBlock goes wrong: what is read from the stream, and what is added to it."""

import math
from functools import partial

import torch
from torch import nn

from tests.ch07_transformer import block
from tests.misconceptions.ch07_transformer._given import GivenBlock


@block.correct
def in_one_line(self, resid_pre):
    attn_out = self.attn(self.ln1(resid_pre))
    return resid_pre + attn_out + self.mlp(self.ln2(resid_pre + attn_out))


@block.correct
class ShrunkAtTheStart(GivenBlock):
    """What writes into the stream starts smaller, as in Radford et al. 2019 (and nanoGPT)."""

    def __init__(self, cfg):
        super().__init__(cfg)
        for weight in (self.attn.W_O, self.mlp.W_out):
            nn.init.normal_(weight, std=cfg.init_range / math.sqrt(2 * cfg.n_layers))


@block.correct
def with_one_name(self, x):
    x = x + self.attn(self.ln1(x))
    x = x + self.mlp(self.ln2(x))
    return x


@block.correct
def on_a_copy_in_place(self, resid_pre):
    resid = resid_pre.clone()
    resid += self.attn(self.ln1(resid_pre))
    return torch.add(resid, self.mlp(self.ln2(resid)))


@block.correct
def one_sentence_at_a_time(self, resid_pre):
    return torch.cat([GivenBlock.forward(self, sentence[None]) for sentence in resid_pre])


@block.correct
def as_a_loop_over_sublayers(self, resid_pre):
    resid = resid_pre
    for ln, sublayer in ((self.ln1, self.attn), (self.ln2, self.mlp)):
        resid = torch.stack([resid, sublayer(ln(resid))]).sum(dim=0)
    return resid


@block.correct
class HeadsInALoop(GivenBlock):
    """Attention head by head with an explicit mask, LayerNorm and GELU written out, in double precision."""

    def forward(self, resid_pre):
        resid = resid_pre.double()
        normal = self.normalised(resid, self.ln1)
        attn, mlp = self.attn, self.mlp
        future = torch.ones(resid.shape[1], resid.shape[1]).triu(1).bool()
        for head in range(self.cfg.n_heads):
            query, key, value = (
                normal @ getattr(attn, f"W_{one}")[head].double() + getattr(attn, f"b_{one}")[head] for one in "QKV"
            )
            scores = (query @ key.mT / math.sqrt(self.cfg.d_head)).masked_fill(future, -1e9)
            resid = resid + scores.softmax(-1) @ value @ attn.W_O[head].double()
        resid = resid + attn.b_O
        pre = self.normalised(resid, self.ln2) @ mlp.W_in.double() + mlp.b_in
        post = 0.5 * pre * (1 + torch.tanh(math.sqrt(2 / math.pi) * (pre + 0.044715 * pre**3)))
        return (resid + post @ mlp.W_out.double() + mlp.b_out).float()

    def normalised(self, resid, ln):
        variance, mean = torch.var_mean(resid, dim=-1, correction=0, keepdim=True)
        return (resid - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * ln.w + ln.b


wrong, also = partial(block.misconception, of=GivenBlock.forward), partial(block.also, of=GivenBlock.forward)


@wrong(
    "overwriting the stream with its normalised copy",
    "A LayerNorm gives a copy to be read, but here the copy has taken the stream's place, as in `x = self.ln1(x)` or "
    "`x = self.ln2(x)`. Each sublayer reads its copy, the sum keeps the stream: `x + self.attn(self.ln1(x))`.",
)
def stream_overwritten(self, x):
    x = self.ln1(x)
    x = x + self.attn(x)
    x = self.ln2(x)
    return x + self.mlp(x)


@also("overwriting the stream with its normalised copy")
def stream_overwritten_once(self, x):
    x = self.ln1(x)
    x = x + self.attn(x)
    return x + self.mlp(self.ln2(x))


@also("overwriting the stream with its normalised copy")
def stream_overwritten_later(self, x):
    x = x + self.attn(self.ln1(x))
    x = self.ln2(x)
    return x + self.mlp(x)


wrong(
    "the raw stream in a sublayer and its copy in the sum",
    "The other way round: a sublayer reads the normalised copy, and its answer is added to the stream as it is, "
    "`x + self.attn(self.ln1(x))`.",
    (
        "resid_pre + self.attn(self.ln1(resid_pre)) → self.ln1(resid_pre) + self.attn(resid_pre)",
        "resid_mid + self.mlp(self.ln2(resid_mid)) → self.ln2(resid_mid) + self.mlp(resid_mid)",
    ),
    "resid_pre + self.attn(self.ln1(resid_pre)) → self.ln1(resid_pre) + self.attn(resid_pre)",
    "resid_mid + self.mlp(self.ln2(resid_mid)) → self.ln2(resid_mid) + self.mlp(resid_mid)",
)
wrong(
    "adding inside a sublayer's brackets",
    "Add outside the brackets, or the stream is lost: `x + self.attn(self.ln1(x))`, `x + self.mlp(self.ln2(x))`.",
    (
        "resid_pre + self.attn(self.ln1(resid_pre)) → self.attn(resid_pre + self.ln1(resid_pre))",
        "resid_mid + self.mlp(self.ln2(resid_mid)) → self.mlp(resid_mid + self.ln2(resid_mid))",
    ),
    "resid_pre + self.attn(self.ln1(resid_pre)) → self.attn(resid_pre + self.ln1(resid_pre))",
    "resid_mid + self.mlp(self.ln2(resid_mid)) → self.mlp(resid_mid + self.ln2(resid_mid))",
)
wrong(
    "scaling the sums",
    "The stream is the plain sum of `resid_pre` and both answers: each part counts once, whole.",
    (
        "resid_pre + self.attn(self.ln1(resid_pre)) → (resid_pre + self.attn(self.ln1(resid_pre))) / 2",
        "resid_mid + self.mlp(self.ln2(resid_mid)) → (resid_mid + self.mlp(self.ln2(resid_mid))) / 2",
    ),
)
also("scaling the sums", lambda self, x: GivenBlock.forward(self, x) / 2)
also(
    "scaling the sums",
    (
        "resid_pre + self.attn(self.ln1(resid_pre)) → (resid_pre + self.attn(self.ln1(resid_pre))) / 2**0.5",
        "resid_mid + self.mlp(self.ln2(resid_mid)) → (resid_mid + self.mlp(self.ln2(resid_mid))) / 2**0.5",
    ),
    "self.ln1(resid_pre)) → self.ln1(resid_pre)) / 2",
    ("self.ln1(resid_pre)) → self.ln1(resid_pre)) / 2", "self.ln2(resid_mid)) → self.ln2(resid_mid)) / 2"),
)
wrong(
    "adding the MLP's answer to `resid_pre`",
    "Attention's answer is lost that way: add to `resid_mid`, the stream after attention has written.",
    "resid_mid + → resid_pre +",
)
wrong(
    "using `ln1` twice",
    "The two LayerNorms have weights of their own: the MLP reads `self.ln2(resid_mid)`.",
    "self.ln2 → self.ln1",
)
wrong(
    "using `ln2` twice",
    "The two LayerNorms have weights of their own: attention reads `self.ln1(resid_pre)`.",
    "self.ln1 → self.ln2",
)
wrong(
    "`ln1` and `ln2` swapped",
    "`ln1` stands before attention, `ln2` before the MLP.",
    ("self.ln2 → self.ln1", "self.ln1(resid_pre) → self.ln2(resid_pre)"),
)


@wrong(
    "running both sublayers side by side",
    "GPT-2's MLP comes after attention and reads what it wrote: `self.mlp(self.ln2(resid_mid))`. (GPT-J's blocks are "
    "parallel.)",
)
def parallel(self, resid_pre):
    return resid_pre + self.attn(self.ln1(resid_pre)) + self.mlp(self.ln2(resid_pre))


@wrong(
    "one normalised copy for both sublayers",
    "The MLP needs a copy of its own, made after attention has written: `self.ln2(resid_mid)`.",
)
def parallel_with_one_copy(self, resid_pre):
    copy = self.ln1(resid_pre)
    return resid_pre + self.attn(copy) + self.mlp(copy)


wrong(
    "normalising after the sum (post-norm)",
    "That is the Transformer of 2017. GPT-2 normalises what a sublayer reads: `resid_pre + attn(ln1(resid_pre))`.",
    (
        "resid_pre + self.attn(self.ln1(resid_pre)) → self.ln1(resid_pre + self.attn(resid_pre))",
        "resid_mid + self.mlp(self.ln2(resid_mid)) → self.ln2(resid_mid + self.mlp(resid_mid))",
    ),
    "resid_mid + self.mlp(self.ln2(resid_mid)) → self.ln2(resid_mid + self.mlp(resid_mid))",
    "resid_pre + self.attn(self.ln1(resid_pre)) → self.ln1(resid_pre + self.attn(resid_pre))",
)
wrong(
    "normalising the sums as well as what is read (pre-norm and post-norm at once)",
    "What the sublayers read is right, but nothing may normalise the stream itself: leave out the LayerNorm round the "
    "sum.",
    (
        "resid_pre + self.attn(self.ln1(resid_pre)) → self.ln1(resid_pre + self.attn(self.ln1(resid_pre)))",
        "resid_mid + self.mlp(self.ln2(resid_mid)) → self.ln2(resid_mid + self.mlp(self.ln2(resid_mid)))",
    ),
    "resid_pre + self.attn(self.ln1(resid_pre)) → self.ln1(resid_pre + self.attn(self.ln1(resid_pre)))",
)
wrong(
    "normalising what a sublayer writes",
    "LayerNorm stands before the sublayer: `self.attn(self.ln1(resid_pre))`, not `self.ln1(self.attn(resid_pre))`.",
    (
        "self.attn(self.ln1(resid_pre)) → self.ln1(self.attn(resid_pre))",
        "self.mlp(self.ln2(resid_mid)) → self.ln2(self.mlp(resid_mid))",
    ),
    "self.attn(self.ln1(resid_pre)) → self.ln1(self.attn(resid_pre))",
    "self.attn(self.ln1(resid_pre)) → self.ln1(self.attn(self.ln1(resid_pre)))",
    "self.attn(self.ln1(resid_pre)) → self.ln2(self.attn(self.ln1(resid_pre)))",
    (
        "self.mlp(self.ln2(resid_mid)) → self.mlp(resid_mid)",
        "self.attn(self.ln1(resid_pre)) → self.ln2(self.attn(self.ln1(resid_pre)))",
    ),
    "self.mlp(self.ln2(resid_mid)) → self.ln2(self.mlp(self.ln2(resid_mid)))",
    "self.mlp(self.ln2(resid_mid)) → self.ln2(self.mlp(resid_mid))",
)
wrong(
    "leaving the stream out round attention",
    "Attention's answer is added to the stream, it does not replace it: `resid_mid = resid_pre + self.attn(...)`.",
    "resid_pre + self.attn → self.attn",
)
wrong(
    "leaving the stream out round the MLP",
    "The MLP's answer is added to the stream, it does not replace it: `return resid_mid + self.mlp(...)`.",
    "resid_mid + self.mlp → self.mlp",
)
wrong(
    "leaving the stream out altogether",
    "Each sublayer's answer is added to what was there: `resid_pre + ...`, then `resid_mid + ...`.",
    lambda self, resid_pre: self.mlp(self.ln2(self.attn(self.ln1(resid_pre)))),
)


@wrong(
    "leaving `resid_pre` out of the last sum",
    "The block gives back the whole stream: `resid_pre`, plus what attention wrote, plus what the MLP wrote.",
)
def answers_alone(self, resid_pre):
    attn_out = self.attn(self.ln1(resid_pre))
    return attn_out + self.mlp(self.ln2(resid_pre + attn_out))


wrong(
    "the MLP before attention",
    "Attention comes first: `self.attn` with `ln1`, then `self.mlp`.",
    (
        "self.attn(self.ln1(resid_pre)) → self.mlp(self.ln2(resid_pre))",
        "self.mlp(self.ln2(resid_mid)) → self.attn(self.ln1(resid_mid))",
    ),
    ("self.mlp → self.attn", "self.attn(self.ln1 → self.mlp(self.ln1"),
)


@wrong(
    "adding the stream twice",
    "`resid_mid` holds `resid_pre` already. Each sum adds one sublayer's answer, and nothing else.",
)
def stream_twice(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_pre + resid_mid + self.mlp(self.ln2(resid_mid))


also(
    "adding the stream twice",
    "return resid_mid + self.mlp(self.ln2(resid_mid)) → return resid_mid + (resid_mid + self.mlp(self.ln2(resid_mid)))",
    "resid_pre + → resid_pre + resid_pre +",
)


@also("adding the stream twice")
def block_round_block(self, resid_pre):
    return resid_pre + GivenBlock.forward(self, resid_pre)


@wrong("adding attention's answer twice", "`resid_mid` holds attention's answer already: add the MLP's alone.")
def attention_twice(self, resid_pre):
    attn_out = self.attn(self.ln1(resid_pre))
    resid_mid = resid_pre + attn_out
    return resid_mid + attn_out + self.mlp(self.ln2(resid_mid))


wrong(
    "attention reading the raw stream",
    "Attention reads a normalised copy: `self.attn(self.ln1(resid_pre))`.",
    "self.ln1(resid_pre) → resid_pre",
)
wrong(
    "the MLP reading the raw stream",
    "The MLP reads a normalised copy: `self.mlp(self.ln2(resid_mid))`.",
    "self.ln2(resid_mid) → resid_mid",
)
wrong(
    "no LayerNorm at all",
    "Each sublayer reads a normalised copy: `self.ln1(resid_pre)`, `self.ln2(resid_mid)`.",
    ("self.ln1(resid_pre) → resid_pre", "self.ln2(resid_mid) → resid_mid"),
)


@wrong(
    "an MLP that reads attention's answer alone",
    "The MLP reads the whole stream: `self.ln2(resid_mid)`, where `resid_mid` is `resid_pre` plus attention's answer.",
)
def mlp_reads_attention(self, resid_pre):
    attn_out = self.attn(self.ln1(resid_pre))
    return resid_pre + attn_out + self.mlp(self.ln2(attn_out))


wrong(
    "normalising the copy once more",
    "Each sublayer has one LayerNorm: `self.ln1(resid_pre)` for attention, `self.ln2(resid_mid)` for the MLP.",
    "self.ln2(resid_mid) → self.ln2(self.ln1(resid_mid))",
    "self.ln1(resid_pre) → self.ln1(self.ln1(resid_pre))",
    "self.ln2(resid_mid) → self.ln2(self.ln2(resid_mid))",
)
