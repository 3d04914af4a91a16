"""utils.transplant: a component put into the running reference model does there what the model's own does."""

import pytest
import torch
from torch import nn

from solutions.ch03_layernorm import LayerNorm
from utils.reference import encode, reference
from utils.transplant import (
    TALE,
    given_to,
    layer_norm_names,
    logits_with,
    loss_on,
    next_token_loss,
    scaled_and_shifted,
    tell,
    untrained,
    with_weights,
)


@pytest.fixture(scope="module")
def transplanted():
    """The reference solution's LayerNorm in all places of the reference model."""
    return {name: with_weights(LayerNorm, name) for name in layer_norm_names(reference().cfg)}


@pytest.fixture(scope="module")
def logits():
    return logits_with({}, reference().tokens)


def test_every_layer_norm_is_named_in_order():
    names = layer_norm_names(reference().cfg)
    assert len(names) == 2 * reference().cfg.n_layers + 1
    assert (names[:3], names[-1]) == (["blocks.0.ln1", "blocks.0.ln2", "blocks.1.ln1"], "ln_final")


def test_without_replacements_the_logits_are_the_recorded_ones(logits):
    torch.testing.assert_close(logits, reference().activations["unembed.hook_out"], atol=1e-4, rtol=0)


def test_the_solution_changes_nothing(transplanted, logits):
    replaced = logits_with(transplanted, reference().tokens)
    torch.testing.assert_close(replaced, logits, atol=1e-4, rtol=0)


@pytest.mark.parametrize("name", ["blocks.0.ln1", "ln_final"])
def test_a_part_that_does_nothing_changes_the_logits_and_only_while_it_is_there(name, logits):
    replaced = logits_with({name: nn.Identity()}, reference().tokens)
    assert (replaced - logits).abs().max() > 0.1
    torch.testing.assert_close(logits_with({}, reference().tokens), logits)


def test_each_part_tells_what_it_was_given(transplanted):
    given = given_to(transplanted, reference().tokens)
    assert list(given) == layer_norm_names(reference().cfg)
    for name, vectors in given.items():
        torch.testing.assert_close(vectors, reference().activations[f"{name}.hook_in"], atol=1e-4, rtol=0)


def test_each_replacement_gets_the_input_of_its_own_place():
    seen = {}

    def spy(name):
        return lambda residual: seen.setdefault(name, residual.clone())

    model = reference()
    logits_with({"blocks.0.ln1": spy("blocks.0.ln1")}, model.tokens)
    logits_with({"ln_final": spy("ln_final")}, model.tokens)
    torch.testing.assert_close(seen["blocks.0.ln1"], model.activations["blocks.0.hook_resid_pre"])
    torch.testing.assert_close(seen["ln_final"], model.activations["ln_final.hook_in"], atol=1e-4, rtol=1e-5)


def test_a_buffer_of_the_learners_own_is_kept_but_a_missing_parameter_is_refused():
    class WithBuffer(LayerNorm):
        def __init__(self, cfg):
            super().__init__(cfg)
            self.register_buffer("eps", torch.tensor(cfg.layer_norm_eps))

    module = with_weights(WithBuffer, "ln_final")
    assert module.w.equal(reference().weights["ln_final.w"]) and module.eps > 0
    with pytest.raises(RuntimeError, match=r"do not fit: missing \['b', 'w'\], unexpected \['weight'\]"):
        with_weights(lambda cfg: nn.RMSNorm(cfg.d_model), "ln_final")


def test_a_first_half_of_layer_norm_gets_the_trained_second_half(transplanted):
    residual = reference().activations["blocks.3.hook_resid_mid"]
    half = scaled_and_shifted("blocks.3.ln2", LayerNorm(reference().cfg))
    torch.testing.assert_close(half(residual), transplanted["blocks.3.ln2"](residual))
    with pytest.raises(KeyError, match="ln_first"):
        scaled_and_shifted("ln_first", nn.Identity())


def test_a_story_is_told_again_from_its_seed_and_identity_costs(transplanted):
    prompt = "Once upon a time"
    story = tell(prompt, transplanted, new_tokens=3, seed=1)
    assert story.startswith(prompt) and len(story) > len(prompt)
    assert tell(prompt, transplanted, new_tokens=3, seed=1) == story == tell(prompt, {}, new_tokens=3, seed=1)
    fluent = "Once upon a time there was a king who had three sons."
    assert loss_on(fluent, transplanted) == pytest.approx(loss_on(fluent, {}), abs=1e-3)
    assert loss_on(fluent, dict.fromkeys(transplanted, nn.Identity())) > loss_on(fluent, {}) + 1


@pytest.mark.slow
def test_an_untrained_model_has_the_layer_norms_given_and_the_reference_models_sizes():
    tokens = reference().tokens[:1]
    model = untrained(LayerNorm, init_range=0.02)
    assert sum(isinstance(part, LayerNorm) for part in model.modules()) == 2 * reference().cfg.n_layers + 1
    assert not any(isinstance(part, nn.LayerNorm) for part in model.modules())
    loss = next_token_loss(model(tokens).logits, tokens)
    assert loss.item() == pytest.approx(torch.tensor(reference().cfg.d_vocab).log().item(), abs=0.2)


@pytest.mark.slow
def test_an_untrained_models_weights_depend_on_the_seed_and_the_range_alone():
    first, again, other, wide = (
        untrained(nn.Identity, init_range=size, seed=seed).transformer.wte.weight
        for size, seed in ((0.02, 0), (0.02, 0), (0.02, 1), (0.1, 0))
    )
    assert first.equal(again) and not first.equal(other)
    assert (wide.std() / first.std()).item() == pytest.approx(5, rel=1e-3)


def test_the_tale_fits_in_the_context():
    assert encode(TALE).shape[1] < reference().cfg.n_ctx
