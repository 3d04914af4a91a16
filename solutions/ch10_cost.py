"""Chapter 10: what a GPT costs. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 10 · What a GPT costs: counted, then measured
#
# How large is a GPT, how much does it compute, how much memory does it take, and how long does it run? You will write
# four functions that answer from the sizes alone. Then you measure your own machine and your own Transformer, and see
# where the answers hold.
#
# About 1¾ hours, of which 50 minutes for the four exercises. Afterwards you can
#
# - count the parameters of every GPT-2, exactly, and find out what is wrong with a published count;
# - say what a forward pass, a new token and a training run cost, and which part of the model dominates;
# - predict whether computing or memory sets the time, and check a claim about cost by counting.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError(
#         "This kernel does not have the course. In Colab, run the cell above this one; "
#         "elsewhere, in the course's folder: make lab"
#     ) from None
#
# start("ch10_cost")

# %%
from utils.config import Config

# %% tags=["active-ipynb", "folded"]
# # @title Imports what the chapter needs, its tests included
# import time
# from dataclasses import replace
#
# import torch
# from torch.nn.attention import SDPBackend, sdpa_kernel
# from torch.utils.flop_counter import FlopCounterMode
#
# from tests.ch10_cost import (
#     test_count_parameters,
#     test_forward_flops,
#     test_generation_time,
#     test_kv_cache_bytes,
# )
# from tests.predictions.ch10_cost import predict, see
# from utils.controls import explore, slider
# from utils.model_map import model_map
# from utils.passages import passage_tokens
# from utils.pieces import pieces
# from utils.plotting import lines
# from utils.plotting.stream import grouped_bars
# from utils.reference import reference
# from utils.waiting import waiting

# %% tags=["active-ipynb"]
# attend_with_cache, cross_entropy_loss, generate_with_cache, Transformer = pieces(
#     "attend_with_cache", "cross_entropy_loss", "generate_with_cache", "Transformer"
# )
# model = reference()

# %% [markdown]
# The last cell prints whose parts it uses: yours where you wrote them and they passed, the course's own elsewhere.
# `model` is our **reference model**, a small GPT-2 trained for this course.

# %% tags=["active-ipynb"]
# model_map(
#     done=("tokens", "embed", "pos_embed", "ln", "attn", "mlp", "ln_final", "unembed")
# )

# %% [markdown]
# At each position the model keeps a vector of `d_model` numbers, the **residual stream**. Each of `n_layers` **blocks**
# adds to it twice: first attention, with `n_heads` heads of `d_head` numbers, then the MLP, with `d_mlp` neurons. A
# `Config` holds these sizes. GPT-2 came in four of them:

# %% tags=["active-ipynb"]
# gpt2_family = {
#     "small": Config(),
#     "medium": Config(d_model=1024, d_mlp=4096, n_heads=16, n_layers=24),
#     "large": Config(d_model=1280, d_mlp=5120, n_heads=20, n_layers=36),
#     "XL": Config(d_model=1600, d_mlp=6400, n_heads=25, n_layers=48),
# }
# gpt3_config = Config(
#     d_model=12288, d_mlp=49152, n_heads=96, d_head=128, n_layers=96, n_ctx=2048
# )
# print("GPT-2 small:", Config())

# %% [markdown]
# ## A wrong number in a famous paper
#
# A count of parameters looks like the safest number in a paper, because anyone can add it up. But all four counts in
# the paper on GPT-2 are wrong. The README of OpenAI's repository says so: "our original parameter counts were wrong due
# to an error (in our previous blog posts and paper)". It does not say what the error was.
#
# | in millions | small | medium | large | XL |
# |---|---|---|---|---|
# | in the paper | 117 | 345 | 762 | 1542 |
# | in the models | 124 | 355 | 774 | 1558 |
#
# A **parameter** is a number that training may change: every entry of a matrix, a table or a bias, and of LayerNorm's
# `w` and `b`. To count them by hand, take a GPT so small that you can see each one: 2 dimensions, 5 tokens in the
# vocabulary, 4 positions, 1 block, 1 head of 3 numbers, 7 neurons.

# %% tags=["active-ipynb"]
# tiny_config = Config(
#     d_model=2, d_vocab=5, n_ctx=4, d_head=3, d_mlp=7, n_heads=1, n_layers=1
# )
# tiny_gpt = Transformer(tiny_config)
# tiny_total = 0
# for name, numbers in tiny_gpt.named_parameters():
#     if not name.startswith("unembed"):
#         tiny_total += numbers.numel()
#         shape = " × ".join(map(str, numbers.shape))
#         print(f"{name:22} {shape:10} {numbers.numel():3}  so far {tiny_total:3}")

# %% [markdown]
# The list leaves the unembedding out, on purpose. In GPT-2 it is the table of `embed` once more, transposed:
# embedding and unembedding are **tied**, and their numbers count once (chapter 6). Your Transformer of chapter 7 is
# **untied**: its `W_U` is a matrix of its own, here with ten more numbers to learn. (Its `b_U` is frozen and never
# learned, so it is not counted.)

# %% [markdown] exercise="count_parameters" difficulty=1 importance=4 minutes=10
# ## Exercise: write `count_parameters`
#
# **What goes in?** `cfg`, the sizes, and `tied`: whether the unembedding is the embedding's table.
#
# **What comes out?** An int: how many numbers such a GPT-2 learns. Count exactly, biases and LayerNorms included.
# Where `tied` is False, the unembedding is a matrix of its own; it has no bias either way. For the tiny GPT above it
# is 102, and 112 untied.
#
# **Before you code**: how many numbers has `W_Q` of one block: `d_model * d_model`?
#
# <details><summary>Answer</summary>
#
# In GPT-2, yes, because `n_heads * d_head` equals `d_model` there. In the tiny GPT it doesn't: all heads together have
# 3 numbers, and `d_model` is 2. `W_Q` is [n_heads d_model d_head] in both.
#
# </details>


# %%
def count_parameters(cfg: Config, tied: bool = True) -> int:
    """How many numbers a GPT-2 of these sizes learns, biases and LayerNorms included.

    With `tied` the unembedding is the embedding's table and adds nothing; without, it
    is a matrix of its own, [d_model d_vocab]. It has no bias.

    Source: openai/gpt-2 src/model.py, model(), block(), attn(), mlp() and norm().
    """
    # BEGIN SOLUTION
    d_heads = cfg.n_heads * cfg.d_head
    attention = 4 * cfg.d_model * d_heads + 3 * d_heads + cfg.d_model
    mlp = 2 * cfg.d_model * cfg.d_mlp + cfg.d_mlp + cfg.d_model
    norm = 2 * cfg.d_model
    tables = (cfg.d_vocab + cfg.n_ctx) * cfg.d_model
    unembed = 0 if tied else cfg.d_model * cfg.d_vocab
    return tables + cfg.n_layers * (attention + mlp + 2 * norm) + norm + unembed
    # END SOLUTION


# %% [markdown] hint="idea"
# Go through the list of the tiny GPT, and write each shape with the names of the `Config` instead of numbers. What is
# in a block is there `n_layers` times; what is outside is there once.
#
# A matrix has rows times columns. A bias is as long as what it is added to.

# %% [markdown] hint="pseudocode"
# ```text
# heads     = the numbers of all heads together
# attention = four matrices between stream and heads
#             three biases of heads, one of the stream
# mlp       = two matrices between stream and neurons
#             a bias of neurons, one of the stream
# norm      = w and b
# all       = two tables, n_layers blocks (how many norms has each?), what follows them
# ```

# %% tags=["active-ipynb"]
# test_count_parameters(count_parameters)

# %% [markdown]
# ## What was the error?
#
# Your function gives the right numbers. Which mistake gives the paper's? It has to explain all four at once.

# %% tags=["active-ipynb"]
# predict(
#     "papers_mistake",
#     """The true counts are 124, 355, 774 and 1558 million, with a d_model of 768, 1024,
#     1280 and 1600; the paper has 117, 345, 762 and 1542. Which mistake gives all four?
#     a) it leaves the table of positions out
#     b) it counts the unembedding as a matrix of its own
#     c) it counts 512 positions instead of 1024
#     d) it counts GPT's old vocabulary, 40,478 tokens, instead of 50,257""",
#     answer="d",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Prints four counts in millions, with one mistake each
# def in_millions(count):
#     """Of each size of GPT-2, rounded."""
#     return [round(count(cfg) / 1e6) for cfg in gpt2_family.values()]
#
#
# published_mistakes = {
#     "as it should be": count_parameters,
#     "no positions": lambda cfg: count_parameters(replace(cfg, n_ctx=0)),
#     "no token table": lambda cfg: count_parameters(replace(cfg, d_vocab=0)),
#     "not tied": lambda cfg: count_parameters(cfg, False),
#     "512 positions": lambda cfg: count_parameters(replace(cfg, n_ctx=512)),
#     "40,478 tokens": lambda cfg: count_parameters(replace(cfg, d_vocab=40478)),
# }
# paper_counts = [117, 345, 762, 1542]
# print(f"{'in the paper':16}", paper_counts)
# for mistake, count in published_mistakes.items():
#     print(f"{mistake:16}", in_millions(count))

# %% tags=["active-ipynb"]
# explaining = [
#     mistake
#     for mistake, count in published_mistakes.items()
#     if in_millions(count) == paper_counts
# ]
# see("papers_mistake", fits=explaining[0])

# %% [markdown]
# The old vocabulary gives all four counts. It is the one of the *first* GPT (HuggingFace's `OpenAIGPTConfig` has it
# as its default). Could the fit be luck? Try every vocabulary of fewer than 60,000 tokens:

# %% tags=["active-ipynb"]
# def gives_the_papers_counts(d_vocab):
#     return paper_counts == in_millions(
#         lambda cfg: count_parameters(replace(cfg, d_vocab=d_vocab))
#     )
#
#
# fitting = [size for size in range(60_000) if gives_the_papers_counts(size)]
# print(f"{len(fitting)} of 60,000 sizes fit: {fitting[0]:,} to {fitting[-1]:,}")

# %% [markdown]
# Few sizes fit, and GPT's old vocabulary is one of them. So we guess that the counts were made with it.
#
# ## Where the parameters are
#
# You might expect most of them in attention. Take one part away at a time, and see how much less your function
# counts.

# %% tags=["active-ipynb", "folded"]
# # @title Draws the share of each part, from GPT-2 small to GPT-3
# parts_taken_away = {
#     "tokens": {"d_vocab": 0},
#     "positions": {"n_ctx": 0},
#     "attention": {"n_heads": 0},
#     "MLPs": {"d_mlp": 0},
# }
# counted_sizes = {"ours": model.cfg, **gpt2_family, "GPT-3": gpt3_config}
#
#
# def share_of(cfg, missing):
#     """In percent of all parameters."""
#     return 100 - 100 * count_parameters(replace(cfg, **missing)) / count_parameters(cfg)
#
#
# parameter_shares = {
#     part: torch.tensor([share_of(cfg, missing) for cfg in counted_sizes.values()])
#     for part, missing in parts_taken_away.items()
# }
# for label, cfg in counted_sizes.items():
#     in_vectors = cfg.n_layers * (3 * cfg.n_heads * cfg.d_head + 6 * cfg.d_model)
#     in_vectors += cfg.n_layers * cfg.d_mlp + 2 * cfg.d_model
#     print(f"{label:7} {count_parameters(cfg):15,} parameters", end=", ")
#     print(f"biases and LayerNorms {in_vectors / count_parameters(cfg):.2%}")
# grouped_bars(
#     {part: shares.round(decimals=1) for part, shares in parameter_shares.items()},
#     list(counted_sizes),
#     "Where the parameters are",
#     y_title="% of all parameters",
# )

# %% [markdown]
# The MLPs hold most: nearly half of GPT-2 small and two thirds of GPT-3, twice what attention has. Between these two
# models the table of tokens shrinks from nearly a third to almost nothing: it grows with `d_model`, a block with its
# square, and GPT-3 has eight times as many blocks. Biases and LayerNorms are so few that some papers' formulas leave
# them out.
#
# ## How much it computes
#
# How much a GPT computes depends on how often it uses its parameters. A **FLOP** is a floating-point operation, one
# addition or one multiplication. Nearly all of a GPT's FLOPs are in products of matrices.
#
# Multiply a matrix [2 3] by one of [3 4]. Each result is a sum of three products, so it takes three multiplications and
# three additions (the first product is added to 0). The product of the matrices takes **twice rows times inner size
# times columns**. PyTorch has a counter that agrees:

# %% tags=["active-ipynb"]
# def counted_flops(work):
#     """What PyTorch's counter finds in a call.
#
#     On a CPU it counts PyTorch's attention in one call as 0, so products replace it.
#     """
#     as_products = sdpa_kernel(SDPBackend.MATH)
#     with FlopCounterMode(display=False) as counter, as_products:
#         work()
#     return counter.get_total_flops()
#
#
# print(counted_flops(lambda: torch.rand(2, 3) @ torch.rand(3, 4)), "FLOPs")

# %% [markdown]
# Now a forward pass of the tiny GPT on 3 tokens, product by product:

# %% tags=["active-ipynb"]
# tiny_products = {
#     "W_Q, W_K and W_V": 3 * (2 * 3 * 2 * 3),  # each [3 2] times [2 3]
#     "queries with keys": 2 * 3 * 3 * 3,  # [3 3] times [3 3]: a score for each pair
#     "pattern with values": 2 * 3 * 3 * 3,  # [3 3] times [3 3]
#     "W_O": 2 * 3 * 3 * 2,  # [3 3] times [3 2]
#     "W_in": 2 * 3 * 2 * 7,
#     "W_out": 2 * 3 * 7 * 2,
#     "W_U": 2 * 3 * 2 * 5,  # logits at every position
# }
# for product, flops in tiny_products.items():
#     print(f"{product:20} {flops:4}")
# print(f"{'together':20} {sum(tiny_products.values()):4}")
# three_tokens = torch.tensor([[0, 1, 2]])
# print(f"{'your Transformer':20} {counted_flops(lambda: tiny_gpt(three_tokens)):4}")

# %% [markdown]
# The embedding is *not* there: `W_E[tokens]` looks rows up and multiplies nothing. And the causal mask saves nothing,
# because the table of scores is computed whole; the part above the diagonal is masked afterwards.

# %% [markdown] exercise="forward_flops" difficulty=2 importance=4 minutes=15
# ## Exercise: write `forward_flops`
#
# **What goes in?** `cfg`, and how much text: `batch` texts of `seq` tokens each. `seq` may be more than `n_ctx`: no
# model could read such a text at once, but what it would cost can be counted.
#
# **What comes out?** An int or a float: the FLOPs of one forward pass, in products of matrices, as your Transformer
# computes them: 480 for the tiny GPT on 3 tokens. Every score counts, masked or not, and the logits of every position.
# (You may count biases, LayerNorms and softmax too: at the sizes that the test asks they are less than 1 %.)
#
# **Before you code**: the text becomes twice as long. Which products cost twice as much, which four times?
#
# <details><summary>Answer</summary>
#
# Products with parameters cost twice as much: each position is multiplied by the same matrices. The scores and the
# blend of the values cost four times as much: twice as many queries, each with twice as many keys. A second text in the
# *batch* doubles everything, since texts don't read each other.
#
# </details>


# %%
def forward_flops(cfg: Config, seq: int, batch: int = 1) -> int:
    """The operations of one forward pass over `batch` texts of `seq` tokens.

    Counted are products of matrices, 2 for each multiply-and-add, as the Transformer
    computes them: the whole [seq seq] table of scores, and logits at every position.

    Source: Kaplan et al. 2020, table 1, without its approximations.
    """
    # BEGIN SOLUTION
    d_heads = cfg.n_heads * cfg.d_head
    matrices = 4 * cfg.d_model * d_heads + 2 * cfg.d_model * cfg.d_mlp
    scores_and_blend = 2 * seq * d_heads
    unembed = cfg.d_model * cfg.d_vocab
    each_position = cfg.n_layers * (matrices + scores_and_blend) + unembed
    return 2 * batch * seq * each_position
    # END SOLUTION


# %% [markdown] hint="idea"
# Ask what *one position* costs, and multiply by how many there are. A position's vector goes through every matrix of
# every block. Its queries also meet the keys of `seq` positions, and blend as many values.
#
# Which tables are looked up, and which are multiplied with?

# %% [markdown] hint="pseudocode"
# ```text
# of one position, in one block, in multiply-and-adds:
#     one for each entry of each matrix
#     seq scores in each head, each a sum of d_head products; the blend costs the same
# and outside of the blocks: one for each entry of the unembedding
# times the blocks, times the positions of all texts, times 2
# ```

# %% tags=["active-ipynb"]
# test_forward_flops(forward_flops)

# %% [markdown]
# Does the count hold for a real pass? Ask PyTorch's counter about your own Transformer.
#
# <details><summary>What if the counts differ?</summary>
#
# The counter counts what your parts do. An `Embed` that multiplies one-hot rows by the table does more, an `Attention`
# that computes no score of the future does less, here and below. And a matrix times a single vector counts as 0: the
# counter has no formula for it.
#
# </details>

# %% tags=["active-ipynb"]
# my_gpt2 = Transformer(model.cfg)
# my_gpt2.load_state_dict(dict(model.weights), strict=True)
# for length in (1, 16, 256):
#     some_tokens = torch.zeros(2, length, dtype=torch.long)
#     by_torch = counted_flops(lambda tokens=some_tokens: my_gpt2(tokens))
#     by_you = forward_flops(model.cfg, length, batch=2)
#     print(f"{length:3} tokens: {by_torch:13,} counted", end=", ")
#     print(f"{by_you:13,.0f} by your function")

# %% [markdown]
# ## Which part computes most
#
# "Attention is quadratic" is often said about a Transformer's cost. From which length on do the scores, and the blend
# of the values, take most of the work? (GPT-2 has positions for 1024 tokens; beyond them the figure shows what it
# *would* cost.)

# %% tags=["active-ipynb"]
# predict(
#     "scores_overtake",
#     """From how many tokens on do the scores and the blend of GPT-2 small take more
#     FLOPs than everything else together? (A number, to within a factor of 2.)""",
#     answer="6700",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws the share of each part in the work for a token
# def work_by_part(cfg, seq):
#     """The FLOPs for each token of a text of `seq` tokens, by part."""
#     whole = forward_flops(cfg, seq) / seq
#     with_scores = seq * (forward_flops(cfg, 2) / 2 - forward_flops(cfg, 1))
#     no_mlps = forward_flops(replace(cfg, d_mlp=0), seq) / seq
#     no_vocabulary = forward_flops(replace(cfg, d_vocab=0), seq) / seq
#     no_heads = forward_flops(replace(cfg, n_heads=0), seq) / seq
#     return {
#         "scores and blend": with_scores,
#         "attention's matrices": whole - no_heads - with_scores,
#         "MLPs": whole - no_mlps,
#         "unembedding": whole - no_vocabulary,
#     }
#
#
# text_lengths = [128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768]
# for length in (128, 1024, 8192):
#     of_parts = work_by_part(Config(), length)
#     print(f"of the work for a token, in a text of {length} tokens:")
#     for part, flops in of_parts.items():
#         print(f"    {part:20} {flops / sum(of_parts.values()):6.1%}")
# shares_of_work = [work_by_part(Config(), length) for length in text_lengths]
# lines(
#     {
#         part: torch.tensor(
#             [[100 * work[part] / sum(work.values()) for work in shares_of_work]]
#         )
#         for part in shares_of_work[0]
#     },
#     list(shares_of_work[0]),
#     [str(length) for length in text_lengths],
#     "GPT-2 small: where the work is",
#     x_title="tokens in the text",
#     y_title="% of the FLOPs",
# ).update_xaxes(type="category")

# %% tags=["active-ipynb"]
# def scores_are_most(seq):
#     work = work_by_part(Config(), seq)
#     return work["scores and blend"] > sum(work.values()) / 2
#
#
# see("scores_overtake", tokens=next(n for n in range(1, 32_769) if scores_are_most(n)))

# %% [markdown]
# At GPT-2 small's full context the scores and the blend are still the smallest part. So "attention is quadratic" is
# true, but matters little until texts get long: attention's *matrices* cost the same for each token at every length.
#
# This gives a rule of thumb. Every parameter in a matrix is used once for each token, by one multiplication and one
# addition, so a forward pass costs about **2 · N FLOPs for each token**, where N is the number of parameters. For
# GPT-2 small the rule is nearly exact for a text of one token, and an eighth too low at its full context, because it
# leaves the scores out (More experiments).
#
# ## What generating keeps
#
# To write each new token, your GPT re-reads the whole text. Chapter 8 saved most of that: `attend_with_cache` keeps the
# **keys and values** of all earlier positions. What does that cost in memory? The tiny GPT keeps a key and a value for
# each token:

# %% tags=["active-ipynb"]
# nothing_kept = torch.zeros(1, 0, 1, 3)  # [batch pos head_index d_head]
# three_vectors = torch.rand(1, 3, 2)
# with torch.no_grad():
#     _, kept_keys, kept_values = attend_with_cache(
#         tiny_gpt.blocks[0].attn, three_vectors, nothing_kept, nothing_kept
#     )
# print("keys", list(kept_keys.shape), "values", list(kept_values.shape))
# print("numbers:", kept_keys.numel() + kept_values.numel())

# %% [markdown] exercise="kv_cache_bytes" difficulty=1 importance=3 minutes=5
# ## Exercise: write `kv_cache_bytes`
#
# **What goes in?** `cfg`, the number of tokens that were read (`seq`), how many texts are written at once (`batch`),
# and how many bytes a number takes: 2 in 16 bits, 4 in float32. `seq` may be more than `n_ctx` here too.
#
# **What comes out?** An int: the bytes of all keys and values, in all blocks and heads. (Not the scores: they are used
# and thrown away.)
#
# **Before you code**: does it depend on `d_model`, or on `n_ctx`?
#
# <details><summary>Answer</summary>
#
# On neither. A head's key has `d_head` numbers, and only the tokens that were read have one.
#
# </details>


# %%
def kv_cache_bytes(
    cfg: Config, seq: int, batch: int = 1, bytes_per_value: int = 2
) -> int:
    """The bytes of the keys and values of `batch` texts of `seq` tokens.

    Those of all blocks and heads, `bytes_per_value` for each number.

    Source: openai/gpt-2 src/model.py, past_shape().
    """
    # BEGIN SOLUTION
    numbers_per_token = 2 * cfg.n_layers * cfg.n_heads * cfg.d_head
    return batch * seq * numbers_per_token * bytes_per_value
    # END SOLUTION


# %% [markdown] hint="idea"
# How many numbers does one head of one block keep for one token? The rest is multiplying.

# %% [markdown] hint="pseudocode"
# ```text
# numbers of one token = (a key and a value) in each head of each block
# bytes                = that, for each token of each text, times the bytes of a number
# ```

# %% tags=["active-ipynb"]
# test_kv_cache_bytes(kv_cache_bytes)

# %% [markdown]
# At what length does the cache of one text outgrow the weights, both in 16 bits?

# %% tags=["active-ipynb", "folded"]
# # @title Draws the cache of one text, in percent of the weights
# cached_lengths = [2**power for power in range(7, 18)]
# cached_sizes = {name: counted_sizes[name] for name in ("small", "XL", "GPT-3")}
# for label, cfg in cached_sizes.items():
#     weight_bytes = 2 * count_parameters(cfg)
#     token_bytes = kv_cache_bytes(cfg, 1)
#     print(f"{label:6} weights {weight_bytes / 1e9:7.2f} GB", end=", ")
#     print(f"cache {token_bytes:9,} bytes a token", end=", ")
#     print(f"as large at {weight_bytes / token_bytes:6,.0f} tokens")
# lines(
#     {
#         label: torch.tensor(
#             [
#                 [
#                     100 * kv_cache_bytes(cfg, length) / (2 * count_parameters(cfg))
#                     for length in cached_lengths
#                 ]
#             ]
#         )
#         for label, cfg in cached_sizes.items()
#     },
#     list(cached_sizes),
#     [str(length) for length in cached_lengths],
#     "The cache of one text",
#     x_title="tokens in the text",
#     y_title="% of the weights",
#     log_y=True,
# ).update_xaxes(type="category")

# %% [markdown]
# For one text the cache is small beside the weights: it outgrows them only far beyond GPT-2's context. But a server
# writes many texts at once, which share the weights and not the caches: 64 texts at full context need caches of nearly
# ten times GPT-2 small's weights. This is a reason why many newer models share keys and values between heads.
#
# ## How fast is your machine?
#
# Twice the FLOPs, twice the time? Not always. A processor *computes*, and it *moves* numbers from memory, each at a top
# speed: FLOPs per second and bytes per second. Measure both, on one core:
#
# - computing: a product of two large square matrices uses each number a thousand times;
# - moving: a large matrix times one vector uses each number once, so nearly all of the time is spent on fetching it.
#
# We take *processor* time, and the best of three tries, so that other programs disturb it little.

# %% tags=["active-ipynb", "nbval-ignore-output"]
# torch.set_num_threads(1)  # of one core, from here on
#
#
# def processor_seconds(work, least=0.1, tries=3):
#     """The processor time that one call takes, the shortest of some tries."""
#     found = []
#     work()  # the first call is slower
#     for _ in range(tries):
#         calls, begun = 0, time.process_time()
#         while (spent := time.process_time() - begun) < least:
#             work()
#             calls += 1
#         found.append(spent / calls)
#     return min(found)
#
#
# large_square, large_row = torch.rand(1024, 1024), torch.rand(1024)
# tall_matrix = torch.rand(65536, 1024)
# my_flops_per_s = 2 * 1024**3 / processor_seconds(lambda: large_square @ large_square)
# seconds_to_move = processor_seconds(lambda: tall_matrix @ large_row)
# my_bytes_per_s = 4 * tall_matrix.numel() / seconds_to_move
# print(f"computes {my_flops_per_s / 1e9:.0f} billion FLOPs a second")
# print(f"moves {my_bytes_per_s / 1e9:.1f} billion bytes a second")
# print(f"FLOPs per byte: {my_flops_per_s / my_bytes_per_s:.1f}")

# %% [markdown]
# | each second | FLOPs | bytes | FLOPs in the time of a byte |
# |---|---|---|---|
# | one core of the machine on which we wrote this | 80 to 100 billion | 16 to 17 billion | 5 to 6 |
# | an A100 GPU, by its data sheet, in 16 bits | 312 trillion | 2 trillion | 153 |
#
# How many FLOPs does a piece of work do *for each byte that it moves*? If more than the machine can do in the time of a
# byte, computing sets the time; if fewer, moving does. Both can go on at once, so it takes at least
#
# $$\max\left(\frac{\text{FLOPs}}{\text{FLOPs per second}}, \frac{\text{bytes}}{\text{bytes per second}}\right)$$
#
# Take the tiny GPT on a very slow machine: 40 FLOPs and 50 bytes a second. It reads a prompt of three tokens and
# writes two, in float32. Each new token takes one pass, which has to fetch all 102 parameters: 408 bytes. With a
# cache the second pass reads the newest token alone; its query meets four keys, including its own, which are fetched
# with their values: 4 tokens of 6 numbers each, 96 bytes.
#
# | pass | tokens read | keys that each meets | FLOPs | bytes |
# |---|---|---|---|---|
# | first | 3 | 3 | 480 | 408 |
# | second, cached | 1 | 4 | 172 | 408 + 96 |
# | second, no cache | 4 | 4 | 688 | 408 |
#
# Why 172? Without a cache the pass reads four positions, and each meets the same four keys, masked or not. So one
# position is a quarter of it.

# %% tags=["active-ipynb", "folded"]
# # @title Draws the roofline of a machine, and passes as dots on it
# def roofline(flops_per_s, bytes_per_s, passes, title):
#     """How many FLOPs a second each pass reaches, of which FLOPs and bytes are given."""
#     corner = flops_per_s / bytes_per_s
#     per_byte = {name: flops / moved for name, (flops, moved) in passes.items()}
#     span = sorted([min(per_byte.values()) / 2, corner, max(per_byte.values()) * 4])
#     places = [*span, *per_byte.values()]
#     reached = {x: min(flops_per_s, x * bytes_per_s) for x in places}
#     figure = lines(
#         {"roof": torch.tensor([[reached[x] for x in span]])},
#         ["roof"],
#         [f"{x:.4g}" for x in span],
#         title,
#         x_title="FLOPs for each byte moved",
#         y_title="FLOPs a second",
#         log_y=True,
#     )
#     ticks = [digit * 10.0**power for power in range(-1, 12) for digit in (1, 2, 5)]
#     figure.update_xaxes(type="log", tickvals=ticks)
#     figure.update_yaxes(tickvals=[*ticks, flops_per_s]).update_traces(mode="lines")
#     told = "; ".join(f"{name}: {x:.2g} FLOPs per byte" for name, x in per_byte.items())
#     return figure.add_scatter(
#         x=list(per_byte.values()),
#         y=[reached[x] for x in per_byte.values()],
#         text=list(per_byte),
#         mode="markers+text",
#         textposition="bottom right",
#         marker={"size": 12, "symbol": "diamond"},
#         showlegend=False,
#     ).update_layout(meta={"words": f"{title}. {told}"})
#
#
# tiny_passes = {"first": (480, 408), "cached": (172, 504), "no cache": (688, 408)}
# for label, (computed, fetched) in tiny_passes.items():
#     to_compute, to_move = computed / 40, fetched / 50
#     print(f"{label:9} computing {to_compute:5.2f} s, moving {to_move:5.2f} s", end=", ")
#     print(f"{computed / fetched:.2f} FLOPs per byte: {max(to_compute, to_move):.2f} s")
# roofline(40, 50, tiny_passes, "The tiny GPT on a slow machine")

# %% [markdown]
# This is the **roofline** model. On the slope moving sets the time, on the flat part computing does. The cached pass is
# on the slope: it does so few FLOPs for each byte that the machine computes at less than half its speed. It is still
# faster than the same pass without a cache, because it does a quarter of the work.

# %% [markdown] exercise="generation_time" difficulty=3 importance=4 minutes=20
# ## Exercise: write `generation_time`
#
# **What goes in?** `cfg`, a `prompt` of so many tokens, how many `new` tokens are written, the machine's two speeds,
# and whether there is a `cache`. One text, everything in float32. Here too the text may be longer than `n_ctx`.
#
# **What comes out?** The seconds that all passes take, as a float. There is one pass for each new token, and each takes
# the longer of its two times.
#
# - *Without a cache* every pass reads all tokens so far: `prompt` in the first, one more in each later one. It computes
#   what `forward_flops` says, and moves all parameters once (tied).
# - *With a cache* the first pass is the same. Each later pass reads the newest token alone. Its scores go over all
#   tokens so far, itself included, and it moves all parameters and the cache of all tokens so far, itself included.
#
# Call your earlier functions. With a cache the tiny GPT takes 12.00 + 10.08 = 22.08 s.
#
# **Before you code**: is the longer time to be chosen once, for all passes together, or pass by pass?
#
# <details><summary>Answer</summary>
#
# Pass by pass. The next pass can't begin before this one has given its token, so what one pass saves in computing is no
# help to another that waits for memory.
#
# </details>


# %%
def generation_time(
    cfg: Config,
    prompt: int,
    new: int,
    flops_per_s: float,
    bytes_per_s: float,
    cache: bool = True,
) -> float:
    """The seconds that `new` tokens after `prompt` tokens take, by the roofline model.

    One pass for each new token, in float32, takes the longer of two times: for its
    operations, and for its bytes. Without a cache each pass reads all tokens so far
    and moves all (tied) parameters. With one, each pass but the first reads the newest
    token alone, and moves the cache of all tokens so far as well.

    Source: Williams et al. 2009, the roofline model.
    """
    # BEGIN SOLUTION
    seconds = 0.0
    for seq in range(prompt, prompt + new):
        flops, moved = forward_flops(cfg, seq), 4 * count_parameters(cfg)
        if cache and seq > prompt:
            flops /= seq
            moved += kv_cache_bytes(cfg, seq, bytes_per_value=4)
        seconds += max(flops / flops_per_s, moved / bytes_per_s)
    return seconds
    # END SOLUTION


# %% [markdown] hint="idea"
# Loop over the passes. For each, know how many tokens there are so far; from that follow its FLOPs and its bytes.
#
# With a cache, one position of a pass is what a later pass computes: the example says which share of the whole that is.

# %% [markdown] hint="pseudocode"
# ```text
# for each pass, with so many tokens so far:
#     its FLOPs: a whole pass over them
#     its bytes: all parameters
#     if there is a cache, and this is not the first pass:
#         its FLOPs: those of one position alone
#         its bytes: the cache too (how many bytes has a number here?)
#     add the longer of the two times
# ```

# %% tags=["active-ipynb"]
# test_generation_time(generation_time)

# %% [markdown]
# Now GPT-2 small on one core. Which of its passes compute, and which wait for memory? In float32 each parameter is 4
# bytes, and serves 2 FLOPs for each token that the pass reads.

# %% tags=["active-ipynb"]
# pass_tokens, pass_cached = [4, 16, 64, 256] * 2, [False] * 4 + [True] * 4
# predict(
#     "computing_decides",
#     """Suppose one core does 5 FLOPs while it fetches a byte. The figure below has eight
#     passes of GPT-2 small: 4, 16, 64 or 256 `tokens` in the text so far, and `cached`,
#     True or False. In which passes does computing set the time? Write a line that
#     selects them, such as: cached & (tokens < 64)""",
#     tokens=pass_tokens,
#     cached=pass_cached,
#     answer="~cached & (tokens > 10)",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws eight passes of GPT-2 small on the roofline of one core
# def flops_and_bytes(seq, cached):
#     """Of the pass that writes the token after `seq` tokens, in float32."""
#     flops, moved = forward_flops(Config(), seq), 4 * count_parameters(Config())
#     if cached:
#         return flops / seq, moved + kv_cache_bytes(Config(), seq, bytes_per_value=4)
#     return flops, moved
#
#
# eight_passes = {
#     f"{seq} tokens{', cached' * cached}": flops_and_bytes(seq, cached)
#     for seq, cached in zip(pass_tokens, pass_cached, strict=True)
# }
# for label, (computed, fetched) in eight_passes.items():
#     print(f"{label:19} {computed / fetched:6.1f} FLOPs per byte", end=", ")
#     print(f"takes {1000 * max(computed / 80e9, fetched / 16e9):6.1f} ms")
# shown_passes = {name: one for name, one in eight_passes.items() if "cached" not in name}
# shown_passes["all four, cached"] = eight_passes["256 tokens, cached"]
# roofline(80e9, 16e9, shown_passes, "GPT-2 small on one core")

# %% tags=["active-ipynb"]
# see(
#     "computing_decides",
#     tokens=pass_tokens,
#     cached=pass_cached,
#     flops_per_byte=[flops / moved for flops, moved in eight_passes.values()],
# )

# %% [markdown]
# With a cache every pass but the first waits for memory, whatever the length of the text: all four lie on one dot.
# Without a cache only a pass over a handful of tokens waits, and there ten tokens cost no more than one.
#
# ## Predicted beside measured
#
# How good is the prediction on *your* machine? Take a larger Transformer of yours with random weights (the time does
# not depend on them), and measure one new token after texts of several lengths: without a cache (a forward pass over
# the text), and with one (`generate_with_cache`). **Before you run it**: will the measured times be higher than the
# predicted ones, lower, or both?

# %% tags=["active-ipynb", "folded", "nbval-ignore-output"]
# # @title Draws the time for a token, predicted and measured (10 to 20 s)
# timed_config = Config(
#     d_model=512, d_vocab=8192, n_ctx=1024, d_mlp=2048, n_heads=8, n_layers=6
# )
# torch.manual_seed(0)
# timed_gpt = Transformer(timed_config)
# timed_lengths = [4, 16, 64, 256, 512]
# my_speeds = my_flops_per_s, my_bytes_per_s
# seconds_per_token = {
#     "no cache, predicted": [],
#     "no cache, measured": [],
#     "cache, predicted": [],
#     "cache, measured": [],
# }
#
#
# def writing_time(tokens, new):
#     """The processor seconds in which that many tokens are written, with the cache."""
#     return processor_seconds(
#         lambda: generate_with_cache(timed_gpt, tokens, new, temperature=0), tries=2
#     )
#
#
# for length in waiting(timed_lengths, "writing after texts of several lengths"):
#     timed_tokens = torch.zeros(length, dtype=torch.long)
#     with torch.no_grad():
#         whole_pass = processor_seconds(
#             lambda tokens=timed_tokens: timed_gpt(tokens[None]), tries=2
#         )
#     one_more = (writing_time(timed_tokens, 9) - writing_time(timed_tokens, 1)) / 8
#     first = generation_time(timed_config, length, 1, *my_speeds)
#     found = (
#         generation_time(timed_config, length, 1, *my_speeds, False),
#         whole_pass,
#         generation_time(timed_config, length, 2, *my_speeds) - first,
#         max(one_more, 1e-4),
#     )
#     for kind, seconds in zip(seconds_per_token, found, strict=True):
#         seconds_per_token[kind].append(1000 * seconds)
# for kind, found in seconds_per_token.items():
#     print(f"{kind:20}", *(f"{ms:8.1f}" for ms in found), " ms")
# for kind in ("no cache", "cache"):
#     guessed = seconds_per_token[f"{kind}, predicted"]
#     ratios = zip(seconds_per_token[f"{kind}, measured"], guessed, strict=True)
#     times_as_long = (f"{ms / ms_guessed:8.1f}" for ms, ms_guessed in ratios)
#     print(f"{kind + ', times as long':20}", *times_as_long)
# lines(
#     {kind: torch.tensor([found]) for kind, found in seconds_per_token.items()},
#     list(seconds_per_token),
#     [str(length) for length in timed_lengths],
#     "The time for one more token",
#     x_title="tokens in the text",
#     y_title="milliseconds of one core",
#     log_y=True,
# ).update_xaxes(type="category")

# %% [markdown]
# **The shape is right.** Without a cache the time rises little while moving the parameters sets it, and then grows with
# the text. With a cache it rises slowly, as the cache grows.
#
# **The measured times are higher**, on our machine roughly one and a half to three times as long. The roofline is a
# *floor*: it has no LayerNorm, no softmax, no Python, no copies. To beat it, a program has to do fewer FLOPs or fetch
# fewer bytes from memory (a small model may fit into the processor's own fast memory).
#
# ## What limits a batch
#
# A cache saves more on a machine that computes slowly. By your function, it makes writing the second half of GPT-2
# small's context 70 times as fast on one core, and five times as fast on an A100 (More experiments). With a cache the
# A100 does one FLOP for each byte and could do 153, so almost all of its computing power sits idle. Could other texts
# use it? All texts share the parameters that are fetched.

# %% tags=["active-ipynb"]
# predict(
#     "hundred_texts",
#     """An A100 writes one more token for each of 100 texts of 512 tokens, all in one
#     pass of GPT-2 small, in 16 bits, with caches. How long does the pass take, compared
#     with one for a single text?
#     a) hardly longer: less than twice as long
#     b) clearly longer: 2 to 40 times as long
#     c) nearly a hundred times as long: 40 times or more""",
#     answer="b",
# )

# %% tags=["active-ipynb"]
# def a_token_each(texts, seq):
#     """The seconds of an A100 for one more token of each text, cached, in 16 bits."""
#     flops = texts * forward_flops(Config(), seq) / seq
#     moved = 2 * count_parameters(Config()) + kv_cache_bytes(Config(), seq, texts)
#     return max(flops / 312e12, moved / 2.039e12)
#
#
# two_bytes_each = 2 * count_parameters(Config())
# for length in (64, 512):
#     for texts in (50, 100):
#         times = a_token_each(texts, length) / a_token_each(1, length)
#         of_weights = kv_cache_bytes(Config(), length, texts) / two_bytes_each
#         print(f"{texts:3} texts of {length:3} tokens", end=": ")
#         print(f"{times:.1f} times as long", end=", ")
#         print(f"caches {of_weights:.1f} times the weights")

# %% tags=["active-ipynb"]
# see("hundred_texts", times_as_long=a_token_each(100, 512) / a_token_each(1, 512))

# %% [markdown]
# So these batches are limited by their caches, not by the arithmetic. A hundred *short* texts take less than twice as
# long as one; a hundred long texts bring caches of several times the weights, and fetching the caches takes the time.
#
# ## What training costs
#
# Where the forward pass has one product of matrices, the backward pass has two: the gradient of the input, and that of
# the matrix. So a training step should cost three forward passes, **6 · N FLOPs for each token**, or **6 · N · D** for
# a run over D tokens. Count real steps of three models: nanoGPT's setting for a laptop, our reference model, and the
# model that we timed.

# %% tags=["active-ipynb", "folded"]
# # @title Counts the FLOPs of real training steps
# step_sizes = {
#     "nanoGPT, CPU": Config(
#         d_model=128, d_vocab=65, n_ctx=64, d_head=32, d_mlp=512, n_heads=4, n_layers=4
#     ),
#     "ours": model.cfg,
#     "512 wide": replace(timed_config, n_ctx=256),
# }
#
#
# def training_step(cfg, n_texts):
#     """A function that does one step on random tokens, and how many tokens it reads."""
#     torch.manual_seed(0)
#     gpt = Transformer(cfg)
#     learning = [weights for weights in gpt.parameters() if weights.requires_grad]
#     optimiser = torch.optim.AdamW(learning, lr=1e-3)
#     tokens = torch.randint(cfg.d_vocab, (n_texts, cfg.n_ctx))
#
#     def step():
#         loss = cross_entropy_loss(gpt(tokens), tokens)
#         optimiser.zero_grad()
#         loss.backward()
#         optimiser.step()
#
#     return step, tokens.numel()
#
#
# print("FLOPs a token         counted  3 passes   6 · N  without tables")
# for label, cfg in step_sizes.items():
#     step, n_read = training_step(cfg, 1)
#     per_token = counted_flops(step) / n_read
#     three_passes = 3 * forward_flops(cfg, cfg.n_ctx) / cfg.n_ctx
#     whole_n = count_parameters(cfg)
#     no_tables = count_parameters(replace(cfg, d_vocab=0, n_ctx=0))
#     print(f"{label:16} {per_token:12,.0f} {three_passes / per_token:9.1%}", end=" ")
#     print(f"{6 * whole_n / per_token:7.1%} {6 * no_tables / per_token:15.1%}")

# %% [markdown]
# A step costs exactly three forward passes, since AdamW has no products of matrices. Here the rule of thumb is too low,
# because it misses the scores. Without the tables of tokens and positions, which some papers leave out of N, it also
# misses the unembedding. So when somebody quotes 6 · N · D, ask which N.
#
# ### What training keeps in memory
#
# What stops a training run is often memory, not time: "CUDA out of memory". Besides each **parameter** it keeps a
# **gradient**, and AdamW keeps **two averages** (chapter 9). In float32 these four numbers are 16 bytes a parameter, 2
# GB for GPT-2 small. And the backward pass needs the **activations**, which the forward pass computed.

# %% tags=["active-ipynb"]
# predict(
#     "activations",
#     """Our reference model (6 blocks, 4 heads, d_model 192, a vocabulary of 4096) does
#     a training step on 8 texts of 256 tokens. How much memory do the activations take,
#     compared with all the parameters at 16 bytes each?
#     a) less than half as much
#     b) about as much: between half and twice as much
#     c) more than twice as much""",
#     answer="c",
# )

# %% tags=["active-ipynb", "folded", "nbval-ignore-output"]
# # @title Measures what one training step keeps in memory
# memory_gpt = Transformer(model.cfg)
# in_training = [weights for weights in memory_gpt.parameters() if weights.requires_grad]
# memory_optimiser = torch.optim.AdamW(in_training, lr=1e-3)
# eight_texts = torch.randint(model.cfg.d_vocab, (8, model.cfg.n_ctx))
# parameters_at = {weights.data_ptr() for weights in memory_gpt.parameters()}
# kept_bytes = {}
#
#
# def note_size(kept):
#     """PyTorch calls this with each tensor that the backward pass will need."""
#     memory = kept.untyped_storage()
#     if memory.data_ptr() not in parameters_at:
#         kept_bytes[memory.data_ptr()] = memory.nbytes()
#     return kept
#
#
# with torch.autograd.graph.saved_tensors_hooks(note_size, lambda kept: kept):
#     step_loss = cross_entropy_loss(memory_gpt(eight_texts), eight_texts)
# step_loss.backward()
# memory_optimiser.step()
# training_bytes = {
#     "parameters": sum(weights.nbytes for weights in in_training),
#     "gradients": sum(weights.grad.nbytes for weights in in_training),
#     "AdamW's averages": sum(
#         state[name].nbytes
#         for state in memory_optimiser.state.values()
#         for name in ("exp_avg", "exp_avg_sq")
#     ),
# }
# held_bytes = sum(training_bytes.values())
# activation_bytes = sum(kept_bytes.values())
# for label, amount in [*training_bytes.items(), ("activations", activation_bytes)]:
#     print(f"{label:17} {amount / 1e6:6.1f} MB")
# n_learned = sum(weights.numel() for weights in in_training)
# print(f"without the activations {held_bytes / n_learned:.0f} bytes a parameter")

# %% tags=["active-ipynb", "nbval-ignore-output"]
# see(
#     "activations",
#     activations_mb=round(activation_bytes / 1e6),
#     rest_mb=round(held_bytes / 1e6),
# )

# %% [markdown]
# Parameters, gradients and averages depend on the model alone. Activations grow with the batch and with the length of
# the text. So when memory runs out, take fewer texts at a time, or compute some activations again when the backward
# pass needs them.
#
# ## What GPT-2 costs
#
# GPT-2 may sound as if only a company could train it. Karpathy's llm.c has a script for it, `run_gpt2_124M.sh`, whose
# comments give all that we need:
#
# | steps | tokens in a step | time of a step | machine | its price |
# |---|---|---|---|---|
# | 18,865 | 524,288 | 300 ms | 8 A100s | 14 dollars an hour |

# %% tags=["active-ipynb"]
# tokens_read = 18_865 * 524_288
# by_rule = 6 * count_parameters(Config()) * tokens_read
# by_count = 3 * forward_flops(Config(), 1024) / 1024 * tokens_read
# run_seconds = 18_865 * 0.300
# offered = 8 * 312e12 * run_seconds
# print(f"D = {tokens_read / 1e9:.2f} billion tokens", end=", ")
# print(f"{run_seconds / 60:.0f} minutes, {run_seconds / 3600 * 14:.0f} dollars")
# print(f"6 · N · D {by_rule:.2e} FLOPs, counted {by_count:.2e}")
# masked = 3 * work_by_part(Config(), 1024)["scores and blend"] / 2 * tokens_read
# print(f"utilisation {by_rule / offered:.0%} by 6 · N · D", end=", ")
# print(f"{by_count / offered:.0%} as counted", end=", ")
# print(f"{(by_count - masked) / offered:.0%} without the masked half of the scores")

# %% [markdown]
# The run cost 22 dollars (the script says "~= $20"). The share of the machine's computing power that does useful work
# is called **utilisation**, or MFU (model FLOPs utilisation). The last share is nearest to what was computed, because
# flash attention (chapter 11) skips most of the masked half of the scores.
#
# How many tokens *should* it read? For the lowest loss from a given amount of FLOPs, parameters and tokens should grow
# in proportion (Hoffmann et al.); their Chinchilla read 20 tokens for each parameter. The run above read four times as
# many: by that rule not the lowest loss for its FLOPs, but a better model for its *size*, which counts if many people
# use it.
#
# What would your own GPT cost?

# %% tags=["active-ipynb", "folded"]
# # @title Draws what a GPT of your choice costs
# def my_own_gpt(layers, width, context):
#     cfg = Config(
#         n_layers=layers,
#         d_model=width,
#         d_mlp=4 * width,
#         n_heads=width // 64,
#         n_ctx=context,
#     )
#     parameters = count_parameters(cfg)
#     tokens = 20 * parameters
#     training = 3 * forward_flops(cfg, context) / context * tokens
#     hours = training / (8 * 312e12 * 0.5) / 3600
#     shares = [share_of(cfg, missing) for missing in parts_taken_away.values()]
#     figure = grouped_bars(
#         {"share": torch.tensor(shares).round(decimals=1)},
#         list(parts_taken_away),
#         f"{parameters / 1e6:,.0f} million parameters",
#         y_title="% of all parameters",
#     )
#     text = (
#         f"weights {2 * parameters / 1e9:.2f} GB in 16 bits, "
#         f"cache of one text {kv_cache_bytes(cfg, context) / 1e9:.3f} GB\n"
#         f"20 tokens for each parameter: {tokens / 1e9:,.1f} billion tokens, "
#         f"{training:.1e} FLOPs, {hours:,.1f} hours of eight A100s at 50 %"
#     )
#     return figure, text
#
#
# explore(
#     my_own_gpt,
#     layers=slider(1, 48, 12),
#     width=slider(128, 2048, 768, 64),
#     context=slider(128, 8192, 1024, 128),
# )

# %% [markdown]
# ## Two published claims
#
# Both are made in descriptions of GPTs for learners. (Two more are in More experiments.)
#
# ### "The number of parameters does not depend on the context length"
#
# Xiong's *Transformer / GPT Notes* say that "the model size is independent of context length"; the blog post [*GPT From
# Scratch*](https://npnkhoi.github.io/2023/11/17/gpt.html) has it too. Count, for GPT-2 small with more and more
# positions:

# %% tags=["active-ipynb"]
# claimed_contexts = [2**power for power in range(7, 18)]
# counts_by_context = [
#     count_parameters(replace(Config(), n_ctx=length)) for length in claimed_contexts
# ]
# for length, amount in zip(claimed_contexts, counts_by_context, strict=True):
#     print(f"n_ctx {length:7,}: {amount:12,} parameters")
# lines(
#     {"GPT-2 small": torch.tensor([counts_by_context]) / 1e6},
#     ["GPT-2 small"],
#     [str(length) for length in claimed_contexts],
#     "Parameters over the context length",
#     x_title="n_ctx",
#     y_title="millions",
# ).update_xaxes(type="category")

# %% [markdown]
# **Not true of GPT-2**: each further position is a row of `W_pos`. At GPT-2's context these rows are easy to overlook;
# at the last length in the figure they would be nearly half of the model. *True of all the rest*: no matrix of a block
# knows how long the text is. And it is true of models with rotary positions, which have no table.
#
# ### "The position table is fixed"
#
# In the first Transformer the positions were sines and cosines that nobody trained. If GPT-2's are learned, their
# gradient must not be zero. Check, on texts of 100 tokens:

# %% tags=["active-ipynb"]
# hundred_tokens = passage_tokens()[::6, :100]
# my_gpt2.zero_grad()
# cross_entropy_loss(my_gpt2(hundred_tokens), hundred_tokens).backward()
# row_gradients = my_gpt2.pos_embed.W_pos.grad.norm(dim=-1)
# print("rows with a gradient:", int((row_gradients > 0).sum()), "of", model.cfg.n_ctx)
# lines(
#     {"norm of the gradient": row_gradients[None, :128]},
#     ["norm of the gradient"],
#     [str(position) for position in range(128)],
#     "The gradient in each row of W_pos",
#     x_title="position",
#     y_title="norm",
# )

# %% [markdown]
# **Not true of GPT-2**: the rows that the texts reach have a gradient, all but the last, whose prediction has no known
# answer. What *is* fixed is the table's size: beyond the last row there is nothing to look up.
#
# ## A bug in the wild
#
# Santilli's page [*Number of multiplications per token in a GPT
# model*](https://cirosantilli.com/number-of-multiplications-per-token-in-a-gpt-model) counts, for a "classic"
# GPT-2-style model, what one token costs in the blocks. The formula below is the page's, in our names. (We count two
# FLOPs for each multiplication, let the new query meet `seq` keys, and add the unembedding.)
#
# For GPT-2 small at full context it gives nearly three times what the blocks need. Find what is counted wrongly, put it
# right, and let the test of `forward_flops` judge it. (The course goes on using your own `forward_flops`.)


# %%
def flops_by_the_page(cfg: Config, seq: int, batch: int = 1) -> int:
    """The page's count of multiplications, made one of FLOPs."""
    # BEGIN SOLUTION
    in_a_head = (
        2 * cfg.d_model * cfg.d_head  # the key, and the query
        + seq * cfg.d_head  # the new query with every key
        + 2 * cfg.d_model * cfg.d_head  # the value, and W_O
        + seq * cfg.d_head  # each value, times its weight
    )
    # INSTEAD OF
    # in_a_head = (
    #     2 * cfg.d_model * cfg.d_head  # the key, and the query
    #     + seq * cfg.d_head  # the new query with every key
    #     + cfg.d_model * cfg.d_model  # the new value vector
    #     + seq * cfg.d_model  # each value vector, times its weight
    # )
    # END SOLUTION
    in_a_block = cfg.n_heads * in_a_head + 2 * cfg.d_model * cfg.d_mlp
    in_all = cfg.n_layers * in_a_block + cfg.d_model * cfg.d_vocab
    return 2 * batch * seq * in_all


# %% tags=["active-ipynb"]
# test_forward_flops(flops_by_the_page)

# %% [markdown]
# <details><summary>Answer</summary>
#
# A head's value has `d_head` numbers, not `d_model`. The values are blended at that size, and only then does `W_O`
# bring the blend back into the stream. So it is `2 * d_model * d_head` for `W_V` and `W_O`, and `seq * d_head` for the
# blend.
#
# The mistake has a good reason: $W_V W_O$ of one head is a matrix [d_model d_model], and it is often drawn as one (it
# is chapter 4's OV). With it the *result* would be the same. But the blend costs `d_model / d_head` times as much, 12
# times in GPT-2 small and 96 times in GPT-3, and the one matrix 6 and 48 times as much as `W_V` and `W_O`. The page's
# count of the blocks is 2.7 times too high for GPT-2 small and 9.9 times for GPT-3, at full context.
#
# </details>

# %% [markdown]
# ## Check your understanding
#
# **1.** You make GPT-2 small twice as wide (`d_model`, `d_mlp` and `n_heads` doubled). What happens to the parameters
# of the blocks, and to the cache?
#
# <details><summary>Answer</summary>
#
# The matrices of the blocks have four times as many entries: rows and columns double. The cache doubles: a token keeps
# `n_heads · d_head` numbers for a key, and that is twice as much. The tables of tokens and positions double too.
#
# </details>
#
# **2.** A friend says: "Attention is quadratic, so halving the context of GPT-2 small to 512 makes each token half as
# expensive." How much cheaper is it?
#
# <details><summary>Answer</summary>
#
# By 7 %. The scores are 13.3 % of the work for a token at 1024; at 512 they are half of that, and nothing else changes.
#
# </details>
#
# **3.** Why can a GPU write 50 texts of 64 tokens in less than twice the time of one, but not 50 texts of 512?
#
# <details><summary>Answer</summary>
#
# Writing is bound by memory, and all 50 texts share each parameter that is fetched. Only the caches grow: each text has
# its own. For 50 texts of 64 tokens they are half as large as GPT-2 small's weights, at 512 tokens nearly four times as
# large.
#
# </details>
#
# **4.** Two papers train "a 124M model on 10 billion tokens". One reports 7.5 · 10¹⁸ FLOPs, the other 8.5 · 10¹⁸. Must
# one of them be wrong?
#
# <details><summary>Answer</summary>
#
# No. The first is 6 · N · D, the second counts the scores of 1024 tokens too. (And with N without the tables it would
# be 5.1 · 10¹⁸.) Whoever compares runs by FLOPs has to compare the same count.
#
# </details>

# %% [markdown]
# <details><summary><b>I get this error</b></summary>
#
# - **`got 124,439,808.0 (float), expected 124,439,808 (int)`**: a count is an int. `/` makes a float even where it
#   divides evenly: leave it out, or write `//`.
# - **`'Config' object has no attribute 'n_layer'`**: it is `n_layers`, `n_heads`, `d_model`, `d_vocab`. HuggingFace's
#   names are others: `n_layer`, `n_head`, `n_embd`, `vocab_size`.
# - **`unsupported operand type(s) for *: 'int' and 'NoneType'`**: one of your earlier functions ends without `return`.
# - **`It calls count_parameters, which is still a stub`**: write that one first, run its cell, then run this one again.
# - **`'float' object cannot be interpreted as an integer`**: `range` wants whole numbers: the passes are counted by
#   `prompt` and `new`, which are.
# - **The card says "by exactly 1,536: `ln_final`"** or another part: your count differs from the right one by just the
#   size of that part, on every question that came out wrong.
#
# </details>

# %% [markdown]
# ## Where to read more
#
# - openai/gpt-2, [README](https://github.com/openai/gpt-2/blob/master/README.md): the note on the wrong counts of
#   Radford et al. 2019, *Language Models are Unsupervised Multitask Learners*.
# - Kaplan et al. 2020, *Scaling Laws for Neural Language Models*, [arXiv:2001.08361](https://arxiv.org/abs/2001.08361),
#   section 2.1: both rules of thumb. Hoffmann et al. 2022, *Training Compute-Optimal Large Language Models*,
#   [arXiv:2203.15556](https://arxiv.org/abs/2203.15556).
# - Williams, Waterman, Patterson 2009, *Roofline*,
#   [doi:10.1145/1498765.1498785](https://doi.org/10.1145/1498765.1498785).
# - Ainslie et al. 2023, *GQA*, [arXiv:2305.13245](https://arxiv.org/abs/2305.13245): smaller caches.
# - Korthikanti et al. 2022, *Reducing Activation Recomputation in Large Transformer Models*,
#   [arXiv:2205.05198](https://arxiv.org/abs/2205.05198): the activations that training keeps.
# - Karpathy, [transformer_sizing.ipynb](https://github.com/karpathy/nanoGPT/blob/master/transformer_sizing.ipynb): the
#   same counts for nanoGPT; llm.c,
#   [scripts/run_gpt2_124M.sh](https://github.com/karpathy/llm.c/blob/master/scripts/run_gpt2_124M.sh).
# - Xiong 2024, [*Transformer / GPT Notes*](https://yxiong.github.io/2024/03/31/transformer-gpt-notes.html).

# %% [markdown] tags=["folded"]
# ## More experiments

# %% [markdown]
# ### The rule of thumb: 2 · N
#
# How far off is 2 · N? There is a catch in "N": Kaplan et al. leave the tables of tokens and positions out.

# %% tags=["active-ipynb"]
# print("2 · N, of the FLOPs for each token    whole N   without the tables")
# for label, cfg in counted_sizes.items():
#     all_n = count_parameters(cfg)
#     tableless_n = count_parameters(replace(cfg, d_vocab=0, n_ctx=0))
#     for length in (1, cfg.n_ctx):
#         due = forward_flops(cfg, length) / length
#         print(f"{label:7} {length:5} tokens", end=" ")
#         print(f"{2 * all_n / due:24.1%} {2 * tableless_n / due:20.1%}")

# %% [markdown]
# For these models and the whole (tied) N the rule is nearly exact at one token, because the table of tokens *is*
# multiplied with, as the unembedding. At the full context it is too low: it has no scores. Without the tables it lacks
# the unembedding too, and falls to 60 % for GPT-2 small. For GPT-3 both are within 3 %. So the rule fails in three
# places: long texts (scores), small models (tables), and wherever someone doesn't say which N they mean.
#
# ### What the cache saves
#
# Does a cache save as much everywhere? Put in the numbers of one core and of an A100 (its numbers take half as many
# bytes, so we double its second speed).

# %% tags=["active-ipynb"]
# two_machines = {"one core": (80e9, 16e9), "an A100": (312e12, 2 * 2.039e12)}
# for machine, speeds in two_machines.items():
#     for given, new_tokens in ((512, 512), (1000, 24)):
#         slow = generation_time(Config(), given, new_tokens, *speeds, False)
#         quick = generation_time(Config(), given, new_tokens, *speeds)
#         print(f"{machine:8} {given:4} tokens, then {new_tokens:3} new:", end=" ")
#         print(f"{slow:7.3g} s without, {quick:7.3g} s with: {slow / quick:4.1f} times")

# %% [markdown]
# No: the slower a machine computes, compared with its memory, the more a cache saves. On the A100 a pass over 512
# tokens takes 3.6 times as long as fetching the parameters once; on the core it takes 55 times as long.
#
# ### Does the count predict the time of a step?
#
# Time a few steps, several texts each, and divide.

# %% tags=["active-ipynb", "nbval-ignore-output"]
# step_texts = {"nanoGPT, CPU": 12, "ours": 4, "512 wide": 2}
# for label, n_texts in waiting(step_texts.items(), "timing three kinds of steps"):
#     cfg = step_sizes[label]
#     step, n_read = training_step(cfg, n_texts)
#     measured = processor_seconds(step, tries=2)
#     predicted = 3 * forward_flops(cfg, cfg.n_ctx, n_texts) / my_flops_per_s
#     print(f"{label:12} {n_read:5} tokens a step, {measured:.3f} s", end=", ")
#     print(f"at least {predicted:.3f} s by its FLOPs: {predicted / measured:.0%}")

# %% [markdown]
# The last column is the utilisation. The larger the matrices, the more of the time is spent on their products, so long
# as a step reads many tokens.
#
# Our reference model was trained on 43.0 million tokens, in 123 minutes on 2 cores (its model card says so). By your
# count that is 1.04 · 10¹⁵ FLOPs, 141 billion a second; by 6 · N · D it is 0.90 · 10¹⁵. (Don't compare that with your
# float32 speed: it was trained in bf16, compiled.)
#
# How long would one core take for GPT-2 small's run?

# %% tags=["active-ipynb", "nbval-ignore-output"]
# my_years = by_count / my_flops_per_s / (365.25 * 24 * 3600)
# print(f"one core of your machine, always at its best: {my_years:.1f} years")

# %% [markdown]
# ### "O[E(B + C + E)] parameters"
#
# *GPT From Scratch* has this formula for the number of parameters. We read E as the embedding's size (`d_model`), B as
# the block size (`n_ctx`), C as the number of classes (`d_vocab`). Double each of GPT-2 small's sizes in turn:

# %% tags=["active-ipynb"]
# once = count_parameters(Config())
# doubled_sizes = {
#     "E, d_model": {"d_model": 1536, "d_mlp": 6144, "n_heads": 24},
#     "B, n_ctx": {"n_ctx": 2048},
#     "C, d_vocab": {"d_vocab": 2 * 50257},
#     "n_layers": {"n_layers": 24},
# }
# for size, changed in doubled_sizes.items():
#     cfg = replace(Config(), **changed)
#     by_claim = cfg.d_model * (cfg.n_ctx + cfg.d_vocab + cfg.d_model)
#     claim_before = 768 * (1024 + 50257 + 768)
#     print(f"twice {size:11} counted {count_parameters(cfg) / once:.2f} times", end=", ")
#     print(f"claimed {by_claim / claim_before:.2f} times")

# %% [markdown]
# (An O leaves constant factors out. To have something to compute, we took them as 1.)
#
# **Half true.** The two tables, E · B and E · C, are exact, and contradict the first claim: here the context length
# *is* in it. The E² of the blocks is right too, except for a factor of 12 in each block. With it GPT-2 small's 12
# blocks weigh more than its tables, and twice the width makes 3.37 times the model.
#
# No constant can fix the last row: there are `n_layers` blocks, and by the claim twice as many cost nothing. It holds
# only among models of one depth.
#
# ### "O[TCE + L(T³ + T²H + TE²)] for one token"
#
# The same post has a T³ in the work for *one* new token. We read T as the tokens of the text, C as `d_vocab`, E as
# `d_model`, L as `n_layers` and H as the size of a head. The test of a power: double T and see what happens. Where T³
# rules, the work grows 8 times, whatever the constants.

# %% tags=["active-ipynb", "folded"]
# # @title Draws how the work grows when the text doubles
# def by_the_claim(seq):
#     in_a_layer = seq**3 + seq**2 * 64 + seq * 768**2
#     return seq * 50257 * 768 + 12 * in_a_layer
#
#
# def of_one_token(seq):
#     """With a cache: one position of a pass."""
#     return forward_flops(Config(), seq) / seq
#
#
# doubled_lengths = [2**power for power in range(6, 19)]
# growth = {
#     "the claim": [by_the_claim(2 * n) / by_the_claim(n) for n in doubled_lengths],
#     "counted, no cache": [
#         forward_flops(Config(), 2 * n) / forward_flops(Config(), n)
#         for n in doubled_lengths
#     ],
#     "counted, with a cache": [
#         of_one_token(2 * n) / of_one_token(n) for n in doubled_lengths
#     ],
# }
# for label, times in growth.items():
#     print(f"{label:22}", *(f"{one:.2f}" for one in times))
# for length in (64, 128):  # the counter's word, for your own Transformer
#     half, whole = (
#         counted_flops(lambda n=n: my_gpt2(torch.zeros(1, n, dtype=torch.long)))
#         for n in (length, 2 * length)
#     )
#     print(f"PyTorch's counter, our model, {length} to {2 * length}: {whole / half:.3f}")
# lines(
#     {label: torch.tensor([times]) for label, times in growth.items()},
#     list(growth),
#     [str(length) for length in doubled_lengths],
#     "GPT-2 small: the work for a new token, when the text doubles",
#     x_title="tokens in the text, before it doubles",
#     y_title="times as much",
# ).update_xaxes(type="category")

# %% [markdown]
# **T³ is not there.** No product in a GPT has three sides of length T: the scores are [T d_head] times [d_head T], and
# the blend [T T] times [T d_head]. Counted, the growth goes from 2 towards 4, never beyond; the claim's goes to 8. A T³
# would be right if the causal mask were applied by a product of matrices, tril @ scores. It is not: masking is
# elementwise, T² numbers.
#
# *T²H is the cost of one head*; all heads together cost T² · E (as `n_heads · d_head` is E). *T · C · E is for the
# logits of every position*, and a new token needs those of the last one. And the whole formula is for a program that
# computes everything again for each token. With a cache one token costs O[CE + L(TE + E²)], which grows 2 times at
# most.
