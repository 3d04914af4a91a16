"""The bundled reference model: the record is TransformerLens's, the weights are the bridge's."""

import os
from dataclasses import asdict
from typing import NamedTuple

import pytest
import torch
from torch.testing import assert_close

from solutions.ch07_transformer import Transformer
from tests.house.fresh_python import fresh_python
from utils.reference import BUNDLED, PROMPT_TOKENS, activation_names, encode, reference, str_tokens

ODD_TEXT = "Once upon a time,\n\n  a fox's café—☃ \t sang 1001 songs."


BOOTED = """\
import sys, warnings
warnings.simplefilter("always")
from utils.reference import boot, encode, reference, str_tokens
reference(); str_tokens(encode("Once"))
print({{"transformer_lens", "transformers", "huggingface_hub"}} & sys.modules.keys())
bridge = boot()
import torch
with torch.no_grad():
    _, seen = bridge.run_with_cache(reference().tokens)
weights = {{name: weight.detach().clone() for name, weight in bridge.tl_named_parameters()}}
seen = {{name: activation.clone() for name, activation in seen.items()}}
read = [bridge.to_tokens({text!r}), bridge.to_str_tokens({text!r})]
torch.save([weights, seen, *read], {file!r})
"""


class Bridge(NamedTuple):
    """What TransformerLens makes of the bundled model now, in a Python of its own."""

    printed: tuple[str, str]
    weights: dict[str, torch.Tensor]
    seen: dict[str, torch.Tensor]  # when the model reads the recorded tokens
    tokens: torch.Tensor  # of ODD_TEXT
    str_tokens: list[str]


@pytest.fixture(scope="module")
def bridge(tmp_path_factory):
    file = tmp_path_factory.mktemp("bridge") / "bridge.pt"
    ran = fresh_python(BOOTED.format(text=ODD_TEXT, file=str(file)), warm=True)
    return Bridge((ran.stdout, ran.stderr), *torch.load(file, weights_only=True))


@pytest.mark.slow
def test_the_weights_are_the_bridges(bridge):
    ours = reference().weights
    assert ours.keys() == bridge.weights.keys()
    for name, weight in ours.items():
        assert weight.dtype == torch.float32 and weight.is_contiguous() and not weight.requires_grad
        assert weight.equal(bridge.weights[name]), name


@pytest.mark.slow
def test_the_record_is_what_transformer_lens_sees(bridge):
    ours = reference()
    for name in activation_names.recorded_names(ours.cfg.n_layers):
        assert ours.activations[name].dtype == torch.float32
        assert_close(
            ours.activations[name],
            bridge.seen[name],
            atol=1e-4,
            rtol=1e-4,
            msg=lambda text, name=name: f"{name}: {text}",
        )


@pytest.mark.slow
def test_every_hook_name_of_transformer_lens_is_answered(bridge):
    activations, fresh = reference().activations, bridge.seen
    assert fresh.keys() - activations.keys() == {"pos_embed.hook_in"}
    for name in fresh.keys() - {"pos_embed.hook_in"}:
        assert_close(activations[name], fresh[name], atol=1e-4, rtol=1e-4)


def test_a_sublayer_reads_what_the_norm_before_it_wrote():
    activations = reference().activations
    assert activations["blocks.3.attn.hook_in"] is activations["blocks.3.ln1.hook_out"]
    assert activations["blocks.3.hook_resid_post"] is activations["blocks.4.hook_resid_pre"]
    assert activations["blocks.3.attn.hook_attn_scores"].min() < -3e38


def test_our_transformer_is_the_reference_model():
    model = reference()
    ours = Transformer(model.cfg)
    ours.load_state_dict(dict(model.weights), strict=True)
    assert_close(ours(model.tokens), model.activations["unembed.hook_out"], atol=1e-4, rtol=0)


def test_all_sizes_differ_and_the_folder_is_small():
    cfg = asdict(reference().cfg)
    sizes = [cfg[name] for name in ("d_model", "d_vocab", "n_ctx", "d_head", "d_mlp", "n_heads", "n_layers")]
    assert len({*sizes, *reference().tokens.shape}) == len(sizes) + 2
    files = [file for file in BUNDLED.iterdir() if file.name not in ("activations.safetensors", "README.md")]
    assert sum(file.stat().st_size for file in files) < 10_000_000


def test_the_prompts_are_rows_of_fourteen_tokens():
    rows = [str_tokens(row) for row in reference().tokens]
    assert [len(row) for row in rows] == [PROMPT_TOKENS, PROMPT_TOKENS]
    assert all(row[0] == "<|endoftext|>" for row in rows)
    assert rows[0][1:5] == ["Once", " upon", " a", " time"]


@pytest.mark.slow
def test_encode_and_str_tokens_are_the_bridges(bridge):
    assert encode(ODD_TEXT).equal(bridge.tokens)
    assert str_tokens(encode(ODD_TEXT)) == bridge.str_tokens
    assert encode("").tolist() == [[0]]


def test_str_tokens_reads_one_row():
    with pytest.raises(ValueError, match=r"reads one row of tokens, got shape \[2, 11\]; pass tokens\[0\]"):
        str_tokens(reference().tokens)


@pytest.mark.slow
def test_the_bundled_model_needs_no_transformer_lens_and_boot_writes_nothing(bridge):
    assert bridge.printed == ("set()\n", "")


@pytest.mark.slow
def test_it_is_read_once_for_each_value(monkeypatch, forget):
    bundled = reference()
    assert reference() is bundled
    monkeypatch.setenv("COURSE_REFERENCE", str(BUNDLED))
    as_folder = reference()
    assert as_folder is not bundled and reference() is as_folder
    monkeypatch.setenv("COURSE_REFERENCE", os.path.relpath(BUNDLED))
    assert reference() is as_folder


@pytest.mark.slow
def test_the_bundled_folder_gives_the_same_by_the_path_of_any_folder(monkeypatch, forget):
    bundled = reference()
    monkeypatch.setenv("COURSE_REFERENCE", str(BUNDLED))
    as_folder = reference()
    assert as_folder.cfg == bundled.cfg and as_folder.tokens.equal(bundled.tokens)
    assert as_folder.weights.keys() == bundled.weights.keys()
    assert as_folder.activations.keys() == bundled.activations.keys()
    assert all(weight.equal(bundled.weights[name]) for name, weight in as_folder.weights.items())
    for name, activation in as_folder.activations.items():
        assert_close(activation, bundled.activations[name], atol=1e-4, rtol=1e-4)
