"""Chapter 7: a block, and the whole GPT-2. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 7 · Transformer: your own GPT-2
#
# All the parts are written. You put them together, in two steps of a few lines each: `TransformerBlock`, then
# `Transformer`. Then you load trained weights into yours, see that it answers as the course's model does, and let your
# own GPT-2 tell a story.
#
# And you learn what to do when it is *almost* right. Some classic mistakes leave most stories word for word as they
# are, and move the loss too little to be noticed. Exact checks find them.
#
# About 75 minutes, 35 of them for the two exercises.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError(
#         "This kernel does not have the course. In Colab, run the cell above this one; "
#         "elsewhere, in the course's folder: make lab"
#     ) from None
#
# start("ch07_transformer")

# %%
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.ch02_embeddings import Embed, PosEmbed
from solutions.ch03_layernorm import LayerNorm
from solutions.ch04_attention import Attention
from solutions.ch05_mlp import MLP
from solutions.ch06_unembed import Unembed
from utils.config import Config

# %% tags=["active-ipynb", "folded"]
# # @title Imports what the chapter needs, its tests included
# from dataclasses import replace
# from functools import lru_cache
#
# import torch
#
# from tests.ch07_transformer import test_transformer, test_transformer_block
# from tests.predictions.ch07_transformer import predict, see
# from utils.controls import explore, slider, text_box
# from utils.first_difference import first_difference, mistaken
# from utils.handed_over import parts_done
# from utils.model_map import model_map
# from utils.passages import over_passages, passage_tokens
# from utils.pictures.opened_map import opened_map
# from utils.pieces import pieces
# from utils.plotting import bars, lines
# from utils.plotting.predictions import next_tokens
# from utils.plotting.ranked import ranked
# from utils.plotting.stream import grouped_bars
# from utils.reference import encode, reference, str_tokens
# from utils.texts import typed, wrapped
# from utils.transplant import (
#     TALE,
#     given_to,
#     layer_norm_names,
#     next_token_loss,
#     with_weights,
# )
# from utils.waiting import waiting

# %% tags=["active-ipynb"]
# Embed, PosEmbed, LayerNorm, Attention, MLP, Unembed = pieces(
#     "Embed", "PosEmbed", "LayerNorm", "Attention", "MLP", "Unembed"
# )

# %% [markdown]
# The last cell has printed whose parts these are: *yours*, where they passed in chapters 2 to 6, and the course's own
# where one is missing.

# %% tags=["active-ipynb"]
# model_map("block", "model")

# %% [markdown]
# The map, from left to right; orange marks this chapter. **Tokens** are pieces of text, each with a number. `Embed` and
# `PosEmbed` give each position a vector of `d_model` numbers, and their sum starts the **residual stream**: one vector
# for each position, which the blocks read and add to.
#
# A **block** has two **sublayers**. **Attention** fetches from other positions, the **MLP** works on each position
# alone. Each reads a copy of the stream through a **LayerNorm** (`ln1`, `ln2`), which brings every vector to one scale.
# At the end `ln_final` reads the stream for `Unembed`, which makes the **logits**: one score for each token of the
# vocabulary, at every position.
#
# Inside a block the stream has three names. It is `resid_pre` when the block gets it, `resid_mid` once attention has
# added to it, and `resid_post` at the end.
#
# Our **reference model** is a small GPT-2 of six blocks, trained for this course on 73 children's books (and, to teach
# it copying, on some made-up rows in which phrases repeat).
#
# ## Right parts are not yet a model
#
# If every part is right, the whole should be right too. Or should it? Take the four parts of a block, all of them
# right, with the reference model's weights. Two ways to connect them come to mind:
#
# - **in a chain**: each gives its answer to the next, as layers usually do;
# - **in parallel**: both sublayers read `resid_pre`, and both answers are added to it.
#
# Both give a tensor of the right shape. How far from the real `resid_post` do they end up? To find out, the reference
# model reads 48 passages that it was not trained on: two sets of 24, none in both, so that a finding can be
# checked on a second set. Your LayerNorms record what they are given, which is the stream before and after each block.
# ("How far" is the *norm* of the difference, the root of the sum of its squares.)

# %% tags=["active-ipynb"]
# model = reference()
# makers = {"ln1": LayerNorm, "attn": Attention, "ln2": LayerNorm, "mlp": MLP}
#
#
# def two_ways(at, before):
#     """What two arrangements of a block's right parts make of its resid_pre."""
#     ln1, attn, ln2, mlp = (
#         with_weights(make, f"{at}.{part}") for part, make in makers.items()
#     )
#     attn_answer = attn(ln1(before))
#     return {
#         "in a chain": mlp(ln2(attn_answer)),
#         "in parallel": before + attn_answer + mlp(ln2(before)),
#     }

# %% tags=["active-ipynb"]
# predict(
#     "zeros_nearer",
#     """Instead of the chain's answer, take a vector of zeros. In how many of the six
#     blocks would the zeros be nearer to the real resid_post than the chain's answer?
#     a) in none
#     b) in one or two
#     c) in three or more""",
#     answer="c",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws how far both are from the real resid_post, block by block
# block_names = [f"blocks.{layer}" for layer in range(model.cfg.n_layers)]
# norms = {name: with_weights(LayerNorm, name) for name in layer_norm_names(model.cfg)}
# noted = given_to(norms, passage_tokens())
# streams = [*(noted[f"{at}.ln1"] for at in block_names), noted["ln_final"]]
# gaps = {"in a chain": [], "the norm of resid_post": [], "in parallel": []}
# for at, before, after in zip(block_names, streams[:-1], streams[1:], strict=True):
#     gaps["the norm of resid_post"].append(after.norm(dim=-1).mean())
#     with torch.no_grad():
#         for way, found in two_ways(at, before).items():
#             gaps[way].append((found - after).norm(dim=-1).mean())
# lines(
#     {label: torch.stack(each)[None] for label, each in gaps.items()},
#     list(gaps),
#     block_names,
#     "How far from the real resid_post",
#     y_title="norm, the mean over all positions",
# )

# %% tags=["active-ipynb"]
# of_zeros, of_chain = gaps["the norm of resid_post"], gaps["in a chain"]
# see("zeros_nearer", blocks=(torch.stack(of_zeros) < torch.stack(of_chain)).sum())

# %% [markdown]
# So right parts can make a wrong block. The chain (diamonds) has lost the stream, and from block 2 on it is farther off
# than the zeros, whose distance is the norm of `resid_post` itself (circles). The parallel block (squares) keeps the
# stream and comes nearer. But it is wrong all the same, by 13.1 in block 0, where the norm is 20.4.
#
# Parallel blocks are not nonsense: GPT-J and PaLM have them, behind one LayerNorm for both sublayers, and were trained
# with them. Weights fit the arrangement that they were trained in, and ours were trained in another one.

# %% [markdown]
# ## A block by hand
#
# Take a stream with `d_model = 2`, and one vector of it: 1, 3. Say that attention, whatever it reads, answers 2, 0, and
# that the MLP then answers 0, 1.
#
# 1. `resid_pre` is 1, 3.
# 2. Attention's answer is *added*: `resid_mid` = 1 + 2, 3 + 0 = 3, 3.
# 3. The MLP's answer is added to *that*: `resid_post` = 3 + 0, 3 + 1 = 3, 4.

# %% tags=["active-ipynb"]
# by_hand_pre = torch.tensor([1.0, 3.0])
# by_hand_attn, by_hand_mlp = torch.tensor([2.0, 0.0]), torch.tensor([0.0, 1.0])
# by_hand_steps = {
#     "resid_pre": by_hand_pre,
#     "attention adds": by_hand_attn,
#     "resid_mid": by_hand_pre + by_hand_attn,
#     "the MLP adds": by_hand_mlp,
#     "resid_post": by_hand_pre + by_hand_attn + by_hand_mlp,
# }
# bars(by_hand_steps, "Two sums: what a block does to one vector")

# %% [markdown]
# In each pair of bars the left one is dimension 0, the right one dimension 1.
#
# What the figure leaves out is what each sublayer *reads*. Attention reads `ln1` of `resid_pre`. The MLP reads `ln2` of
# `resid_mid`, which already contains attention's answer.
#
# ### What it is not
#
# - **A block does not replace the stream.** It adds two answers to it.
# - **The LayerNorms do not change the stream itself.** They make the copies that sublayers read. (In the Transformer of
#   2017 they did change it, after each sum: *post-norm*. GPT-2 has them before each sublayer: *pre-norm*.)
# - **The sublayers do not run in parallel.** The MLP can use what attention fetched in the same block.

# %% [markdown] exercise="TransformerBlock" difficulty=2 importance=5 minutes=15
# ## Exercise: write `TransformerBlock`
#
# **What goes in?** `resid_pre`, one vector of `d_model` numbers for each position.
#
# **What comes out?** `resid_post`, the same shape: the stream with both answers added.
#
# `__init__` is given. Write `forward`: two lines are enough.
#
# **Before you code**: how many times does `resid_pre` appear in the line that makes `resid_mid`?
#
# <details><summary>Answer</summary>
#
# Twice: once as what is added to, and once, through `ln1`, as what attention reads. If it appears only once, the stream
# is lost.
#
# </details>


# %%
class TransformerBlock(nn.Module):
    """Attention, then the MLP; each reads a normalised copy of the stream, adds to it.

    Source: openai/gpt-2 src/model.py, block(); Radford et al. 2019, section 2.3
    (pre-norm).
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(
        self, resid_pre: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))
        # END SOLUTION


# %% [markdown] hint="idea"
# Follow the thick line of the map. At both plus signs of the block a sublayer's answer arrives from above. Ask at each:
# what is on the line *here*, and a copy of which stream has the sublayer read?
#
# Give the stream between the two plus signs its name, `resid_mid`. What comes after it does not need `resid_pre` any
# more.

# %% [markdown] hint="pseudocode"
# ```text
# resid_mid = resid_pre, plus what attention answers to its normalised copy
# return the same again, one sublayer later: what takes resid_pre's place?
# ```

# %% tags=["active-ipynb"]
# test_transformer_block(TransformerBlock)

# %% [markdown]
# The test checked the two sums first, with attention's `W_O` and the MLP's `W_out` at 0: then the sublayers write only
# their biases, whatever they read.
#
# Do the six blocks of the reference model come out right with your code?

# %% tags=["active-ipynb"]
# for at in block_names:
#     before, after = (
#         model.activations[f"{at}.hook_resid_{end}"] for end in ("pre", "post")
#     )
#     with torch.no_grad():
#         gap = (with_weights(TransformerBlock, at)(before) - after).norm(dim=-1).mean()
#     print(f"your {at}: {gap:.3f} away from the real resid_post")

# %% [markdown]
# ### Is the input still in the output?
#
# Because a block only adds, `resid_pre` seems to be safe: it is one of the summands of `resid_post`. Is it? The next
# table compares the stream before and after each block, on the passages: its norm, the *cosine* between before and
# after (1: the same direction, 0: at right angles), and how many times the token's own vector, its row of `W_E`, is in
# it. (Position 0 is left out, because its vector is unlike all others.)

# %% tags=["active-ipynb"]
# predict(
#     "own_vector",
#     """The token's own vector enters block 0 once. How many times is it in the stream
#     after that block?
#     a) about once, since the block only adds to it
#     b) 1.5 times or more: the block makes it stronger
#     c) less than half a time: the block removes it""",
#     answer="c",
# )

# %% tags=["active-ipynb"]
# own_vectors = with_weights(Embed, "embed")(passage_tokens())[:, 1:]
#
#
# def of_its_own(stream):
#     """How many times the token's own vector is in the stream, as a projection."""
#     return (stream * own_vectors).sum(dim=-1) / own_vectors.pow(2).sum(dim=-1)
#
#
# def by_set(numbers):
#     """The mean of the first 24 passages' numbers, and of the other 24's."""
#     return " | ".join(f"{half.float().mean():5.2f}" for half in numbers.chunk(2))
#
#
# print("in the first 24 passages | in the other 24")
# print("            norm before, after       cosine      own vector after")
# each_stream = [stream[:, 1:] for stream in streams]
# for at, before, after in zip(
#     block_names, each_stream[:-1], each_stream[1:], strict=True
# ):
#     lengths = [stream.norm(dim=-1).mean() for stream in (before, after)]
#     cosine = by_set(torch.cosine_similarity(before, after, dim=-1))
#     print(f"{at:12} {lengths[0]:6.1f} {lengths[1]:10.1f}      {cosine}", end="   ")
#     print(by_set(of_its_own(after)))

# %% tags=["active-ipynb"]
# see("own_vector", times=of_its_own(each_stream[1]).mean())

# %% [markdown]
# Block 0 builds a new stream: what leaves it is twenty times as long as what entered, and at a right angle to it. The
# blocks in the middle change the direction little, the last one more. (At the end the token's own vector is back, on
# average, but as a small part of a stream thirty times as long.)
#
# So the plus sign means that a block *can* leave the stream as it is, not that it will. What the sum does guarantee is
# that gradients have a way past every block (chapter 1).

# %% [markdown]
# ## From tokens to logits
#
# The rest of the map is short:
#
# 1. **The start**: the token's vector plus the position's vector.
# 2. **The blocks**, `cfg.n_layers` of them, one after the other. Each takes the stream and gives back the stream.
# 3. **The end**: `ln_final`, then `unembed`. Nothing is added here: only `unembed` reads what `ln_final` gives.
#
# **Before you code**: the blocks must be kept where PyTorch finds them, in an `nn.ModuleList` (or an `nn.Sequential`,
# which can also run them). What would go wrong with a Python list?
#
# <details><summary>Answer</summary>
#
# Nothing that you would notice at first: the forward pass works. But PyTorch looks for parameters in attributes that
# are modules, and a list is not one. `parameters()` leaves the blocks out, so no weights would be loaded into them and
# no optimiser would train them.
#
# </details>

# %% [markdown] exercise="Transformer" difficulty=3 importance=5 minutes=20
# ## Exercise: write `Transformer`
#
# **What goes in?** `tokens`, whole numbers [batch pos].
#
# **What comes out?** Logits [batch pos d_vocab]: at every position one score for each token that may come next. No
# softmax.
#
# Write both parts. The names in `__init__` are fixed, since the weights are loaded by name: `embed`, `pos_embed`,
# `blocks`, `ln_final`, `unembed`. Each part takes the `Config`.


# %%
class Transformer(nn.Module):
    """GPT-2: tokens in, logits for the next token at every position out.

    The parameter names are TransformerLens's, so `dict(bridge.tl_named_parameters())`
    loads with `strict=True`.

    Source: openai/gpt-2 src/model.py, model().
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        # BEGIN SOLUTION
        self.embed = Embed(cfg)
        self.pos_embed = PosEmbed(cfg)
        self.blocks = nn.ModuleList(TransformerBlock(cfg) for _ in range(cfg.n_layers))
        self.ln_final = LayerNorm(cfg)
        self.unembed = Unembed(cfg)
        # END SOLUTION

    def forward(
        self, tokens: Int[Tensor, "batch pos"]
    ) -> Float[Tensor, "batch pos d_vocab"]:
        # BEGIN SOLUTION
        resid = self.embed(tokens) + self.pos_embed(tokens)
        for block in self.blocks:
            resid = block(resid)
        return self.unembed(self.ln_final(resid))
        # END SOLUTION


# %% [markdown] hint="idea"
# `__init__`: five attributes. Four of them are one part each; `blocks` holds `cfg.n_layers` blocks, and each has to be
# a new one, or they would share their weights.
#
# `forward`: three steps, as above. Both tables are called on `tokens`. In the loop, each block's answer *is* the new
# stream.

# %% [markdown] hint="pseudocode"
# ```text
# __init__:  embed, pos_embed, ln_final, unembed: each made of cfg
#            blocks = ModuleList of cfg.n_layers new TransformerBlocks
#
# forward:   resid = embed of tokens, plus pos_embed of tokens
#            for each block in order:
#                resid = block(resid)
#            return unembed(ln_final(resid))
# ```

# %% tags=["active-ipynb"]
# test_transformer(Transformer)

# %% [markdown]
# ## Load it
#
# A model is code and weights. The code is yours now; the weights of the reference model have the same names, so each
# can be put in its place. `strict=True` insists that no weight is left over and none is missing.

# %% tags=["active-ipynb"]
# my_gpt2 = Transformer(model.cfg)
# my_gpt2.load_state_dict(dict(model.weights), strict=True)
# with torch.no_grad():
#     my_logits = my_gpt2(model.tokens)
#
# names = list(model.weights)
# print(f"{len(names)} tensors loaded, from {names[0]} to {names[-1]}")
# print(f"{my_logits.numel():,} logits for {model.tokens.numel()} tokens,", end=" ")
# print(f"from {my_logits.min():.1f} to {my_logits.max():.1f}")
# apart = (my_logits - model.activations["unembed.hook_out"]).abs().max()
# print(f"largest difference to the reference model's: {apart:.3f}")

# %% [markdown]
# All 102 tensors were loaded, and the logits agree to three decimals. They need not be equal to the last bit, because
# floating-point sums in another order end in different digits.
#
# Start Jupyter with the environment variable `COURSE_REFERENCE=gpt2`, and the same cell loads OpenAI's GPT-2 small (0.5
# GB, downloaded once). Nothing in your code knows which model it is. (More experiments counts the parameters of both,
# and shows how a fresh model starts.)
#
# ### Look inside it
#
# The map again, but now its boxes open. Each shows what *your* model has there while it reads one text: a row for each
# position, a column for each dimension that is drawn. Click a box; or reach the map with Tab, go from box to box with ←
# and →, and press Enter. In an open box ↑ and ↓ change the block. What you wrote is green.

# %% tags=["active-ipynb"]
# one_text = encode("\nOnce upon a time there was a little")
# opened_map(my_gpt2, one_text, model_map(done=parts_done()))

# %% [markdown]
# Open `resid_pre`, the first name on the thick line, and go through the blocks with ↓. From block 1 on two of the
# columns that are drawn stand out, one blue (dimension 45) and one red (dimension 177), and the norm of the first row
# grows far larger than any other. One text is for looking, and many are for concluding. In the passages the red column
# and the large first row are always there, but the blue column does not reach to the end (More experiments).

# %% [markdown]
# ## See it work
#
# What does your GPT-2 expect next? Type a text and press Enter. The slider says how many of the blocks the stream goes
# through before `ln_final` and `unembed` read it. (`·` is a space, `⏎` a line break. The scale changes with the longest
# bar: read the numbers.)

# %% tags=["active-ipynb"]
# @lru_cache(maxsize=8)  # the model runs once for each text
# def read_after_each(text):
#     """The probabilities of the next token, read after 0, 1, 2, ... blocks."""
#     tokens = typed(text)
#     with torch.no_grad():
#         stream = my_gpt2.embed(tokens) + my_gpt2.pos_embed(tokens)
#         last_vectors = [stream[:, -1:]]
#         for block in my_gpt2.blocks:
#             stream = block(stream)
#             last_vectors.append(stream[:, -1:])
#         logits = my_gpt2.unembed(my_gpt2.ln_final(torch.cat(last_vectors)))
#     return logits[:, 0].softmax(dim=-1)

# %% tags=["active-ipynb"]
# def likeliest(text, blocks):
#     best = read_after_each(text)[blocks].topk(8)
#     title = f"What comes next, after {blocks} of {len(my_gpt2.blocks)} blocks"
#     return next_tokens(best.values, str_tokens(best.indices), title)
#
#
# explore(
#     likeliest,
#     text=text_box("Once upon a time there was a little"),
#     blocks=slider(0, model.cfg.n_layers, model.cfg.n_layers),
# )

# %% [markdown]
# After all six blocks the model is unsure, and rightly so, because many words could follow: `·boy` and `·girl` get 0.05
# each. With the slider at 0 it seems very sure of `·little`, the token that it has just read. But that is not a thought
# of the model: `ln_final` and `unembed` were trained on the stream after the last block, and what they read off an
# earlier one is a probe. (Chapter 6 has more.)

# %% [markdown]
# ## Where does it go wrong?
#
# Suppose the logits had *not* agreed. They would only tell you that something is wrong somewhere. `first_difference`
# tells you where: it runs your model on the reference model's tokens, and compares what every part *reads* and what it
# *gives* with what the library TransformerLens recorded, from the embedding to the logits. The first line that differs
# says where to look.
#
# Try it on a block that runs its sublayers in parallel. `mistaken` puts a function in place of every block's `forward`.

# %% tags=["active-ipynb"]
# predict(
#     "first_stage",
#     """In block 0 both sublayers read resid_pre, and both answers are added to it. What
#     is the first thing that differs from the right model?
#     a) what attention gives
#     b) what ln2 reads
#     c) what the MLP gives
#     d) what the block gives""",
#     answer="b",
# )

# %% tags=["active-ipynb"]
# def in_parallel(block, resid_pre):
#     return (
#         resid_pre + block.attn(block.ln1(resid_pre)) + block.mlp(block.ln2(resid_pre))
#     )
#
#
# print(first_difference(my_gpt2))
# print()
# with mistaken(my_gpt2, block=in_parallel):
#     when_parallel = first_difference(my_gpt2)
# print(when_parallel)

# %% tags=["active-ipynb"]
# first = when_parallel.first
# see("first_stage", first=f"{first.part} {first.verb}")

# %% [markdown]
# The right model agrees everywhere. In the mistaken one `ln2` should read `resid_mid`, and attention's answer is
# missing from what it reads. Every later stage differs too.
#
# What matters is whether the first line that differs says *reads* or *gives*. A part that reads the right thing and
# gives a wrong one is wrong inside. If a part reads a wrong thing, look at the line that calls it, and above.

# %% [markdown]
# ## Which mistakes show?
#
# A model that tells good stories seems to be right. To see whether that can be trusted, put seventeen classic mistakes,
# one at a time, into your correct model with the trained weights. Five are inside a part, and twelve put right parts
# together wrongly. Here are two of each kind:

# %% tags=["active-ipynb"]
# def unbiased(ln, x):
#     centred = x - x.mean(dim=-1, keepdim=True)
#     return centred / (x.var(dim=-1, keepdim=True) + 1e-5).sqrt() * ln.w + ln.b
#
#
# def exact_gelu(mlp, x):
#     return nn.functional.gelu(x @ mlp.W_in + mlp.b_in) @ mlp.W_out + mlp.b_out
#
#
# def stream_overwritten(block, x):
#     x = block.ln1(x)
#     x = x + block.attn(x)
#     x = block.ln2(x)
#     return x + block.mlp(x)
#
#
# def added_to_resid_pre(block, resid_pre):
#     resid_mid = resid_pre + block.attn(block.ln1(resid_pre))
#     return resid_pre + block.mlp(block.ln2(resid_mid))

# %% tags=["active-ipynb", "folded"]
# # @title The other thirteen, and the names of all
# def eps_outside(ln, x):
#     centred = x - x.mean(dim=-1, keepdim=True)
#     spread = x.std(dim=-1, keepdim=True, correction=0)
#     return centred / (spread + 1e-5) * ln.w + ln.b
#
#
# def tiny_eps(ln, x):
#     return nn.functional.layer_norm(x, x.shape[-1:], ln.w, ln.b, 1e-12)
#
#
# def rms_norm(ln, x):
#     return nn.functional.rms_norm(x, x.shape[-1:], ln.w, 1e-5) + ln.b
#
#
# def mlp_first(block, x):
#     x = x + block.mlp(block.ln2(x))
#     return x + block.attn(block.ln1(x))
#
#
# def ln1_twice(block, x):
#     x = x + block.attn(block.ln1(x))
#     return x + block.mlp(block.ln1(x))
#
#
# def post_norm(block, x):
#     x = block.ln1(x + block.attn(x))
#     return block.ln2(x + block.mlp(x))
#
#
# def whole(start=None, each=None, end=None):
#     """A forward of the whole model with one of its steps replaced."""
#
#     def forward(gpt2, tokens):
#         resid = gpt2.embed(tokens) + gpt2.pos_embed(tokens)
#         if start:
#             resid = start(gpt2, tokens)
#         for block in gpt2.blocks:
#             resid = each(gpt2, block, resid, tokens) if each else block(resid)
#         return gpt2.unembed(end(gpt2, resid) if end else gpt2.ln_final(resid))
#
#     return forward
#
#
# mistakes = {
#     "none": {},
#     "eps outside the root": {"ln": eps_outside},
#     "eps = 1e-12 (BERT's)": {"ln": tiny_eps},
#     "exact GELU": {"mlp": exact_gelu},
#     "unbiased variance": {"ln": unbiased},
#     "no slide (RMSNorm)": {"ln": rms_norm},
#     "positions added in every block": {
#         "model": whole(
#             start=lambda g, t: g.embed(t),
#             each=lambda g, block, x, t: block(x + g.pos_embed(t)),
#         )
#     },
#     "no ln_final": {"model": whole(end=lambda g, x: x)},
#     "sublayers in parallel": {"block": in_parallel},
#     "MLP before attention": {"block": mlp_first},
#     "x + ln_final(x)": {"model": whole(end=lambda g, x: x + g.ln_final(x))},
#     "embedding times √d_model": {
#         "model": whole(
#             start=lambda g, t: g.embed(t) * g.cfg.d_model**0.5 + g.pos_embed(t)
#         )
#     },
#     "MLP's answer added to resid_pre": {"block": added_to_resid_pre},
#     "no positions": {"model": whole(start=lambda g, t: g.embed(t))},
#     "block 0 in every layer": {
#         "model": whole(each=lambda g, block, x, t: g.blocks[0](x))
#     },
#     "ln1 used twice": {"block": ln1_twice},
#     "x = ln(x) overwrites the stream": {"block": stream_overwritten},
#     "post-norm": {"block": post_norm},
# }
# mistake_names = list(mistakes)[1:]
# where = [next(iter(mistakes[name])) for name in mistake_names]  # what is replaced
# for each_where, name in zip(where, mistake_names, strict=True):
#     print(f"{each_where:6} {name}")

# %% [markdown]
# The list says where each mistake is made: in every LayerNorm (`ln`), in every MLP, in every block, or in the `forward`
# of the whole model. (The *slide* is LayerNorm's first step, which subtracts the mean.) First look at the stories: each
# model goes on from "Once upon a time", eight times with the likeliest next token. (To select the mistakes of two
# places, write `(where == 'block') | (where == 'model')`.)

# %% tags=["active-ipynb"]
# def continued(gpt2, tokens, new_tokens):
#     """The tokens, and again and again the likeliest next one."""
#     with torch.no_grad():
#         for _ in range(new_tokens):
#             last_logits = gpt2(tokens[:, -gpt2.cfg.n_ctx :])[:, -1:]
#             tokens = torch.cat([tokens, last_logits.argmax(dim=-1)], dim=1)
#     return tokens

# %% tags=["active-ipynb"]
# predict(
#     "same_story",
#     """Which of these mistakes leave the story word for word as the right model tells
#     it? Write a line that selects them, such as: where == 'block'""",
#     mistake=mistake_names,
#     where=where,
#     answer="(where == 'ln') | (where == 'mlp')",
# )

# %% tags=["active-ipynb"]
# opening, stories = encode("Once upon a time"), {}
# for name, replaced in waiting(mistakes.items(), "telling"):
#     with mistaken(my_gpt2, **replaced):
#         story = continued(my_gpt2, opening, 8)[0, opening.shape[1] :]
#     stories[name] = "".join(str_tokens(story))
#     print(f"{name:32}{stories[name]!r}")

# %% tags=["active-ipynb"]
# as_right = [stories[name] == stories["none"] for name in mistake_names]
# see("same_story", as_right=as_right)

# %% [markdown]
# Ten of these seventeen stories read like English, so here, without the right story beside them, you would notice fewer
# than half of the mistakes. Perhaps a number can do better. Let each model read the 48 passages. The **loss** is the
# mean of −log(probability) of what really came next, in *nats*, the unit of the natural logarithm; 0 would be perfect
# foresight, and the right model has 3.4. (How big is big? A loss that is 0.01 higher means probabilities 1 % lower; one
# that is 1 higher divides them by 2.7.)

# %% tags=["active-ipynb"]
# predict(
#     "parallel_cost",
#     """With its sublayers in parallel the model told a story in fluent English. The
#     right model loses 3.4 nats, equal probabilities 8.3. How many nats more than the
#     right model does the parallel one lose? (A number, to within a factor of 2.)""",
#     answer="1.2",
# )

# %% tags=["active-ipynb"]
# def loss_on_each():
#     """Your model's loss on each passage."""
#     return over_passages(lambda tokens: next_token_loss(my_gpt2(tokens), tokens))
#
#
# right_losses = loss_on_each()
# more, first_at = {}, {}
# for name, replaced in waiting(mistakes.items(), "reading"):
#     with mistaken(my_gpt2, **replaced):
#         more[name] = loss_on_each() - right_losses
#         first_at[name] = first_difference(my_gpt2).first

# %% tags=["active-ipynb", "folded"]
# # @title Draws how far each mistake moves the loss
# print(f"the right model's loss: {right_losses.mean:.2f} nats,", end=" ")
# print(f"give or take {right_losses.values.std():.2f} from passage to passage")
# moved = {
#     name: change.values.abs().mean().clamp(min=1e-4) for name, change in more.items()
# }
# del moved["none"]
# ranked(
#     dict(sorted(moved.items(), key=lambda item: item[1], reverse=True)),
#     "How far each mistake moves the loss",
#     x_title="nats, up or down (0.0001: or less)",
#     log_x=True,
# )

# %% tags=["active-ipynb"]
# see("parallel_cost", nats=more["sublayers in parallel"].mean)

# %% [markdown]
# **Fluent is not right.** A model can write English and still lose a nat or more on what really came next: with
# `x + ln_final(x)`, and from this opening even with its sublayers in parallel.
#
# **And a good loss is not right either.** The five mistakes inside a part are *quiet*: they move a text's loss by 0.002
# nats or less on average, although the texts themselves differ by some 0.4. (On the scale each step to the right is ten
# times as much.) Three of them even do better than the right model on 19 to 24 of the 48 passages: pick the model with
# the lower loss, and you may pick a broken one (More experiments).
#
# So where does each mistake show first?

# %% tags=["active-ipynb", "folded"]
# # @title Prints where each mistake shows first
# for name, first in first_at.items():
#     print(f"{name:32}  {f'{first.part} {first.verb}' if first else '-'}")

# %% [markdown]
# **The comparison finds them all**, and is silent where nothing is wrong. The mistakes inside a part show where that
# part *gives*. The others show where something is *read*, except one: an answer that is added to `resid_pre` shows in
# what the block gives, since the last sum is the wrong one. ("block 0 in every layer" shows late, since the other
# blocks are never called.)
#
# A doubter may say that eight tokens are too few. In 96 longer stories the three largest quiet mistakes do show, but
# only in some: leaving out the slide changes a quarter of these stories, and the eps mistakes change none of them (More
# experiments).
#
# So it takes exact checks to see what loss and story don't. On the reference model `test_transformer` allows a logit to
# differ by 0.0015: rounding makes less than a third of that ("Load it"), and even eps in the wrong place makes more
# (More experiments). It also tests with random weights and odd settings, such as `layer_norm_eps=0.1`: to see a
# mistake, go where it is large.
#
# **What this does not show**: how well a model *trained* with one of these mistakes does. It may do as well as any,
# because post-norm, parallel blocks and RMSNorm are all in use. Here they are mistakes because these weights were
# trained without them.

# %% [markdown]
# ## A bug in the wild
#
# Blocks can also be wrong in a way that neither logits nor stories nor `first_difference` can show. PyTorch's own
# `nn.TransformerEncoder` makes its layers this way. Issue 72253 reported it in February 2022, and since 2025 the
# documentation warns about it. The class below is ours, with the same pattern in two lines. It passes
# `test_transformer`, its weights load, and then every logit is right. What is wrong, and when would it matter? Mend it.


# %%
class CopiedBlocks(Transformer):
    """A Transformer whose blocks are made by a published pattern, with its mistake."""

    def __init__(self, cfg: Config):
        super().__init__(cfg)
        # BEGIN SOLUTION
        self.blocks = nn.ModuleList(TransformerBlock(cfg) for _ in range(cfg.n_layers))
        # INSTEAD OF
        # from copy import deepcopy
        # block = TransformerBlock(cfg)
        # self.blocks = nn.ModuleList(deepcopy(block) for _ in range(cfg.n_layers))
        # END SOLUTION


# %% tags=["active-ipynb", "folded"]
# # @title Judges your CopiedBlocks before any weights are loaded
# copied = CopiedBlocks(model.cfg)
# drawn_weights = [block.attn.W_Q for block in copied.blocks]
# separate = len({id(weight) for weight in drawn_weights}) == model.cfg.n_layers
# assert separate, "one block in several places: each layer needs a block of its own"
# twins = sum(torch.equal(drawn_weights[0], weight) for weight in drawn_weights[1:])
# assert not twins, (
#     f"W_Q of {twins} more blocks starts with the very numbers of block 0's: "
#     "were they drawn once, or for each block?"
# )
# print("Mended: each block starts with random numbers of its own.")

# %% [markdown]
# <details><summary>Answer</summary>
#
# `deepcopy` copies the block with its numbers. So the random weights are drawn once, and all blocks start out alike.
# (They are copies, not one block several times: each gets its own gradients, and training can pull them apart.) Make a
# new block each time: `TransformerBlock(cfg) for _ in range(cfg.n_layers)`.
#
# It can matter only when you train from the start, because loading trained weights overwrites the copies. We have not
# measured what it costs. "The Annotated Transformer" clones its layers in the same way, but then draws all its weight
# matrices again, so of its random numbers only the biases start alike.
#
# </details>

# %% [markdown]
# ## Check your understanding
#
# **1.** A new `Transformer` from `__init__`, with no weights loaded. What is its loss, about, and why?
#
# <details><summary>Answer</summary>
#
# About log(d_vocab), 8.3 nats for our 4096 tokens: its logits are close to each other, so each token gets about the
# same probability. The cell below measures it.
#
# </details>

# %% tags=["active-ipynb"]
# torch.manual_seed(0)
# fresh, tale_tokens = Transformer(model.cfg), encode(TALE)
# with torch.no_grad():
#     fresh_loss = next_token_loss(fresh(tale_tokens), tale_tokens)
# print(f"a fresh model: {fresh_loss:.1f} nats;", end=" ")
# print(f"log(d_vocab) = {torch.tensor(float(model.cfg.d_vocab)).log():.1f}")

# %% [markdown]
# **2.** All of a model's `W_O`, `b_O`, `W_out` and `b_out` are 0. What does it predict from?
#
# <details><summary>Answer</summary>
#
# From the token at the position itself and the position's number, nothing else: no sublayer writes anything, so the
# stream that reaches `ln_final` is the sum of the two tables' vectors. It can know which token often follows which, but
# not which tokens came earlier.
#
# </details>
#
# **3.** Your model's logits differ from the reference model's by 0.03. The stories are the same. Rounding?
#
# <details><summary>Answer</summary>
#
# Not in float32, where rounding alone stayed below 0.0005. With the exact GELU in place of the tanh form it was 0.02
# (More experiments). Run `first_difference`: it shows which part. (In float16 rounding alone can make as much.)
#
# </details>
#
# **4.** Why does `test_transformer` try the model with two blocks *and* with three?
#
# <details><summary>Answer</summary>
#
# Two blocks already show whether they are in reverse order, or whether the first is used twice. But a 2 in place of
# `cfg.n_layers` passes every test that has two blocks.
#
# </details>

# %% [markdown]
# ## I get this error
#
# <details><summary>Missing key(s), unexpected key(s), sizes that don't match, and others</summary>
#
# - **`Missing key(s) in state_dict: "blocks.0.attn.mask"`** (or another name that no weight has): one of your parts
#   keeps a tensor in a *buffer*. That is fine, but it should not be saved: `self.register_buffer("mask", ...,
#   persistent=False)`.
# - **`Unexpected key(s) in state_dict: "blocks.0.ln1.w", ...`**, all of the blocks: they are in a Python list. Use
#   `nn.ModuleList`.
# - **`Unexpected key(s) in state_dict: "blocks.1..."`, and block 0 is fine**: there is only one block. Make
#   `cfg.n_layers` of them.
# - **Everything loads, and the logits are wrong**: `[TransformerBlock(cfg)] * n` is one block n times. Make a new one
#   for each layer.
# - **`size mismatch for ...`**: a size is written as a number in one of your parts. Take it from `cfg`.
# - **`'NoneType' object has no attribute ...` in the second block**: your block returns nothing. It ends with
#   `return`.
# - **`The size of tensor a (300) must match the size of tensor b (256)`** or **`IndexError`** on a long text: `W_pos`
#   has `n_ctx` rows, and the text has more tokens than that.
# - **`TransformerBlock: write this part`**: the block is still the stub. Write it, and run its cell before this one.
#
# </details>

# %% [markdown]
# ## Your GPT-2 tells a story
#
# From the token numbers to the logits this is now your own code (or the course's, where a part of yours is missing).
# `continued`, above, takes the likeliest next token each time.

# %% tags=["active-ipynb"]
# prompt = encode("Once upon a time")
# if model.name == "gpt2":  # which was trained on texts without <|endoftext|> in front
#     prompt = encode("Alan Turing theorized that computers would one day become")[:, 1:]
# told = prompt
# for _ in waiting(range(40), "telling"):
#     told = continued(my_gpt2, told, 1)
# print(wrapped("".join(str_tokens(told[0])).removeprefix("<|endoftext|>")))

# %% [markdown]
# It begins like a story and ends in a loop, and it is no exception: in 48 stories that begin in other ways the model
# says hundreds of phrases of four tokens twice, where real passages of that length repeat a handful (More experiments).
# Chapter 8 looks into this, and has the cures.

# %% [markdown]
# ## Where to read more
#
# - Radford et al. 2019, *Language Models are Unsupervised Multitask Learners*, section 2.3: GPT-2's changes to GPT-1,
#   in one paragraph: LayerNorm at the input of each sublayer, one more after the last block, the factor 1/√N.
# - openai/gpt-2, [src/model.py](https://github.com/openai/gpt-2/blob/master/src/model.py): `block` and `model`, about
#   forty lines.
# - Vaswani et al. 2017, *Attention Is All You Need*, [arXiv:1706.03762](https://arxiv.org/abs/1706.03762): post-norm,
#   and the embedding times √d_model (section 3.4).
# - Xiong et al. 2020, *On Layer Normalization in the Transformer Architecture*,
#   [arXiv:2002.04745](https://arxiv.org/abs/2002.04745): pre-norm against post-norm.
# - PyTorch, [issue 72253](https://github.com/pytorch/pytorch/issues/72253) and [issue
#   86274](https://github.com/pytorch/pytorch/issues/86274): layers that start as copies.
# - Wang and Komatsuzaki 2021, [GPT-J-6B](https://github.com/kingoflolz/mesh-transformer-jax), and Chowdhery et al.
#   2022, *PaLM*, [arXiv:2204.02311](https://arxiv.org/abs/2204.02311), section 2: parallel blocks.
# - Elhage et al. 2021, [A Mathematical Framework for Transformer
#   Circuits](https://transformer-circuits.pub/2021/framework/index.html): the residual stream as a channel that all
#   parts share.

# %% [markdown] tags=["folded"]
# ## More experiments

# %% [markdown]
# ### Two columns and a first row
#
# In the opened map two columns of the stream and its first row stand out. Is that so in any text, or in this one alone?

# %% tags=["active-ipynb"]
# print("shares of positions, in the first 24 passages | in the other 24")
# print("          norm at 0, later   45 > 0 at 1-9   45 > 0 from 50   177 < 0")
# for at, stream in zip(block_names, streams[:-1], strict=True):
#     norm, later = stream.norm(dim=-1), stream[:, 1:]
#     print(f"{at} {norm[:, 0].mean():9.1f} {norm[:, 1:].median():6.1f}", end="   ")
#     shares = (later[:, :9, 45] > 0, later[:, 49:, 45] > 0, later[..., 177] < 0)
#     print(*map(by_set, shares), sep="   ")

# %% [markdown]
# - **The red column** is there in every passage: before blocks 1 to 5, dimension 177 is below zero at nearly every
#   position. (Only one dimension in three is drawn. Among the others 122 and 124 are just as steady, and larger on
#   average.)
# - **The blue column** depends on the position. Before blocks 1 to 5, dimension 45 is above zero at positions 1 to 9,
#   but from position 50 on only at a quarter to a half. These are the earlier ones: up to 79 it is above zero nearly
#   everywhere, from 180 on hardly anywhere (measured when the course was made). A longer text would have shown that.
# - **The first row** is the same in every text, since position 0 holds `<|endoftext|>` and sees only itself. Before
#   block 5 its norm is 153.5; the median of the others is 29.8.

# %% [markdown]
# ### Where the parameters are
#
# How large is what you have built? Count the parameters in each part, for our sizes and for those of GPT-2 small. (On
# PyTorch's device `meta` tensors have shapes but hold no numbers, so GPT-2 small takes no memory.)

# %% tags=["active-ipynb", "folded"]
# # @title Draws which part holds how much of all parameters
# def parameters_by_part(gpt2):
#     """How many parameters each kind of part holds."""
#     parts = {
#         "embed": [gpt2.embed],
#         "pos_embed": [gpt2.pos_embed],
#         "attention": [block.attn for block in gpt2.blocks],
#         "MLP": [block.mlp for block in gpt2.blocks],
#         "unembed": [gpt2.unembed],
#         "LayerNorms": [
#             gpt2.ln_final,
#             *(ln for block in gpt2.blocks for ln in (block.ln1, block.ln2)),
#         ],
#     }
#     counts = {
#         part: sum(weights.numel() for one in found for weights in one.parameters())
#         for part, found in parts.items()
#     }
#     return torch.tensor(list(counts.values())), list(counts)
#
#
# part_shares = {}
# for label, cfg in {"our model": model.cfg, "GPT-2 small": Config()}.items():
#     with torch.device("meta"):
#         gpt2 = Transformer(cfg)
#     counts, parts = parameters_by_part(gpt2)
#     part_shares[label] = (100 * counts / counts.sum()).round(decimals=1)
#     print(f"{label:11}: {counts.sum():,} parameters,", end=" ")
#     print(f"{counts.sum() - counts[parts.index('unembed')]:,} without unembed")
# grouped_bars(
#     part_shares,
#     parts,
#     "Where the parameters are",
#     y_title="% of all parameters",
# )

# %% [markdown]
# Our model (the left bar of each pair) has 41 % of its parameters in the MLPs, 21 % in attention, and 18 % in each of
# the two tables for tokens; its LayerNorms hold one in a thousand. GPT-2 small (the right bar) has a vocabulary twelve
# times as large, and so a larger share in the tables.
#
# You counted 163,087,441 where GPT-2 small is known for 124 million. In GPT-2 `unembed` *is* the table of `embed`,
# transposed, and is counted once (chapter 6): 124,439,808. In your class, as in TransformerLens, it is a separate
# tensor, with a bias. So the course says that its model has 3.5 million parameters, and yours holds 4,295,680. With
# trained weights this makes no difference. In training it does, because yours would have 786,432 more to learn (`W_U`;
# the bias of 4096 is frozen at 0).

# %% [markdown]
# ### How a fresh model starts
#
# Before training all weights are small random numbers. Each sublayer adds a vector in a random direction, so the stream
# grows with the number of sublayers. GPT-2's authors took care of that: "We scale the weights of residual layers at
# initialization by a factor of 1/√N where N is the number of residual layers" (section 2.3). What does this factor do
# to your model, with six blocks and with more?

# %% tags=["active-ipynb"]
# some_tokens = passage_tokens()[:2, :64]
#
#
# def last_norm(n_layers, shrink):
#     """The norm of the last stream of a fresh model."""
#     gpt2 = Transformer(replace(model.cfg, n_layers=n_layers))
#     with torch.no_grad():
#         for block in gpt2.blocks:
#             block.attn.W_O *= shrink
#             block.mlp.W_out *= shrink
#         resid = gpt2.embed(some_tokens) + gpt2.pos_embed(some_tokens)
#         for block in gpt2.blocks:
#             resid = block(resid)
#     return resid.norm(dim=-1).mean()
#
#
# for n_layers in waiting((6, 12, 24, 48), "starting"):
#     n_residual = 2 * n_layers  # two sublayers in each block
#     found = []
#     for shrink in (1.0, n_residual**-0.5):
#         torch.manual_seed(0)
#         found.append(last_norm(n_layers, shrink))
#     drawn, shrunk = found
#     print(f"{n_layers:2} blocks: {drawn:4.1f}, by 1/√{n_residual} {shrunk:.1f}")

# %% [markdown]
# With the weights as drawn the last stream has a norm of 3.1 after six blocks and 9.9 after 48: it grows about as the
# root of the number of sublayers, as sums of random vectors do. With the factor it is 0.9 at every depth. Your
# `__init__` may have the factor or not, as you like: the test accepts both, and loading weights overwrites either.
#
# **Dropout**, which zeroes some numbers at random during training, is another thing that you have not written and do
# not need: outside training it is switched off. HuggingFace's GPT-2 has it with a probability of 0.1, OpenAI's
# published code has none.

# %% [markdown]
# ### What is read off earlier blocks
#
# The slider of "See it work", stop by stop:

# %% tags=["active-ipynb"]
# for blocks, chances in enumerate(
#     read_after_each("Once upon a time there was a little")
# ):
#     (best,) = str_tokens(chances.argmax()[None])
#     print(f"after {blocks} blocks: {best!r}, probability {chances.max():.2f}")

# %% [markdown]
# With no block at all the answer is the token itself, " little", with a probability of 1.00. After one block and up to
# five it is a comma. Only the last block puts " boy" first, and only with 0.05; in "See it work" `·girl` has as much
# and `·house` half of it.

# %% [markdown]
# ### Longer stories, more of them
#
# Let the right model tell 40 tokens from the beginning of each passage, once after 15 of its tokens, once after 4. Each
# mistaken model reads these 96 stories: where its likeliest token is always the next of the story, it would have told
# the same story. How many change?

# %% tags=["active-ipynb", "folded"]
# # @title Counts the stories that change
# n_new, stories_after = 40, {}
# for given in (16, 5):  # a line break, and 15 or 4 tokens of the passage
#     told_on = passage_tokens()[:, : 1 + given]
#     for _ in waiting(range(n_new), "telling"):
#         told_on = continued(my_gpt2, told_on, 1)
#     stories_after[given] = told_on
#
#
# def changed_by(replaced):
#     """Of how many passages a mistaken model would tell each story in other words."""
#     changed = torch.zeros(len(passage_tokens()), dtype=torch.long)
#     with mistaken(my_gpt2, **replaced), torch.no_grad():
#         for given, told in stories_after.items():
#             other = my_gpt2(told[:, :-1]).argmax(dim=-1) != told[:, 1:]
#             changed += other[:, given:].any(dim=-1)
#     return [int(half.sum()) for half in changed.chunk(2)]
#
#
# quiet_names = mistake_names[:5]
# distinct = sum(len(told_on.unique(dim=0)) for told_on in stories_after.values())
# print(f"{distinct} of the 96 stories are different")
# print("stories that change, of 48 from the first passages and 48 from the others")
# for name in [*quiet_names, "positions added in every block"]:
#     print(f"{name:32}", *changed_by(mistakes[name]))

# %% [markdown]
# Leaving out the slide (RMSNorm) changes 24 of the 96 stories, the unbiased variance 15, the exact GELU 4, and the eps
# mistakes none. (Some passages begin alike, so only 91 stories are different.) Adding the positions in every block
# changes 82, though it moves the loss of a text by only 0.009 nats on average.
#
# ### How far the quiet mistakes move the loss

# %% tags=["active-ipynb", "folded"]
# # @title Prints how far the largest of the five quiet mistakes move the loss
# for name in quiet_names[2:]:
#     change = more[name]
#     print(f"{name:30} {change.mean:+.4f} ± {change.error:.4f} nats,", end=" ")
#     print(f"higher on {change.above} of {len(change.values)} passages")

# %% [markdown]
# Each of these three mistakes does better than the right model on 19 to 24 of the 48 passages, and the mean loss moves
# by 0.0005 nats at most (± is the standard error).
#
# ### How far the quiet mistakes are from right, inside

# %% tags=["active-ipynb", "folded"]
# # @title Draws how far four quiet mistakes are from right, from block to block
# at_ends = [
#     stage.part
#     for stage in first_difference(my_gpt2).stages
#     if stage.verb == "gives"
#     and stage.part in (*block_names, "ln_final", "unembed")
#     and stage.difference is not None  # so it was called
# ]
#
#
# def differences(**replaced):
#     """The largest difference from the reference model in what each part gives."""
#     with mistaken(my_gpt2, **replaced):
#         stages = first_difference(my_gpt2).stages
#     return torch.tensor(
#         [
#             [
#                 stage.difference
#                 for stage in stages
#                 if stage.verb == "gives" and stage.part in at_ends
#             ]
#         ]
#     )
#
#
# quiet = {
#     "no slide": {"ln": rms_norm},
#     "unbiased": {"ln": unbiased},
#     "exact GELU": {"mlp": exact_gelu},
#     "eps outside": {"ln": eps_outside},
# }
# lines(
#     {name: differences(**replaced) for name, replaced in quiet.items()},
#     list(quiet),
#     at_ends,
#     "Quiet mistakes, from block to block",
#     x_title="given by",
#     y_title="largest difference",
#     log_y=True,
#     digits=1,
#     ends=list(quiet),
# )

# %% [markdown]
# Each line is one of four quiet mistakes, on the reference model's own text of 22 tokens; each step up the scale is ten
# times as much. By the end, leaving out the slide has changed a logit by up to 0.4, the unbiased variance by 0.07, the
# exact GELU by 0.02 and eps outside the root by 0.005. The exact GELU grows most on the way, and none of them dies out.
# (Where two mistakes are close, another text may order them differently.)
#
# ### How a story gets into a loop
#
# In the story above the King and Queen are "very fond of the King and Queen". How likely was each word, time after
# time?

# %% tags=["active-ipynb", "folded"]
# # @title Draws the probability with which words were written, time after time
# with torch.no_grad():
#     of_all = my_gpt2(told[:, :-1])[0].softmax(dim=-1)
# of_told = of_all.gather(dim=-1, index=told[0, 1:, None])[:, 0]
# each_time = {}
# for word, chance in list(zip(str_tokens(told[0, 1:]), of_told, strict=True))[-40:]:
#     each_time.setdefault(word, []).append(chance)
# often = {word: times[:3] for word, times in each_time.items() if len(times) > 2}
# by_time = torch.tensor(list(often.values())).T
# grouped_bars(
#     dict(zip(("first time", "second time", "third time"), by_time, strict=True)),
#     [word.replace(" ", "·") for word in often],
#     "The words that were written three times",
#     y_title="probability",
# ).update_traces(texttemplate=None)

# %% [markdown]
# Seven of the nine tokens in the figure get likelier each time (the three bars from left to right): `·very` goes from
# 0.07 to 0.40 and 0.65, `·fond` from 0.10 to 0.28 and 0.46. (`·the` and `·and` do not, perhaps because they also occur
# elsewhere in the sentence.)
#
# One story shows that it happens, not how often. So take the 48 stories from above that began with 15 tokens, and every
# run of four tokens in them that occurs a second time. Is it likelier the second time? As a control, the same in the
# real passages.

# %% tags=["active-ipynb", "folded"]
# # @title Counts the repeated runs of four tokens, and how many are likelier then
# def first_and_second(texts, begun, run=4):
#     """The log-probability of each run of tokens that is said twice, both times."""
#     with torch.no_grad():
#         log_chances = my_gpt2(texts[:, :-1]).log_softmax(dim=-1)
#     of_next = log_chances.gather(dim=-1, index=texts[:, 1:, None])[..., 0]
#     twice = []
#     for told, chances in zip(texts.tolist(), of_next, strict=True):
#         seen = {}
#         for at in range(begun, len(told) - run + 1):
#             phrase = tuple(told[at : at + run])
#             times = seen.setdefault(phrase, [])
#             if not times or at >= times[-1] + run:  # not one that overlaps itself
#                 times.append(at)
#         twice += [
#             [chances[at - 1 : at - 1 + run].sum() for at in times[:2]]
#             for times in seen.values()
#             if len(times) > 1
#         ]
#     return torch.tensor(twice).reshape(-1, 2)
#
#
# real_rows = passage_tokens()
# for which, (rows, begun) in {
#     "greedy, 40 tokens each": (stories_after[16], 17),
#     "real, the same 40": (real_rows[:, :57], 17),
#     "real, all of them": (real_rows, 1),
# }.items():
#     once, again = first_and_second(rows, begun).T
#     print(f"{which:22} {len(once):3} runs said twice,", end=" ")
#     print(f"{(again > once).sum():3} of them likelier the second time")

# %% [markdown]
# Nearly all of the 350 runs that the *greedy* model, which always takes the likeliest token, repeats are likelier the
# second time. But so are 129 of the 146 in the real passages: a repeated run is usually likelier the second time,
# whoever wrote it. (Some of the training rows were made to teach the model that: chapter 0.) What differs is how many
# there are: in the same 40 tokens the real passages repeat 4 runs. A greedy model that has said a phrase twice finds it
# likelier, and is probably drawn further in.
