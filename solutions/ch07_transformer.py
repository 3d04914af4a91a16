"""Chapter 7: a block, and the whole GPT-2. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 7 · Transformer: your own GPT-2
#
# Every part is written. In this chapter you put them together, in two steps of a few lines each: `TransformerBlock`,
# then `Transformer`. Then you load the reference model's weights into yours by name, see that every logit is the same,
# and let your own GPT-2 tell a story.
#
# And you learn what to do when it is *almost* right. Five classic mistakes leave most stories word for word as they
# are, and move the loss so little that it can point either way. Only exact checks can hear them.
#
# About 60 minutes, of which 35 for the two exercises.

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
# # @title Imports what the chapter needs, its tests among it
# from functools import lru_cache
#
# import torch
#
# from tests.ch07_transformer import test_transformer, test_transformer_block
# from utils.controls import explore, slider, text_box
# from utils.first_difference import first_difference, mistaken
# from utils.model_map import model_map
# from utils.passages import passage_tokens
# from utils.pieces import pieces
# from utils.plotting import bars, lines
# from utils.plotting.predictions import next_tokens
# from utils.plotting.ranked import ranked
# from utils.plotting.stream import grouped_bars
# from utils.reference import encode, reference, str_tokens
# from utils.texts import typed, wrapped
# from utils.transplant import TALE, next_token_loss, with_weights
# from utils.waiting import waiting

# %% tags=["active-ipynb"]
# Embed, PosEmbed, LayerNorm, Attention, MLP, Unembed = pieces(
#     "Embed", "PosEmbed", "LayerNorm", "Attention", "MLP", "Unembed"
# )

# %% [markdown]
# The last cell has printed whose parts these are. What you wrote in chapters 2 to 6, and what passed there, is *yours*;
# where something is missing, the course's own solution stands in. So you can start here.

# %% tags=["active-ipynb"]
# model_map("block", "model")

# %% [markdown]
# The map, from left to right; orange marks this chapter. **Tokens** are pieces of text, each with a number. `Embed`
# and `PosEmbed` give each position a vector of `d_model` numbers, and their sum starts the **residual stream**: one
# vector for each position, which every part reads and adds to.
#
# A **block** has two **sublayers**. **Attention** looks at other positions, the **MLP** at its own. Each reads a copy
# of the stream through a **LayerNorm** (`ln1`, `ln2`), which brings every vector to one scale. At the end `ln_final`
# reads the stream for `Unembed`, which makes the **logits**: one score for each token of the vocabulary, at every
# position.
#
# Three places in a block have names. The stream is `resid_pre` when the block gets it, `resid_mid` once attention has
# written, and `resid_post` at the end.
#
# Our **reference model** is a small GPT-2 of six blocks, trained for this course on 73 children's books.
#
# ## Right parts are not yet a model
#
# Take the four parts of a block, each of them right, with the reference model's weights. How
# should they be put together?
# Two ways that suggest themselves:
#
# - **handed on**: each gives its answer to the next, as layers usually do;
# - **side by side**: both sublayers read the stream as it comes, and both answers are added to it.
#
# Both give a tensor of the right shape. `model.activations` holds what TransformerLens, a library that shows a model's
# insides, recorded in the reference model. How far are the two from its `resid_post`, in each of the six blocks?

# %% tags=["active-ipynb"]
# model = reference()
# makers = {"ln1": LayerNorm, "attn": Attention, "ln2": LayerNorm, "mlp": MLP}
#
#
# def two_ways(at):
#     """What two arrangements of a block's right parts make of its resid_pre."""
#     ln1, attn, ln2, mlp = (
#         with_weights(make, f"{at}.{part}") for part, make in makers.items()
#     )
#     before = model.activations[f"{at}.hook_resid_pre"]
#     attn_answer = attn(ln1(before))
#     return {
#         "handed on": mlp(ln2(attn_answer)),
#         "side by side": before + attn_answer + mlp(ln2(before)),
#     }

# %% tags=["active-ipynb", "folded"]
# # @title Draws how far both are from the real resid_post, block by block
# block_names = [f"blocks.{layer}" for layer in range(model.cfg.n_layers)]
# gaps = {"handed on": [], "the norm of resid_post": [], "side by side": []}
# for at in block_names:
#     after = model.activations[f"{at}.hook_resid_post"]
#     gaps["the norm of resid_post"].append(after.norm(dim=-1).mean())
#     with torch.no_grad():
#         for way, found in two_ways(at).items():
#             gaps[way].append((found - after).norm(dim=-1).mean())
# lines(
#     {label: torch.stack(each)[None] for label, each in gaps.items()},
#     list(gaps),
#     block_names,
#     "How far from the real resid_post",
#     y_title="norm, the mean over positions",
# )

# %% [markdown]
# (The *norm* of a vector is the root of the sum of its squares.) Handed on (diamonds), the answer is about as far from
# the right one as nothing at all: a vector of zeros would be as far as the norm of `resid_post` (circles), and in four
# of the six blocks it would be nearer. Side by side (squares) is nearer, by far: 2.8 away in block 3, and about 10 in
# the first and the last. And it is still wrong.
#
# "Side by side" is no nonsense: the sublayers of GPT-J and PaLM are placed so, behind one LayerNorm for both, and were
# trained so. But our weights were trained in another arrangement. What a wrong one costs them, you will measure further
# down.

# %% [markdown]
# ## A block by hand
#
# Take a stream with `d_model = 2`, and one vector of it: 1, 3. Say that attention, whatever it has read, answers 2, 0,
# and that the MLP then answers 0, 1.
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
# The left bar of each two is dimension 0, the right one dimension 1. The stream goes from 1, 3 to 3, 3 to 3, 4: each
# answer is added to what came in.
#
# What the figure leaves out is what each sublayer *reads*. Attention reads `ln1` of `resid_pre`. The MLP reads `ln2`
# of `resid_mid`, where attention's answer is already in.
#
# ### What it is not
#
# - **A block does not replace the stream.** Two numbers in, two answers added, nothing taken away by the block itself.
# - **The LayerNorms are not on the stream's own way.** They make the copies that sublayers read. (In the Transformer
#   of 2017 they were on it, after each sum: *post-norm*. GPT-2 moved them: *pre-norm*.)
# - **The sublayers do not run side by side.** The MLP can use what attention fetched in the same block.

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
# Twice: once as what is added to, once, through `ln1`, as what attention reads. A line in which the stream appears
# once has lost it.
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
# Follow the thick line of the map. At each of the two plus signs something arrives from above: a sublayer's answer to
# a normalised copy of the line as it is *there*.
#
# `resid_mid` is `resid_pre` plus attention's answer. What you return is `resid_mid` plus the MLP's answer.

# %% [markdown] hint="pseudocode"
# ```text
# resid_mid  = resid_pre plus attn(ln1(resid_pre))
# resid_post = resid_mid plus mlp(ln2(resid_mid))
# return resid_post
# ```

# %% tags=["active-ipynb"]
# test_transformer_block(TransformerBlock)

# %% [markdown]
# The test went through the block sublayer by sublayer. With `W_O` and `W_out` at 0, a sublayer writes its bias alone,
# whatever it reads: then the two sums can be checked by themselves. Then one sublayer is silenced altogether, and the
# other, and in the end both write.
#
# And the six blocks of the reference model, with your code?

# %% tags=["active-ipynb"]
# for at in block_names:
#     before, after = (
#         model.activations[f"{at}.hook_resid_{end}"] for end in ("pre", "post")
#     )
#     with torch.no_grad():
#         gap = (with_weights(TransformerBlock, at)(before) - after).norm(dim=-1).mean()
#     print(f"your {at}: {gap:.3f} away from the real resid_post")

# %% [markdown]
# ## From tokens to logits
#
# The rest of the map is quickly said:
#
# 1. **The start**: the token's vector plus the position's vector.
# 2. **The blocks**, `cfg.n_layers` of them, one after the other. Each takes the stream and gives back the stream.
# 3. **The end**: `ln_final`, then `unembed`. Nothing is added here: what `ln_final` gives is read by `unembed` alone.
#
# **Before you code**: the blocks must be kept in an `nn.ModuleList`. What would go wrong with a Python list?
#
# <details><summary>Answer</summary>
#
# Nothing that you would see at first: the forward pass works. But PyTorch looks for parameters in attributes that are
# modules, and a list is none. `parameters()` leaves the blocks out, so no weights would be loaded into them and no
# optimiser would train them.
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
# Write both parts. The names in `__init__` are fixed, since weights are found by them: `embed`, `pos_embed`, `blocks`,
# `ln_final`, `unembed`. Each part is made of the `Config`.


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
# made anew, or they would share their weights.
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
# finds its place. `strict=True` insists on it: no weight may be left over, and none may be missing.

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
# All 102 tensors found their place, and all 90,112 logits agree to three decimals. They need not be equal to the last
# bit: floating-point sums that run in another order end in other digits.
#
# Start Jupyter with the environment variable `COURSE_REFERENCE=gpt2`, and the same cell loads OpenAI's GPT-2 small
# (0.5 GB, downloaded once). Nothing in your code knows which model it is.
#
# ### Where the parameters are
#
# How large is what you have built? Count the numbers in each part, for our sizes and for those of GPT-2 small. (On
# PyTorch's device `meta` a model has shapes and no numbers, so that GPT-2 small takes no memory.)

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
# Our model (the left bar of each two) has 41 % of its numbers in the MLPs, 21 % in attention, and 18 % in each of the
# tables for tokens; its LayerNorms hold one in a thousand. GPT-2 small (the right bar) has a vocabulary twelve times as
# large, and so more of it in the tables.
#
# You counted 163 million where GPT-2 small is known for 124. In GPT-2 `unembed` *is* the table of `embed`, transposed,
# and is counted once (chapter 6). In your model, as in TransformerLens, it has a tensor of its own, and a bias that is
# frozen at 0. Without it the count is 124,439,808, and ours 3.5 million.

# %% [markdown]
# ## See it work
#
# What does your GPT-2 expect next? Type a text and press Enter. The slider says how many of the blocks the stream goes
# through before `ln_final` and `unembed` read it. (`·` stands for a space, `⏎` for a line break. The scale grows and
# shrinks with the longest bar: read the numbers.)

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

# %% tags=["active-ipynb"]
# for blocks, chances in enumerate(
#     read_after_each("Once upon a time there was a little")
# ):
#     (best,) = str_tokens(chances.argmax()[None])
#     print(f"after {blocks} blocks: {best!r}, probability {chances.max():.2f}")

# %% [markdown]
# With no block at all the answer is the token itself, " little", with a probability of 1.00. After one block and up to
# five it is a comma. Only the last block puts " boy" first, and with 0.05 at that; in the figure `·girl` has as much
# and `·house` half. The model is not sure, and has reason not to be.
#
# **What it does not show**: that the model "thinks" these words on the way. `ln_final` and `unembed` were trained on
# the stream after the last block; what they read off an earlier one is a probe, not a prediction. (Chapter 6 has
# more.)

# %% [markdown]
# ## Where does it go wrong?
#
# Suppose the logits had *not* agreed. Then the table below is what you want. It runs your model on the reference
# model's tokens, and compares what every part *reads* and what it *gives* with what TransformerLens recorded, from the
# embedding to the logits. The first line that differs says where to look.
#
# Try it on a block that runs its sublayers side by side. `mistaken` puts a function in the place of every block's
# `forward`, for the length of the `with`.

# %% tags=["active-ipynb"]
# def side_by_side(block, resid_pre):
#     return (
#         resid_pre + block.attn(block.ln1(resid_pre)) + block.mlp(block.ln2(resid_pre))
#     )
#
#
# print(first_difference(my_gpt2))
# print()
# with mistaken(my_gpt2, block=side_by_side):
#     print(first_difference(my_gpt2))

# %% [markdown]
# The right model first: one line for each block, and everything agrees. Then the mistaken one. In block 0 all is right
# up to what attention gives. But `ln2` reads something else, by up to 0.31: it should read `resid_mid`, and
# attention's answer is not in it. All 58 stages after that differ too, so the logits alone could not have told you
# where.
#
# Whether the first line that differs says *reads* or *gives* is the whole point. A part that reads the right thing and
# gives a wrong one is wrong inside. A part that reads a wrong thing is called wrongly, or a sum before it is wrong.

# %% [markdown]
# ## Which mistakes can you hear?
#
# Now the reason why this course checks numbers and not stories. Here are classic mistakes, each put into your right
# model with the trained weights. Five of them are inside a part. Two of these:

# %% tags=["active-ipynb"]
# def unbiased(ln, x):
#     centred = x - x.mean(dim=-1, keepdim=True)
#     return centred / (x.var(dim=-1, keepdim=True) + 1e-5).sqrt() * ln.w + ln.b
#
#
# def exact_gelu(mlp, x):
#     return nn.functional.gelu(x @ mlp.W_in + mlp.b_in) @ mlp.W_out + mlp.b_out

# %% tags=["active-ipynb", "folded"]
# # @title The other three inside a part
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

# %% [markdown]
# The others are in how the parts are put together, in the block or in the whole model. Again two of them:

# %% tags=["active-ipynb"]
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
# # @title The other ten, and the names of all
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
#     "LayerNorm: eps outside the root": {"ln": eps_outside},
#     "LayerNorm: eps = 1e-12 (BERT's)": {"ln": tiny_eps},
#     "MLP: the exact GELU": {"mlp": exact_gelu},
#     "LayerNorm: unbiased variance": {"ln": unbiased},
#     "LayerNorm: no slide (RMSNorm)": {"ln": rms_norm},
#     "positions added in every block": {
#         "model": whole(
#             start=lambda g, t: g.embed(t),
#             each=lambda g, block, x, t: block(x + g.pos_embed(t)),
#         )
#     },
#     "no ln_final": {"model": whole(end=lambda g, x: x)},
#     "sublayers side by side": {"block": side_by_side},
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

# %% [markdown]
# First the stories: "Once upon a time", and eight times the likeliest next token.
#
# **Before you run it**: for which of these mistakes will the story sound wrong?

# %% tags=["active-ipynb"]
# def continued(gpt2, tokens, new_tokens):
#     """The tokens, and again and again the likeliest next one."""
#     with torch.no_grad():
#         for _ in range(new_tokens):
#             last_logits = gpt2(tokens[:, -gpt2.cfg.n_ctx :])[:, -1:]
#             tokens = torch.cat([tokens, last_logits.argmax(dim=-1)], dim=1)
#     return tokens

# %% tags=["active-ipynb"]
# opening = encode("Once upon a time")
# for name, replaced in waiting(mistakes.items(), "telling"):
#     with mistaken(my_gpt2, **replaced):
#         story = continued(my_gpt2, opening, 8)[0, opening.shape[1] :]
#     print(f"{name:32}{''.join(str_tokens(story))!r}")

# %% [markdown]
# Ten of the seventeen read like English, five of them word for word as the right model does. Now the numbers. Each
# model reads the first 63 tokens of 24 stories that it has never seen. The **loss** is the mean of −log(probability)
# of what really came next, in *nats*, the unit of the natural logarithm; 0 would be perfect foresight. How far does
# each mistake move it?

# %% tags=["active-ipynb"]
# some_texts = passage_tokens()[:, :64]
#
#
# def loss_by_text(gpt2):
#     """The mean loss on each of the texts."""
#     with torch.no_grad():
#         log_chances = gpt2(some_texts[:, :-1]).log_softmax(dim=-1)
#     costs = -log_chances.gather(dim=-1, index=some_texts[:, 1:, None])
#     return costs[..., 0].mean(dim=1)

# %% tags=["active-ipynb"]
# right_losses = loss_by_text(my_gpt2)
# more, first_at = {}, {}
# for name, replaced in waiting(mistakes.items(), "reading"):
#     with mistaken(my_gpt2, **replaced):
#         more[name] = loss_by_text(my_gpt2) - right_losses
#         first_at[name] = first_difference(my_gpt2).first

# %% tags=["active-ipynb", "folded"]
# # @title Draws how far each mistake moves the loss
# print(f"the right model's loss: {right_losses.mean():.2f} nats")
# moved = {name: change.abs().mean().clamp(min=1e-4) for name, change in more.items()}
# del moved["none"]
# ranked(
#     moved,
#     "How far each mistake moves the loss",
#     x_title="nats, up or down (0.0001: or less)",
#     log_x=True,
# )

# %% [markdown]
# **Four are all but silent.** The two with eps move the loss of a text by 0.0001 nats or less (on the scale each step
# to the right is ten times as much), the exact GELU and the unbiased variance by 0.00038 and 0.0012.
#
# **Fluent is not right.** Without `ln_final`, with `x + ln_final(x)`, even with its sublayers side by side, the model
# goes on in good English, at a cost of 0.39, 2.0 and 0.97 nats.
#
# And where does each of them show first?

# %% tags=["active-ipynb", "folded"]
# # @title Prints where each mistake shows first
# for name, first in first_at.items():
#     print(f"{name:32}  {f'{first.part} {first.verb}' if first else '-'}")

# %% [markdown]
# **The comparison hears them all**, and is silent where nothing is wrong. The mistakes inside a part show where that
# part *gives*. The others show where something is *read*, but for one: an answer that is added to `resid_pre` shows in
# what the block gives, since it is the last sum that is wrong. ("block 0 in every layer" shows late, since the other
# blocks are never called.)
#
# ### A longer story, more of them?
#
# Perhaps eight tokens of one story are too few. So let the right model tell 24 tokens from the beginnings of 24
# stories, and each mistaken one read them: where its likeliest token is the next of the story, it would have gone on in
# the same way. How many stories stay word for word?

# %% tags=["active-ipynb", "folded"]
# # @title Counts the stories that stay, and the texts on which a mistake lowers the loss
# quiet_names = list(mistakes)[1:6]
# begun_length, n_new = 16, 24
# right_stories = passage_tokens()[:, :begun_length]
# for _ in waiting(range(n_new), "telling"):
#     right_stories = continued(my_gpt2, right_stories, 1)
# unchanged = {}
# for name in [*quiet_names, "positions added in every block"]:
#     with mistaken(my_gpt2, **mistakes[name]), torch.no_grad():
#         guesses = my_gpt2(right_stories[:, :-1]).argmax(dim=-1)
#     as_told = guesses[:, begun_length - 1 :] == right_stories[:, begun_length:]
#     unchanged[name] = as_told.all(dim=-1).sum()
#     if "eps" in name:
#         continue  # which moves it by less than is printed
#     error = more[name].std() / len(some_texts) ** 0.5  # the standard error of the mean
#     print(f"{name:32} {more[name].mean():+.4f} ± {error:.4f} nats,", end=" ")
#     print(f"lower on {(more[name] < -5e-5).sum()} of {len(some_texts)} texts")
# ranked(
#     unchanged,
#     f"Stories of {n_new} tokens that stay word for word",
#     x_title=f"of {len(right_stories)} stories",
# )

# %% [markdown]
# With another eps or with the exact GELU not one token of 24 stories changes; with the unbiased variance 21 stories
# stay as they were, with RMSNorm 18. Positions that are added in every block move the loss of a text by no more than
# 0.025, up or down, and leave 3.
#
# And the loss is worse than a weak signal: it can point the wrong way. RMSNorm makes it *lower*, by 0.0028 nats (± is
# the standard error of the mean, 0.0006), on 19 of the 24 texts. The unbiased variance lowers it on 13. Whoever chooses
# by the loss on such texts chooses the mistake. So how far are they from right, inside?

# %% tags=["active-ipynb", "folded"]
# # @title Draws how far four quiet mistakes are from right, from block to block
# at_ends = [*block_names, "ln_final", "unembed"]
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
# Each line is one quiet mistake, on the reference model's own 22 tokens; each step up the scale is ten times as much.
# At the end the slide left out has changed a logit by up to 0.4, the unbiased variance by 0.07, the exact GELU by 0.02
# and eps outside the root by 0.005. None of them grows out of hand on the way, and none dies out.
#
# So exact checks can hear what loss and story can't. `test_transformer` allows 0.0001 times the largest logit: here
# 0.0015, while rounding made less than 0.0005 (above, "Load it"). And it asks with random weights and odd settings too,
# such as `layer_norm_eps=0.1`: to see a mistake, go where it is large.
#
# **What it does not show.** These weights were trained without the mistake. A model *trained* with one of them may do
# as well as any: post-norm, parallel blocks and RMSNorm are all in use. A mistake is one here because the weights come
# from elsewhere. And where two mistakes are close, another text may order them otherwise.

# %% [markdown]
# ## Two bugs in the wild
#
# "GPT in words and code" is a blog post of 20 August 2023 that builds GPT-2 as you did. Two of its lines are wrong,
# one in the block and one in the model, and every shape fits. The classes below are ours, the two mistakes are its.
# Find them, and mend them.


# %%
class BlockInWords(TransformerBlock):
    """A block after a published one, with its mistake."""

    def forward(
        self, resid_pre: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        x = resid_pre
        x = x + self.attn(self.ln1(x))
        x = x + self.mlp(self.ln2(x))
        return x
        # INSTEAD OF
        # x = resid_pre
        # x = x + self.attn(self.ln1(x))
        # x = x = self.mlp(self.ln2(x))
        # return x
        # END SOLUTION


# %% tags=["active-ipynb"]
# test_transformer_block(BlockInWords)


# %%
class ModelInWords(Transformer):
    """A model after a published one, with its mistake."""

    def forward(
        self, tokens: Int[Tensor, "batch pos"]
    ) -> Float[Tensor, "batch pos d_vocab"]:
        # BEGIN SOLUTION
        x = self.embed(tokens) + self.pos_embed(tokens)
        for block in self.blocks:
            x = block(x)
        x = self.ln_final(x)
        return self.unembed(x)
        # INSTEAD OF
        # x = self.embed(tokens) + self.pos_embed(tokens)
        # for block in self.blocks:
        #     x = block(x)
        # x = x + self.ln_final(x)
        # return self.unembed(x)
        # END SOLUTION


# %% tags=["active-ipynb"]
# test_transformer(ModelInWords)

# %% [markdown]
# <details><summary>Answer</summary>
#
# `x = x = self.mlp(...)` has a `=` where a `+` is meant. Python allows it, and the MLP's answer replaces the stream:
# `x = x + self.mlp(self.ln2(x))`.
#
# `x = x + self.ln_final(x)` adds the raw stream to its normalised copy, and `unembed` reads the sum. Nothing is added
# at the end: `x = self.ln_final(x)`. Above, this one still told of a little girl, for 2.0 nats more.
#
# </details>

# %% [markdown]
# ## Check your understanding
#
# **1.** A new `Transformer` from `__init__`, with no weights loaded. What is its loss, about, and why?
#
# <details><summary>Answer</summary>
#
# About log(d_vocab), 8.3 nats for our 4096 tokens: its logits are nearly equal, so each token gets about the same
# probability. The cell below measures it.
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
# From the token at the position itself and its position, nothing else: no sublayer writes anything, so the stream that
# reaches `ln_final` is the sum of the two tables' vectors. It can know which token often follows which, but not what
# stood before.
#
# </details>
#
# **3.** Your model's logits differ from the reference model's by 0.03. The stories are the same. Rounding?
#
# <details><summary>Answer</summary>
#
# No. With the exact GELU in place of the tanh form it was 0.02 (in the last figure), while rounding alone stayed below
# 0.0005. Run `first_difference`: it shows the part.
#
# </details>
#
# **4.** Why does `test_transformer` try the model with two blocks *and* with three?
#
# <details><summary>Answer</summary>
#
# Two blocks in reverse order, or the first one twice, differ from the right thing already. But a number of blocks that
# is written out as 2 in place of `cfg.n_layers` passes every test that has two.
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
# - **`Unexpected key(s) in state_dict: "blocks.1..."`, and block 0 is fine**: `[TransformerBlock(cfg)] * n` is one
#   block n times. Make a new one for each layer.
# - **`size mismatch for ...`**: a size is written out as a number in one of your parts. Take it from `cfg`.
# - **`'NoneType' object has no attribute ...` in the second block**: your block returns nothing. It ends with
#   `return`.
# - **`index out of range in self`** or **`IndexError`** on a long text: `W_pos` has `n_ctx` rows, and the text has
#   more tokens than that.
# - **`TransformerBlock: write this part`**: the block is still the stub. Write it, and run its cell before this one.
#
# </details>

# %% [markdown]
# ## Your GPT-2 tells a story
#
# From the token numbers to the logits this is now your own code (and the course's, where a part of yours is missing).
# `continued`, above, takes the likeliest next token each time.

# %% tags=["active-ipynb"]
# prompt = encode("Once upon a time")
# if model.name == "gpt2":  # which was trained on texts without <|endoftext|> in front
#     prompt = encode("Alan Turing theorized that computers would one day become")[:, 1:]
# told = prompt
# for _ in waiting(range(40), "telling"):
#     told = continued(my_gpt2, told, 1)
# print(wrapped("".join(str_tokens(told[0])).removeprefix("<|endoftext|>")))

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
# It begins like a story and ends in a loop: the King and Queen are "very fond of the King and Queen". The words of that
# phrase get likelier each time (the three bars from left to right): `·very` goes from 0.07 to 0.40 and 0.65, `·fond`
# from 0.10 to 0.28 and 0.46. So whoever
# always takes the likeliest token is drawn further in. (One story shows that it happens, not how often. Chapter 8 looks
# into it, and has the cures.)
#
# ## Where to read more
#
# - Radford et al. 2019, *Language Models are Unsupervised Multitask Learners*, section 2.3: GPT-2's changes to GPT-1,
#   in one paragraph: LayerNorm at the input of each sublayer, one more after the last block.
# - openai/gpt-2, [src/model.py](https://github.com/openai/gpt-2/blob/master/src/model.py): `block` and `model`, about
#   forty lines.
# - Vaswani et al. 2017, *Attention Is All You Need*, [arXiv:1706.03762](https://arxiv.org/abs/1706.03762): post-norm,
#   and the embedding times √d_model (section 3.4).
# - Xiong et al. 2020, *On Layer Normalization in the Transformer Architecture*,
#   [arXiv:2002.04745](https://arxiv.org/abs/2002.04745): pre-norm against post-norm.
# - Wang and Komatsuzaki 2021, [GPT-J-6B](https://github.com/kingoflolz/mesh-transformer-jax), and Chowdhery et al.
#   2022, *PaLM*, [arXiv:2204.02311](https://arxiv.org/abs/2204.02311), section 2: parallel blocks.
# - Elhage et al. 2021, [A Mathematical Framework for Transformer
#   Circuits](https://transformer-circuits.pub/2021/framework/index.html): the residual stream as a channel that all
#   parts share.
