"""The record of small models in Llama's and Qwen 3's shape: it is what TransformerLens sees, and chapter 12's model."""

import pytest
import torch
from torch.testing import assert_close

from solutions.ch12_since_gpt2 import ModernTransformer, RMSNorm, SwiGLU, apply_rotary
from tests.house.fresh_python import fresh_python
from utils.reference import modern
from utils.reference.modern import modern_model, modern_references, recorded_mlps, recorded_rms_norms, recorded_turns

READ = """\
import sys
from utils.reference.modern import modern_references
print([model.name for model in modern_references()], {"transformer_lens", "transformers"} & sys.modules.keys())
"""
MADE_ANEW = """\
from pathlib import Path
from training.modern_record import made_anew, save
folder = Path({folder!r})
save(made_anew(folder), folder / "anew.safetensors")
"""


def test_reading_it_needs_neither_of_the_two_libraries():
    assert fresh_python(READ).stdout == "['llama_1', 'llama_2', 'llama_3', 'qwen_1', 'qwen_2'] set()\n"


def test_no_mix_up_of_axes_can_hide():
    for model in modern_references():
        cfg = model.cfg
        axes = [cfg.d_model, cfg.d_vocab, cfg.n_ctx, cfg.d_head, cfg.d_mlp, cfg.n_heads, cfg.n_kv_heads]
        assert len(set(axes)) == len(axes) and cfg.n_heads * cfg.d_head != cfg.d_model, model.name
        assert model.tokens.shape[1] not in axes and cfg.rms_norm_eps >= 1e-3 and cfg.rotary_base <= 3000, model.name
    assert {(model.cfg.qk_norm, model.cfg.tied) for model in modern_references()} == {
        (False, True),
        (False, False),
        (True, True),
        (True, False),
    }


def test_every_scale_is_random():
    scales = [one for model in modern_references() for name, one in model.weights.items() if name.endswith(".w")]
    assert len(scales) == 25 and all((one - 1).abs().max() > 0.1 for one in scales)


def test_chapter_12s_model_gives_the_recorded_logits():
    for model in modern_references():
        ours = ModernTransformer(model.cfg)
        ours.load_state_dict(dict(model.weights))
        with torch.no_grad():
            assert_close(ours(model.tokens), model.activations["unembed.hook_out"], atol=1e-5, rtol=1e-5)


def test_chapter_12s_parts_give_what_was_recorded_of_every_block():
    """Their own tests ask for one of each shape."""
    for make, recorded in ((RMSNorm, recorded_rms_norms()), (SwiGLU, recorded_mlps())):
        for seen in recorded:
            part = make(seen.cfg)
            part.load_state_dict(seen.weights)
            with torch.no_grad():
                assert_close(part(seen.given), seen.gave, atol=1e-5, rtol=1e-5)
    for seen in recorded_turns():
        turned = apply_rotary(seen.given, seen.tables, torch.arange(seen.given.shape[1]))
        assert_close(turned, seen.gave, atol=1e-5, rtol=1e-5)


def test_the_trained_model_is_chapter_12s_too():
    trained = modern_model()
    ours = ModernTransformer(trained.cfg)
    ours.load_state_dict(dict(trained.weights))
    with torch.no_grad():
        assert_close(ours(trained.tokens), trained.activations["unembed.hook_out"], atol=1e-4, rtol=1e-4)


@pytest.mark.slow
def test_the_record_is_what_transformer_lens_sees(monkeypatch, tmp_path):
    fresh_python(MADE_ANEW.format(folder=str(tmp_path)), warm=True, HF_HUB_OFFLINE="1")
    recorded = modern_references()
    monkeypatch.setattr(modern, "FILE", tmp_path / "anew.safetensors")
    anew = modern_references.__wrapped__()
    assert [(model.name, model.cfg) for model in anew] == [(model.name, model.cfg) for model in recorded]
    for ours, fresh in zip(recorded, anew, strict=True):
        assert ours.tokens.equal(fresh.tokens)
        assert ours.weights.keys() == fresh.weights.keys() and ours.activations.keys() == fresh.activations.keys()
        for name, weight in ours.weights.items():
            assert weight.dtype == torch.float32 and weight.is_contiguous() and weight.equal(fresh.weights[name]), name
        for name, activation in ours.activations.items():
            assert activation.dtype == torch.float32
            assert_close(activation, fresh.activations[name], atol=1e-4, rtol=1e-4, msg=lambda text, at=name: at + text)
