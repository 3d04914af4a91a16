"""How gpt2_numpy goes wrong, and right answers that look different."""

import math

import numpy as np

from tests.ch11_dialects import numpy_gpt
from tests.misconceptions.ch11_dialects._changes import changed, register

register(numpy_gpt)

numpy_gpt.equivalent("-1 → 1", "The streams and what is made of them have two axes, so that the last one is number 1.")
FACTORS = "One factor of a product, wherever it stands."
FROM_THE_END = "An axis may be counted from the end."
IN_PLACE = "It is an array of the function's own, which nobody reads as it was."
for change, why in {
    "centred = x - x.mean(axis=-1, keepdims=True) → x -= x.mean(axis=-1, keepdims=True); centred = x": "Whoever reads "
    "the stream takes its mean off first, so that the stream may lose it, and it is the function's own.",
    "centred / np.sqrt(variance + 1e-05) * g → centred * g / np.sqrt(variance + 1e-05)": FACTORS,
    "-1 → -2": "NumPy takes any size below 0 for the one that follows from the others.",
    "-1 → -3": "NumPy takes any size below 0 for the one that follows from the others, whichever it is.",
    "1 → -3": FROM_THE_END,
    "2 → -2": FROM_THE_END,
    "3 → -1": FROM_THE_END,
    "0 → -3": FROM_THE_END,
    "2 → -1": FROM_THE_END,
    "1 → -2": FROM_THE_END,
    "-1 → 2": "Queries and scores have three axes, so that the last one is also number 2.",
    "q → k": "Queries and keys have as many numbers.",
    "q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1]) → q / math.sqrt(q.shape[-1]) @ k.transpose(0, 2, 1)": FACTORS,
    "q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1]) → q @ (k.transpose(0, 2, 1) / math.sqrt(q.shape[-1]))": FACTORS,
    "np.tri(pos, dtype=bool) → np.tri(pos)": "`np.where` takes what is not 0 for true.",
    "pattern = weights / weights.sum(axis=-1, keepdims=True) → weights /= weights.sum(axis=-1, keepdims=True); "
    "pattern = weights": IN_PLACE,
    "resid = resid + attention(layer_norm(resid, **block['ln_1']), **block['attn']) → resid += "
    "attention(layer_norm(resid, **block['ln_1']), **block['attn']); resid = resid": IN_PLACE,
    "resid = resid + linear(gelu(neurons), **block['mlp']['c_proj']) → resid += "
    "linear(gelu(neurons), **block['mlp']['c_proj']); resid = resid": IN_PLACE,
}.items():
    numpy_gpt.equivalent(change, why)


def wrong(name, advice, *changes):
    """A misconception that is a change of the solution, or several at once."""
    numpy_gpt.misconception(name, advice)(changed(numpy_gpt, *changes))


wrong(
    "the exact GELU, with erf",
    "GPT-2 was trained with the tanh form, and the two differ by up to 0.0005: write the tanh out.",
    ("gelu(neurons)", "(0.5 * neurons * (1 + np.vectorize(math.erf)(neurons / math.sqrt(2))))"),
)
wrong(
    "the square in place of the cube in GELU",
    "Inside the tanh stands x + 0.044715 · x³.",
    ("0.044715 * x * x * x", "0.044715 * x * x"),
)
wrong(
    "a GELU without the root of 2/π",
    "The tanh is of √(2/π) · (x + 0.044715 · x³).",
    ("math.sqrt(2 / math.pi) * inner", "inner"),
)
wrong(
    "the root of 2/π on x alone",
    "The root multiplies the whole sum, x³ too: `sqrt(2 / pi) * (x + 0.044715 * x**3)`, with brackets.",
    ("inner = x + 0.044715", "inner = math.sqrt(2 / math.pi) * x + 0.044715"),
    ("math.sqrt(2 / math.pi) * inner", "inner"),
)
wrong(
    "π/2 for 2/π in GELU",
    "Take the root of 2 divided by π, 0.798.",
    ("math.sqrt(2 / math.pi)", "math.sqrt(math.pi / 2)"),
)
wrong(
    "2 times π for 2/π in GELU",
    "Divide 2 by π under the root: `sqrt(2 / pi)` is 0.798, the root of 2π is 2.507.",
    ("math.sqrt(2 / math.pi)", "math.sqrt(2 * math.pi)"),
)
wrong(
    "2/π without its root in GELU",
    "It is the root of 2/π, 0.798, and not 2/π itself, 0.637.",
    ("math.sqrt(2 / math.pi)", "(2 / math.pi)"),
)
wrong("0.44715 for 0.044715 in GELU", "The number before x³ is 0.044715, a tenth of that.", ("0.044715", "0.44715"))
wrong(
    "a LayerNorm without its scale and shift",
    "Multiply by `g` and add `b`.",
    ("np.sqrt(variance + 1e-5) * g + b", "np.sqrt(variance + 1e-5)"),
)
wrong("a LayerNorm without its shift", "After the product with `g` comes `+ b`.", ("* g + b", "* g"))
wrong("a LayerNorm without its scale", "Multiply by `g` before you add `b`.", ("* g + b", "+ b"))
wrong(
    "a LayerNorm over the positions",
    "Each position's vector has a mean and a variance of its own: `axis=-1`, with `keepdims=True`.",
    ("x.mean(axis=-1, keepdims=True)", "x.mean(axis=0, keepdims=True)"),
    ("(centred**2).mean(axis=-1, keepdims=True)", "(centred**2).mean(axis=0, keepdims=True)"),
)
wrong(
    "one mean and variance for all positions",
    "All positions share one mean and one variance, and each has its own: `axis=-1, keepdims=True`.",
    ("x.mean(axis=-1, keepdims=True)", "x.mean()"),
    ("(centred**2).mean(axis=-1, keepdims=True)", "(centred**2).mean()"),
)
wrong("no bias in any layer", "Each `{w b}` of the tree is `x @ w + b`.", ("return x @ w + b", "return x @ w"))
wrong(
    "no bias of queries, keys and values",
    "The product with `c_attn`'s `w` is followed by `+ b`, with `c_attn`'s own `b`.",
    ("linear(x, **c_attn)", '(x @ c_attn["w"])'),
)
wrong(
    "no bias after attention's second matrix",
    "Attention's `c_proj` has a `b` too: add it once, after the product with its `w`.",
    ("linear(z.reshape(pos, -1), **c_proj)", 'z.reshape(pos, -1) @ c_proj["w"]'),
)
wrong(
    "no bias after the MLP's first matrix",
    "The MLP's `c_fc` has a `b`, which is added before GELU.",
    (
        'linear(layer_norm(resid, **block["ln_2"]), **block["mlp"]["c_fc"])',
        'layer_norm(resid, **block["ln_2"]) @ block["mlp"]["c_fc"]["w"]',
    ),
)
wrong(
    "no bias after the MLP's second matrix",
    "The MLP's `c_proj` has a `b` too: add it after the product with its `w`.",
    ('linear(gelu(neurons), **block["mlp"]["c_proj"])', 'gelu(neurons) @ block["mlp"]["c_proj"]["w"]'),
)
wrong(
    "weights transposed",
    "GPT-2's matrices are [in out], so it is `x @ w`. (nn.Linear keeps them the other way round.)",
    ("return x @ w + b", "return x @ w.T + b"),
)
wrong(
    "heads merged before their axis was moved",
    "Joining axes moves none: bring the positions to the front first, `transpose(1, 0, 2)`, then reshape.",
    ("(pattern @ v).transpose(1, 0, 2)", "(pattern @ v)"),
)
wrong(
    "heads merged in the wrong order",
    "Side by side means head after head: [pos head_index d_head] before the reshape.",
    ("(pattern @ v).transpose(1, 0, 2)", "(pattern @ v).transpose(1, 2, 0)"),
)
wrong(
    "heads that are cut across the positions",
    "Numbers of several positions are in one head: `reshape` to [pos n_heads d_head] first, then move the heads "
    "forward by `transpose`.",
    ("parts.transpose(1, 2, 0, 3)", "parts.swapaxes(0, 1).reshape(3, n_heads, pos, -1)"),
)
wrong(
    "heads that read one another",
    "Heads read one another here, where positions should: move head_index before pos, so that `@` multiplies pos "
    "and d_head.",
    ("parts.transpose(1, 2, 0, 3)", "parts.transpose(1, 0, 2, 3)"),
    ("np.tri(pos, dtype=bool)", "np.tri(n_heads, dtype=bool)"),
    ("(pattern @ v).transpose(1, 0, 2)", "(pattern @ v)"),
)
wrong(
    "one head for all",
    "There are `n_heads` heads, each with its share of the numbers.",
    ("(pos, 3, n_heads, -1)", "(pos, 3, 1, -1)"),
)
wrong(
    "exp without the largest score subtracted",
    "`exp` of more than 88 is infinite in float32, and infinity divided by infinity is NaN: subtract each row's "
    "largest score first.",
    ("np.exp(scores - scores.max(axis=-1, keepdims=True))", "np.exp(scores)"),
)
wrong(
    "the pattern without softmax's division",
    "The weights of a query add up to 1: divide by their sum.",
    ("weights / weights.sum(axis=-1, keepdims=True)", "weights"),
)
numpy_gpt.also("softmax over the queries")(
    changed(numpy_gpt, ("weights.sum(axis=-1, keepdims=True)", "weights.sum(axis=-2, keepdims=True)"))
)
numpy_gpt.also("one softmax over the whole table of scores")(
    changed(
        numpy_gpt,
        ("scores.max(axis=-1, keepdims=True)", "scores.max(axis=(-2, -1), keepdims=True)"),
        ("weights.sum(axis=-1, keepdims=True)", "weights.sum(axis=(-2, -1), keepdims=True)"),
    )
)
OVER_THE_HEADS = [
    (f"{done}(axis=-1, keepdims=True)", f"{done}(axis=0, keepdims=True)") for done in ("scores.max", "weights.sum")
]
wrong(
    "softmax over the heads",
    "In each head the weights of one query add up to 1 over its keys: softmax runs along the last axis, and the heads "
    "are another.",
    ("scores, -np.inf)", "scores, -1e10)"),
    *OVER_THE_HEADS,
)
numpy_gpt.also("softmax over the heads")(changed(numpy_gpt, *OVER_THE_HEADS))
numpy_gpt.also("softmax over the heads")(changed(numpy_gpt, OVER_THE_HEADS[-1]))
wrong(
    "hidden keys that keep their share of softmax's sum",
    "What is hidden must be -inf before softmax: taken first, it has counted the hidden keys in its sum, and "
    "the weights of the others do not add up to 1.",
    ("np.where(np.tri(pos, dtype=bool), scores, -np.inf)", "scores"),
    (
        "weights / weights.sum(axis=-1, keepdims=True)",
        "np.tri(pos, dtype=np.float32) * weights / weights.sum(axis=-1, keepdims=True)",
    ),
)
wrong(
    "the table of positions changed in place",
    "The table in `params` has other numbers now. A slice of `wpe` is a view of it, and `+=` writes into that: "
    "make a new array, `wte[...] + wpe[...]`.",
    (
        'resid = params["wte"][input_ids] + params["wpe"][: len(input_ids)]',
        'resid = params["wpe"][: len(input_ids)]; resid += params["wte"][input_ids]',
    ),
)


# Right answers.


def normal(x, g, b):
    return g * (x - np.mean(x, -1, keepdims=True)) / np.sqrt(np.var(x, -1, keepdims=True) + 1e-5) + b


def weights_of(scores):
    exp_scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exp_scores / np.sum(exp_scores, axis=-1, keepdims=True)


@numpy_gpt.correct
def head_by_head_in_float64(input_ids, params, n_heads):
    """As one writes it first: Python lists of heads, a mask of 1e10, everything in float64."""
    x = np.array([params["wte"][token] + params["wpe"][place] for place, token in enumerate(input_ids)], dtype=float)
    hidden = (1 - np.tri(len(x))) * -1e10
    for block in params["blocks"]:
        read = normal(x, **block["ln_1"]) @ block["attn"]["c_attn"]["w"] + block["attn"]["c_attn"]["b"]
        queries, keys, values = (np.split(part, n_heads, axis=1) for part in np.split(read, 3, axis=1))
        found = [
            weights_of(q @ k.T / np.sqrt(k.shape[1]) + hidden) @ v
            for q, k, v in zip(queries, keys, values, strict=True)
        ]
        x = x + np.concatenate(found, axis=1) @ block["attn"]["c_proj"]["w"] + block["attn"]["c_proj"]["b"]
        pre = normal(x, **block["ln_2"]) @ block["mlp"]["c_fc"]["w"] + block["mlp"]["c_fc"]["b"]
        post = pre * 0.5 * (1 + np.tanh(0.7978845608028654 * (pre + 0.044715 * np.power(pre, 3))))
        x = x + post @ block["mlp"]["c_proj"]["w"] + block["mlp"]["c_proj"]["b"]
    return np.dot(normal(x, **params["ln_f"]), params["wte"].T)


@numpy_gpt.correct
def by_einsum(input_ids, params, n_heads):
    """Heads on an axis of their own throughout, and their share of the second matrix with them."""
    resid = params["wte"][input_ids].copy()
    resid += params["wpe"][: len(resid)]
    d_model = resid.shape[1]
    d_head = d_model // n_heads
    later = np.triu(np.ones((len(resid), len(resid))), 1) > 0
    for block in params["blocks"]:
        w, b = block["attn"]["c_attn"]["w"], block["attn"]["c_attn"]["b"]
        read = normal(resid, **block["ln_1"])
        q, k, v = (
            np.einsum("pm,mhd->hpd", read, w[:, part : part + d_model].reshape(d_model, n_heads, d_head))
            + b[part : part + d_model].reshape(n_heads, 1, d_head)
            for part in (0, d_model, 2 * d_model)
        )
        scores = np.einsum("hqd,hkd->hqk", q, k) * d_head**-0.5
        scores[:, later] = -np.inf
        back = block["attn"]["c_proj"]["w"].reshape(n_heads, d_head, d_model)
        resid += np.einsum("hqk,hkd,hdm->qm", weights_of(scores), v, back) + block["attn"]["c_proj"]["b"]
        pre = normal(resid, **block["ln_2"]) @ block["mlp"]["c_fc"]["w"] + block["mlp"]["c_fc"]["b"]
        gate = 1 / (1 + np.exp(-np.sqrt(np.float32(8 / np.pi)) * (pre + 0.044715 * pre * pre * pre)))
        resid += (pre * gate) @ block["mlp"]["c_proj"]["w"] + block["mlp"]["c_proj"]["b"]
    return np.matmul(normal(resid, **params["ln_f"]), params["wte"].transpose())


@numpy_gpt.correct
def position_by_position(input_ids, params, n_heads):
    """Without a mask: each position is computed from those up to its own."""
    streams = [params["wte"][token] + params["wpe"][place] for place, token in enumerate(list(input_ids))]
    for block in params["blocks"]:
        c_attn, c_proj = block["attn"]["c_attn"], block["attn"]["c_proj"]
        read = [normal(stream, **block["ln_1"]) @ c_attn["w"] + c_attn["b"] for stream in streams]
        thirds = [one.reshape(3, n_heads, -1) for one in read]
        for place in range(len(streams)):
            found = []
            for head in range(n_heads):
                keys = np.stack([thirds[other][1, head] for other in range(place + 1)])
                values = np.stack([thirds[other][2, head] for other in range(place + 1)])
                found.append(weights_of(keys @ thirds[place][0, head] / math.sqrt(keys.shape[1])) @ values)
            streams[place] = streams[place] + np.concatenate(found) @ c_proj["w"] + c_proj["b"]
            pre = normal(streams[place], **block["ln_2"]) @ block["mlp"]["c_fc"]["w"] + block["mlp"]["c_fc"]["b"]
            post = 0.5 * pre * (1 + np.tanh(math.sqrt(2 / math.pi) * (pre + 0.044715 * pre**3)))
            streams[place] = streams[place] + post @ block["mlp"]["c_proj"]["w"] + block["mlp"]["c_proj"]["b"]
    return np.stack([normal(stream, **params["ln_f"]) @ params["wte"].T for stream in streams])
