"""How forward_flops goes wrong, and right answers that look different."""

from dataclasses import replace

from solutions.ch10_cost import count_parameters, forward_flops
from tests.ch10_cost import A_LOOP_OF_BLOCKS, RETURN_IN_THE_LOOP, SIZES, working
from utils.config import Config

MATRICES = "4 * cfg.d_model * d_heads + 2 * cfg.d_model * cfg.d_mlp"
SCORES = "2 * seq * d_heads"
EACH = "cfg.n_layers * (matrices + scores_and_blend) + unembed"
ALL = "2 * batch * seq * each_position"


def product(rows, inner, columns):
    """What the product of [rows inner] and [inner columns] costs."""
    return 2 * rows * inner * columns


@working.correct
def product_by_product(cfg, seq, batch=1):
    total = 0
    for _ in range(cfg.n_layers):
        for _ in range(cfg.n_heads):
            total += 3 * product(batch * seq, cfg.d_model, cfg.d_head)
            total += batch * product(seq, cfg.d_head, seq)
            total += batch * product(seq, seq, cfg.d_head)
            total += product(batch * seq, cfg.d_head, cfg.d_model)
        total += product(batch * seq, cfg.d_model, cfg.d_mlp)
        total += product(batch * seq, cfg.d_mlp, cfg.d_model)
    return total + product(batch * seq, cfg.d_model, cfg.d_vocab)


@working.correct
def in_floats(cfg, seq, batch=1):
    width = cfg.n_heads * cfg.d_head
    per_layer = 8.0 * cfg.d_model * width + 4.0 * seq * width + 4.0 * cfg.d_model * cfg.d_mlp
    return batch * seq * (cfg.n_layers * per_layer + 2.0 * cfg.d_model * cfg.d_vocab)


@working.correct
def with_biases_and_norms(cfg, seq, batch=1):
    width = cfg.n_heads * cfg.d_head
    small = cfg.n_layers * (3 * width + 2 * cfg.d_model + cfg.d_mlp) + (2 * cfg.n_layers + 1) * 2 * cfg.d_model
    return forward_flops(cfg, seq, batch) + batch * seq * small


@working.correct
def from_the_parameters(cfg, seq, batch=1):
    """Every matrix that is multiplied is a parameter; the scores come on top."""
    vectors = cfg.n_layers * (3 * cfg.n_heads * cfg.d_head + cfg.d_mlp + 6 * cfg.d_model) + 2 * cfg.d_model
    multiplied = count_parameters(cfg) - vectors - cfg.n_ctx * cfg.d_model
    attention = 2 * cfg.n_layers * seq * cfg.n_heads * cfg.d_head
    return 2 * batch * seq * (multiplied + attention)


@working.correct
def with_everything(cfg, seq, batch=1):
    """LayerNorm, softmax, GELU and the residual sums too, some operations for each number."""
    width = cfg.n_heads * cfg.d_head
    block = 3 * width + 2 * cfg.d_model + cfg.d_mlp + 2 * 8 * cfg.d_model + 2 * cfg.d_model
    block += 8 * cfg.d_mlp + 5 * cfg.n_heads * seq
    return forward_flops(cfg, seq, batch) + batch * seq * (cfg.n_layers * block + 9 * cfg.d_model)


# Wrong answers.


working.misconception(
    "multiply-and-adds, each counted once",
    "A multiply-and-add is two operations: [n k] times [k m] costs 2 · n · k · m. (Papers that count MACs, or "
    "multiply-adds, have half.)",
)(working.changed(ALL, "batch * seq * each_position"))
working.misconception(
    "work without the unembedding",
    "The last product is one of the largest: each position's vector with `W_U`, [d_model d_vocab].",
)(working.changed(EACH, "cfg.n_layers * (matrices + scores_and_blend)"))
working.misconception(
    "logits for one position alone",
    "Your Transformer gives logits at *every* position: seq · d_model · d_vocab multiply-and-adds.",
)(working.changed(ALL, "2 * batch * (seq * (each_position - unembed) + unembed)"))
working.misconception(
    "the embedding as a product",
    "`W_E[tokens]` looks rows up: nothing is multiplied. Only the unembedding is a product with a table of the "
    "vocabulary.",
)(working.changed(EACH, "cfg.n_layers * (matrices + scores_and_blend) + 2 * unembed"))
working.misconception(
    "work without the scores",
    "Attention has two more products, neither of them with a parameter: queries with keys, and the pattern with the "
    "values. Each is seq · seq · d_head for each head.",
)(working.changed(EACH, "cfg.n_layers * matrices + unembed"))
working.misconception(
    "half of the scores and of the blend, or one of them alone",
    "Two products have a key for each position: queries with keys, and the pattern with the values. Each costs seq · "
    "seq · d_head for each head, in full: the mask comes afterwards.",
)(working.changed(SCORES, "seq * d_heads"))
working.misconception(
    "only the half of the scores that the mask leaves",
    "Your Transformer computes the whole seq · seq table, and masks it afterwards: count what is computed.",
)(working.changed(SCORES, "(seq + 1) * d_heads"))
working.also("only the half of the scores that the mask leaves")(working.changed(SCORES, "seq * d_heads // 2"))
working.also("only the half of the scores that the mask leaves")(
    working.changed(SCORES, "(seq + seq / 2) * d_heads")  # the scores alone
)
working.misconception(
    "one key for each query",
    "Each query meets *every* key: the scores of a head are a table of seq · seq numbers, so their work grows with the "
    "square of seq.",
)(working.changed(SCORES, "2 * d_heads"))
working.misconception(
    "one operation for a whole score",
    "A score is the product of a query with a key, d_head multiply-and-adds, and so is each value in the blend: the "
    "table of a head costs seq · seq · d_head.",
)(working.changed(SCORES, "2 * seq * cfg.n_heads"))
working.also("one operation for a whole score")(working.changed(SCORES, "seq * cfg.n_heads"))
working.misconception("scores of one head", "Each of the n_heads heads has a table of scores of its own.")(
    working.changed(SCORES, "2 * seq * cfg.d_head")
)
working.misconception(
    "scores as wide as the stream",
    "The scores are products of d_head numbers, in each of n_heads heads: in all n_heads · d_head, which need not be "
    "d_model.",
)(working.changed(SCORES, "2 * seq * cfg.d_model"))


@working.misconception(
    "values as wide as the stream",
    "A head's value has d_head numbers, and only the blend of them goes through `W_O`, [d_head d_model]: d_model · "
    "d_head for `W_V`, as much for `W_O`, and seq · d_head for the blend.",
)
def wide_values(cfg, seq, batch=1):
    head = 2 * cfg.d_model * cfg.d_head + seq * cfg.d_head + cfg.d_model**2 + seq * cfg.d_model
    block = cfg.n_heads * head + 2 * cfg.d_model * cfg.d_mlp
    return 2 * batch * seq * (cfg.n_layers * block + cfg.d_model * cfg.d_vocab)


working.misconception(
    "n_ctx keys, however long the text is", "The scores are computed for the tokens that are there: seq, not n_ctx."
)(working.changed(SCORES, "2 * cfg.n_ctx * d_heads"))
working.misconception(
    "n_ctx tokens, however long the text is", "The text has seq tokens. n_ctx is the most that it could have."
)(lambda cfg, seq, batch=1: forward_flops(cfg, cfg.n_ctx, batch))
working.also("n_ctx tokens, however long the text is")(working.changed(ALL, "2 * batch * cfg.n_ctx * each_position"))
working.also("n_ctx tokens, however long the text is")(
    lambda cfg, seq, batch=1: forward_flops(cfg, max(seq, cfg.n_ctx), batch)
)
working.misconception(
    "ignoring `batch`",
    "Each text of the batch takes as much work: `batch` times.",
    not_of=r"\brange\(batch\)",
    otherwise="This is the work for one text: each of the `batch` texts takes as much.",
)(working.changed(ALL, "2 * seq * each_position"))
working.misconception(
    "texts of a batch that meet each other",
    "A query meets the keys of its own text alone: multiply the work of one text by `batch`. Only the products with "
    "parameters could be counted as if all texts were one.",
)(lambda cfg, seq, batch=1: forward_flops(cfg, seq * batch))
working.misconception("one head", "Each of the n_heads heads has matrices and scores of its own.")(
    working.changed("cfg.n_heads * cfg.d_head", "cfg.d_head")
)
working.misconception(
    "d_model for n_heads * d_head",
    "In GPT-2 the two are equal, but they need not be. `W_Q` is [n_heads d_model d_head], whatever d_model is.",
)(working.changed("cfg.n_heads * cfg.d_head", "cfg.d_model"))
working.also("d_model for n_heads * d_head")(working.changed("4 * cfg.d_model * d_heads", "4 * cfg.d_model**2"))


@working.misconception(
    "d_model / n_heads for `d_head`",
    "In GPT-2 both are equal, but they need not be: a head is as wide as the Config says, `cfg.d_head`.",
)
def heads_that_share_the_stream(cfg, seq, batch=1):
    return forward_flops(replace(cfg, d_head=cfg.d_model // cfg.n_heads), seq, batch)


@working.misconception(
    "4 * d_model for d_mlp",
    "GPT-2 has four neurons for each dimension. The Config says how many there are: `cfg.d_mlp`.",
)
def four_times(cfg, seq, batch=1):
    return forward_flops(replace(cfg, d_mlp=4 * cfg.d_model), seq, batch)


working.misconception(
    "three matrices of attention", "There are four products with parameters: `W_Q`, `W_K`, `W_V` and `W_O`."
)(working.changed("matrices = 4 * ", "matrices = 3 * "))
working.misconception(
    "half of the MLP's work",
    "There are two products in it, with `W_in` and with `W_out`, and each is d_model · d_mlp multiply-and-adds for a "
    "position: two operations each.",
)(working.changed(MATRICES, "4 * cfg.d_model * d_heads + cfg.d_model * cfg.d_mlp"))
working.misconception(
    "half of the unembedding's work",
    "The product with `W_U` is d_model · d_vocab multiply-and-adds for a position, two operations each.",
    f"{ALL} → batch * seq * (2 * each_position - unembed)",
)
working.misconception(
    "a part of one text alone",
    "All that is computed for one text is computed for each: `batch` times the blocks, and `batch` times the product "
    "with `W_U`.",
    f"{ALL} → 2 * seq * (batch * (each_position - unembed) + unembed)",
    f"{ALL} → 2 * seq * (each_position - unembed + batch * unembed)",
)
working.misconception(
    "a product for one position alone",
    "Every position's vector goes through every matrix of a block: seq times the products with all of them.",
    f"{ALL} → 2 * batch * (seq * each_position - (seq - 1) * cfg.n_layers * 2 * cfg.d_model * cfg.d_mlp)",
    f"{ALL} → 2 * batch * (seq * each_position - (seq - 1) * cfg.n_layers * cfg.d_model * cfg.d_mlp)",
    f"{ALL} → 2 * batch * (seq * each_position - (seq - 1) * cfg.n_layers * 4 * cfg.d_model * d_heads)",
    f"{ALL} → 2 * batch * (seq * each_position - (seq - 1) * cfg.n_layers * cfg.d_model * d_heads)",
)
working.misconception(
    "work without attention's matrices",
    "Besides the scores there are the products with `W_Q`, `W_K`, `W_V` and `W_O`: 4 · d_model · n_heads · d_head.",
)(working.changed(MATRICES, "2 * cfg.d_model * cfg.d_mlp"))
working.misconception(
    "work without the MLPs", "Each block has an MLP too: two products of d_model · d_mlp for each position."
)(working.changed(MATRICES, "4 * cfg.d_model * d_heads"))
working.misconception(
    "the unembedding in every block",
    "`W_U` is there once, after the last block: only what a block has is multiplied by n_layers.",
)(working.changed(EACH, "cfg.n_layers * (matrices + scores_and_blend + unembed)"))


@working.misconception(
    "a `return` inside the loop",
    "It ends the loop in its first round: put the `return` below the loop, as far to the left as `for`.",
    said_of=RETURN_IN_THE_LOOP,
)
def returned_after_a_block(cfg, seq, batch=1):
    d_heads, total = cfg.n_heads * cfg.d_head, 0
    for _ in range(cfg.n_layers):
        total += 8 * batch * seq * cfg.d_model * d_heads
        total += 4 * batch * seq * seq * d_heads
        total += 4 * batch * seq * cfg.d_model * cfg.d_mlp
        return total


@working.also("a `return` inside the loop")
def returned_after_a_block_with_the_unembedding(cfg, seq, batch=1):
    d_heads = cfg.n_heads * cfg.d_head
    total = 2 * batch * seq * cfg.d_model * cfg.d_vocab
    for _ in range(cfg.n_layers):
        total += 8 * batch * seq * cfg.d_model * d_heads
        total += 4 * batch * seq * seq * d_heads
        total += 4 * batch * seq * cfg.d_model * cfg.d_mlp
        return total


working.misconception(
    "one block",
    "There are n_layers blocks, one after another: n_layers times the work of one.",
    not_of=A_LOOP_OF_BLOCKS,
    otherwise="The loop over the blocks leaves the work of one: the sum begins at 0 above the loop, and each turn adds "
    "to it.",
)(working.changed(EACH, "matrices + scores_and_blend + unembed"))
working.misconception("scores once, not in each block", "Every block has attention, so every block computes scores.")(
    working.changed(EACH, "cfg.n_layers * matrices + scores_and_blend + unembed")
)


@working.misconception(
    "2 · N for each token",
    "That rule leaves the scores out, and counts every table, though some are looked up, not multiplied. Here only "
    "products are counted, and all of them.",
)
def rule_of_thumb(cfg, seq, batch=1):
    return 2 * count_parameters(cfg) * seq * batch


@working.also("2 · N for each token")
def rule_of_thumb_untied(cfg, seq, batch=1):
    return 2 * count_parameters(cfg, False) * seq * batch


@working.misconception(
    "2 · N for each token, without the tables",
    "That is Kaplan et al.'s count, for large models and short texts: it leaves out the unembedding and the scores.",
)
def without_tables(cfg, seq, batch=1):
    tables = (cfg.d_vocab + cfg.n_ctx) * cfg.d_model
    return 2 * (count_parameters(cfg) - tables) * seq * batch


@working.misconception(
    "the backward pass too",
    "Only the forward pass is asked for. Training, which costs about three times as much, comes later.",
)
def whole_step(cfg, seq, batch=1):
    return 3 * forward_flops(cfg, seq, batch)


@working.also("the backward pass too")
def nanogpts_estimate(cfg, seq, batch=1):
    """What `estimate_mfu` of nanoGPT counts for a step, as PaLM's paper has it."""
    matrices = count_parameters(cfg) - cfg.n_ctx * cfg.d_model
    return batch * seq * (6 * matrices + 12 * cfg.n_layers * cfg.n_heads * cfg.d_head * seq)


@working.also("the backward pass too")
def six_for_each_parameter(cfg, seq, batch=1):
    return 3 * rule_of_thumb(cfg, seq, batch)


@working.misconception("the work for one token", "All tokens of all texts are computed: multiply by batch · seq.")
def per_token(cfg, seq, batch=1):
    return forward_flops(cfg, seq, batch) / (batch * seq)


@working.misconception(
    "no more than n_ctx tokens", "Every one of the `seq` tokens counts, even where there are more than `n_ctx`."
)
def cut_off_at_n_ctx(cfg, seq, batch=1):
    return forward_flops(cfg, min(seq, cfg.n_ctx), batch)


@working.misconception(
    "another unit than FLOPs",
    "Every operation is to be counted: return the number itself, and divide where you print.",
    said_of=r"/ \(?(?:10{6}|10{9}|10{12}|10 \*\* (?:6|9|12))\b",  # by their values they are as good as 0
)
def in_billions(cfg, seq, batch=1):
    return forward_flops(cfg, seq, batch) / 1e9


@working.also("another unit than FLOPs")
def in_millions(cfg, seq, batch=1):
    return forward_flops(cfg, seq, batch) / 1e6


@working.also("another unit than FLOPs")
def in_millions_of_millions(cfg, seq, batch=1):
    return forward_flops(cfg, seq, batch) / 1e12


def of_gpt2_small(*names):
    """The work with these sizes of GPT-2 small."""
    sizes = {name: getattr(Config(), name) for name in names}
    return lambda cfg, seq, batch=1: forward_flops(replace(cfg, **sizes), seq, batch)


working.misconception(
    "a size of GPT-2 small, whatever `cfg` says",
    "Read every size from the argument, as `cfg.d_mlp`. (`Config.d_mlp` and `Config()` have the sizes of GPT-2 small.)",
    of_gpt2_small(*SIZES),
    *map(of_gpt2_small, [name for name in SIZES if name != "n_ctx"]),
)


@working.misconception("the number as a text", "A text comes out: return the number itself.")
def as_a_text(cfg, seq, batch=1):
    return str(forward_flops(cfg, seq, batch))


@working.also("the number as a text")
def as_a_power_of_ten(cfg, seq, batch=1):
    return f"{forward_flops(cfg, seq, batch):.3e}"


@working.misconception(
    "the tables counted as products",
    "A row of `W_E` and one of `W_pos` are looked up and added, and nothing is multiplied: of the tables the "
    "unembedding alone counts.",
)
def all_parameters_multiplied(cfg, seq, batch=1):
    tables = cfg.d_model * (cfg.d_vocab + cfg.n_ctx)
    return forward_flops(cfg, seq, batch) + 2 * batch * seq * tables


@working.also("the tables counted as products")
def twice_all_parameters(cfg, seq, batch=1):
    scores_and_blend = 2 * cfg.n_layers * seq * cfg.n_heads * cfg.d_head
    return 2 * batch * seq * (count_parameters(cfg, tied=False) + scores_and_blend)


working.misconception(
    "each head's scores as wide as the stream",
    "A score is the product of a query and a key of d_head numbers each, not d_model: seq · seq · d_head for each "
    "head.",
)(working.changed(SCORES, "seq * (cfg.n_heads * cfg.d_model + d_heads)"))
