"""How CausalSelfAttention goes wrong, and right answers that look different."""

import math

import einops
import torch
import torch.nn.functional as F

from tests.ch11_dialects import Fused, fused

fused.equivalent("-1 → 2", "What `c_attn` gives has three axes, so that the last one is also number 2.")
SWAPPED = "Both of a pair of axes that change places may be counted from the end."
fused.equivalent("1 → -3", SWAPPED)
fused.equivalent("2 → -2", SWAPPED)
for one in "qkv":
    fused.equivalent(f"{one}.view(heads) → {one}.reshape(heads)", "`reshape` is a view wherever there is one.")
fused.equivalent(
    "z.transpose(1, 2).reshape(batch, pos, inner) → z.transpose(1, 2).view(batch, pos, inner)",
    "PyTorch's kernel lays its result out so that there is such a view; others of its kernels do not.",
)


def thirds(self, x):
    """Queries, keys and values, [batch head_index pos d_head] each."""
    batch, pos, _ = x.shape
    return self.c_attn(x).view(batch, pos, 3, self.cfg.n_heads, self.cfg.d_head).permute(2, 0, 3, 1, 4).unbind()


def side_by_side(z):
    """The heads of each position, one after the other."""
    return z.transpose(1, 2).flatten(2)


def attending(*, parts=(0, 1, 2), attend=None, merge=side_by_side, project=lambda self, z: self.c_proj(z)):
    """A `forward` of which one step is replaced."""
    attend = attend or (lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True))

    def forward(self, x):
        made = thirds(self, x)
        q, k, v = (made[part] for part in parts)
        return project(self, merge(attend(self, q, k, v)))

    return forward


def wrong(name, advice, not_of="", otherwise="", **steps):
    fused.misconception(name, advice, not_of=not_of, otherwise=otherwise)(attending(**steps))


def wrong_too(name, **steps):
    fused.also(name)(attending(**steps))


def causal(pos, diagonal=0):
    return torch.ones(pos, pos, dtype=torch.bool).tril(diagonal)


def with_distances(pos):
    """What is added to the scores of one head by ALiBi: a key counts less the further away it is."""
    places = torch.arange(pos)
    return (places[None] - places[:, None]).float().masked_fill(~causal(pos), -math.inf)


def by_hand(self, q, k, v, scale=None, mask=None, weigh=lambda scores: scores.softmax(-1)):
    """Attention step by step, with some step of its own."""
    scores = q @ k.transpose(-2, -1) / (math.sqrt(self.cfg.d_head) if scale is None else scale)
    seen = causal(scores.shape[-1]) if mask is None else mask
    return weigh(scores.masked_fill(~seen, -math.inf)) @ v


wrong(
    "no mask",
    "A position must not see later ones, and the call hides nothing unless told: `is_causal=True`.",
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v),
)
wrong(
    "a mask for training alone",
    "The model hides the future whenever it reads: `is_causal=True`, after `eval()` too.",
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=self.training),
)
wrong(
    "a mask that is True where it should hide",
    "In `attn_mask` True means *may be seen*: it is `tril()`. (`masked_fill` has it the other way "
    "round.) `is_causal=True` needs no mask at all.",
    not_of=r"masked_fill|\bwhere\(|\binf\b",  # there True often hides
    otherwise="The mask is the other way round: a position may see itself and what comes before it.",
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=~causal(q.shape[2])),
)
wrong_too(
    "a mask that is True where it should hide",
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=causal(q.shape[2]).T),
)
wrong(
    "a mask of ones and zeros that is added",
    "What may be seen has a score 1 higher, and nothing is hidden: make the mask bool, `.bool()`, because one of "
    "numbers is *added*, or write `is_causal=True`.",
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=causal(q.shape[2]).float()),
)
wrong(
    "a mask that hides the present too",
    "A position may see itself: `tril()` with the diagonal, or `is_causal=True`.",
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=causal(q.shape[2], -1)),
)
wrong_too(
    "a mask that hides the present too",
    attend=lambda self, q, k, v: by_hand(self, q, k, v, mask=causal(q.shape[2], -1)),
)
wrong(
    "the past hidden in the place of the future",
    "A position sees itself and what came before, but here the past is hidden: hide what comes after, where `triu(1)` "
    "is 1.",
    attend=lambda self, q, k, v: by_hand(self, q, k, v, mask=~causal(q.shape[2])),
)
wrong(
    "the mask one position too generous",
    "A query may see up to the diagonal, no further: `tril()`.",
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=causal(q.shape[2], 1)),
)
wrong(
    "distances added to the scores",
    "That is ALiBi, by which other models know how far away a key is. GPT-2 has its table of positions, and adds "
    "nothing to a score: `is_causal=True` alone.",
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=with_distances(q.shape[2])),
)
wrong(
    "scores that are scaled twice",
    "The call divides by the root of d_head itself: hand it q and k as they are.",
    not_of=r"scale\s*=|softmax|\bexp\b",  # there the code divides by d_head itself
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q / math.sqrt(q.shape[-1]), k, v, is_causal=True),
)
wrong(
    "scores that are not scaled",
    "Scores are divided by the root of d_head: the call does so unless it is told a `scale`.",
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0),
)
wrong(
    "scores divided by d_head, and not by its root",
    "The scale is one over the *root* of d_head, which the call takes by default.",
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1 / q.shape[-1]),
)
wrong(
    "scores divided by the root of d_model",
    "Divide by the root of d_head, the size of one head's queries.",
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=self.cfg.d_model**-0.5),
)
wrong(
    "scores multiplied by the root of d_head",
    "`scale` is what scores are multiplied by: 1 / √d_head.",
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=q.shape[-1] ** 0.5),
)
wrong("keys taken for queries", "`c_attn` makes queries, keys, values, in this order.", parts=(1, 0, 2))
wrong("values taken for keys", "The second third holds the keys, the last one the values.", parts=(0, 2, 1))
wrong("values taken for queries", "The first third holds the queries, the last one the values.", parts=(2, 1, 0))
wrong("each third one place too far", "The thirds are q, k, v: the first is the queries.", parts=(1, 2, 0))
wrong("each third one place too early", "The first third is the queries, the last the values.", parts=(2, 0, 1))
wrong("one third for all three", "q, k and v are three different thirds.", parts=(0, 0, 0))
wrong_too("one third for all three", parts=(1, 1, 1))
wrong_too("one third for all three", parts=(2, 2, 2))
wrong("values taken from the keys", "The values are the last third.", parts=(0, 1, 1))
wrong("queries taken from the keys", "The queries are the first third.", parts=(1, 1, 2))
wrong("keys taken from the queries", "The keys are the second third.", parts=(0, 0, 2))
wrong(
    "softmax over the queries",
    "The weights of one query add up to 1: softmax runs along the keys, the last axis.",
    attend=lambda self, q, k, v: by_hand(self, q, k, v, weigh=lambda scores: scores.softmax(-2).nan_to_num()),
)
wrong(
    "hidden keys that keep their share of softmax's sum",
    "What is hidden must be -inf before softmax: taken first, it has counted the hidden keys in its sum, and "
    "the weights of the others do not add up to 1.",
    attend=lambda self, q, k, v: by_hand(
        self, q, k, v, mask=torch.ones_like(causal(q.shape[2])), weigh=lambda scores: scores.softmax(-1).tril()
    ),
)
wrong(
    "a mask of zeros in place of minus infinity",
    "A score of 0 still gets weight: what is hidden needs -inf.",
    attend=lambda self, q, k, v: by_hand(
        self, q, k, v, mask=torch.ones_like(causal(q.shape[2])), weigh=lambda scores: scores.tril().softmax(-1)
    ),
)
wrong(
    "exp without the largest score subtracted",
    "Use `softmax`, or `scaled_dot_product_attention`: `exp` of more than 88 is infinite in float32.",
    attend=lambda self, q, k, v: by_hand(
        self, q, k, v, weigh=lambda scores: scores.exp() / scores.exp().sum(-1, keepdim=True)
    ),
)
wrong(
    "dropout that nobody asked for",
    "Some weights are dropped, and the exercise has no dropout: `dropout_p` stays 0, in training and after `eval()`.",
    attend=lambda self, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.1),
)
wrong(
    "heads merged before their axis was moved",
    "`view` and `reshape` move no axis: bring the positions back first, `z.transpose(1, 2)`.",
    merge=lambda z: z.reshape(z.shape[0], z.shape[2], -1),
)
wrong(
    "heads merged in the wrong order",
    "Side by side means head after head: [batch pos head_index d_head] before the reshape.",
    merge=lambda z: z.permute(0, 2, 3, 1).flatten(2),
)
wrong(
    "the mean of the heads",
    "The heads stand side by side in `c_proj`, they are not averaged.",
    merge=lambda z: z.mean(1).repeat(1, 1, z.shape[1]),
)
wrong(
    "what the heads found, without `c_proj`'s bias",
    "Call the layer, `self.c_proj(...)`: it adds its bias.",
    project=lambda self, z: z @ self.c_proj.weight.T,
)
wrong(
    "`c_proj.weight` the wrong way round",
    "nn.Linear keeps [out in]: call the layer, `self.c_proj(z)`, or multiply by `weight.T`.",
    project=lambda self, z: z @ self.c_proj.weight + self.c_proj.bias,
)


@fused.misconception("`c_attn` without its bias", "Call the layer, `self.c_attn(x)`: it adds its bias.")
def no_bias(self, x):
    batch, pos, _ = x.shape
    made = F.linear(x, self.c_attn.weight).view(batch, pos, 3, self.cfg.n_heads, -1).permute(2, 0, 3, 1, 4)
    return self.c_proj(side_by_side(F.scaled_dot_product_attention(*made.unbind(), is_causal=True)))


@fused.misconception(
    "each head's queries, keys and values side by side",
    "GPT-2 keeps all queries first, then all keys, then all values: split into three, then each into heads. (The other "
    "order is GPT-NeoX's.)",
)
def head_first(self, x):
    batch, pos, _ = x.shape
    made = self.c_attn(x).view(batch, pos, self.cfg.n_heads, 3, self.cfg.d_head).permute(3, 0, 2, 1, 4)
    return self.c_proj(side_by_side(F.scaled_dot_product_attention(*made.unbind(), is_causal=True)))


@fused.misconception(
    "heads that are cut across the positions",
    "Numbers of several positions are in one head: `view(batch, pos, n_heads, d_head)` first, then `transpose(1, 2)`.",
)
def split_by_view(self, x):
    batch, pos, _ = x.shape
    inner = self.cfg.n_heads * self.cfg.d_head
    made = (one.reshape(batch, self.cfg.n_heads, pos, -1) for one in self.c_attn(x).split(inner, dim=-1))
    return self.c_proj(side_by_side(F.scaled_dot_product_attention(*made, is_causal=True)))


@fused.also("heads that are cut across the positions")
def split_and_merged_by_view(self, x):
    batch, pos, _ = x.shape
    made = (one.reshape(batch, self.cfg.n_heads, pos, -1) for one in self.c_attn(x).chunk(3, dim=-1))
    return self.c_proj(F.scaled_dot_product_attention(*made, is_causal=True).reshape(batch, pos, -1))


@fused.misconception(
    "heads taken apart in the wrong order",
    "A third is head after head, d_head numbers each: `view(batch, pos, n_heads, d_head)`, head_index first.",
)
def d_head_first(self, x):
    batch, pos, _ = x.shape
    made = self.c_attn(x).view(batch, pos, 3, self.cfg.d_head, self.cfg.n_heads).permute(2, 0, 4, 1, 3)
    return self.c_proj(side_by_side(F.scaled_dot_product_attention(*made.unbind(), is_causal=True)))


@fused.misconception(
    "heads that read one another",
    "Heads read one another here, where positions should: after `transpose(1, 2)` the last two axes are pos and "
    "d_head, on which attention works.",
)
def heads_read_heads(self, x):
    batch, pos, _ = x.shape
    made = self.c_attn(x).view(batch, pos, 3, self.cfg.n_heads, self.cfg.d_head).unbind(2)
    return self.c_proj(F.scaled_dot_product_attention(*made, is_causal=True).flatten(2))


@fused.misconception(
    "`view` on what `transpose` has left",
    "After `transpose` the numbers no longer lie in order: `.contiguous().view(...)`, or `reshape`, which copies "
    "where it must.",
)
def not_contiguous(self, x):
    z = F.scaled_dot_product_attention(*(one.contiguous() for one in thirds(self, x)), is_causal=True).contiguous()
    return self.c_proj(z.transpose(1, 2).view(x.shape[0], x.shape[1], self.cfg.n_heads * self.cfg.d_head))


@fused.misconception("one head for all", "Split each third into `n_heads` heads before they attend.")
def one_head(self, x):
    q, k, v = self.c_attn(x).chunk(3, dim=-1)
    return self.c_proj(F.scaled_dot_product_attention(q, k, v, is_causal=True))


@fused.misconception(
    "a split into pieces of d_model",
    "nanoGPT splits by n_embd, since there n_heads * d_head is as much. Here it need not be: `.split(n_heads * d_head, "
    "dim=-1)`, or `.chunk(3, dim=-1)`.",
    not_of="//",
)
def split_by_d_model(self, x):
    batch, pos, _ = x.shape
    q, k, v = self.c_attn(x).split(self.cfg.d_model, dim=2)
    made = (one.view(batch, pos, self.cfg.n_heads, -1).transpose(1, 2) for one in (q, k, v))
    return self.c_proj(side_by_side(F.scaled_dot_product_attention(*made, is_causal=True)))


@fused.misconception(
    "`split` told how many pieces",
    "`split` takes the size of a piece, so `split(3, ...)` makes pieces of 3 numbers: give it `n_heads * d_head`, or "
    "use `chunk(3, dim=-1)`, which takes how many.",
)
def pieces_of_three(self, x):
    q, k, v = self.c_attn(x).split(3, dim=-1)
    made = (one.unflatten(-1, (self.cfg.n_heads, -1)).transpose(1, 2) for one in (q, k, v))
    return self.c_proj(side_by_side(F.scaled_dot_product_attention(*made, is_causal=True)))


@fused.misconception(
    "a d_head computed as d_model / n_heads", "Here n_heads * d_head need not be d_model: take `self.cfg.d_head`."
)
def computed_d_head(self, x):
    batch, pos, d_model = x.shape
    q, k, v = self.c_attn(x).chunk(3, dim=-1)
    d_head = d_model // self.cfg.n_heads
    made = (one.view(batch, pos, self.cfg.n_heads, d_head).transpose(1, 2) for one in (q, k, v))
    return self.c_proj(side_by_side(F.scaled_dot_product_attention(*made, is_causal=True)))


@fused.also("a d_head computed as d_model / n_heads")
def computed_d_head_split_by(self, x):
    q, k, v = self.c_attn(x).split(self.cfg.n_heads * (x.shape[-1] // self.cfg.n_heads), dim=-1)
    made = (one.unflatten(-1, (self.cfg.n_heads, -1)).transpose(1, 2) for one in (q, k, v))
    return self.c_proj(side_by_side(F.scaled_dot_product_attention(*made, is_causal=True)))


@fused.misconception(
    "a residual added inside", "The block adds attention's answer to the stream: attention itself only answers."
)
def with_residual(self, x):
    return x + attending()(self, x)


# Right answers.


@fused.correct
def one_permute(self, x):
    return self.c_proj(side_by_side(F.scaled_dot_product_attention(*thirds(self, x), is_causal=True)))


@fused.correct
def step_by_step(self, x):
    q, k, v = thirds(self, x)
    scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
    scores = scores + torch.full(scores.shape[-2:], -1e10).triu(1)
    return self.c_proj((F.softmax(scores, dim=-1) @ v).transpose(1, 2).contiguous().view(x.shape[0], x.shape[1], -1))


@fused.correct
def by_einops(self, x):
    axes = "batch pos (part head_index d_head) -> part batch head_index pos d_head"
    q, k, v = einops.rearrange(self.c_attn(x), axes, part=3, head_index=self.cfg.n_heads)
    mask = torch.ones(x.shape[1], x.shape[1]).tril().bool()
    z = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return self.c_proj(einops.rearrange(z, "batch head_index pos d_head -> batch pos (head_index d_head)"))


@fused.correct
def head_by_head(self, x):
    found = []
    for head in range(self.cfg.n_heads):
        q, k, v = (one[:, head] for one in thirds(self, x))
        scores = torch.bmm(q, k.mT).div(self.cfg.d_head**0.5)
        hidden = torch.triu(torch.ones_like(scores), diagonal=1).bool()
        found.append(torch.softmax(scores.masked_fill(hidden, float("-inf")), -1).bmm(v))
    return F.linear(torch.cat(found, -1), self.c_proj.weight, self.c_proj.bias)


wrong(
    "hiding what lies far back",
    "A query reads every key up to its own, however far back it is: `is_causal=True` and no window.",
    attend=lambda self, q, k, v: by_hand(self, q, k, v, mask=causal(q.shape[2]) & ~causal(q.shape[2], -256)),
)


@fused.misconception(
    "a mask that `state_dict` saves",
    "As in nanoGPT's own class it is a buffer, but one that is saved, so weights without it do not load: "
    "`register_buffer(..., persistent=False)`, or no mask at all, with `is_causal=True`.",
)
class SavesItsMask(Fused):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.register_buffer("bias", causal(cfg.n_ctx))

    def forward(self, x):
        q, k, v = thirds(self, x)
        seen = self.bias[: x.shape[1], : x.shape[1]]
        return self.c_proj(side_by_side(F.scaled_dot_product_attention(q, k, v, attn_mask=seen)))


@fused.correct
class KeepsItsMask(Fused):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.register_buffer("bias", causal(cfg.n_ctx), persistent=False)

    def forward(self, x):
        q, k, v = thirds(self, x)
        seen = self.bias[: x.shape[1], : x.shape[1]]
        return self.c_proj(side_by_side(F.scaled_dot_product_attention(q, k, v, attn_mask=seen)))
