"""Chapter 10: what the four counts must answer; no model is made. Some sizes are drawn: a table of answers is none."""

from dataclasses import replace
from typing import Any

from judge.checking import Exercise, WorkedExample, check_agrees, dice, line
from utils.config import SMALL, Config

MEDIUM = Config(d_model=1024, d_mlp=4096, n_heads=16, n_layers=24)
LARGE = Config(d_model=1280, d_mlp=5120, n_heads=20, n_layers=36)
XL = Config(d_model=1600, d_mlp=6400, n_heads=25, n_layers=48)
# No two of these sizes are equal, and they are large enough for biases and LayerNorms to be below 1 % of the work.
WIDE = Config(d_model=640, d_vocab=2999, n_ctx=700, d_head=112, d_mlp=1700, n_heads=7, n_layers=5)
DEEP = Config(d_model=416, d_vocab=1201, n_ctx=350, d_head=96, d_mlp=2300, n_heads=5, n_layers=11)
LONG = replace(DEEP, d_mlp=300, n_ctx=2100)  # whose cache is soon as large as its parameters
NARROW = Config(d_model=16, d_vocab=40, n_ctx=50, d_head=112, d_mlp=30, n_heads=7, n_layers=5)  # much of it heads
A_CORE, AN_A100 = (80e9, 16e9), (312e12, 4.078e12)  # of the chapter's machines: a second's operations, and bytes
NEARLY = 0.01  # whoever counts biases, LayerNorms and softmax too is further off by less
TINY = Config(d_model=2, d_vocab=5, n_ctx=4, d_head=3, d_mlp=7, n_heads=1, n_layers=1)
RETURN_IN_THE_LOOP = r"(?m)^( *)(?:for|while) .*:\n(?:\1    .*\n)*\1    return"  # whatever the round
A_LOOP_OF_BLOCKS = r"\brange\((?:0, )?cfg\.n_layers\)"
SIZES = ("d_model", "d_vocab", "n_ctx", "d_head", "d_mlp", "n_heads", "n_layers")


def grown(number: int) -> int:
    """A larger one, mostly by less than a third, that the test's seed decides."""
    return number + 1 + int(abs(dice().gauss()) * number / 6)


def grown_sizes(cfg: Config) -> Config:
    """The Config with larger sizes, of which no table of answers knows."""
    return replace(cfg, **{name: grown(getattr(cfg, name)) for name in SIZES})


def parts(cfg: Config, tied: bool = True) -> dict[str, int]:
    """The parts of a GPT-2 that a count of its parameters may lack, or have twice. No two are always equal."""
    in_heads = cfg.n_heads * cfg.d_head
    in_attention, in_mlps = cfg.n_layers * (3 * in_heads + cfg.d_model), cfg.n_layers * (cfg.d_mlp + cfg.d_model)
    matrix, matrix_of_mlp = cfg.d_model * in_heads, cfg.d_model * cfg.d_mlp
    block = 4 * matrix + 2 * matrix_of_mlp + (in_attention + in_mlps) // cfg.n_layers + 4 * cfg.d_model
    return {
        "a table of the vocabulary (d_vocab · d_model)": cfg.d_vocab * cfg.d_model,
        "the position table (n_ctx · d_model)": cfg.n_ctx * cfg.d_model,
        "one of the matrices of attention, in all blocks (n_layers · d_model · n_heads · d_head)": cfg.n_layers
        * matrix,
        "one of the matrices of the MLPs, in all blocks (n_layers · d_model · d_mlp)": cfg.n_layers * matrix_of_mlp,
        "one of `b_Q`, `b_K` and `b_V`, in all blocks (n_layers · n_heads · d_head)": cfg.n_layers * in_heads,
        "`b_Q`, `b_K` and `b_V`, in all blocks (n_layers · 3 · n_heads · d_head)": cfg.n_layers * 3 * in_heads,
        "`b_O` or `b_out`, in all blocks (n_layers · d_model)": cfg.n_layers * cfg.d_model,
        "`b_in`, in all blocks (n_layers · d_mlp)": cfg.n_layers * cfg.d_mlp,
        "the biases of attention, in all blocks": in_attention,
        "the biases of the MLPs, in all blocks": in_mlps,
        "the biases of attention and of the MLPs, in all blocks": in_attention + in_mlps,
        "the biases and the LayerNorms, in all blocks": in_attention + in_mlps + cfg.n_layers * 4 * cfg.d_model,
        "the two LayerNorms of each block (n_layers · 4 · d_model)": cfg.n_layers * 4 * cfg.d_model,
        "one LayerNorm of each block (n_layers · 2 · d_model)": cfg.n_layers * 2 * cfg.d_model,
        "`ln_final` (2 · d_model)": 2 * cfg.d_model,
        "half of all LayerNorms, each `w` or each `b`": (2 * cfg.n_layers + 1) * cfg.d_model,
        "all LayerNorms": 2 * (2 * cfg.n_layers + 1) * cfg.d_model,
        "a bias for each token (d_vocab)": cfg.d_vocab,
        "attention, in one block": 4 * matrix + in_attention // cfg.n_layers,
        "the MLP, in one block": 2 * matrix_of_mlp + in_mlps // cfg.n_layers,
        "the two LayerNorms, in one block (4 · d_model)": 4 * cfg.d_model,
        "one block": block,
        "all blocks": cfg.n_layers * block,
    }


def products(cfg: Config, seq: int, batch: int = 1) -> dict[str, int]:
    """The work of a forward pass by parts, two operations for each multiply-and-add. No two are always equal."""
    rows, d_heads = 2 * batch * seq, cfg.n_heads * cfg.d_head
    matrix, matrix_of_mlp, scores = d_heads * cfg.d_model, cfg.d_model * cfg.d_mlp, seq * d_heads
    each = {
        "the product with `W_U`, or one as large": cfg.d_model * cfg.d_vocab,
        "the products with one of the matrices of attention": cfg.n_layers * matrix,
        "the products with all four matrices of attention": cfg.n_layers * 4 * matrix,
        "the products with `W_in`, or with `W_out`": cfg.n_layers * matrix_of_mlp,
        "all products of the MLPs": cfg.n_layers * 2 * matrix_of_mlp,
        "one of the two products with a key for each position: the scores, or the blend": cfg.n_layers * scores,
        "the scores and the blend of the values": cfg.n_layers * 2 * scores,
        "all of attention": cfg.n_layers * (4 * matrix + 2 * scores),
        "the products of attention, in one block": 4 * matrix + 2 * scores,
        "the products of the MLP, in one block": 2 * matrix_of_mlp,
        "one block": 4 * matrix + 2 * matrix_of_mlp + 2 * scores,
        "all blocks": cfg.n_layers * (4 * matrix + 2 * matrix_of_mlp + 2 * scores),
    }
    return {name: rows * amount for name, amount in each.items()}


def as_a_number(answer: Any) -> Any:
    """A count that is a float is as good as an int; what is no number stays what it is."""
    return float(answer) if type(answer) is int else answer


counting = Exercise(
    inputs={"cfg": "", "tied": ""},
    library="python",
    amounts=parts,
    example=WorkedExample("the chapter's tiny GPT, counted by hand", (TINY,)),
)
working = Exercise(
    inputs={"cfg": "", "seq": "", "batch": ""},
    library="python",
    amounts=products,
    view=as_a_number,
    example=WorkedExample("the chapter's tiny GPT on 3 tokens, counted by hand", (TINY, 3)),
)
caching = Exercise(
    inputs={"cfg": "", "seq": "", "batch": "", "bytes_per_value": ""},
    library="python",
    amounts=lambda cfg, seq, batch=1, bytes_per_value=2: {},
    example=WorkedExample("the chapter's tiny GPT after 3 tokens, counted by hand", (TINY, 3)),
)
timing = Exercise(
    inputs={"cfg": "", "prompt": "", "new": "", "flops_per_s": "", "bytes_per_s": "", "cache": ""},
    library="python",
    amounts=lambda cfg, prompt, new, flops_per_s, bytes_per_s, cache=True: {},
    example=WorkedExample("the chapter's tiny GPT on a very slow machine", (TINY, 3, 2, 40.0, 50.0)),
)


@counting.test
def test_count_parameters(count_parameters):
    """Every size of GPT-2, sizes that are all unequal, tied and not."""
    with line("GPT-2 small has 124,439,808"):
        check_agrees(count_parameters, Config())
    with line("GPT-2 medium has 354,823,168, large 774,030,080, XL 1,557,611,200"):
        for size in (MEDIUM, LARGE, XL):
            check_agrees(count_parameters, size)
    with line("follows every size of the Config"):
        check_agrees(count_parameters, SMALL)
        for size in ({"d_head": 5}, {"n_heads": 5}, {"d_mlp": 3}, {"n_layers": 7}, {"n_ctx": 50}, {"d_vocab": 101}):
            check_agrees(count_parameters, replace(SMALL, **size))
        check_agrees(count_parameters, WIDE)
        check_agrees(count_parameters, replace(SMALL, n_layers=1))
        check_agrees(count_parameters, grown_sizes(SMALL))
    with line("counts the unembedding where it is not tied"):
        check_agrees(count_parameters, SMALL, False)
        check_agrees(count_parameters, WIDE, False)
        check_agrees(count_parameters, Config(), False)
        check_agrees(count_parameters, SMALL, True)
        check_agrees(count_parameters, grown_sizes(WIDE), False)


@working.test
def test_forward_flops(forward_flops):
    """Sizes at which each part of the work is more than 1 % of it."""
    with line("counts every product of matrices, within 1 %: at one token"):
        check_agrees(forward_flops, WIDE, 1, tolerance=NEARLY)
        check_agrees(forward_flops, DEEP, 1, tolerance=NEARLY)
    with line("counts a score for each query and each key, within 1 %"):
        for seq in (2, 40, 200, 700):
            check_agrees(forward_flops, WIDE, seq, tolerance=NEARLY)
        check_agrees(forward_flops, DEEP, 350, tolerance=NEARLY)
        check_agrees(forward_flops, DEEP, 35, tolerance=NEARLY)
    with line("GPT-2 small: 2.92e11 for 1024 tokens"):
        check_agrees(forward_flops, Config(), 1024, tolerance=NEARLY)
        check_agrees(forward_flops, Config(), 128, tolerance=NEARLY)
        check_agrees(forward_flops, XL, 1024, tolerance=NEARLY)
    with line("counts every token, also where there are more than `n_ctx`"):
        check_agrees(forward_flops, WIDE, 900, tolerance=NEARLY)
        check_agrees(forward_flops, DEEP, 1000, tolerance=NEARLY)
    with line("does that for each text of a batch"):
        check_agrees(forward_flops, WIDE, 150, 6, tolerance=NEARLY)
        check_agrees(forward_flops, DEEP, 90, 3, tolerance=NEARLY)
        check_agrees(forward_flops, DEEP, 350, 2, tolerance=NEARLY)
    with line("follows every size of the Config"):
        for size in ({"d_head": 320}, {"n_heads": 13}, {"d_mlp": 600}, {"n_layers": 19}, {"d_vocab": 30011}):
            check_agrees(forward_flops, replace(WIDE, **size), 300, tolerance=NEARLY)
        check_agrees(forward_flops, grown_sizes(WIDE), grown(150), grown(2), tolerance=NEARLY)
        check_agrees(forward_flops, grown_sizes(DEEP), grown(150), tolerance=NEARLY)


@caching.test
def test_kv_cache_bytes(kv_cache_bytes):
    """Keys and values of every layer, head, position and text."""
    with line("GPT-2 small keeps 36,864 bytes for each token, in 16 bits"):
        check_agrees(kv_cache_bytes, Config(), 1)
        check_agrees(kv_cache_bytes, Config(), 1024)
    with line("follows every size of the Config"):
        check_agrees(kv_cache_bytes, SMALL, 5)
        for size in ({"d_head": 5}, {"n_heads": 5}, {"n_layers": 7}, {"d_model": 11}, {"n_ctx": 50}):
            check_agrees(kv_cache_bytes, replace(SMALL, **size), 7)
        check_agrees(kv_cache_bytes, WIDE, 30)
        check_agrees(kv_cache_bytes, grown_sizes(WIDE), grown(30))
        check_agrees(kv_cache_bytes, XL, 1024)
    with line("counts every token that was read, also where there are more than `n_ctx`"):
        check_agrees(kv_cache_bytes, SMALL, SMALL.n_ctx + 1)
        check_agrees(kv_cache_bytes, DEEP, 10 * DEEP.n_ctx)
    with line("keeps that for each text of a batch"):
        check_agrees(kv_cache_bytes, SMALL, 5, 3)
        check_agrees(kv_cache_bytes, WIDE, 700, 32)
    with line("takes `bytes_per_value` for each number"):
        check_agrees(kv_cache_bytes, SMALL, 9, 1, 4)
        check_agrees(kv_cache_bytes, SMALL, 11, 3, 4, before=[(SMALL, 11, 3, 2)])
        check_agrees(kv_cache_bytes, DEEP, 13, 5, 1)
        check_agrees(kv_cache_bytes, XL, 1000, 2, bytes_per_value=4)
        check_agrees(kv_cache_bytes, grown_sizes(DEEP), grown(13), grown(5), 4)


@timing.test
def test_generation_time(generation_time):
    """Slow machines of every kind, on which no wrong time is within 1 % of the right one, and fast ones."""
    with line("one new token takes one pass, with a cache or without: it reads the prompt, and moves all parameters"):
        check_agrees(generation_time, WIDE, 50, 1, 1e7, 1e15, tolerance=NEARLY)
        check_agrees(generation_time, WIDE, 50, 1, 1e15, 1e6, tolerance=NEARLY)
        check_agrees(generation_time, WIDE, 50, 1, 1e15, 1e6, False, tolerance=NEARLY)
    with line("without a cache each new token takes a pass over all tokens before it"):
        check_agrees(generation_time, WIDE, 3, 4, 1e7, 1e15, False, tolerance=NEARLY)
        check_agrees(generation_time, DEEP, 20, 30, 1e7, 1e15, False, tolerance=NEARLY)
        check_agrees(generation_time, DEEP, 20, 30, 1e15, 1e6, False, tolerance=NEARLY)
    with line("with a cache each later pass reads one token, whose scores go over all keys"):
        check_agrees(generation_time, WIDE, 3, 4, 1e6, 1e15, tolerance=NEARLY)
        check_agrees(generation_time, DEEP, 300, 50, 1e6, 1e15, True, tolerance=NEARLY)
        check_agrees(generation_time, WIDE, 2, 300, 1e6, 1e15, tolerance=NEARLY)
    with line("with a cache each later pass moves all parameters and the cache"):
        check_agrees(generation_time, WIDE, 3, 4, 1e15, 1e6, tolerance=NEARLY)
        check_agrees(generation_time, NARROW, 2, 4, 1e15, 1e3, tolerance=NEARLY)
        check_agrees(generation_time, LONG, 2000, 50, 1e15, 1e6, tolerance=NEARLY)
        check_agrees(generation_time, LONG, 700, 3, 1e15, 1e6, True, tolerance=NEARLY)
    with line("counts every token so far, also where there are more than `n_ctx`"):
        for speeds in ((1e7, 1e15), (1e15, 1e6)):
            check_agrees(generation_time, DEEP, 300, 300, *speeds, tolerance=NEARLY)
            check_agrees(generation_time, DEEP, 300, 300, *speeds, False, tolerance=NEARLY)
    with line("each pass takes the longer of its two times"):
        check_agrees(generation_time, DEEP, 100, 60, 2e7, 2e6, tolerance=NEARLY)
        check_agrees(generation_time, DEEP, 3, 60, 2e7, 2e6, False, tolerance=NEARLY)
        check_agrees(generation_time, Config(), 512, 256, 4e9, 1e9, tolerance=NEARLY)
        check_agrees(generation_time, Config(), 20, 40, 4e9, 1e9, False, tolerance=NEARLY)
        for cache in (True, False):
            check_agrees(generation_time, grown_sizes(WIDE), grown(20), grown(30), 1e6, 1e15, cache, tolerance=NEARLY)
            check_agrees(generation_time, grown_sizes(DEEP), grown(20), grown(30), 1e15, 1e6, cache, tolerance=NEARLY)
            check_agrees(generation_time, grown_sizes(DEEP), grown(50), grown(50), 2e7, 2e6, cache, tolerance=NEARLY)
        check_agrees(generation_time, grown_sizes(WIDE), grown(2), grown(300), 1e6, 1e15, tolerance=NEARLY)
        for prompt, new in ((2000, 50), (3, 700)):
            check_agrees(generation_time, grown_sizes(LONG), grown(prompt), grown(new), 1e15, 1e6, tolerance=NEARLY)
        # An answer that was kept is found by all that was given: each of the calls before differs in one argument.
        asked = (DEEP, 90, 70, 2e7, 2e6, True)
        others = enumerate((WIDE, 9, 7, 1e7, 1e6, False))
        earlier = [(*asked[:place], other, *asked[place + 1 :]) for place, other in others]
        check_agrees(generation_time, *asked, before=earlier, tolerance=NEARLY)
    with line("gives times far below a second, too: on a fast machine a pass takes milliseconds, or microseconds"):
        check_agrees(generation_time, MEDIUM, 20, 1, *A_CORE, tolerance=NEARLY)
        check_agrees(generation_time, Config(), 20, 2, *AN_A100, tolerance=NEARLY)
        check_agrees(generation_time, DEEP, 1, 1, *AN_A100, tolerance=NEARLY)
        check_agrees(generation_time, grown_sizes(NARROW), grown(5), grown(3), *AN_A100, tolerance=NEARLY)
