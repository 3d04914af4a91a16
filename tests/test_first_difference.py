"""first_difference: the first part that reads or gives something else is found, and what that means is said."""

import types

import pytest
import torch
import torch.nn.functional as F

from solutions.ch07_transformer import Transformer, TransformerBlock
from tests.ch07_transformer import block
from utils.first_difference import BEFORE, ITSELF, LAST_SUM, first_difference, mistaken
from utils.reference import reference


def exact_gelu(self, x):
    return F.gelu(x @ self.W_in + self.b_in) @ self.W_out + self.b_out


@pytest.fixture
def model():
    made = Transformer(reference().cfg)
    made.load_state_dict(dict(reference().weights), strict=True)
    return made


def in_block(model, layer, forward):
    """The model, one of whose blocks has another `forward`."""
    one = model.blocks[layer]
    one.forward = types.MethodType(forward, one)
    return model


def test_a_right_model_agrees_from_end_to_end(model):
    found = first_difference(model)
    assert found.first is None and len(found.stages) == 2 + 10 * 6 + 4
    blocks = [f"blocks.{layer}                agrees" for layer in range(6)]
    outside = [name.ljust(24) + "agrees" for name in ("embed", "pos_embed", "ln_final", "unembed")]
    assert repr(found).splitlines() == [
        *outside[:2],
        *blocks,
        *outside[2:],
        "All agree, from the embedding to the logits.",
    ]


@pytest.mark.parametrize(
    ("name", "first", "conclusion"),
    [
        ("running both sublayers side by side", "blocks.2.ln2 reads", BEFORE),
        ("adding the MLP's answer to `resid_pre`", "blocks.2 gives", LAST_SUM),
        ("`ln1` and `ln2` swapped", "blocks.2.ln1 reads", BEFORE),
        ("using `ln1` twice", "blocks.2.mlp reads", BEFORE),
        ("normalising after the sum (post-norm)", "blocks.2.ln1 reads", BEFORE),
        ("attention reading the raw stream", "blocks.2.attn reads", BEFORE),
        ("leaving the stream out round attention", "blocks.2.ln2 reads", BEFORE),
        ("the MLP before attention", "blocks.2.ln1 reads", BEFORE),
    ],
)
def test_a_mistake_in_a_block_is_found_where_it_is_made(model, name, first, conclusion):
    mistake = next(one for one in block.misconceptions if one.name == name)
    found = first_difference(in_block(model, 2, mistake.component.forward))
    assert f"{found.first.part} {found.first.verb}" == first
    lines = repr(found).splitlines()
    assert "<- the first that differs" in lines[-3] and lines[-3].startswith(first)
    assert lines[-2].startswith("Of ") and lines[-1] == conclusion


@pytest.mark.parametrize(
    ("part", "answer", "first"),
    [
        ("blocks.3.ln2", lambda self, x: F.layer_norm(x, x.shape[-1:], self.w, self.b, 1e-2), "blocks.3.ln2 gives"),
        ("blocks.0.mlp", exact_gelu, "blocks.0.mlp gives"),
        ("pos_embed", lambda self, tokens: self.W_pos[1 : tokens.shape[1] + 1], "pos_embed gives"),
        ("unembed", lambda self, x: x @ self.W_U * 1.001, "unembed gives"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_part_is_found_there(model, part, answer, first):
    one = model.get_submodule(part)
    one.forward = types.MethodType(answer, one)
    found = first_difference(model)
    assert f"{found.first.part} {found.first.verb}" == first and repr(found).endswith(ITSELF)


def test_what_is_never_called_or_called_twice_or_has_another_shape_is_said(model):
    def forward(self, tokens):
        resid = self.embed(tokens)
        for one in self.blocks:
            resid = one(resid + self.pos_embed(tokens))
        return self.unembed(resid)

    model.forward = types.MethodType(forward, model)
    text = repr(first_difference(model))
    assert "blocks.1 reads          differs by up to" in text and "blocks.0                agrees" in text
    model.pos_embed.forward = lambda tokens: torch.zeros(3, 4)
    model.forward = types.MethodType(lambda self, tokens: self.pos_embed(tokens), model)
    text = repr(first_difference(model))
    assert text.splitlines()[:2] == [
        "embed gives             never called",
        "pos_embed gives         has another shape   <- the first that differs",
    ]


def test_adding_in_place_to_what_a_part_gave_is_no_difference(model):
    def forward(self, tokens):
        resid = self.embed(tokens)
        resid += self.pos_embed(tokens)
        for one in self.blocks:
            resid = one(resid)
        return self.unembed(self.ln_final(resid))

    model.forward = types.MethodType(forward, model)
    assert first_difference(model).first is None


def test_a_mistake_is_there_for_the_length_of_the_block_alone(model):
    with mistaken(model, mlp=exact_gelu):
        assert first_difference(model).first.part == "blocks.0.mlp"
    with mistaken(model, ln=lambda ln, x: x):
        assert first_difference(model).first.part == "blocks.0.ln1"
    with pytest.raises(ZeroDivisionError), mistaken(model, block=lambda block, x: x, model=lambda model, tokens: 1 / 0):
        first_difference(model)
    assert first_difference(model).first is None


def test_the_hooks_are_gone_afterwards(model):
    first_difference(model)
    assert not any(part._forward_hooks for part in model.modules())
    assert isinstance(model.blocks[0], TransformerBlock)
