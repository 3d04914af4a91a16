"""How gpt2_jax goes wrong, and right answers that look different. Where this is imported, JAX is installed."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from judge.checking.oracle import solution_of
from tests.ch11_dialects import jax_gpt
from tests.misconceptions.ch11_dialects._changes import changed, changed_in_both, register


def wrong(name, advice, *changes, said_of=""):
    """A misconception that is a change of the solution, or several at once."""
    jax_gpt.misconception(name, advice, said_of=said_of)(changed(jax_gpt, *changes))


def wrong_in_both(name, advice, *changes, said_of=""):
    """The same, with what has to be changed in the NumPy solution for the same answers."""
    jax_gpt.misconception(name, advice, said_of=said_of)(changed_in_both(jax_gpt, name, *changes))


# before "no mask", which it comes to
wrong_in_both(
    "what `.at[...].set(...)` returns left lying",
    "JAX's arrays never change: `scores.at[...].set(-jnp.inf)` leaves `scores` as it is and returns a new array. Keep "
    "that, as in `scores = scores.at[...].set(-jnp.inf)`.",
    (
        "return jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1) @ v",
        "scores.at[jnp.triu_indices(len(q), 1)].set(-jnp.inf)\n        return jax.nn.softmax(scores, axis=-1) @ v",
    ),
    ("np.where(np.tri(pos, dtype=bool), scores, -np.inf)", "scores"),
    said_of=r"(?m)^\s*\w+\.at\[.*\]\.set\(.*\)\s*$",
)
register(jax_gpt)

FACTORS = "One factor of a product, wherever it stands."
NEW_NAME = "JAX's arrays never change: `+=` gives the name a new one, as `=` does."
DEFAULT = "It is what the function does by default."
for change, why in {
    "-1 → 1": "Streams and scores have two axes, so that the last one is number 1.",
    "centred = x - x.mean(axis=-1, keepdims=True) → x -= x.mean(axis=-1, keepdims=True); centred = x": NEW_NAME,
    "centred / jnp.sqrt(variance + 1e-05) * norm.gamma → centred * norm.gamma / jnp.sqrt(variance + 1e-05)": FACTORS,
    "q → k": "Queries and keys are of one shape.",
    "q → read": "A head has as many queries as there are vectors to read.",
    "q @ k.T / math.sqrt(q.shape[-1]) → q / math.sqrt(q.shape[-1]) @ k.T": FACTORS,
    "q @ k.T / math.sqrt(q.shape[-1]) → q @ (k.T / math.sqrt(q.shape[-1]))": FACTORS,
    "jnp.tri(len(q), dtype=bool) → jnp.tri(len(q))": "`jnp.where` takes what is not 0 for true.",
    "jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1) → jax.nn.softmax(jnp.where(seen, scores, -jnp.inf))": (
        DEFAULT
    ),
    "1 → -2": "Of three axes, number 1 is the last but one.",
    "jax.nn.gelu(x @ ffn.W1 + ffn.b1, approximate=True) → jax.nn.gelu(x @ ffn.W1 + ffn.b1)": DEFAULT,
    "resid = resid + attention(read, block.mha_params) → resid += attention(read, block.mha_params); resid = resid": (
        NEW_NAME
    ),
    "resid = resid + mlp(read, block.ffn_params) → resid += mlp(read, block.ffn_params); resid = resid": NEW_NAME,
}.items():
    jax_gpt.equivalent(change, why)


wrong_in_both(
    "the exact GELU, with erf",
    "GPT-2 was trained with the tanh form, which `jax.nn.gelu` has by default, `approximate=True`. This is the "
    "form with erf.",
    ("approximate=True", "approximate=False"),
    ("gelu(neurons)", "(0.5 * neurons * (1 + np.vectorize(math.erf)(neurons / math.sqrt(2))))"),
)
wrong_in_both(
    "a LayerNorm without its scale and shift",
    "Multiply by `gamma` and add `beta`.",
    (" * norm.gamma + norm.beta", ""),
    (" * g + b", ""),
)
wrong_in_both(
    "a LayerNorm without its shift",
    "After the product with `gamma` comes `+ beta`.",
    (" + norm.beta", ""),
    (" * g + b", " * g"),
)
wrong_in_both(
    "a LayerNorm over the positions",
    "Each position's vector has a mean and a variance of its own: `axis=-1`, with `keepdims=True`.",
    ("x.mean(axis=-1, keepdims=True)", "x.mean(axis=0, keepdims=True)"),
    ("(centred**2).mean(axis=-1, keepdims=True)", "(centred**2).mean(axis=0, keepdims=True)"),
)
wrong_in_both(
    "no bias of queries, keys and values",
    "Add `b_qkv` to `x @ W_qkv`.",
    ("x @ mha.W_qkv + mha.b_qkv", "x @ mha.W_qkv"),
    ("linear(x, **c_attn)", '(x @ c_attn["w"])'),
)
wrong_in_both(
    "no `b_out`",
    "Add `b_out` once, after `W_out`.",
    (" + mha.b_out", ""),
    ("linear(z.reshape(pos, -1), **c_proj)", 'z.reshape(pos, -1) @ c_proj["w"]'),
)
wrong_in_both(
    "no `b1`",
    "The MLP's first matrix has a bias, `b1`, which is added before GELU.",
    (" + ffn.b1", ""),
    (
        'linear(layer_norm(resid, **block["ln_2"]), **block["mlp"]["c_fc"])',
        'layer_norm(resid, **block["ln_2"]) @ block["mlp"]["c_fc"]["w"]',
    ),
)
wrong_in_both(
    "no `b2`",
    "The MLP's second matrix has a bias too: `+ ffn.b2`.",
    (" + ffn.b2", ""),
    ('linear(gelu(neurons), **block["mlp"]["c_proj"])', 'gelu(neurons) @ block["mlp"]["c_proj"]["w"]'),
)
wrong_in_both(
    "`vmap` over the positions",
    "The heads of one position read one another here, where positions should: `vmap` takes axis 0 unless told, and "
    "the heads lie on axis 1 of [pos head_index d_head], so it is `in_axes=1`.",
    ("jax.vmap(head, in_axes=1, out_axes=1)", "jax.vmap(head)"),
    ("parts.transpose(1, 2, 0, 3)", "parts.transpose(1, 0, 2, 3)"),
    ("np.tri(pos, dtype=bool)", "np.tri(n_heads, dtype=bool)"),
    ("(pattern @ v).transpose(1, 0, 2)", "pattern @ v"),
)
wrong_in_both(
    "the heads left in front",
    "The heads are joined with pos: bring the axes into the order [pos head_index d_head] before you reshape, by "
    "`out_axes=1` of `vmap` or by moving the axis.",
    ("in_axes=1, out_axes=1", "in_axes=1"),
    ("(pattern @ v).transpose(1, 0, 2)", "pattern @ v"),
)
wrong_in_both(
    "heads after d_head",
    "Side by side means head after head: [pos head_index d_head] before the reshape.",
    ("out_axes=1", "out_axes=2"),
    ("(pattern @ v).transpose(1, 0, 2)", "(pattern @ v).transpose(1, 2, 0)"),
)
wrong_in_both(
    "one head for all",
    "There are `n_heads` heads, each with its share of the numbers.",
    ("(len(x), 3, n_heads, -1)", "(len(x), 3, 1, -1)"),
    ("reshape(pos, 3, n_heads, -1)", "reshape(pos, 3, 1, -1)"),
)
wrong(
    "a NumPy array in the end",
    "What comes out is NumPy's array, which can be neither compiled nor differentiated. Stay in JAX, with `jnp`.",
    (
        "return layer_norm(resid, params.ln_f) @ params.W_e.T",
        "return np.asarray(layer_norm(resid, params.ln_f) @ params.W_e.T)",
    ),
)
wrong(
    "half precision",
    "Stay in float32, which is what the parameters are.",
    (
        "return layer_norm(resid, params.ln_f) @ params.W_e.T",
        "return (layer_norm(resid, params.ln_f) @ params.W_e.T).astype(jnp.bfloat16)",
    ),
)
wrong(
    "exp without the largest score subtracted",
    "`exp` of more than 88 is infinite in float32, and infinity divided by infinity is NaN: `jax.nn.softmax` subtracts "
    "each row's largest score first.",
    (
        "return jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1) @ v",
        "weights = jnp.exp(jnp.where(seen, scores, -jnp.inf)); return weights / weights.sum(-1, keepdims=True) @ v",
    ),
)
wrong(
    "an `if` that asks for a value",
    "While JAX compiles or maps, arrays have shapes and no values, so `if` can't ask for one. Use `jnp.where` where "
    "you choose between values, and leave out a check that raises. (`jax.nn.softmax` subtracts the largest score by "
    "itself.)",
    (
        "        return jax.nn.softmax(",
        "        if scores.max() > 80:\n            scores = scores - scores.max()\n        return jax.nn.softmax(",
    ),
)
wrong_in_both(
    "hidden keys that keep their share of softmax's sum",
    "What is hidden must be -inf before softmax: taken first, it has counted the hidden keys in its sum, and "
    "the weights of the others do not add up to 1.",
    ("jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1)", "jnp.where(seen, jax.nn.softmax(scores), 0.0)"),
    ("np.where(np.tri(pos, dtype=bool), scores, -np.inf)", "scores"),
    (
        "pattern = weights / weights.sum(axis=-1, keepdims=True)",
        "pattern = np.where(np.tri(pos, dtype=bool), weights / weights.sum(axis=-1, keepdims=True), 0.0)",
    ),
)


@jax_gpt.misconception(
    "`jax.jit` with the number of heads among what is traced",
    "A shape depends on `n_heads`, and inside `jit` it has no value: compile with `static_argnums=2`, or "
    '`static_argnames="n_heads"`.',
)
def traced_heads(input_ids, params, n_heads):
    return jax.jit(solution_of(jax_gpt))(input_ids, params, n_heads)


@jax_gpt.misconception(
    "an array assigned to in place",
    "JAX's arrays never change. Choose by `jnp.where(seen, scores, -jnp.inf)`, or keep what "
    "`scores.at[...].set(-jnp.inf)` returns.",
)
def assigned_in_place(input_ids, params, n_heads):
    resid = params.W_e[input_ids] + params.W_p[: len(input_ids)]
    scores = resid @ resid.T
    scores[jnp.triu_indices(len(scores), 1)] = -jnp.inf
    return scores


# Right answers.


def normal(x, gamma, beta):
    return jax.nn.standardize(x, axis=-1, epsilon=1e-5) * gamma + beta


def attend(q, k, v, mask):
    scores = jnp.einsum("qd,kd->qk", q, k) / jnp.sqrt(k.shape[-1])
    return jax.nn.softmax(jnp.where(mask, scores, -1e10)) @ v


def read_by(x, block, n_heads):
    mha = block.mha_params
    queries, keys, values = (
        jnp.stack(jnp.split(part, n_heads, axis=-1)) for part in jnp.split(x @ mha.W_qkv + mha.b_qkv, 3, axis=-1)
    )
    mask = jnp.tril(jnp.ones((len(x), len(x)))) > 0
    found = jax.vmap(attend, in_axes=(0, 0, 0, None))(queries, keys, values, mask)
    return jnp.hstack(list(found)) @ mha.W_out + mha.b_out


@jax_gpt.correct
def heads_as_a_stack(input_ids, params, n_heads):
    x = params.W_e[input_ids] + params.W_p[jnp.arange(input_ids.shape[0])]
    for block in params.blocks:
        x = x + read_by(normal(x, *block.ln_1_params), block, n_heads)
        wide = normal(x, *block.ln_2_params) @ block.ffn_params.W1 + block.ffn_params.b1
        x = x + jax.nn.gelu(wide) @ block.ffn_params.W2 + block.ffn_params.b2
    return normal(x, *params.ln_f) @ params.W_e.T


compiled = functools.partial(jax.jit, static_argnames="n_heads")


@jax_gpt.correct
@compiled
def with_jaxs_own_attention(input_ids, params, n_heads):
    """Compiled already, with `jax.nn.dot_product_attention`."""
    resid = jnp.take(params.W_e, input_ids, axis=0) + params.W_p[: input_ids.size]
    for block in params.blocks:
        mha, ffn = block.mha_params, block.ffn_params
        thirds = normal(resid, *block.ln_1_params) @ mha.W_qkv + mha.b_qkv
        q, k, v = jnp.moveaxis(thirds.reshape(len(resid), 3, n_heads, -1), 1, 0)
        z = jax.nn.dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
        resid += z.reshape(len(resid), -1) @ mha.W_out + mha.b_out
        pre = normal(resid, *block.ln_2_params) @ ffn.W1 + ffn.b1
        post = 0.5 * pre * (1 + jnp.tanh(np.sqrt(2 / np.pi) * (pre + 0.044715 * pre**3)))
        resid += post @ ffn.W2 + ffn.b2
    return normal(resid, *params.ln_f) @ params.W_e.T


@jax_gpt.correct
def blocks_by_scan(input_ids, params, n_heads):
    """The blocks stacked and scanned, as those do who compile long models."""
    resid = params.W_e[input_ids] + params.W_p[: len(input_ids)]

    def one(x, block):
        x = x + read_by(normal(x, *block.ln_1_params), block, n_heads)
        ffn = block.ffn_params
        return x + jax.nn.gelu(normal(x, *block.ln_2_params) @ ffn.W1 + ffn.b1) @ ffn.W2 + ffn.b2, None

    if params.blocks:
        stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *params.blocks)
        resid, _ = jax.lax.scan(one, resid, stacked)
    return normal(resid, *params.ln_f) @ params.W_e.T
