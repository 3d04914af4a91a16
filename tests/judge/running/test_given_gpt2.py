"""utils.gpt.model: the GPT-2 that is handed to a learner's code is the course's own Transformer, part by part."""

from dataclasses import replace

import pytest
import torch

from judge.running.parameters import load_weights
from solutions.ch07_transformer import Transformer
from solutions.ch08_sampling import generate, generate_with_cache
from tests.ch08_sampling import gpt2
from utils.config import SMALL
from utils.gpt.model import GPT

CFG = replace(SMALL, n_layers=3, layer_norm_eps=0.1)
TOKENS = torch.tensor([[3, 1, 22, 3, 0], [7, 7, 2, 9, 21]])


@pytest.fixture(scope="module")
def both():
    """The two models with one set of random weights."""
    given, own = GPT(CFG), Transformer(CFG)
    generator = torch.Generator().manual_seed(0)
    weights = {name: torch.randn(value.shape, generator=generator) for name, value in own.named_parameters()}
    for model in (given, own):
        load_weights(model, weights)
    return given, own


def test_names_and_shapes_are_the_courses(both):
    shapes = [{name: tuple(value.shape) for name, value in model.state_dict().items()} for model in both]
    assert shapes[0] == shapes[1]
    frozen = [[name for name, value in model.named_parameters() if not value.requires_grad] for model in both]
    assert frozen[0] == frozen[1] == ["unembed.b_U"]
    assert all(part.cfg == CFG for part in both[0].modules() if not isinstance(part, torch.nn.ModuleList))


@pytest.mark.parametrize("name", ["", "embed", "pos_embed", "blocks.2", "blocks.1.attn", "ln_final", "unembed"])
def test_each_part_does_what_the_courses_does(both, name):
    given, own = (model.get_submodule(name) for model in both)
    of_tokens = name in ("", "embed", "pos_embed")
    inputs = TOKENS if of_tokens else torch.randn(2, CFG.n_ctx, CFG.d_model, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        torch.testing.assert_close(given(inputs), own(inputs), rtol=1e-5, atol=1e-5)


def test_a_text_that_is_too_long_is_refused(both):
    given, _ = both
    assert given(torch.zeros(1, CFG.n_ctx, dtype=torch.long)).shape == (1, CFG.n_ctx, CFG.d_vocab)
    with pytest.raises(IndexError, match="10 tokens are more than n_ctx = 9"):
        given(torch.zeros(1, CFG.n_ctx + 1, dtype=torch.long))
    with pytest.raises(ValueError, match=r"tokens \[batch pos\], got shape \[5\]"):
        given(TOKENS[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [{"temperature": 0.0}, {"temperature": 0.0, "freq_penalty": 0.7}, {"top_k": 5}, {"top_p": 0.9}, {}],
    ids=str,
)
def test_the_solutions_write_the_same_text_with_a_cache_and_without(settings):
    cfg = replace(SMALL, n_ctx=16)
    for seed in range(2):
        model = gpt2(cfg, seed)
        for length in (1, 4, 15):
            prompt, new = torch.arange(length) % cfg.d_vocab, cfg.n_ctx - length
            texts = []
            for write in (generate, generate_with_cache):
                torch.manual_seed(seed)
                texts.append(write(model, prompt, new, **settings).tolist())
            assert texts[0] == texts[1] and len(texts[0]) == cfg.n_ctx
