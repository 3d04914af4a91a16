"""Mistakes of a whole GPT-2 that can be made in NumPy and in JAX alike, as changes of the two solutions' text."""

import functools
import linecache

from judge.checking import Exercise
from judge.checking.rewriting import rewritten, text_of
from tests.ch11_dialects import numpy_gpt

# A change of one solution, or of both: what stands there, what a tired person writes.
Change = tuple[str, str]
NORM_NP, NORM_JAX = 'layer_norm(resid, **block["ln_1"])', "layer_norm(resid, block.ln_1_params)"
MLP_NP, MLP_JAX = 'layer_norm(resid, **block["ln_2"])', "layer_norm(resid, block.ln_2_params)"
ATT_NP = f'attention({NORM_NP}, **block["attn"])'
ATT_JAX = "attention(read, block.mha_params)"
WRITE_NP = 'linear(gelu(neurons), **block["mlp"]["c_proj"])'
WRITE_JAX = "mlp(read, block.ffn_params)"


def changed(exercise: Exercise, *changes: Change):
    """The solution after those of these changes that are of its text; None in a course without its solutions."""
    try:
        text = text_of(exercise)
    except ModuleNotFoundError:
        return None
    own = [change for change in changes if change[0] in text]
    assert own, f"none of {changes} is of {exercise.symbol}"
    for before, after in own:
        assert text.count(before) == 1, f"{before!r} is {text.count(before)} times in {exercise.symbol}"
        text = text.replace(before, after)
    return rewritten(exercise, text, f"<{exercise.symbol}, changed {len(linecache.cache)}>")


# Mistakes whose answers are others in NumPy: a softmax that takes each row's largest score off, a mask in float64.
OF_EACH_ITS_OWN = {"one softmax over the whole table of scores", "the mask the other way round"}


def changed_in_both(exercise: Exercise, name: str, *changes: Change):
    """The same; a change of the JAX solution has with it how that of the NumPy solution is made that answers alike."""
    made = changed(exercise, *changes)
    if made and exercise is not numpy_gpt and name not in OF_EACH_ITS_OWN:
        made.in_numpy = functools.cache(functools.partial(changed, numpy_gpt, *changes))
    return made


def register(exercise: Exercise) -> None:
    """Make all of these known as misconceptions of the exercise."""
    for name, advice, *changes in MISTAKES:
        exercise.misconception(name, advice)(changed_in_both(exercise, name, *changes))
    for name, *changes in OTHER_FORMS:
        exercise.also(name)(changed_in_both(exercise, name, *changes))


MISTAKES: list[tuple] = [
    (
        "eps outside the root",
        "GPT-2 adds eps to the variance, and takes the root of the sum: `sqrt(variance + 1e-5)`.",
        ("centred / np.sqrt(variance + 1e-5)", "centred / (np.sqrt(variance) + 1e-5)"),
        ("centred / jnp.sqrt(variance + 1e-5)", "centred / (jnp.sqrt(variance) + 1e-5)"),
    ),
    (
        "no eps in the LayerNorm, or a far smaller one",
        "Add 1e-5 to the variance before the root: where the variance is small it counts.",
        ("variance + 1e-5", "variance"),
    ),
    ("an eps of another size", "GPT-2's eps is 1e-5.", ("1e-5", "1e-6")),
    (
        "the unbiased variance",
        "GPT-2 divides by d_model, not by d_model - 1: `.var(axis=-1)` does so, and so does the mean of the squares.",
        ("(centred**2).mean(axis=-1, keepdims=True)", "x.var(axis=-1, keepdims=True, ddof=1)"),
    ),
    (
        "a division by the variance, and not by its root",
        "LayerNorm divides by the root of variance plus eps.",
        ("centred / np.sqrt(variance + 1e-5)", "centred / (variance + 1e-5)"),
        ("centred / jnp.sqrt(variance + 1e-5)", "centred / (variance + 1e-5)"),
    ),
    (
        "a LayerNorm that leaves the mean in",
        "Take each vector's mean off before you divide.",
        ("return centred /", "return x /"),
    ),
    (
        "LayerNorm's shift added to its scale",
        "Only the scale multiplies, and the shift is added to the product: `x * scale + shift`.",
        ("* g + b", "* (g + b)"),
        ("* norm.gamma + norm.beta", "* (norm.gamma + norm.beta)"),
    ),
    (
        "LayerNorm's shift before its scale",
        "First multiply by the scale, then add the shift to the product: the scale does not multiply the shift.",
        ("centred / np.sqrt(variance + 1e-5) * g + b", "(centred / np.sqrt(variance + 1e-5) + b) * g"),
        (
            "centred / jnp.sqrt(variance + 1e-5) * norm.gamma + norm.beta",
            "(centred / jnp.sqrt(variance + 1e-5) + norm.beta) * norm.gamma",
        ),
    ),
    (
        "scores that are not scaled",
        "Divide the scores by the root of d_head, which is the last size of q.",
        (" / math.sqrt(q.shape[-1])", ""),
    ),
    (
        "scores divided by d_head, and not by its root",
        "Divide by the root: `math.sqrt(q.shape[-1])`.",
        ("math.sqrt(q.shape[-1])", "q.shape[-1]"),
    ),
    (
        "scores divided by the root of d_model, all heads' numbers together",
        "A head's queries have d_head numbers, `q.shape[-1]` once the heads are apart: take the root of that.",
        ("math.sqrt(q.shape[-1])", "math.sqrt(q.shape[-1] * n_heads)"),
    ),
    (
        "scores divided by the root of n_heads",
        "Take the root of d_head, the size of a head's query: `q.shape[-1]` once the heads are apart.",
        ("math.sqrt(q.shape[-1])", "math.sqrt(n_heads)"),
    ),
    (
        "scores multiplied by the root of d_head",
        "Divide by the root: it makes the scores smaller.",
        ("/ math.sqrt(q.shape[-1])", "* math.sqrt(q.shape[-1])"),
    ),
    (
        "no mask",
        "A position must not see later ones: put -inf where the key comes after the query, before softmax.",
        ("np.where(np.tri(pos, dtype=bool), scores, -np.inf)", "scores"),
        ("jnp.where(seen, scores, -jnp.inf)", "scores"),
    ),
    (
        "the mask the other way round",
        "A query sees itself and what comes before: `tri(pos)` is 1 there, and where it is 0 the score is hidden.",
        ("np.tri(pos, dtype=bool)", "np.tri(pos, dtype=bool).T"),
        ("jnp.tri(len(q), dtype=bool)", "jnp.tri(len(q), dtype=bool).T"),
    ),
    (
        "hiding what lies far back",
        "A query sees every key up to its own, however far back it is: hide nothing to the left of the diagonal.",
        ("np.tri(pos, dtype=bool)", "np.tri(pos, dtype=bool) & ~np.tri(pos, k=-256, dtype=bool)"),
        ("jnp.tri(len(q), dtype=bool)", "jnp.tri(len(q), dtype=bool) & ~jnp.tri(len(q), k=-256, dtype=bool)"),
    ),
    (
        "the mask one position too generous",
        "A query sees the key after its own too, but the diagonal is the last that it may see: `tri(pos)`.",
        ("np.tri(pos, dtype=bool)", "np.tri(pos, k=1, dtype=bool)"),
        ("jnp.tri(len(q), dtype=bool)", "jnp.tri(len(q), k=1, dtype=bool)"),
    ),
    (
        "a mask that hides the present too",
        "A position may see itself: the diagonal stays.",
        ("np.tri(pos, dtype=bool), scores, -np.inf)", "np.tri(pos, k=-1, dtype=bool), scores, -1e10)"),
        (
            "jnp.tri(len(q), dtype=bool)\n        return jax.nn.softmax(jnp.where(seen, scores, -jnp.inf)",
            "jnp.tri(len(q), k=-1, dtype=bool)\n        return jax.nn.softmax(jnp.where(seen, scores, -1e10)",
        ),
    ),
    (
        "a mask of zeros in place of minus infinity",
        "What is hidden still gets weight, as from a score of 0, since e to the power of 0 is 1: it needs -inf, "
        "or -1e10.",
        ("scores, -np.inf)", "scores, 0.0)"),
        ("scores, -jnp.inf)", "scores, 0.0)"),
    ),
    (
        "one softmax over the whole table of scores",
        "The weights of each query add up to 1, not those of all queries together: softmax runs along the last axis.",
        ("weights.sum(axis=-1, keepdims=True)", "weights.sum(axis=(-2, -1), keepdims=True)"),
        ("-jnp.inf), axis=-1)", "-jnp.inf), axis=None)"),
    ),
    (
        "softmax over the queries",
        "The weights of one query add up to 1: softmax runs along the keys, the last axis.",
        ("scores.max(axis=-1, keepdims=True)", "scores.max(axis=-2, keepdims=True)"),
        ("weights.sum(axis=-1, keepdims=True)", "weights.sum(axis=-2, keepdims=True)"),
        ("-jnp.inf), axis=-1)", "-jnp.inf), axis=0)"),
    ),
    (
        "ReLU for GELU",
        "GPT-2's MLP has the tanh form of GELU, which lets part of what is a little below 0 through.",
        ("gelu(neurons)", "np.maximum(neurons, 0)"),
        ("jax.nn.gelu(x @ ffn.W1 + ffn.b1, approximate=True)", "jax.nn.relu(x @ ffn.W1 + ffn.b1)"),
    ),
    (
        "no GELU",
        "Between the MLP's two matrices comes GELU: without it they amount to one.",
        ("gelu(neurons)", "neurons"),
        ("jax.nn.gelu(x @ ffn.W1 + ffn.b1, approximate=True)", "x @ ffn.W1 + ffn.b1"),
    ),
    (
        "the sigmoid approximation of GELU",
        "`x * sigmoid(1.702 * x)` is another form: GPT-2's has tanh and x³.",
        ("gelu(neurons)", "(neurons / (1 + np.exp(-1.702 * neurons)))"),
        (
            "neurons = jax.nn.gelu(x @ ffn.W1 + ffn.b1, approximate=True)",
            "pre = x @ ffn.W1 + ffn.b1; neurons = pre * jax.nn.sigmoid(1.702 * pre)",
        ),
    ),
    (
        "GELU after the MLP's second matrix",
        "GELU acts on the neurons, d_mlp of them, between the two matrices: `gelu(x @ w + b)`, then the second one.",
        (WRITE_NP, 'gelu(linear(neurons, **block["mlp"]["c_proj"]))'),
        (
            "neurons = jax.nn.gelu(x @ ffn.W1 + ffn.b1, approximate=True)\n        return neurons @ ffn.W2 + ffn.b2",
            "neurons = x @ ffn.W1 + ffn.b1\n        return jax.nn.gelu(neurons @ ffn.W2 + ffn.b2)",
        ),
    ),
    (
        "the first block alone",
        "Every block of `params` takes its turn, in order, and the logits are made after the last one.",
        ('in params["blocks"]:', 'in params["blocks"][:1]:'),
        ("in params.blocks:", "in params.blocks[:1]:"),
    ),
    (
        "the first block's weights in every block",
        "Each block has weights of its own: use those of the loop's own block.",
        ('in params["blocks"]:', 'in params["blocks"][:1] * len(params["blocks"]):'),
        ("in params.blocks:", "in params.blocks[:1] * len(params.blocks):"),
    ),
    (
        "the blocks from last to first",
        "The first block comes first.",
        ('in params["blocks"]:', 'in params["blocks"][::-1]:'),
        ("in params.blocks:", "in params.blocks[::-1]:"),
    ),
    (
        "positions counted from 1",
        "The first token stands at position 0: its row is row 0 of the table of positions.",
        ('["wpe"][: len(input_ids)]', '["wpe"][(np.arange(len(input_ids)) + 1) % len(params["wpe"])]'),
        ("W_p[: len(input_ids)]", "W_p[(jnp.arange(len(input_ids)) + 1) % len(params.W_p)]"),
    ),
    (
        "no positions",
        "Add a row of the table of positions to each token's row.",
        (' + params["wpe"][: len(input_ids)]', ""),
        (" + params.W_p[: len(input_ids)]", ""),
    ),
    (
        "one position for all tokens",
        "Token i gets row i of the table of positions.",
        ('["wpe"][: len(input_ids)]', '["wpe"][0]'),
        ("W_p[: len(input_ids)]", "W_p[0]"),
    ),
    (
        "rows of the table of positions picked by the tokens",
        "A token's number picks a row of the table of tokens. From the table of positions take the first "
        "`len(input_ids)` rows: row 0 for the first token, and so on.",
        ('["wpe"][: len(input_ids)]', '["wpe"][input_ids]'),
        ("W_p[: len(input_ids)]", "W_p[input_ids]"),
    ),
    (
        "embeddings scaled by the root of d_model",
        "Vaswani et al. scale them; GPT-2 takes the rows as they are.",
        ('params["wte"][input_ids]', 'params["wte"][input_ids] * math.sqrt(params["wte"].shape[1])'),
        ("params.W_e[input_ids]", "params.W_e[input_ids] * math.sqrt(params.W_e.shape[1])"),
    ),
    (
        "the final LayerNorm left out",
        "After the last block comes `ln_f`, and then the table of tokens.",
        ('layer_norm(resid, **params["ln_f"])', "resid"),
        ("layer_norm(resid, params.ln_f)", "resid"),
    ),
    (
        "the final LayerNorm in each block",
        "`ln_f` is used once, on the stream that the last block leaves, and in none of the blocks.",
        (f"resid = resid + {WRITE_NP}", f"resid = layer_norm(resid + {WRITE_NP}, **params['ln_f'])"),
        ('return layer_norm(resid, **params["ln_f"])', "return resid"),
        (f"resid = resid + {WRITE_JAX}", f"resid = layer_norm(resid + {WRITE_JAX}, params.ln_f)"),
        ("return layer_norm(resid, params.ln_f)", "return resid"),
    ),
    (
        "`ln_f` without its scale and shift",
        "The final LayerNorm has a scale and a shift of its own too: those in `ln_f`.",
        ('layer_norm(resid, **params["ln_f"])', "layer_norm(resid, np.float32(1), np.float32(0))"),
        ("layer_norm(resid, params.ln_f)", "layer_norm(resid, type(params.ln_f)(1.0, 0.0))"),
    ),
    (
        "the logits of the last position alone",
        "Every position has its row of logits: [pos d_vocab].",
        ('layer_norm(resid, **params["ln_f"])', 'layer_norm(resid[-1], **params["ln_f"])'),
        ("layer_norm(resid, params.ln_f)", "layer_norm(resid[-1], params.ln_f)"),
    ),
    (
        "the table of tokens not transposed",
        "The table is [d_vocab d_model]; its transpose, `.T`, leads from d_model back to d_vocab.",
        ('params["wte"].T', 'params["wte"]'),
        ("params.W_e.T", "params.W_e"),
    ),
    (
        "probabilities for logits",
        "Softmax is for whoever draws: return the scores as they come out of the table.",
        (
            'return layer_norm(resid, **params["ln_f"]) @ params["wte"].T',
            'out = np.exp(layer_norm(resid, **params["ln_f"]) @ params["wte"].T); '
            "return out / out.sum(axis=-1, keepdims=True)",
        ),
        (
            "return layer_norm(resid, params.ln_f) @ params.W_e.T",
            "return jax.nn.softmax(layer_norm(resid, params.ln_f) @ params.W_e.T)",
        ),
    ),
    (
        "the normalised stream carried on",
        "LayerNorm makes what attention reads; what attention writes is added to the stream as it was before: "
        "`resid + attention(layer_norm(resid))`.",
        (f"resid = resid + {ATT_NP}", f'resid = {NORM_NP}; resid = resid + attention(resid, **block["attn"])'),
        (f"resid = resid + {ATT_JAX}", f"resid = read + {ATT_JAX}"),
    ),
    (
        "attention's output in place of the stream",
        "Add what attention writes to the stream: `resid = resid + attention(...)`.",
        (f"resid = resid + {ATT_NP}", f"resid = {ATT_NP}"),
        (f"resid = resid + {ATT_JAX}", f"resid = {ATT_JAX}"),
    ),
    (
        "the MLP's output in place of the stream",
        "Add what the MLP writes to the stream.",
        (f"resid = resid + {WRITE_NP}", f"resid = {WRITE_NP}"),
        (f"resid = resid + {WRITE_JAX}", f"resid = {WRITE_JAX}"),
    ),
    (
        "LayerNorm after the sum, as in the first Transformer",
        "GPT-2 normalises what a sublayer reads, and adds what it writes to the stream as it is.",
        (f"resid = resid + {ATT_NP}", 'resid = layer_norm(resid + attention(resid, **block["attn"]), **block["ln_1"])'),
        (
            f"resid = resid + {ATT_JAX}",
            "resid = layer_norm(resid + attention(resid, block.mha_params), block.ln_1_params)",
        ),
        (MLP_NP, "resid"),
        (f"resid = resid + {WRITE_NP}", f'resid = layer_norm(resid + {WRITE_NP}, **block["ln_2"])'),
        (f"resid = resid + {WRITE_JAX}", "resid = layer_norm(resid + mlp(resid, block.ffn_params), block.ln_2_params)"),
    ),
    (
        "no LayerNorm before attention",
        "Attention reads the stream through `ln_1`.",
        (NORM_NP, "resid"),
        (NORM_JAX, "resid"),
    ),
    ("no LayerNorm before the MLP", "The MLP reads the stream through `ln_2`.", (MLP_NP, "resid"), (MLP_JAX, "resid")),
    (
        "`ln_1` before the MLP",
        "The MLP has a LayerNorm of its own: `ln_2`.",
        ('**block["ln_2"]', '**block["ln_1"]'),
        ("block.ln_2_params", "block.ln_1_params"),
    ),
    (
        "an MLP that reads the stream as it was before attention",
        "First add what attention writes, then read the stream for the MLP: one after the other.",
        (f"resid = resid + {ATT_NP}", f"before = resid; resid = resid + {ATT_NP}"),
        (MLP_NP, 'layer_norm(before, **block["ln_2"])'),
        (f"read = {NORM_JAX}", f"before = resid; read = {NORM_JAX}"),
        (MLP_JAX, "layer_norm(before, block.ln_2_params)"),
    ),
    (
        "an MLP that reads what attention read",
        "The MLP reads the stream as it is once attention has written into it, through `ln_2`.",
        (f"resid = resid + {ATT_NP}", f'read = {NORM_NP}; resid = resid + attention(read, **block["attn"])'),
        (MLP_NP, "read"),
        (f"        read = {MLP_JAX}\n", ""),
    ),
    (
        "a sum with the normalised stream",
        "What a sublayer writes is added to the stream as it is: LayerNorm only makes the copy that the sublayer "
        "reads.",
        (f"resid = resid + {WRITE_NP}", f"resid = {MLP_NP} + {WRITE_NP}"),
        (f"resid = resid + {WRITE_JAX}", f"resid = read + {WRITE_JAX}"),
    ),
    (
        "keys taken for queries",
        "The thirds of the fused matrix are queries, keys, values, in this order.",
        ("q, k, v = parts", "k, q, v = parts"),
        ("q, k, v = (parts", "k, q, v = (parts"),
    ),
    (
        "values taken for keys",
        "The second third holds the keys, the last one the values.",
        ("q, k, v = parts", "q, v, k = parts"),
        ("q, k, v = (parts", "q, v, k = (parts"),
    ),
    (
        "values taken for queries",
        "The first third holds the queries, the last one the values.",
        ("q, k, v = parts", "v, k, q = parts"),
        ("q, k, v = (parts", "v, k, q = (parts"),
    ),
    (
        "each head's queries, keys and values side by side",
        "GPT-2 keeps all queries first, then all keys, then all values: split into three, then each into heads. (The "
        "other order is GPT-NeoX's.)",
        ("(pos, 3, n_heads, -1)", "(pos, n_heads, 3, -1).swapaxes(1, 2)"),
        ("(len(x), 3, n_heads, -1)", "(len(x), n_heads, 3, -1).swapaxes(1, 2)"),
    ),
    (
        "a d_head that is written out",
        "Other models have other sizes: take them from the arrays. A -1 in `reshape` stands for what is left.",
        ("(pos, 3, n_heads, -1)", "(pos, 3, n_heads, 64)"),
        ("(len(x), 3, n_heads, -1)", "(len(x), 3, n_heads, 64)"),
    ),
    (
        "queries, keys and values split along the positions",
        "All three lie side by side on the last axis: split with `axis=-1`. Axis 0 is the text, one row for each "
        "token.",
        ("linear(x, **c_attn)", "np.concatenate(np.split(linear(x, **c_attn), 3, axis=0), axis=-1)"),
        ("(x @ mha.W_qkv + mha.b_qkv)", "jnp.concatenate(jnp.split(x @ mha.W_qkv + mha.b_qkv, 3, axis=0), axis=-1)"),
    ),
    (
        "heads taken apart in the wrong order",
        "A third is head after head, d_head numbers each: `reshape(pos, n_heads, d_head)`, head_index first.",
        ("(pos, 3, n_heads, -1)", "(pos, 3, -1, n_heads).swapaxes(2, 3)"),
        ("(len(x), 3, n_heads, -1)", "(len(x), 3, -1, n_heads).swapaxes(2, 3)"),
    ),
    (
        "what attention found, without its second matrix",
        "The heads side by side go through a matrix and a bias before they are added to the stream.",
        ("linear(z.reshape(pos, -1), **c_proj)", "z.reshape(pos, -1)"),
        ("z.reshape(len(x), -1) @ mha.W_out + mha.b_out", "z.reshape(len(x), -1)"),
    ),
]
OTHER_FORMS: list[tuple] = [
    (
        "a sum with the normalised stream",  # of both
        (f"resid = resid + {ATT_NP}", f"resid = {NORM_NP} + {ATT_NP}"),
        (f"resid = resid + {WRITE_NP}", f"resid = {MLP_NP} + {WRITE_NP}"),
        (f"resid = resid + {ATT_JAX}", f"resid = read + {ATT_JAX}"),
        (f"resid = resid + {WRITE_JAX}", f"resid = read + {WRITE_JAX}"),
    ),
    (
        "the final LayerNorm in each block",  # before its attention, and not after the last one
        ('return layer_norm(resid, **params["ln_f"])', "return resid"),
        ('in params["blocks"]:', """in params["blocks"]:\n        resid = layer_norm(resid, **params['ln_f'])"""),
        ("return layer_norm(resid, params.ln_f)", "return resid"),
        ("in params.blocks:", "in params.blocks:\n        resid = layer_norm(resid, params.ln_f)"),
    ),
    (
        "LayerNorm after the sum, as in the first Transformer",  # of attention alone
        (f"resid = resid + {ATT_NP}", 'resid = layer_norm(resid + attention(resid, **block["attn"]), **block["ln_1"])'),
        (
            f"resid = resid + {ATT_JAX}",
            "resid = layer_norm(resid + attention(resid, block.mha_params), block.ln_1_params)",
        ),
    ),
    (
        "LayerNorm after the sum, as in the first Transformer",  # of the MLP alone
        (MLP_NP, "resid"),
        (f"resid = resid + {WRITE_NP}", f'resid = layer_norm(resid + {WRITE_NP}, **block["ln_2"])'),
        (f"resid = resid + {WRITE_JAX}", "resid = layer_norm(resid + mlp(resid, block.ffn_params), block.ln_2_params)"),
    ),
    (
        "the final LayerNorm in each block",  # and after the last one again
        (f"resid = resid + {WRITE_NP}", f"resid = layer_norm(resid + {WRITE_NP}, **params['ln_f'])"),
        (f"resid = resid + {WRITE_JAX}", f"resid = layer_norm(resid + {WRITE_JAX}, params.ln_f)"),
    ),
    (
        "the final LayerNorm in each block",  # before its attention
        ('in params["blocks"]:', """in params["blocks"]:\n        resid = layer_norm(resid, **params['ln_f'])"""),
        ("in params.blocks:", "in params.blocks:\n        resid = layer_norm(resid, params.ln_f)"),
    ),
    (
        "rows of the table of positions picked by the tokens",
        ('["wpe"][: len(input_ids)]', '["wpe"].take(input_ids, axis=0, mode="clip")'),  # as JAX does it
        ("W_p[: len(input_ids)]", 'W_p.at[input_ids].get(mode="clip")'),
    ),
    (
        "a mask of zeros in place of minus infinity",
        ("np.where(np.tri(pos, dtype=bool), scores, -np.inf)", "scores * np.tri(pos)"),
        ("jnp.where(seen, scores, -jnp.inf)", "scores * seen"),
    ),
    (
        "a mask that hides the present too",
        ("np.tri(pos, dtype=bool)", "np.tri(pos, k=-1, dtype=bool)"),
        ("jnp.tri(len(q), dtype=bool)", "jnp.tri(len(q), k=-1, dtype=bool)"),
    ),
    (
        "the mask the other way round",
        ("np.tri(pos, dtype=bool), scores, -np.inf)", "np.tri(pos, dtype=bool), -np.inf, scores)"),
        ("jnp.where(seen, scores, -jnp.inf)", "jnp.where(seen, -jnp.inf, scores)"),
    ),
    (
        "the mask the other way round",
        ("np.tri(pos, dtype=bool), scores, -np.inf)", "np.tri(pos, dtype=bool), -1e10, scores)"),
        ("jnp.where(seen, scores, -jnp.inf)", "jnp.where(seen, -1e10, scores)"),
    ),
    (
        "the mask the other way round",
        ("np.where(np.tri(pos, dtype=bool), scores, -np.inf)", "scores + np.tri(pos) * -1e10"),
        ("jnp.where(seen, scores, -jnp.inf)", "scores + seen * -1e10"),
    ),
]
