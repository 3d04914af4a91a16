"""How `ModernBlock` goes wrong, and right answers that look different."""

import math
from collections.abc import Callable
from functools import partial
from itertools import product

import torch
import torch.nn.functional as F
from torch import nn

from tests.ch12_since_gpt2 import modern_block
from tests.misconceptions.ch12_since_gpt2._given_model import GivenAttention, GivenBlock, GivenNorm, GivenSwiGLU

wrong = partial(modern_block.misconception, of=GivenBlock.forward)
also = partial(modern_block.also, of=GivenBlock.forward)


# Right answers.


@modern_block.correct
def in_one_line(self, resid_pre):
    attn_out = self.attn(self.ln1(resid_pre))
    return resid_pre + attn_out + self.mlp(self.ln2(resid_pre + attn_out))


@modern_block.correct
def with_one_name(self, hidden_states):
    residual = hidden_states
    hidden_states = self.ln1(hidden_states)
    hidden_states = self.attn(hidden_states)
    hidden_states = residual + hidden_states
    residual = hidden_states
    hidden_states = self.ln2(hidden_states)
    hidden_states = self.mlp(hidden_states)
    return residual + hidden_states


@modern_block.correct
def as_a_loop_over_sublayers(self, resid_pre):
    resid = resid_pre
    for ln, sublayer in ((self.ln1, self.attn), (self.ln2, self.mlp)):
        resid = torch.stack([resid, sublayer(ln(resid))]).sum(dim=0)
    return resid


@modern_block.correct
def on_a_copy_in_place(self, resid_pre):
    resid = resid_pre.clone()
    resid += self.attn(self.ln1(resid_pre))
    return torch.add(resid, self.mlp(self.ln2(resid)))


@modern_block.correct
def one_sentence_at_a_time(self, resid_pre):
    return torch.cat([GivenBlock.forward(self, sentence[None]) for sentence in resid_pre])


@modern_block.correct
class PartsInAnotherOrder(GivenBlock):
    """Made as Meta's TransformerBlock is, attention and the MLP before the norms, which has other names for them."""

    def __init__(self, cfg):
        nn.Module.__init__(self)
        self.n_heads, self.dim = cfg.n_heads, cfg.d_model
        self.attn, self.mlp = self.attention(cfg), self.neurons(cfg)
        self.ln1, self.ln2 = self.norm(cfg), self.norm(cfg)


@modern_block.correct
class ShrunkAtTheStart(GivenBlock):
    """What writes into the stream starts smaller, as in Radford et al. 2019."""

    def __init__(self, cfg):
        super().__init__(cfg)
        for weight in (self.attn.W_O, self.mlp.W_out):
            nn.init.normal_(weight, std=cfg.init_range / math.sqrt(2 * cfg.n_layers))


@modern_block.correct
class HeadsInALoop(GivenBlock):
    """Attention head by head with an explicit mask and complex numbers, all of it in double precision."""

    def forward(self, resid_pre):
        cfg, attn, mlp = self.cfg, self.attn, self.mlp
        resid = resid_pre.double()
        normal = self.normalised(resid, self.ln1)
        future = torch.ones(resid.shape[1], resid.shape[1]).triu(1).bool()
        for head in range(cfg.n_heads):
            shared = head * cfg.n_kv_heads // cfg.n_heads
            query, key, value = (
                normal @ weight.double() for weight in (attn.W_Q[head], attn.W_K[shared], attn.W_V[shared])
            )
            if cfg.qk_norm:
                query, key = self.normalised(query, attn.q_norm), self.normalised(key, attn.k_norm)
            scores = (self.turned(query) @ self.turned(key).mT / math.sqrt(cfg.d_head)).masked_fill(future, -1e9)
            resid = resid + scores.softmax(-1) @ value @ attn.W_O[head].double()
        normal = self.normalised(resid, self.ln2)
        gate = normal @ mlp.W_gate.double()
        return (resid + (gate * gate.sigmoid() * (normal @ mlp.W_in.double())) @ mlp.W_out.double()).float()

    def normalised(self, resid, ln):
        return resid * torch.rsqrt(resid.square().mean(-1, keepdim=True) + self.cfg.rms_norm_eps) * ln.w

    def turned(self, x):
        half = x.shape[-1] // 2
        speeds = self.cfg.rotary_base ** (-torch.arange(half).double() / half)
        angles = torch.outer(torch.arange(x.shape[1]).double(), speeds)
        pairs = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angles), angles)
        return torch.cat([pairs.real, pairs.imag], dim=-1)


# What is read from the stream, and what is added to it.


@wrong(
    "overwriting the stream with its normalised copy",
    "A norm gives a copy to be read, but here the copy has taken the stream's place, as in `x = self.ln1(x)` or "
    "`x = self.ln2(x)`. Each sublayer reads its copy, the sum keeps the stream: `x + self.attn(self.ln1(x))`.",
)
def stream_overwritten(self, x):
    x = self.ln1(x)
    x = x + self.attn(x)
    x = self.ln2(x)
    return x + self.mlp(x)


also(
    "overwriting the stream with its normalised copy",
    "resid_pre + self.attn → self.ln1(resid_pre) + self.attn",
    "resid_mid + self.mlp → self.ln2(resid_mid) + self.mlp",
)
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
    lambda self, x: GivenBlock.forward(self, x) / 2,
    lambda self, x: GivenBlock.forward(self, x) / 2**0.5,
    (
        "resid_pre + self.attn(self.ln1(resid_pre)) → (resid_pre + self.attn(self.ln1(resid_pre))) / 2**0.5",
        "resid_mid + self.mlp(self.ln2(resid_mid)) → (resid_mid + self.mlp(self.ln2(resid_mid))) / 2**0.5",
    ),
    ("self.ln1(resid_pre)) → self.ln1(resid_pre)) / 2", "self.ln2(resid_mid)) → self.ln2(resid_mid)) / 2"),
)
wrong(
    "adding the MLP's answer to `resid_pre`",
    "Attention's answer is lost that way: add to `resid_mid`, the stream after attention has written.",
    "resid_mid + → resid_pre +",
)
wrong(
    "using `ln1` twice",
    "The two norms have weights of their own: the MLP reads `self.ln2(resid_mid)`.",
    "self.ln2 → self.ln1",
)
wrong(
    "using `ln2` twice",
    "The two norms have weights of their own: attention reads `self.ln1(resid_pre)`.",
    "self.ln1 → self.ln2",
)
wrong(
    "`ln1` and `ln2` swapped",
    "`ln1` stands before attention, `ln2` before the MLP.",
    ("self.ln2 → self.ln1", "self.ln1(resid_pre) → self.ln2(resid_pre)"),
)


@wrong(
    "running both sublayers side by side",
    "The MLP comes after attention and reads what it wrote: `self.mlp(self.ln2(resid_mid))`. (The blocks of GPT-J and "
    "PaLM are parallel, Llama's are not.)",
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
    "That is the Transformer of 2017. Llama, like GPT-2, normalises what a sublayer reads: `resid_pre + "
    "attn(ln1(resid_pre))`.",
    (
        "resid_pre + self.attn(self.ln1(resid_pre)) → self.ln1(resid_pre + self.attn(resid_pre))",
        "resid_mid + self.mlp(self.ln2(resid_mid)) → self.ln2(resid_mid + self.mlp(resid_mid))",
    ),
    "resid_mid + self.mlp(self.ln2(resid_mid)) → self.ln2(resid_mid + self.mlp(resid_mid))",
    "resid_pre + self.attn(self.ln1(resid_pre)) → self.ln1(resid_pre + self.attn(resid_pre))",
)
wrong(
    "normalising the sums as well as what is read",
    "What the sublayers read is right, but nothing may normalise the stream itself: leave out the norm round the sum.",
    (
        "resid_pre + self.attn(self.ln1(resid_pre)) → self.ln1(resid_pre + self.attn(self.ln1(resid_pre)))",
        "resid_mid + self.mlp(self.ln2(resid_mid)) → self.ln2(resid_mid + self.mlp(self.ln2(resid_mid)))",
    ),
    "resid_pre + self.attn(self.ln1(resid_pre)) → self.ln1(resid_pre + self.attn(self.ln1(resid_pre)))",
    "resid_mid + self.mlp(self.ln2(resid_mid)) → self.ln2(resid_mid + self.mlp(self.ln2(resid_mid)))",
)
wrong(
    "normalising what a sublayer writes",
    "OLMo 2 does that. Here a norm stands before the sublayer: `self.attn(self.ln1(resid_pre))`, not "
    "`self.ln1(self.attn(resid_pre))`. (transformers' name `post_attention_layernorm` misleads: in Llama it reads the "
    "stream after attention, for the MLP.)",
    (
        "self.attn(self.ln1(resid_pre)) → self.ln1(self.attn(resid_pre))",
        "self.mlp(self.ln2(resid_mid)) → self.ln2(self.mlp(resid_mid))",
    ),
    "self.attn(self.ln1(resid_pre)) → self.ln1(self.attn(resid_pre))",
    "self.mlp(self.ln2(resid_mid)) → self.ln2(self.mlp(resid_mid))",
    (
        "self.attn(self.ln1(resid_pre)) → self.ln2(self.attn(self.ln1(resid_pre)))",
        "self.mlp(self.ln2(resid_mid)) → self.mlp(resid_mid)",
    ),
    "self.attn(self.ln1(resid_pre)) → self.ln2(self.attn(self.ln1(resid_pre)))",
)
wrong(
    "normalising on both sides of a sublayer",
    "Gemma 2 does that, with four norms in a block. Here each sublayer has one, in front: `resid_pre + "
    "self.attn(self.ln1(resid_pre))`.",
    (
        "self.attn(self.ln1(resid_pre)) → self.ln1(self.attn(self.ln1(resid_pre)))",
        "self.mlp(self.ln2(resid_mid)) → self.ln2(self.mlp(self.ln2(resid_mid)))",
    ),
    "self.attn(self.ln1(resid_pre)) → self.ln1(self.attn(self.ln1(resid_pre)))",
    "self.mlp(self.ln2(resid_mid)) → self.ln2(self.mlp(self.ln2(resid_mid)))",
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
    "return resid_mid + → return resid_mid + resid_mid +",
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
    "no norm at all",
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
    "Each sublayer has one norm: `self.ln1(resid_pre)` for attention, `self.ln2(resid_mid)` for the MLP.",
    "self.ln2(resid_mid) → self.ln2(self.ln1(resid_mid))",
    "self.ln1(resid_pre) → self.ln1(self.ln1(resid_pre))",
    "self.ln2(resid_mid) → self.ln2(self.ln2(resid_mid))",
)


also("normalising the sums as well as what is read", lambda self, x: self.ln2(GivenBlock.forward(self, x)))


# How the parts are called.


@wrong(
    "taking attention's answer apart",
    "`self.attn(...)` answers with one tensor [batch pos d_model], where transformers' attention gives a pair: add it "
    "as it is.",
)
def attention_unpacked(self, resid_pre):
    attn_out, _ = self.attn(self.ln1(resid_pre))
    resid_mid = resid_pre + attn_out
    return resid_mid + self.mlp(self.ln2(resid_mid))


wrong(
    "attention's answer for the first sentence, added to all of them",
    "Every sentence gets attention's answer for the first. A sublayer answers with one tensor [batch pos d_model], "
    "not a pair: add all of it, without an index such as `[0]`.",
    "self.ln1(resid_pre)) → self.ln1(resid_pre))[0]",
)
wrong(
    "an activation on what a sublayer answers",
    "The MLP has its silu inside. What `self.attn` and `self.mlp` give is added as it is.",
    "self.mlp(self.ln2(resid_mid)) → F.silu(self.mlp(self.ln2(resid_mid)))",
    "self.ln2(resid_mid)) → self.ln2(resid_mid)).relu()",
)
wrong(
    "dropout on what a sublayer answers",
    "These models are trained without dropout: add both answers as they are.",
    "self.mlp(self.ln2(resid_mid)) → F.dropout(self.mlp(self.ln2(resid_mid)), 0.1, self.training)",
)
wrong(
    "another answer after `eval()`",
    "The answer is the same in training and after `eval()`: nothing depends on `self.training`.",
    "self.ln2(resid_mid)) → self.ln2(resid_mid)) if self.training else resid_mid",
)
wrong(
    "attention across the sentences",
    "Positions of one sentence read one another, and not those of others: the batch comes first, [batch pos d_model], "
    "so hand `self.attn` the copy with its axes as they are.",
    "self.ln1(resid_pre)) → self.ln1(resid_pre).transpose(0, 1)).transpose(0, 1)",
)


@wrong("calling a sublayer twice", "Each writes once: one sum with attention's answer, then one with the MLP's.")
def attention_called_twice(self, x):
    x = x + self.attn(self.ln1(x))
    x = x + self.attn(self.ln1(x))
    return x + self.mlp(self.ln2(x))


@also("calling a sublayer twice")
def mlp_called_twice(self, x):
    x = x + self.attn(self.ln1(x))
    x = x + self.mlp(self.ln2(x))
    return x + self.mlp(self.ln2(x))


@wrong(
    "a loop over the layers inside one block",
    "A block is one layer: attention once, the MLP once. `ModernTransformer` calls `cfg.n_layers` of them in turn.",
)
def as_many_times_as_layers(self, x):
    for _ in range(self.cfg.n_layers):
        x = GivenBlock.forward(self, x)
    return x


@wrong(
    "new parts in `forward`",
    "They are drawn anew in every call and never trained: call the parts that are kept in `self`.",
)
def made_anew(self, x):
    x = x + self.attention(self.cfg)(self.norm(self.cfg)(x))
    return x + self.neurons(self.cfg)(self.norm(self.cfg)(x))


wrong(
    "leaving the MLP out",
    "A block has two sublayers: `return resid_mid + self.mlp(...)`.",
    lambda self, resid_pre: resid_pre + self.attn(self.ln1(resid_pre)),
)
wrong(
    "leaving attention out",
    "A block has two sublayers: first `resid_mid = resid_pre + self.attn(self.ln1(resid_pre))`.",
    lambda self, resid_pre: resid_pre + self.mlp(self.ln2(resid_pre)),
)
wrong(
    "attention in the MLP's place",
    "The second sublayer is the MLP: `self.mlp(self.ln2(resid_mid))`.",
    "self.mlp → self.attn",
)
wrong(
    "the MLP in attention's place",
    "The first sublayer is attention: `self.attn(self.ln1(resid_pre))`.",
    "self.attn → self.mlp",
)
wrong(
    "multiplying where the stream is added to",
    "A sublayer's answer is added: `+`, not `*`.",
    ("resid_pre + → resid_pre *", "resid_mid + → resid_mid *"),
    "resid_pre + → resid_pre *",
    "resid_mid + → resid_mid *",
)
wrong(
    "subtracting a sublayer's answer",
    "Sublayers write by adding: `resid_pre + self.attn(...)`, `resid_mid + self.mlp(...)`.",
    "resid_pre + → resid_pre -",
    "resid_mid + → resid_mid -",
    ("resid_pre + → resid_pre -", "resid_mid + → resid_mid -"),
)


# It stands before the next one, whose gradients end in the same error: of two that do the same the first is named.
@wrong(
    "changing the stream in place after a norm has read it",
    "The backward pass needs what the norm read as it was, and `+=` and `add_` write into it. Make a new tensor: "
    "`resid = resid + ...`.",
    said_of=r"[-+*/]=|[a-z]_\(|out=",
)
def sum_changed_in_place(self, resid_pre):
    resid = resid_pre + self.attn(self.ln1(resid_pre))
    resid += self.mlp(self.ln2(resid))
    return resid


@also("changing the stream in place after a norm has read it")
def copy_changed_in_place(self, resid_pre):
    resid = resid_pre.clone()
    resid += self.attn(self.ln1(resid))
    resid += self.mlp(self.ln2(resid))
    return resid


@wrong(
    "adding to `resid_pre` in place",
    "The caller still holds that tensor: `+=` and `add_` change it. Write `resid_mid = resid_pre + ...`.",
)
def in_place(self, resid_pre):
    resid_pre += self.attn(self.ln1(resid_pre))
    return resid_pre + self.mlp(self.ln2(resid_pre))


@also("adding to `resid_pre` in place")
def in_place_throughout(self, resid_pre):
    resid_pre += self.attn(self.ln1(resid_pre))
    resid_pre += self.mlp(self.ln2(resid_pre))
    return resid_pre


@wrong("returning `resid_pre` as it came", "Return the stream with both answers added.")
def untouched(self, resid_pre):
    return resid_pre


also("leaving the MLP out", "return resid_mid + → return resid_mid + 0 *")


@wrong("a `forward` that returns nothing", "End it with the whole stream: `return resid_mid + self.mlp(...)`.")
def nothing_returned(self, resid_pre):
    GivenBlock.forward(self, resid_pre)


wrong(
    "a sublayer cut out of the graph",
    "Gradients must flow through both sublayers too: no `detach` or `no_grad`.",
    "self.ln1(resid_pre)) → self.ln1(resid_pre)).detach()",
    "self.ln2(resid_mid) → self.ln2(resid_mid.detach())",
)


@also("a sublayer cut out of the graph")
def without_gradients(self, resid_pre):
    with torch.no_grad():
        return GivenBlock.forward(self, resid_pre)


wrong(
    "the stream cut out of the graph",
    "Through the sum gradients reach all that came before: add to the stream itself.",
    "resid_pre + → resid_pre.detach() +",
    "resid_mid + → resid_mid.detach() +",
)


# What is made in `__init__`.


@wrong(
    "one norm for both sublayers",
    "A block has two norms, each with weights of its own: `self.ln1 = RMSNorm(cfg)` for what attention reads, "
    "`self.ln2 = RMSNorm(cfg)` for what the MLP reads.",
)
class OneNorm(GivenBlock):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.ln2 = self.ln1


@also("one norm for both sublayers")
class OneNormAlone(GivenBlock):
    def __init__(self, cfg):
        super().__init__(cfg)
        del self.ln2

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln1(resid_mid))


@wrong(
    "a norm and its sublayer in one `nn.Sequential`",
    "Weights are found by the parts' names: assign `ln1`, `attn`, `ln2` and `mlp` each by itself, and let `forward` "
    "call them.",
)
class Sequences(GivenBlock):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.attn, self.mlp = nn.Sequential(self.ln1, self.attn), nn.Sequential(self.ln2, self.mlp)
        del self.ln1, self.ln2

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(resid_pre)
        return resid_mid + self.mlp(resid_mid)


def renamed(**names) -> Callable[[type[nn.Module]], type[nn.Module]]:
    """Classes whose parts have other names."""

    def rename(module):
        def init(self, cfg):
            module.__init__(self, cfg)
            for old, new in names.items():
                setattr(self, new, getattr(self, old))
                delattr(self, old)

        return type(module.__name__, (module,), {"__init__": init})

    return rename


PUBLISHED = [  # transformers, Meta, LitGPT, GPT-2 and nanoGPT, LLMs-from-scratch
    {"ln1": "input_layernorm", "attn": "self_attn", "ln2": "post_attention_layernorm"},
    {"ln1": "attention_norm", "attn": "attention", "ln2": "ffn_norm", "mlp": "feed_forward"},
    {"ln1": "norm_1", "ln2": "norm_2"},
    {"ln1": "ln_1", "ln2": "ln_2"},
    {"ln1": "norm1", "attn": "att", "ln2": "norm2", "mlp": "ff"},
    {"attn": "self_attn"},
    {"attn": "attention", "mlp": "feed_forward"},
    {"mlp": "ffn"},
]
wrong(
    "the parts under other names",
    "Here, as in TransformerLens, they are `ln1`, `attn`, `ln2` and `mlp`: so weights find them.",
)(renamed(**PUBLISHED[0])(GivenBlock))
for published in PUBLISHED[1:]:
    also("the parts under other names")(renamed(**published)(GivenBlock))


class WithBias(GivenNorm):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual):
        return F.layer_norm(residual, residual.shape[-1:], self.w, self.b, self.cfg.rms_norm_eps)


@wrong(
    "chapter 3's LayerNorm in RMSNorm's place",
    "The norms of these models have no bias `b` and subtract no mean: `self.ln1 = RMSNorm(cfg)`.",
)
class LayerNorms(GivenBlock):
    norm = WithBias


@wrong(
    "PyTorch's `nn.RMSNorm` in the place of yours",
    "It names its scale `weight`, and yours is `w`: `self.ln1 = RMSNorm(cfg)`.",
)
class TorchsNorms(GivenBlock):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.ln1, self.ln2 = (nn.RMSNorm(cfg.d_model, eps=cfg.rms_norm_eps) for _ in range(2))


def starting(module: type[nn.Module], start: Callable[[nn.Module], None]) -> type[nn.Module]:
    """The class with other initial values: `start` is called at the end of `__init__`."""

    def init(self, cfg):
        module.__init__(self, cfg)
        start(self)

    return type(module.__name__, (module,), {"__init__": init})


def all_drawn(module):
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.02)


def drawn_by_xavier(module):
    for parameter in module.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)


def silent_at_the_start(module):
    for name, parameter in module.named_parameters():
        if name.endswith(("W_O", "W_out")):
            nn.init.zeros_(parameter)


WRONG_STARTS = {
    "drawing every parameter at random": (
        all_drawn,
        "The scale `w` of an RMSNorm starts at 1. Each part sees to that when it is made: leave out the loop over "
        "`self.parameters()`.",
    ),
    "Xavier's initial values": (
        drawn_by_xavier,
        "The matrices start with spread `cfg.init_range`, as each part draws them: leave out `nn.init.xavier_...`.",
    ),
    "sublayers that write nothing at the start": (
        silent_at_the_start,
        "`W_O` and `W_out` start at random like the other weights: leave them as the parts make them.",
    ),
}
for wrong_name, (wrong_start, wrong_advice) in WRONG_STARTS.items():
    wrong(wrong_name, wrong_advice)(starting(GivenBlock, wrong_start))


# The parts: what a block or a whole model answers when one of its parts is wrong.


class WithoutTheMean(GivenNorm):
    def forward(self, residual):
        return F.layer_norm(residual, residual.shape[-1:], self.w, None, self.cfg.rms_norm_eps)


class EpsOutside(GivenNorm):
    def forward(self, residual):
        return residual / (residual.pow(2).mean(-1, keepdim=True).sqrt() + self.cfg.rms_norm_eps) * self.w


class FixedEps(GivenNorm):
    def forward(self, residual):
        return F.rms_norm(residual, residual.shape[-1:], self.w, 1e-6)


class ZeroCentred(GivenNorm):
    def forward(self, residual):
        return F.rms_norm(residual, residual.shape[-1:], 1 + self.w, self.cfg.rms_norm_eps)


class GateOfGELU(GivenSwiGLU):
    def gate(self, pre):
        return F.gelu(pre)


class GateOfSigmoid(GivenSwiGLU):
    def gate(self, pre):
        return pre.sigmoid()


class GateAndInSwapped(GivenSwiGLU):
    def forward(self, x):
        return (self.gate(x @ self.W_in) * (x @ self.W_gate)) @ self.W_out


class NoMask(GivenAttention):
    mask = False


class NotTurned(GivenAttention):
    turned = False


class NeighboursTurned(GivenAttention):
    def turn(self, x):
        halves = torch.cat([x[..., 0::2], x[..., 1::2]], dim=-1)
        first, second = super().turn(halves).chunk(2, dim=-1)
        return torch.stack([first, second], dim=-1).flatten(-2)


class BaseOf2021(GivenAttention):
    def base(self):
        return 10_000.0


class SharedInTurns(GivenAttention):
    def shared(self, x):
        return x.repeat(1, self.cfg.n_heads // self.cfg.n_kv_heads, 1, 1)


WRONG_PARTS = {
    "a norm that subtracts the mean": ({"norm": WithoutTheMean}, "RMSNorm subtracts nothing: that is LayerNorm."),
    "a norm with eps outside the root": ({"norm": EpsOutside}, "Take the root of (mean square + eps)."),
    "a norm with an eps of its own": ({"norm": FixedEps}, "Take eps from `cfg.rms_norm_eps`."),
    "a norm that scales by 1 + `w`": (
        {"norm": ZeroCentred},
        "Gemma's norms scale by 1 + w, whose w starts at 0. Here `w` starts at 1 and is the scale itself.",
    ),
    "a gate of GELU": ({"neurons": GateOfGELU}, "Gemma's gate is a GELU; Llama's, and yours, is `F.silu`."),
    "a gate of the sigmoid alone": ({"neurons": GateOfSigmoid}, "silu(x) is x times the sigmoid of x: `F.silu`."),
    "`W_gate` and `W_in` swapped": (
        {"neurons": GateAndInSwapped},
        "What `W_gate` makes goes through silu; what `W_in` makes is multiplied as it is.",
    ),
    "attention without the causal mask": ({"attention": NoMask}, "No position may see a later one (ch. 4)."),
    "attention that does not turn queries and keys": (
        {"attention": NotTurned},
        "Turn both by their positions: `apply_rotary` on queries and on keys, before the scores.",
    ),
    "attention that turns neighbouring numbers": (
        {"attention": NeighboursTurned},
        "A pair is a number of the first half of d_head and its fellow of the second half, as in transformers.",
    ),
    "attention with a rotary base of its own": ({"attention": BaseOf2021}, "Take it from `cfg.rotary_base`."),
    "attention whose groups take turns": (
        {"attention": SharedInTurns},
        "Neighbouring heads share keys and values: `repeat_interleave`, not `repeat`.",
    ),
}
for wrong_name, (wrong_parts, wrong_advice) in WRONG_PARTS.items():
    wrong(wrong_name, wrong_advice)(type("GivenBlock", (GivenBlock,), wrong_parts))


# Slips round both sublayers, each in a way of its own: a card names the first.

MIDDLES = {
    "overwriting the stream with its normalised copy": lambda self, x: self.ln1(x) + self.attn(self.ln1(x)),
    "leaving the stream out round attention": lambda self, x: self.attn(self.ln1(x)),
    "attention reading the raw stream": lambda self, x: x + self.attn(x),
    "normalising what a sublayer writes": lambda self, x: x + self.ln1(self.attn(x)),
    "normalising after the sum (post-norm)": lambda self, x: self.ln1(x + self.attn(x)),
}
# The same slips in the same order, which have names where they are made twice, and two more.
ENDS = [
    lambda self, x, mid: self.ln2(mid) + self.mlp(self.ln2(mid)),
    lambda self, x, mid: self.mlp(self.ln2(mid)),
    lambda self, x, mid: mid + self.mlp(mid),
    lambda self, x, mid: mid + self.ln2(self.mlp(mid)),
    lambda self, x, mid: self.ln2(mid + self.mlp(mid)),
    lambda self, x, mid: x + self.mlp(self.ln2(mid)),
    lambda self, x, mid: self.mlp(mid),
]


def block_of(middle, end):
    """A block that makes `resid_mid` and `resid_post` in these ways."""
    return lambda self, x: end(self, x, middle(self, x))


for (slip, (name, middle)), (same, end) in product(enumerate(MIDDLES.items()), enumerate(ENDS)):
    if slip != same:
        also(name)(block_of(middle, end))
