"""How count_parameters goes wrong, and right answers that look different."""

from dataclasses import replace
from math import prod

from solutions.ch10_cost import count_parameters
from tests.ch10_cost import A_LOOP_OF_BLOCKS, RETURN_IN_THE_LOOP, SIZES, counting
from utils.config import Config

ATTENTION = "4 * cfg.d_model * d_heads + 3 * d_heads + cfg.d_model"
MLP = "2 * cfg.d_model * cfg.d_mlp + cfg.d_mlp + cfg.d_model"
BLOCKS = "tables + cfg.n_layers * (attention + mlp + 2 * norm) + norm + unembed"
UNEMBED = "0 if tied else cfg.d_model * cfg.d_vocab"


@counting.correct
def from_shapes(cfg, tied=True):
    d_model, heads = cfg.d_model, (cfg.n_heads, cfg.d_head)
    norm = [(d_model,), (d_model,)]
    attention = [(*heads, d_model)] * 3 + [heads] * 3 + [(*heads, d_model), (d_model,)]
    mlp = [(d_model, cfg.d_mlp), (cfg.d_mlp,), (cfg.d_mlp, d_model), (d_model,)]
    shapes = [(cfg.d_vocab, d_model), (cfg.n_ctx, d_model), *norm]
    shapes += (norm + attention + norm + mlp) * cfg.n_layers
    if not tied:
        shapes.append((d_model, cfg.d_vocab))
    return sum(prod(shape) for shape in shapes)


@counting.correct
def block_after_block(cfg, tied=True):
    total = cfg.d_vocab * cfg.d_model
    total += cfg.n_ctx * cfg.d_model
    for _ in range(cfg.n_layers):
        total += 2 * cfg.d_model  # ln1
        for _ in range(cfg.n_heads):
            total += 3 * (cfg.d_model * cfg.d_head + cfg.d_head)
            total += cfg.d_head * cfg.d_model
        total += cfg.d_model
        total += 2 * cfg.d_model  # ln2
        total += (cfg.d_model + 1) * cfg.d_mlp + (cfg.d_mlp + 1) * cfg.d_model
    total += 2 * cfg.d_model
    if tied is False:
        total += cfg.d_vocab * cfg.d_model
    return total


@counting.correct
def one_line(cfg, tied=True):
    d, h = cfg.d_model, cfg.n_heads * cfg.d_head
    return d * ((2 - tied) * cfg.d_vocab + cfg.n_ctx + 2) + cfg.n_layers * (
        4 * d * h + 3 * h + 2 * d * cfg.d_mlp + cfg.d_mlp + 6 * d
    )


@counting.correct
def helpers_within(cfg, tied=True):
    def linear(n_in, n_out, bias=True):
        return n_in * n_out + (n_out if bias else 0)

    width = cfg.n_heads * cfg.d_head
    attn = linear(cfg.d_model, 3 * width) + linear(width, cfg.d_model)
    mlp = linear(cfg.d_model, cfg.d_mlp) + linear(cfg.d_mlp, cfg.d_model)
    lns = (2 * cfg.n_layers + 1) * 2 * cfg.d_model
    embeddings = sum(n * cfg.d_model for n in (cfg.d_vocab, cfg.n_ctx))
    head = 0 if tied else linear(cfg.d_model, cfg.d_vocab, bias=False)
    return embeddings + cfg.n_layers * (attn + mlp) + lns + head


# Wrong answers.


counting.misconception(
    "counting the unembedding although it is tied",
    "With `tied=True` the unembedding is the table of `Embed` once more: it adds nothing. Add d_model · d_vocab only "
    "where `tied` is False.",
)(counting.changed(UNEMBED, "cfg.d_model * cfg.d_vocab"))
counting.misconception(
    "never counting the unembedding",
    "Where `tied` is False the unembedding is a matrix of its own: add d_model · d_vocab.",
)(counting.changed(UNEMBED, "0"))
counting.misconception(
    "`tied` the wrong way round", "Tied means that one table does both jobs, so it is `tied=True` that counts it once."
)(counting.changed(UNEMBED, "cfg.d_model * cfg.d_vocab if tied else 0"))
counting.misconception(
    "a bias in the unembedding",
    "GPT-2's unembedding has no bias. (`b_U` in your Transformer is there for TransformerLens, and frozen at 0.)",
)(counting.changed(UNEMBED, "0 if tied else (cfg.d_model + 1) * cfg.d_vocab"))


@counting.also("a bias in the unembedding")
def bias_even_tied(cfg, tied=True):
    return count_parameters(cfg, tied) + cfg.d_vocab


@counting.misconception(
    "a count without biases",
    "Each product with a matrix in a block adds a bias: `b_Q`, `b_K`, `b_V` with n_heads · d_head numbers each, `b_in` "
    "with d_mlp, `b_O` and `b_out` with d_model.",
)
def without_biases(cfg, tied=True):
    biases = 3 * cfg.n_heads * cfg.d_head + cfg.d_model + cfg.d_mlp + cfg.d_model
    return count_parameters(cfg, tied) - cfg.n_layers * biases


@counting.misconception(
    "a count without biases, and LayerNorms without their `b`",
    "Each product with a matrix in a block adds a bias: `b_Q`, `b_K`, `b_V` with n_heads · d_head numbers each, `b_in` "
    "with d_mlp, `b_O` and `b_out` with d_model. And each LayerNorm learns a `b` as well as a `w`.",
)
def nor_in_layer_norms(cfg, tied=True):
    return without_biases(cfg, tied) - (2 * cfg.n_layers + 1) * cfg.d_model


@counting.misconception(
    "only the matrices and tables",
    "LayerNorms and biases are learned as well: few numbers, but an exact count has them.",
)
def matrices_alone(cfg, tied=True):
    return without_biases(cfg, tied) - (4 * cfg.n_layers + 2) * cfg.d_model


counting.misconception(
    "a count without the biases of attention",
    "`b_Q`, `b_K` and `b_V` have n_heads · d_head numbers each, `b_O` has d_model.",
)(counting.changed(ATTENTION, "4 * cfg.d_model * d_heads"))
counting.misconception(
    "a count without the biases of the MLP", "`b_in` has d_mlp numbers, one for each neuron, and `b_out` has d_model."
)(counting.changed(MLP, "2 * cfg.d_model * cfg.d_mlp"))
counting.misconception(
    "a count without `b_O` or without `b_out`",
    "Both have d_model numbers in each block: `b_O` is added after attention's `W_O`, `b_out` after the MLP's `W_out`.",
)(counting.changed(MLP, "2 * cfg.d_model * cfg.d_mlp + cfg.d_mlp"))
counting.misconception(
    "biases of one head", "`b_Q`, `b_K` and `b_V` have d_head numbers for each head: n_heads · d_head each."
)(counting.changed(ATTENTION, "4 * cfg.d_model * d_heads + 3 * cfg.d_head + cfg.d_model"))
counting.misconception(
    "every bias of attention as long as those of the heads",
    "`b_O` is added to the residual stream: it has d_model numbers, not n_heads · d_head.",
)(counting.changed(ATTENTION, "4 * cfg.d_model * d_heads + 4 * d_heads"))
counting.misconception(
    "every bias of attention as long as the stream",
    "`b_Q`, `b_K` and `b_V` are added to the heads' vectors: n_heads · d_head numbers each, not d_model.",
)(counting.changed(ATTENTION, "4 * cfg.d_model * d_heads + 4 * cfg.d_model"))
counting.misconception(
    "a `b_O` for each head",
    "`b_O` is added once, to the sum of what the heads write: d_model numbers in a block, not n_heads · d_model.",
)(counting.changed(ATTENTION, "4 * cfg.d_model * d_heads + 3 * d_heads + cfg.n_heads * cfg.d_model"))
counting.misconception(
    "three matrices of attention",
    "There are four: `W_Q`, `W_K`, `W_V`, and `W_O`, which brings the heads' vectors back into the stream.",
)(counting.changed("attention = 4 * ", "attention = 3 * "))
counting.also("three matrices of attention")(
    counting.changed(ATTENTION, "3 * cfg.d_model * d_heads + 3 * d_heads")  # without b_O too
)
counting.misconception(
    "one head", "Each of the n_heads heads has matrices of its own: d_model · d_head numbers, n_heads times."
)(counting.changed("cfg.n_heads * cfg.d_head", "cfg.d_head"))
counting.misconception(
    "d_model for n_heads * d_head",
    "In GPT-2 the two are equal, but they need not be. `W_Q` is [n_heads d_model d_head], whatever d_model is.",
)(counting.changed("cfg.n_heads * cfg.d_head", "cfg.d_model"))
counting.also("d_model for n_heads * d_head")(counting.changed("4 * cfg.d_model * d_heads", "4 * cfg.d_model**2"))


@counting.misconception(
    "what was counted before thrown away",
    "A sum that grows is written `total += ...`: with `=` alone, what was counted before is lost, here that of the "
    "tables and of all blocks but one.",
    said_of=r"(?m)^ +(\w+) = .*\n(?:.*\n)* +\1 = (?!.*\b\1\b)",
)
def last_block_alone(cfg, tied=True):
    total = cfg.d_vocab * cfg.d_model
    total += cfg.n_ctx * cfg.d_model
    for _ in range(cfg.n_layers):
        total = 4 * cfg.d_model * cfg.n_heads * cfg.d_head + 3 * cfg.n_heads * cfg.d_head + cfg.d_model
        total += 2 * cfg.d_model * cfg.d_mlp + cfg.d_mlp + cfg.d_model
        total += 4 * cfg.d_model
    total += 2 * cfg.d_model
    if not tied:
        total += cfg.d_model * cfg.d_vocab
    return total


@counting.misconception(
    "4 * d_model for d_mlp",
    "GPT-2 has four neurons for each dimension. The Config says how many there are: `cfg.d_mlp`.",
)
def four_times(cfg, tied=True):
    return count_parameters(replace(cfg, d_mlp=4 * cfg.d_model), tied)


@counting.misconception(
    "12 * d_model² for a block",
    "That is the papers' estimate, which takes d_mlp for four times d_model, n_heads * d_head for d_model, and mostly "
    "leaves biases and LayerNorms out. An exact count takes each size from the Config, and counts all that is learned.",
)
def papers_estimate(cfg, tied=True):
    tables = cfg.d_vocab * (1 if tied else 2) + cfg.n_ctx
    return 12 * cfg.n_layers * cfg.d_model**2 + tables * cfg.d_model


@counting.also("12 * d_model² for a block")
def with_biases_of_gpt2(cfg, tied=True):
    return papers_estimate(cfg, tied) + cfg.n_layers * 13 * cfg.d_model + 2 * cfg.d_model


@counting.also("12 * d_model² for a block")
def without_positions(cfg, tied=True):
    return papers_estimate(cfg, tied) - cfg.n_ctx * cfg.d_model


@counting.also("12 * d_model² for a block")
def without_any_table(cfg, tied=True):
    return 12 * cfg.n_layers * cfg.d_model**2


@counting.misconception(
    "d_model / n_heads for `d_head`",
    "In GPT-2 both are equal, but they need not be: a head is as wide as the Config says, `cfg.d_head`.",
)
def heads_that_share_the_stream(cfg, tied=True):
    return count_parameters(replace(cfg, d_head=cfg.d_model // cfg.n_heads), tied)


counting.misconception(
    "both biases of the MLP as long as d_mlp",
    "What comes out of the MLP is as wide as the stream: `b_in` has d_mlp numbers, `b_out` has d_model.",
)(counting.changed("cfg.d_mlp + cfg.d_mlp + cfg.d_model", "cfg.d_mlp + 2 * cfg.d_mlp"))


@counting.misconception(
    "everything twice where nothing is tied",
    "Untied, the unembedding alone is added, d_model · d_vocab numbers: the rest is there once.",
)
def twice_the_whole(cfg, tied=True):
    return count_parameters(cfg) * (1 if tied else 2)


counting.misconception(
    "one matrix in the MLP", "It has two, there and back: `W_in` [d_model d_mlp] and `W_out` [d_mlp d_model]."
)(counting.changed("mlp = 2 * ", "mlp = "))
counting.misconception("a count without the position table", "`W_pos` is learned too: n_ctx rows of d_model numbers.")(
    counting.changed("(cfg.d_vocab + cfg.n_ctx) * cfg.d_model", "cfg.d_vocab * cfg.d_model")
)
counting.misconception(
    "a table's rows for the table",
    "Of one table the rows are counted, and not the d_model numbers in each: (d_vocab + n_ctx) · d_model for both, "
    "with brackets around the sum.",
    "(cfg.d_vocab + cfg.n_ctx) * cfg.d_model → cfg.d_vocab + cfg.n_ctx * cfg.d_model",
    "(cfg.d_vocab + cfg.n_ctx) * cfg.d_model → cfg.d_vocab * cfg.d_model + cfg.n_ctx",
)
counting.misconception(
    "the tables in every block",
    "`W_E` and `W_pos` are there once, before the first block: only what a block has is multiplied by n_layers.",
    f"{BLOCKS} → cfg.n_layers * (tables + attention + mlp + 2 * norm) + norm + unembed",
    f"{BLOCKS} → cfg.n_layers * (tables + attention + mlp + 2 * norm + norm) + unembed",
    f"{BLOCKS} → cfg.n_layers * (tables + attention + mlp + 2 * norm + norm + unembed)",
)
counting.misconception(
    "a count without the tables",
    "That is how Kaplan et al. (2020) count, without embeddings. Here everything that is learned counts: `W_E` and "
    "`W_pos` too.",
)(counting.changed("(cfg.d_vocab + cfg.n_ctx) * cfg.d_model", "0"))


@counting.misconception(
    "a `return` inside the loop",
    "It ends the loop in its first round: put the `return` below the loop, as far to the left as `for`.",
    said_of=RETURN_IN_THE_LOOP,
)
def returned_after_a_block(cfg, tied=True):
    d_heads = cfg.n_heads * cfg.d_head
    total = (cfg.d_vocab + cfg.n_ctx) * cfg.d_model
    for _ in range(cfg.n_layers):
        total += 4 * cfg.d_model * d_heads + 3 * d_heads + cfg.d_model
        total += 2 * cfg.d_model * cfg.d_mlp + cfg.d_mlp + cfg.d_model
        total += 4 * cfg.d_model
        return total


@counting.also("a `return` inside the loop")
def returned_after_a_block_with_all_else(cfg, tied=True):
    d_heads = cfg.n_heads * cfg.d_head
    total = (cfg.d_vocab + cfg.n_ctx) * cfg.d_model + 2 * cfg.d_model
    if not tied:
        total += cfg.d_model * cfg.d_vocab
    for _ in range(cfg.n_layers):
        total += 4 * cfg.d_model * d_heads + 3 * d_heads + cfg.d_model
        total += 2 * cfg.d_model * cfg.d_mlp + cfg.d_mlp + cfg.d_model
        total += 4 * cfg.d_model
        return total


counting.misconception(
    "one block",
    "The Config has n_layers blocks, each with parameters of its own: n_layers times as many as in one.",
    not_of=A_LOOP_OF_BLOCKS,
    otherwise="The loop over the blocks leaves the count of one: the sum begins at 0 above the loop, and each turn "
    "adds to it.",
)(counting.changed(BLOCKS, "tables + attention + mlp + 2 * norm + norm + unembed"))
counting.misconception(
    "a part of the block outside of the brackets",
    "A part of the block is counted once, but it is in every block: n_layers times attention, the MLP and both "
    "LayerNorms, `cfg.n_layers * (... + ... + ...)`.",
)(counting.changed(BLOCKS, "tables + cfg.n_layers * attention + mlp + 2 * norm + norm + unembed"))
for outside in ("cfg.n_layers * (attention + mlp) + 2 * norm", "cfg.n_layers * mlp + attention + 2 * norm"):
    counting.also("a part of the block outside of the brackets")(
        counting.changed(BLOCKS, f"tables + {outside} + norm + unembed")
    )
counting.misconception(
    "the tables alone",
    "`W_E` and `W_pos` are counted, and not what follows: n_layers blocks, each with attention, an MLP and two "
    "LayerNorms, and `ln_final`.",
    f"{BLOCKS} → tables",
    f"{BLOCKS} → tables + unembed",
)
counting.misconception(
    "a count without `ln_final`", "One more LayerNorm comes after the last block: `ln_final`, 2 · d_model numbers."
)(counting.changed(BLOCKS, "tables + cfg.n_layers * (attention + mlp + 2 * norm) + unembed"))
counting.misconception(
    "half of a block's LayerNorms",
    "Each block has two, `ln1` before attention and `ln2` before the MLP, and each learns `w` and `b`: 4 · d_model "
    "numbers.",
)(counting.changed(BLOCKS, "tables + cfg.n_layers * (attention + mlp + norm) + norm + unembed"))
counting.misconception(
    "a count without LayerNorms",
    "Each LayerNorm learns `w` and `b`, d_model numbers each: two in a block, one at the end.",
)(counting.changed("norm = 2 * cfg.d_model", "norm = 0"))
counting.misconception(
    "LayerNorms without their `b`",
    "GPT-2's LayerNorm learns two vectors, `w` and `b`. (In nanoGPT `bias=False` leaves `b` out; GPT-2 has it.)",
)(counting.changed("norm = 2 * cfg.d_model", "norm = cfg.d_model"))


@counting.misconception(
    "a float for a count",
    "A count is an int, but a float comes out. `/`, and numbers such as `1e6` and `2.0`, make floats: keep to whole "
    "numbers.",
)
def a_float(cfg, tied=True):
    return float(count_parameters(cfg, tied))


@counting.misconception(
    "a count in millions", "Every parameter is to be counted, but these are millions: return the number itself."
)
def in_millions(cfg, tied=True):
    return count_parameters(cfg, tied) / 1e6


@counting.also("a count in millions")
def in_whole_millions(cfg, tied=True):
    return count_parameters(cfg, tied) // 10**6


@counting.also("a count in millions")
def in_rounded_millions(cfg, tied=True):
    return round(count_parameters(cfg, tied) / 1e6)


counting.misconception(
    "a rounded count", "Every parameter is to be counted, down to the last one: return the count as it is."
)(lambda cfg, tied=True: round(count_parameters(cfg, tied), -3))
for digits in (-5, -6):
    counting.also("a rounded count")(lambda cfg, tied=True, digits=digits: round(count_parameters(cfg, tied), digits))


def of_gpt2_small(*names):
    """A count that takes these sizes from GPT-2 small."""
    sizes = {name: getattr(Config(), name) for name in names}
    return lambda cfg, tied=True: count_parameters(replace(cfg, **sizes), tied)


counting.misconception(
    "a size of GPT-2 small, whatever `cfg` says",
    "Read every size from the argument, as `cfg.d_mlp`. (`Config.d_mlp` and `Config()` have the sizes of GPT-2 small.)",
    of_gpt2_small(*SIZES),
    *map(of_gpt2_small, SIZES),
)


counting.misconception(
    "the number as a text",
    "A text comes out: return the number itself.",
    lambda cfg, tied=True: str(count_parameters(cfg, tied)),
    lambda cfg, tied=True: f"{count_parameters(cfg, tied):,}",
)


counting.misconception(
    "a mask that is counted",
    "n_ctx² numbers too many are counted, perhaps in each block: as many as a mask has, which is not learned. Leave "
    "them out.",
)(counting.changed(ATTENTION, f"{ATTENTION} + cfg.n_ctx**2"))


@counting.also("a mask that is counted")
def one_mask_for_all(cfg, tied=True):
    return count_parameters(cfg, tied) + cfg.n_ctx**2
