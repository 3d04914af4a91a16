"""How MLP goes wrong: what else is done to a vector, and the weights."""

import math
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

from solutions import ch05_mlp as solution
from tests.ch05_mlp import mlp
from tests.misconceptions.ch05_mlp.mlp.layers import active, pre_of

mlp.misconception(
    "a GELU on the answer as well",
    "There is one GELU, between the layers. The answer may be negative, and goes out as it is.",
    lambda self, normalized_resid_mid: active(active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out),
)
mlp.misconception(
    "a GELU on the answer alone",
    "GELU stands between the layers: on `pre`, not on what goes out.",
    lambda self, normalized_resid_mid: active(pre_of(self, normalized_resid_mid) @ self.W_out + self.b_out),
    lambda self, normalized_resid_mid: active(pre_of(self, normalized_resid_mid) @ self.W_out) + self.b_out,
)
mlp.misconception(
    "a GELU on the input",
    "First widen, then GELU: it is applied to `pre`, which has d_mlp numbers.",
    lambda self, normalized_resid_mid: pre_of(self, active(normalized_resid_mid)) @ self.W_out + self.b_out,
    lambda self, normalized_resid_mid: active(pre_of(self, active(normalized_resid_mid))) @ self.W_out + self.b_out,
)


@mlp.misconception(
    "a GELU on the weights", "What bends is `pre`, the numbers that the neurons have read: `gelu_new(x @ W_in + b_in)`."
)
def gelu_on_w_in(self, normalized_resid_mid):
    return (normalized_resid_mid @ active(self.W_in) + self.b_in) @ self.W_out + self.b_out


mlp.also(
    "a GELU on the weights",
    lambda self, normalized_resid_mid: pre_of(self, normalized_resid_mid) @ active(self.W_out) + self.b_out,
)
mlp.misconception(
    "GELU applied twice",
    "Once is enough: `post` has been through GELU when `W_out` reads it.",
    lambda self, normalized_resid_mid: active(active(pre_of(self, normalized_resid_mid))) @ self.W_out + self.b_out,
)
mlp.misconception(
    "`W_in` again in place of `W_out`",
    "`W_in.T` fits by its shape, but what a neuron writes is its own row of `W_out`.",
    lambda self, normalized_resid_mid: active(pre_of(self, normalized_resid_mid)) @ self.W_in.T + self.b_out,
)


@mlp.misconception(
    "`W_out` in place of `W_in`",
    "`W_out.T` fits by its shape, but what a neuron reads is its own column of `W_in`. (Made by "
    "`nn.Parameter(self.W_in.data.T)`, `W_out` would share its memory with `W_in`.)",
)
def tied_the_other_way(self, normalized_resid_mid):
    return active(normalized_resid_mid @ self.W_out.T + self.b_in) @ self.W_out + self.b_out


@mlp.misconception(
    "`W_in` and `W_out` in swapped roles",
    "`W_in` [d_model d_mlp] comes first, `W_out` [d_mlp d_model] second; no `.T`.",
)
def swapped_weights(self, normalized_resid_mid):
    return active(normalized_resid_mid @ self.W_out.T + self.b_in) @ self.W_in.T + self.b_out


@mlp.misconception(
    "`W_in` transposed, or `W_out` in its place",
    "The stream's d_model numbers meet a matrix that begins with d_mlp. `W_in` fits as it is: "
    "`normalized_resid_mid @ self.W_in` (F.linear transposes by itself: hand it `self.W_in.T`).",
)
def w_in_transposed(self, normalized_resid_mid):
    return active(normalized_resid_mid @ self.W_in.T + self.b_in) @ self.W_out + self.b_out


mlp.also("`W_in` transposed, or `W_out` in its place", "W_in.T → W_out", "W_out → W_out.T", of=w_in_transposed)
mlp.misconception(
    "`W_out` transposed, or `W_in` in its place",
    "`post` has d_mlp numbers, and this matrix begins with d_model. `W_out` fits as it is: `post @ self.W_out` "
    "(F.linear transposes by itself: hand it `self.W_out.T`).",
    lambda self, normalized_resid_mid: active(pre_of(self, normalized_resid_mid)) @ self.W_out.T + self.b_out,
    lambda self, normalized_resid_mid: active(pre_of(self, normalized_resid_mid)) @ self.W_in + self.b_out,
)


@mlp.misconception(
    "the matrix on the left of its vectors",
    "The stream comes first, `normalized_resid_mid @ self.W_in`: [pos in] [in out].",
)
def matrix_first(self, normalized_resid_mid):
    return active(self.W_in @ normalized_resid_mid + self.b_in) @ self.W_out + self.b_out


@mlp.misconception(
    "weights reshaped where they fit as they are",
    "`view` and `reshape` cut rows anew and mix the numbers up. `W_in` and `W_out` fit as they are: `x @ self.W_in`.",
)
def both_reshaped(self, normalized_resid_mid):
    key, value = self.W_in.view(self.cfg.d_mlp, -1), self.W_out.view(-1, self.cfg.d_mlp)
    return F.linear(active(F.linear(normalized_resid_mid, key, self.b_in)), value, self.b_out)


@mlp.also("weights reshaped where they fit as they are")
def w_in_reshaped(self, normalized_resid_mid):
    key = self.W_in.view(self.cfg.d_mlp, -1)
    return active(F.linear(normalized_resid_mid, key, self.b_in)) @ self.W_out + self.b_out


@mlp.also("weights reshaped where they fit as they are")
def w_out_reshaped(self, normalized_resid_mid):
    value = self.W_out.view(-1, self.cfg.d_mlp)
    return F.linear(active(pre_of(self, normalized_resid_mid)), value, self.b_out)


@mlp.misconception(
    "dividing by the root of a size", "Nothing is scaled here; that belongs to attention's scores, with √d_head."
)
def scaled(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)) @ self.W_out / math.sqrt(self.cfg.d_mlp) + self.b_out


@mlp.also("dividing by the root of a size")
def pre_scaled_by_d_model(self, normalized_resid_mid):
    scaled_pre = normalized_resid_mid @ self.W_in / math.sqrt(self.cfg.d_model) + self.b_in
    return active(scaled_pre) @ self.W_out + self.b_out


@mlp.misconception(
    "a mean in place of a sum", "A matrix product adds up, as `@` does: no `mean`, and no division by d_model or d_mlp."
)
def keys_averaged(self, normalized_resid_mid):
    pre = normalized_resid_mid @ self.W_in / self.cfg.d_model + self.b_in
    return active(pre) @ self.W_out + self.b_out


@mlp.also("a mean in place of a sum")
def values_averaged(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)) @ self.W_out / self.cfg.d_mlp + self.b_out


mlp.also("a mean in place of a sum", "W_out → W_out / self.cfg.d_mlp", of=keys_averaged)


@mlp.misconception(
    "some of the neurons left out",
    "All d_mlp neurons write: look for a slice such as `[:-1]`, or a loop that starts late or ends early.",
)
def last_neuron_left_out(self, normalized_resid_mid):
    post = active(pre_of(self, normalized_resid_mid))
    return post[..., :-1] @ self.W_out[:-1] + self.b_out


mlp.also(
    "some of the neurons left out",
    "post[..., :-1] @ self.W_out[:-1] → post[..., 1:] @ self.W_out[1:]",
    of=last_neuron_left_out,
)


@mlp.also("some of the neurons left out")
def only_d_model_neurons(self, normalized_resid_mid):
    post, many = active(pre_of(self, normalized_resid_mid)), self.cfg.d_model
    return post[..., :many] @ self.W_out[:many] + self.b_out


mlp.also("some of the neurons left out", "cfg.d_model → cfg.d_mlp // 2", of=only_d_model_neurons)
mlp.also(
    "some of the neurons left out",
    "post[..., :-1] @ self.W_out[:-1] → post[..., -1:] @ self.W_out[-1:]",
    of=last_neuron_left_out,
)


@mlp.misconception(
    "the positions mixed by a mean", "Each position is read alone: no mean or sum over `pos` or `batch` is needed."
)
def mixed_positions(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid - normalized_resid_mid.mean(1, True))) @ self.W_out + self.b_out


@mlp.misconception(
    "one answer for the whole text",
    "Each position keeps an answer of its own: the result has an axis `pos`, and nothing is added up along it.",
)
def summed_positions(self, normalized_resid_mid):
    return torch.einsum("bpm,md->bd", active(pre_of(self, normalized_resid_mid)), self.W_out) + self.b_out


@mlp.also("one answer for the whole text")
def mean_of_the_positions(self, normalized_resid_mid):
    return (active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out).mean(dim=1)


@mlp.misconception(
    "a dropout that is left on", "Dropout makes each call differ. GPT-2's is off when it reads; leave it out here."
)
def with_dropout(self, normalized_resid_mid):
    return F.dropout(active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out, 0.1)


mlp.misconception(
    "`post` itself",
    "`post` still has d_mlp numbers: bring it back with `W_out` and `b_out`.",
    lambda self, normalized_resid_mid: active(pre_of(self, normalized_resid_mid)),
)


@mlp.misconception("an answer cut out of the graph", "Nothing could be trained that way: return the last sum as it is.")
def answer_detached(self, normalized_resid_mid):
    return (active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out).detach()


@mlp.misconception(
    "weights cut out of the graph",
    "Training must reach the parameters: use `self.W_in`, `self.W_out` and the biases themselves, without `detach`.",
)
def weights_detached(self, normalized_resid_mid):
    pre = normalized_resid_mid @ self.W_in.detach() + self.b_in
    return active(pre) @ self.W_out.detach() + self.b_out


mlp.also("weights cut out of the graph", ("b_in → b_in.detach()", "b_out → b_out.detach()"), of=weights_detached)
mlp.misconception(
    "a `post` cut out of the graph",
    "Training must reach `W_in` and the stream through `post`, so gradients flow back through it.",
    lambda self, normalized_resid_mid: active(pre_of(self, normalized_resid_mid)).detach() @ self.W_out + self.b_out,
)
mlp.misconception(
    "the input as it came",
    "Return what the second layer gives: `post @ self.W_out + self.b_out`.",
    lambda self, normalized_resid_mid: normalized_resid_mid,
)


@mlp.misconception(
    "writing into the input",
    "The caller's tensor has other numbers now. Make a new one, and write neither into the input nor into what shares "
    "its memory.",
)
def mlp_in_place(self, normalized_resid_mid):
    answer = active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out
    normalized_resid_mid += answer
    return answer


@mlp.misconception(
    "a parameter called like a layer",
    "`W_in` and `W_out` are matrices, not layers: `normalized_resid_mid @ self.W_in + self.b_in`.",
)
def parameters_called(self, normalized_resid_mid):
    post = active(self.W_in(normalized_resid_mid) + self.b_in)
    return self.W_out(post) + self.b_out


@mlp.also("a parameter called like a layer")
def parameters_called_alone(self, normalized_resid_mid):
    pre = self.W_in(normalized_resid_mid)
    return self.W_out(active(pre))


@mlp.misconception(
    "new layers in `forward`",
    "Their weights are drawn anew in every call and never trained: use `self.W_in`, `self.b_in`, `self.W_out` and "
    "`self.b_out`.",
)
def layers_made_anew(self, normalized_resid_mid):
    to_neurons = nn.Linear(self.cfg.d_model, self.cfg.d_mlp)
    back = nn.Linear(self.cfg.d_mlp, self.cfg.d_model)
    return back(active(to_neurons(normalized_resid_mid)))


@mlp.misconception(
    "`nn.GELU` made of a tensor",
    "`nn.GELU` is a class: it makes a layer, and its brackets take a setting. Call your function: `gelu_new(pre)`.",
)
def gelu_made_of_pre(self, normalized_resid_mid):
    post = nn.GELU(normalized_resid_mid @ self.W_in + self.b_in)  # pyright: ignore
    return post @ self.W_out + self.b_out


@mlp.misconception(
    "layers kept inside nn.Linear",
    "Its parameters have other names, and its weight is [out in]: make `W_in`, `b_in`, `W_out` and `b_out` yourself.",
)
class InsideNnLinear(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.c_fc = nn.Linear(cfg.d_model, cfg.d_mlp)
        self.c_proj = nn.Linear(cfg.d_mlp, cfg.d_model)


@mlp.misconception(
    "weights the other way round, as nn.Linear keeps them", "Here `W_in` is [d_model d_mlp]: in, then out."
)
class OutInWeights(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_in = nn.Parameter(cfg.init_range * torch.randn(cfg.d_mlp, cfg.d_model))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_mlp))
        self.W_out = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, cfg.d_mlp))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))


@mlp.misconception(
    "`4 * d_model` neurons whatever the config says",
    "The width is `cfg.d_mlp`; four times d_model is only its usual value.",
)
class FourTimesWide(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_in = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, 4 * cfg.d_model))
        self.b_in = nn.Parameter(torch.zeros(4 * cfg.d_model))
        self.W_out = nn.Parameter(cfg.init_range * torch.randn(4 * cfg.d_model, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))


@mlp.misconception(
    "no parameters `b_in` and `b_out`",
    "Both layers have a bias that learns, an nn.Parameter, not a buffer or a plain tensor: `b_in` with d_mlp zeros, "
    "`b_out` with d_model zeros.",
)
class WithoutBiases(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_in = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, cfg.d_mlp))
        self.W_out = nn.Parameter(cfg.init_range * torch.randn(cfg.d_mlp, cfg.d_model))


@mlp.misconception(
    "biases in swapped sizes", "`b_in` is added to `pre`, so it has d_mlp numbers; `b_out` to the answer, so d_model."
)
class SwappedBiases(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_in = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, cfg.d_mlp))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_model))
        self.W_out = nn.Parameter(cfg.init_range * torch.randn(cfg.d_mlp, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_mlp))


@mlp.also("normalising the input once more")
class WithLayerNorm(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        for name, parameter in solution.MLP(cfg).named_parameters():
            self.register_parameter(name, parameter)
        self.ln = nn.LayerNorm(cfg.d_model)


@mlp.misconception(
    "weights with spread 1", "Multiply by `cfg.init_range`, or use `nn.init.normal_(w, std=cfg.init_range)`."
)
class SpreadOne(solution.MLP):
    def __init__(self, cfg):
        super().__init__(replace(cfg, init_range=1.0))


@mlp.misconception(
    "weights that start at 0", "With zeros the neurons start silent: draw both `W_in` and `W_out` at random."
)
class StartsAtZero(solution.MLP):
    def __init__(self, cfg):
        super().__init__(replace(cfg, init_range=0.0))


@mlp.also("weights that start at 0")
class WritesZero(solution.MLP):
    def __init__(self, cfg):
        super().__init__(cfg)
        nn.init.zeros_(self.W_out)


@mlp.misconception(
    "a `W_out` that starts smaller, by √(2 · n_layers)",
    "nanoGPT starts it that way, after the GPT-2 paper. Here both matrices start alike, with `std=cfg.init_range`.",
)
class ScaledDown(solution.MLP):
    def __init__(self, cfg):
        super().__init__(cfg)
        nn.init.normal_(self.W_out, std=cfg.init_range / math.sqrt(2 * cfg.n_layers))


@mlp.misconception(
    "a spread wider than `cfg.init_range`, such as nn.Linear's or Xavier's",
    "GPT-2 starts smaller: `nn.init.normal_(w, std=cfg.init_range)`.",
)
class Xavier(solution.MLP):
    def __init__(self, cfg):
        super().__init__(cfg)
        nn.init.xavier_normal_(self.W_in)
        nn.init.xavier_normal_(self.W_out)


for spread in (nn.init.kaiming_normal_, lambda table: nn.init.kaiming_uniform_(table, a=math.sqrt(5))):

    @mlp.also("a spread wider than `cfg.init_range`, such as nn.Linear's or Xavier's")
    class OtherSpread(solution.MLP):
        def __init__(self, cfg, spread=spread):
            super().__init__(cfg)
            spread(self.W_in)
            spread(self.W_out)


@mlp.misconception("biases that start at random", "Only the matrices are drawn: `b_in` and `b_out` start at 0.")
class RandomBiases(solution.MLP):
    def __init__(self, cfg):
        super().__init__(cfg)
        for bias in (self.b_in, self.b_out):
            nn.init.normal_(bias, std=cfg.init_range)


@mlp.also("biases that start at random")
class RandomOutputBias(solution.MLP):
    def __init__(self, cfg):
        super().__init__(cfg)
        nn.init.normal_(self.b_out, std=cfg.init_range)
