"""Chapter 7: a block, and the whole GPT-2. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 7 · Transformer: your own GPT-2
#
# Every part is written. In this chapter you put them together, in two steps of a few lines each: `TransformerBlock`,
# then `Transformer`. Then you load the reference model's weights into yours by name, see that every logit is the same,
# and let your own GPT-2 tell a story.
#
# And you learn what to do when it is *almost* right. Five classic mistakes leave a story of 40 tokens word for word as
# it was, and move the loss so little that it can point either way. Only exact checks can hear them.
#
# About 60 minutes, of which 35 for the two exercises.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError(
#         "This kernel does not have the course. In the course's folder, run: make lab"
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

# %% tags=["active-ipynb"]
# import textwrap
#
# import torch
#
# from tests.ch07_transformer import test_transformer, test_transformer_block
# from utils.controls import explore, slider, text_box
# from utils.first_difference import first_difference, mistaken
# from utils.model_map import model_map
# from utils.pieces import pieces
# from utils.plotting import bars, lines, round_for_show
# from utils.plotting.predictions import next_tokens
# from utils.reference import encode, reference, str_tokens
# from utils.transplant import TALE, next_token_loss, with_weights
#
# Embed, PosEmbed, LayerNorm, Attention, MLP, Unembed = pieces(
#     "Embed", "PosEmbed", "LayerNorm", "Attention", "MLP", "Unembed"
# )

# %% [markdown]
# The cell has printed whose parts these are. What you wrote in chapters 2 to 6, and what passed there, is *yours*;
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
# Take four parts, each of them right, with the reference model's weights of block 3. How should they be put together?
# Two ways that suggest themselves:
#
# - **handed on**: each gives its answer to the next, as layers usually do;
# - **side by side**: both sublayers read the stream as it comes, and both answers are added to it.
#
# Both give a tensor of the right shape. `model.activations` holds what TransformerLens, a library that shows a model's
# insides, recorded in the reference model. How far are the two from its `resid_post`?

# %% tags=["active-ipynb"]
# model = reference()
# makers = {"ln1": LayerNorm, "attn": Attention, "ln2": LayerNorm, "mlp": MLP}
# middle = f"blocks.{model.cfg.n_layers // 2}"
# right_part = {part: with_weights(make, f"{middle}.{part}") for part, make in makers.items()}
# before, after = (model.activations[f"{middle}.hook_resid_{which}"] for which in ("pre", "post"))
#
# with torch.no_grad():
#     attn_answer = right_part["attn"](right_part["ln1"](before))
#     two_ways = {
#         "handed on": right_part["mlp"](right_part["ln2"](attn_answer)),
#         "side by side": before + attn_answer + right_part["mlp"](right_part["ln2"](before)),
#     }
# print(f"the norm of the real resid_post, on average: {after.norm(dim=-1).mean():.1f}")
# for way, found in two_ways.items():
#     print(f"{way}: {(found - after).norm(dim=-1).mean():.1f} away from it")

# %% [markdown]
# (The *norm* of a vector is the root of the sum of its squares.) Handed on, the answer is 48.3 away, further than
# nothing at all: a vector of zeros would be 39.2 away. Side by side it is only 2.8 away, and still wrong.
#
# "Side by side" is no nonsense: the sublayers of GPT-J and PaLM stand so, behind one LayerNorm for both, and were
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
# by_hand_pre, by_hand_attn, by_hand_mlp = (torch.tensor(numbers) for numbers in ([1.0, 3.0], [2.0, 0.0], [0.0, 1.0]))
# by_hand_steps = {
#     "resid_pre": by_hand_pre,
#     "attention adds": by_hand_attn,
#     "resid_mid": by_hand_pre + by_hand_attn,
#     "the MLP adds": by_hand_mlp,
#     "resid_post": by_hand_pre + by_hand_attn + by_hand_mlp,
# }
# bars(by_hand_steps, "Two sums: what a block does to one vector")

# %% [markdown]
# Orange is dimension 0, blue is dimension 1. The stream goes from 1, 3 to 3, 3 to 3, 4, and what came in is still in
# it.
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
    """Attention, then the MLP; each reads a normalised copy of the residual stream and adds to it.

    Source: openai/gpt-2 src/model.py, block(); Radford et al. 2019, section 2.3 (pre-norm).
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
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
# And block 3 of the reference model, with your code?

# %% tags=["active-ipynb"]
# my_block = with_weights(TransformerBlock, middle)
# with torch.no_grad():
#     print(f"your {middle}: {(my_block(before) - after).norm(dim=-1).mean():.3f} away from the real resid_post")

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

    The parameter names are TransformerLens's, so `dict(bridge.tl_named_parameters())` loads with `strict=True`.

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

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
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
# apart = (my_logits - model.activations["unembed.hook_out"]).abs().max()
# print(f"{len(model.weights)} tensors loaded, from {next(iter(model.weights))} to {list(model.weights)[-1]}")
# print(f"{my_logits.numel():,} logits for {model.tokens.numel()} tokens, from {my_logits.min():.1f}", end=" ")
# print(f"to {my_logits.max():.1f}")
# print(f"largest difference to the reference model's: {apart:.3f}")

# %% [markdown]
# All 102 tensors found their place, and all 90,112 logits agree to three decimals. They need not be equal to the last
# bit: floating-point sums that run in another order end in other digits.
#
# Start Jupyter with the environment variable `COURSE_REFERENCE=gpt2`, and the same cell loads OpenAI's GPT-2 small
# (0.5 GB, downloaded once). Nothing in your code knows which model it is.

# %% [markdown]
# ## See it work
#
# What does your GPT-2 expect next? Type a text and press Enter. The slider says how many of the blocks the stream goes
# through before `ln_final` and `unembed` read it. (`·` stands for a space, `⏎` for a line break. The scale grows and
# shrinks with the longest bar: read the numbers.)

# %% tags=["active-ipynb"]
# def stream_after(tokens, blocks):
#     """The residual stream after the first so many blocks of your GPT-2."""
#     resid = my_gpt2.embed(tokens) + my_gpt2.pos_embed(tokens)
#     for block in my_gpt2.blocks[:blocks]:
#         resid = block(resid)
#     return resid
#
#
# def likeliest(text, blocks):
#     """A figure of the eight tokens that come next most likely, when only the first so many blocks are run."""
#     tokens = encode(text)
#     if tokens.shape[1] > model.cfg.n_ctx:
#         raise ValueError(f"That is {tokens.shape[1]} tokens; the model reads at most {model.cfg.n_ctx}.")
#     with torch.no_grad():
#         logits = my_gpt2.unembed(my_gpt2.ln_final(stream_after(tokens, blocks)))[0, -1]
#     best = logits.softmax(dim=-1).topk(8)
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
# little = encode("Once upon a time there was a little")
# with torch.no_grad():
#     for blocks in range(model.cfg.n_layers + 1):
#         chances = my_gpt2.unembed(my_gpt2.ln_final(stream_after(little, blocks)))[0, -1].softmax(dim=-1)
#         (best,) = str_tokens(chances.argmax()[None])
#         print(f"after {blocks} blocks: {best!r}, probability {chances.max():.2f}")

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
#     return resid_pre + block.attn(block.ln1(resid_pre)) + block.mlp(block.ln2(resid_pre))
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
# model with the trained weights. Five of them are inside a part:

# %% tags=["active-ipynb"]
# def slid(x):
#     return x - x.mean(dim=-1, keepdim=True)
#
#
# def unbiased(ln, x):
#     return slid(x) / (x.var(dim=-1, keepdim=True) + 1e-5).sqrt() * ln.w + ln.b
#
#
# def eps_outside(ln, x):
#     return slid(x) / (x.std(dim=-1, keepdim=True, correction=0) + 1e-5) * ln.w + ln.b
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
# def exact_gelu(mlp, x):
#     return nn.functional.gelu(x @ mlp.W_in + mlp.b_in) @ mlp.W_out + mlp.b_out

# %% [markdown]
# The others are in how the parts are put together, in the block or in the whole model:

# %% tags=["active-ipynb"]
# def stream_overwritten(block, x):
#     x = block.ln1(x)
#     x = x + block.attn(x)
#     x = block.ln2(x)
#     return x + block.mlp(x)
#
#
# def mlp_first(block, x):
#     x = x + block.mlp(block.ln2(x))
#     return x + block.attn(block.ln1(x))
#
#
# def added_to_resid_pre(block, resid_pre):
#     return resid_pre + block.mlp(block.ln2(resid_pre + block.attn(block.ln1(resid_pre))))
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
#         resid = start(gpt2, tokens) if start else gpt2.embed(tokens) + gpt2.pos_embed(tokens)
#         for block in gpt2.blocks:
#             resid = each(gpt2, block, resid, tokens) if each else block(resid)
#         return gpt2.unembed(end(gpt2, resid) if end else gpt2.ln_final(resid))
#
#     return forward

# %% tags=["active-ipynb"]
# mistakes = {
#     "none": {},
#     "LayerNorm: eps outside the root": {"ln": eps_outside},
#     "LayerNorm: eps = 1e-12 (BERT's)": {"ln": tiny_eps},
#     "MLP: the exact GELU": {"mlp": exact_gelu},
#     "LayerNorm: unbiased variance": {"ln": unbiased},
#     "LayerNorm: no slide (RMSNorm)": {"ln": rms_norm},
#     "positions added in every block": {
#         "model": whole(start=lambda g, t: g.embed(t), each=lambda g, block, x, t: block(x + g.pos_embed(t)))
#     },
#     "no ln_final": {"model": whole(end=lambda g, x: x)},
#     "sublayers side by side": {"block": side_by_side},
#     "MLP before attention": {"block": mlp_first},
#     "x + ln_final(x)": {"model": whole(end=lambda g, x: x + g.ln_final(x))},
#     "embedding times √d_model": {
#         "model": whole(start=lambda g, t: g.embed(t) * g.cfg.d_model**0.5 + g.pos_embed(t))
#     },
#     "MLP's answer added to resid_pre": {"block": added_to_resid_pre},
#     "no positions": {"model": whole(start=lambda g, t: g.embed(t))},
#     "block 0 in every layer": {"model": whole(each=lambda g, block, x, t: g.blocks[0](x))},
#     "ln1 used twice": {"block": ln1_twice},
#     "x = ln(x) overwrites the stream": {"block": stream_overwritten},
#     "post-norm": {"block": post_norm},
# }
#
#
# def continued(gpt2, tokens, new_tokens):
#     """The tokens and the likeliest next one, again and again: the greedy continuation."""
#     with torch.no_grad():
#         for _ in range(new_tokens):
#             likeliest_next = gpt2(tokens[:, -gpt2.cfg.n_ctx :])[:, -1:].argmax(dim=-1)
#             tokens = torch.cat([tokens, likeliest_next], dim=1)
#     return tokens

# %% [markdown]
# First the stories: "Once upon a time", and eight times the likeliest next token.
#
# **Before you run it**: for which of these mistakes will the story sound wrong?

# %% tags=["active-ipynb"]
# opening = encode("Once upon a time")
# for name, replaced in mistakes.items():
#     with mistaken(my_gpt2, **replaced):
#         story = continued(my_gpt2, opening, 8)[0, opening.shape[1] :]
#     print(f"{name:32}{''.join(str_tokens(story))!r}")

# %% [markdown]
# Ten of the seventeen read like English, five of them word for word as the right model does. Now the numbers. Each
# model reads a tale written for this course. The **loss** is the mean, over the tale's 104 predictions, of
# −log(probability) of what really came next, in *nats*, the unit of the natural logarithm; 0 would be perfect
# foresight. Next to it: the largest change of any logit, and where the first difference shows.

# %% tags=["active-ipynb"]
# tale_tokens = encode(TALE)
# with torch.no_grad():
#     right_logits = my_gpt2(tale_tokens)
# right_loss = next_token_loss(right_logits, tale_tokens)
# print(f"the right model's loss: {right_loss:.3f} nats", "", sep="\n")
# print(f"{'the mistake':32}{'nats more':>10}{'a logit':>8}  differs first at")
# for name, replaced in mistakes.items():
#     with mistaken(my_gpt2, **replaced), torch.no_grad():
#         wrong_logits = my_gpt2(tale_tokens)
#         first = first_difference(my_gpt2).first
#     more = round((next_token_loss(wrong_logits, tale_tokens) - right_loss).item(), 4) + 0.0
#     largest = round_for_show((wrong_logits - right_logits).abs().max().item(), 1)
#     where = f"{first.part} {first.verb}" if first else "-"
#     print(f"{name:32}{more:10.4f}{largest:8g}  {where}")

# %% [markdown]
# **Four are all but silent.** The two with eps, the exact GELU and the unbiased variance move the loss by less than
# 0.001 nats. RMSNorm moves it by 0.0033. Beside them stands the control, "none", with 0.
#
# **Fluent is not right.** Without `ln_final`, with `x + ln_final(x)`, even with its sublayers side by side, the model
# goes on in good English, at a cost of 0.24, 1.54 and 1.14 nats. Positions that are added in every block cost 0.0149,
# and no more than a "great deal" can be seen of it.
#
# **The table hears them all.** The mistakes inside a part show where that part *gives*. The others show where
# something is *read*, but for one: an answer that is added to `resid_pre` shows in what the block gives, since it is
# the last sum that is wrong. ("block 0 in every layer" shows late, since the other blocks are never called.)
#
# ### A longer story, another text?
#
# Perhaps eight tokens are too few, and one tale is not enough. So let the right model tell 40 tokens and each mistaken
# one read them: where its likeliest token is the next of the story, it would have gone on in the same way. Do the same
# on the tale, against what the right model finds likeliest. And take the loss on two more texts.

# %% tags=["active-ipynb"]
# quiet_names = list(mistakes)[1:6]
# right_story = continued(my_gpt2, opening, 40)
# right_guesses = {"the story": right_story[:, opening.shape[1] :], "the tale": right_logits[:, :-1].argmax(dim=-1)}
# print(f"{'the same likeliest token':32}{'in the story':>16}{'on the tale':>16}")
# for name in [*quiet_names, "positions added in every block"]:
#     with mistaken(my_gpt2, **mistakes[name]), torch.no_grad():
#         guesses = {
#             "the story": my_gpt2(right_story[:, :-1]).argmax(dim=-1)[:, opening.shape[1] - 1 :],
#             "the tale": my_gpt2(tale_tokens[:, :-1]).argmax(dim=-1),
#         }
#     counts = [f"{(guesses[text] == right).sum()} of {right.numel()}" for text, right in right_guesses.items()]
#     print(f"{name:32}{counts[0]:>16}{counts[1]:>16}")

# %% tags=["active-ipynb"]
# other_texts = {
#     "a committee": "The committee approved the budget for the fiscal year, and the minister went home.",
#     "a king": "Long ago, in a country far to the north, there lived a king whose only son could not laugh. The wise "
#     "men came and told jokes, the cooks baked a cake, and nothing helped at all.",
# }
# print(f"{'nats more':32}", *(f"{label:>12}" for label in other_texts))
# for name in quiet_names:
#     changes = []
#     for other_tokens in map(encode, other_texts.values()):
#         with torch.no_grad():
#             its_right_loss = next_token_loss(my_gpt2(other_tokens), other_tokens)
#             with mistaken(my_gpt2, **mistakes[name]):
#                 changes.append(next_token_loss(my_gpt2(other_tokens), other_tokens) - its_right_loss)
#     print(f"{name:32}", *(f"{round(change.item(), 4) + 0.0:+12.4f}" for change in changes))

# %% [markdown]
# Not one token of the story changes, for any of the five. On the tale, which is not their own, the likeliest token is
# another one at no more than 4 of 104 positions.
#
# And the loss is worse than a weak signal: it can point the wrong way. On the sentence about a committee the unbiased
# variance makes it *lower*, by 0.0044 nats, and so does the exact GELU, by 0.0013; on the king it is RMSNorm, by
# 0.0007. Whoever chooses by the loss on such a text chooses the mistake. So how far are the five from right, inside?

# %% tags=["active-ipynb"]
# at_ends = [*(f"blocks.{layer}" for layer in range(model.cfg.n_layers)), "ln_final", "unembed"]
#
#
# def differences(**replaced):
#     """The largest difference from the reference model in what each block, ln_final and unembed give."""
#     with mistaken(my_gpt2, **replaced):
#         given = [stage for stage in first_difference(my_gpt2).stages if stage.verb == "gives"]
#     return torch.tensor([[stage.difference for stage in given if stage.part in at_ends]])
#
#
# quiet = {"no slide": {"ln": rms_norm}, "unbiased": {"ln": unbiased}, "exact GELU": {"mlp": exact_gelu}}
# quiet["eps outside"] = {"ln": eps_outside}
# lines(
#     {name: differences(**replaced) for name, replaced in quiet.items()}, list(quiet), at_ends,
#     "Quiet mistakes, from block to block", x_title="given by", y_title="largest difference",
#     log_y=True, digits=1, ends=list(quiet),
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

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
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

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
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
# at the end: `x = self.ln_final(x)`. Above, this one still told of a little girl, for 1.54 nats more.
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
# with torch.no_grad():
#     fresh_loss = next_token_loss(Transformer(model.cfg)(tale_tokens), tale_tokens)
# print(f"a fresh model: {fresh_loss:.1f} nats; log(d_vocab) = {torch.tensor(float(model.cfg.d_vocab)).log():.1f}")

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
# No. With the exact GELU in place of the tanh form it was as much (see the table), while rounding alone stayed below
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
# if model.name == "gpt2":
#     prompt = encode("Alan Turing theorized that computers would one day become")[:, 1:]  # without <|endoftext|>
# else:
#     prompt = encode("Once upon a time")
# told = continued(my_gpt2, prompt, 40)
# print(textwrap.fill("".join(str_tokens(told[0])).removeprefix("<|endoftext|>"), 78))

# %% tags=["active-ipynb"]
# with torch.no_grad():
#     of_all = my_gpt2(told[:, :-1])[0].softmax(dim=-1)
# of_told = of_all.gather(dim=-1, index=told[0, 1:, None])[:, 0]
# each_time = {}
# for word, chance in list(zip(str_tokens(told[0, 1:]), of_told.tolist(), strict=True))[-40:]:
#     each_time.setdefault(word, []).append(f"{chance:.2f}")
# for word, chances in each_time.items():
#     if len(chances) > 2:
#         print(f"{word!r:9} was written with probability", ", ".join(chances))

# %% [markdown]
# It begins like a story and ends in a loop: the King and Queen are "very fond of the King and Queen". The words of that
# phrase get likelier each time: `·very` goes from 0.07 to 0.40 and 0.65, `·fond` from 0.10 to 0.28 and 0.46. So whoever
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
