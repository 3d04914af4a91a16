"""Chapter 11's programs with GPT-2's real weights: each goes on as picoGPT's README has it."""

import importlib.util

import numpy as np
import pytest
import torch

from judge.running.parameters import load_weights
from solutions.ch07_transformer import Transformer
from solutions.ch11_dialects import CausalSelfAttention, generate_greedy_jax, generate_greedy_numpy
from tests.reference.gpt2_small import real_gpt2
from utils.dialects import dict_tree, fused_attention, named_tree
from utils.gpt.trees import gpt_params
from utils.reference import encode, str_tokens

PROMPT = "Alan Turing theorized that computers would one day become"
PUBLISHED = " the most powerful machines on the planet."  # github.com/jaymody/picoGPT, README
TOKENS = 8

pytestmark = [pytest.mark.gpt2, pytest.mark.usefixtures("forget")]


def prompt():
    return encode(PROMPT)[0, 1:].tolist()


def words(told):
    return "".join(str_tokens(torch.tensor(told[-TOKENS:])))


def arrays(tree, make):
    if isinstance(tree, dict):
        return {name: arrays(inner, make) for name, inner in tree.items()}
    return [arrays(inner, make) for inner in tree] if isinstance(tree, list) else make(tree.numpy())


def test_numpy(monkeypatch):
    model = real_gpt2(monkeypatch)
    params = arrays(dict_tree(model.weights, model.cfg), np.asarray)
    assert words(generate_greedy_numpy(prompt(), params, model.cfg.n_heads, TOKENS)) == PUBLISHED


def test_fused_attention(monkeypatch):
    model = real_gpt2(monkeypatch)
    gpt = Transformer(model.cfg)
    load_weights(gpt, model.weights)
    for layer in range(model.cfg.n_layers):
        gpt.blocks[layer].attn = CausalSelfAttention(model.cfg)
        gpt.blocks[layer].attn.load_state_dict(fused_attention(model.weights, f"blocks.{layer}.attn"))
    tokens = torch.tensor([prompt()])
    with torch.no_grad():
        for _ in range(TOKENS):
            tokens = torch.cat([tokens, gpt(tokens)[:, -1:].argmax(-1)], dim=1)
    assert words(tokens[0].tolist()) == PUBLISHED


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is not installed: pip install jax")
@pytest.mark.apart
def test_jax(monkeypatch):
    model = real_gpt2(monkeypatch)
    import jax.numpy as jnp

    params = gpt_params(arrays(named_tree(model.weights, model.cfg), jnp.asarray))
    length = len(prompt()) + TOKENS
    params = params._replace(W_p=params.W_p[:length])
    assert words(generate_greedy_jax(prompt(), params, model.cfg.n_heads, TOKENS)) == PUBLISHED
