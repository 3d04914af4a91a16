"""The reference model: the record is TransformerLens's, the weights are the bridge's, the errors say the way out."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from solutions.ch06_unembed import cross_entropy_loss
from solutions.ch07_transformer import Transformer
from utils import hooks, model_folder
from utils import reference as reference_module
from utils.reference import BUNDLED, PROMPT_TOKENS, ReferenceUnavailable, boot, encode, reference, str_tokens

ROOT = Path(__file__).parents[1]
GPT2_TOKENIZER = ROOT.parent / "shared" / "gpt2-tokenizer"
ODD_TEXT = "Once upon a time,\n\n  a fox's café—☃ \t sang 1001 songs."


@pytest.fixture(autouse=True)
def _bundled(monkeypatch):
    monkeypatch.delenv("COURSE_REFERENCE", raising=False)


@pytest.fixture
def forget():
    """Let go of a large model after the test."""
    yield
    reference_module._reference.cache_clear()
    reference_module._tokenizer.cache_clear()


@pytest.fixture(scope="module")
def bridge():
    return boot("bundled")


@pytest.fixture(scope="module")
def fresh(bridge):
    """Everything that TransformerLens sees now, when the bundled model reads the recorded tokens."""
    with torch.no_grad():
        _, seen = bridge.run_with_cache(reference().tokens)
    return seen


def test_the_weights_are_the_bridges(bridge):
    theirs = dict(bridge.tl_named_parameters())
    ours = reference().weights
    assert ours.keys() == theirs.keys()
    for name, weight in ours.items():
        assert weight.dtype == torch.float32 and weight.is_contiguous() and not weight.requires_grad
        assert weight.equal(theirs[name]), name


def test_the_record_is_what_transformer_lens_sees(fresh):
    seen = reference()
    for name in hooks.recorded_names(seen.cfg.n_layers):
        assert seen.activations[name].dtype == torch.float32
        assert_close(
            seen.activations[name], fresh[name], atol=1e-4, rtol=1e-4, msg=lambda text, name=name: f"{name}: {text}"
        )


def test_every_hook_name_of_transformer_lens_is_answered(fresh):
    activations = reference().activations
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


def test_encode_and_str_tokens_are_the_bridges(bridge):
    assert encode(ODD_TEXT).equal(bridge.to_tokens(ODD_TEXT))
    assert str_tokens(encode(ODD_TEXT)) == bridge.to_str_tokens(ODD_TEXT)
    assert encode("").tolist() == [[0]]


def test_str_tokens_reads_one_row():
    with pytest.raises(ValueError, match=r"reads one row of tokens, got shape \[2, 14\]; pass tokens\[0\]"):
        str_tokens(reference().tokens)


def test_the_bundled_model_needs_no_transformer_lens():
    code = (
        "import sys; from utils.reference import encode, reference, str_tokens\n"
        "reference(); str_tokens(encode('Once'))\n"
        "print({'transformer_lens', 'transformers', 'huggingface_hub'} & sys.modules.keys())"
    )
    assert _python(code).stdout == "set()\n"


def test_it_is_read_once_for_each_value(monkeypatch, forget):
    bundled = reference()
    assert reference() is bundled
    monkeypatch.setenv("COURSE_REFERENCE", str(BUNDLED))
    as_folder = reference()
    assert as_folder is not bundled and reference() is as_folder
    monkeypatch.setenv("COURSE_REFERENCE", os.path.relpath(BUNDLED))
    assert reference() is as_folder


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


def test_boot_writes_nothing():
    ran = _python("from utils.reference import boot; boot()", "-W", "always")
    assert (ran.stdout, ran.stderr) == ("", "")


def test_a_missing_folder_is_named(monkeypatch):
    monkeypatch.setenv("COURSE_REFERENCE", "/no/such/folder")
    wanted = (
        "The reference model '/no/such/folder': there is no such folder. COURSE_REFERENCE may be bundled, gpt2, "
        "or the folder of a HuggingFace GPT-2; or unset COURSE_REFERENCE to use the bundled model."
    )
    for ask in (reference, boot, lambda: encode("Once")):
        with pytest.raises(ReferenceUnavailable) as raised:
            ask()
        assert str(raised.value) == wanted


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"config.json": None}, "it holds no config.json"),
        ({"model.safetensors": None}, r"it holds no weights \(model.safetensors\)"),
        ({"tokenizer.json": None}, "it holds no tokenizer"),
        (
            {"config.json": {"model_type": "llama"}},
            "config.json says model_type is 'llama', and the course's GPT-2 has",
        ),
        ({"config.json": {"activation_function": "relu"}}, "config.json says activation_function is 'relu'"),
    ],
)
def test_a_folder_that_is_no_gpt2_says_what_is_wrong(monkeypatch, tmp_path, changes, wanted):
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        shutil.copy(BUNDLED / name, tmp_path)
    for name, change in changes.items():
        if change is None:
            (tmp_path / name).unlink()
        else:
            (tmp_path / name).write_text(json.dumps(json.loads((tmp_path / name).read_text()) | change))
    monkeypatch.setenv("COURSE_REFERENCE", str(tmp_path))
    with pytest.raises(ReferenceUnavailable, match=f"{wanted}.*Point COURSE_REFERENCE at a folder .* or unset"):
        reference()


def test_gpt2_offline_is_one_quick_message_with_the_way_out(tmp_path):
    offline = {"COURSE_REFERENCE": "gpt2", "HF_HOME": str(tmp_path), "HF_ENDPOINT": "http://127.0.0.1:9"}
    code = (
        "import time; from utils.reference import reference; started = time.perf_counter()\n"
        "try: reference()\nfinally: print(time.perf_counter() - started)"
    )
    ran = _python(code, **offline, check=False)
    assert ran.returncode == 1 and float(ran.stdout) < 10
    lines = ran.stderr.strip().splitlines()
    assert len(lines) < 20 and "another exception" not in ran.stderr
    name, _, message = lines[-1].partition(": ")
    assert name.endswith("ReferenceUnavailable")
    assert message.startswith("The reference model 'gpt2': GPT-2 small's weights (0.5 GB) are not on this machine and ")
    assert message.endswith(
        "Go online once and try again, or point COURSE_REFERENCE at a folder that holds them, "
        "or unset COURSE_REFERENCE to use the bundled model."
    )


@pytest.mark.skipif(
    not GPT2_TOKENIZER.is_dir(), reason="GPT-2's vocab.json and merges.txt are not beside the repository"
)
def test_a_gpt2_small_of_random_weights_goes_the_same_way(monkeypatch, tmp_path, forget):
    theirs = _random_gpt2_small(tmp_path)
    monkeypatch.setenv("COURSE_REFERENCE", str(tmp_path))
    model = reference()
    ours = Transformer(model.cfg)
    ours.load_state_dict(dict(model.weights), strict=True)
    assert (model.cfg.n_layers, model.cfg.d_model, model.cfg.d_vocab, model.cfg.n_ctx) == (12, 768, 50257, 1024)
    assert model.tokens.shape == (2, 14) and model.tokens[:, 0].tolist() == [50256, 50256]
    with torch.no_grad():
        logits, expected = ours(model.tokens), theirs(model.tokens).logits
    assert expected.std() > 0.1
    assert_close(logits, expected, atol=1e-4, rtol=0)
    assert_close(model.activations["unembed.hook_out"], expected, atol=1e-4, rtol=0)
    assert str_tokens(encode(" The king")) == ["<|endoftext|>", " The", " king"]


@pytest.mark.gpt2
def test_the_real_gpt2(monkeypatch, forget):
    def stay_offline():
        raise OSError("the tests download nothing")

    monkeypatch.setattr(model_folder, "_reach_hub", stay_offline)
    monkeypatch.setenv("COURSE_REFERENCE", "gpt2")
    try:
        model = reference()
    except ReferenceUnavailable as missing:
        pytest.skip(str(missing))
    ours = Transformer(model.cfg)
    ours.load_state_dict(dict(model.weights), strict=True)
    with torch.no_grad():
        logits = ours(model.tokens)
        best = ours(encode("Once upon a"))[0, -1].argmax()
    assert_close(logits, model.activations["unembed.hook_out"], atol=2e-3, rtol=0)
    assert cross_entropy_loss(logits, model.tokens) < 5
    assert str_tokens(best[None]) == [" time"]


def _python(code: str, *flags: str, check: bool = True, **environment: str) -> subprocess.CompletedProcess:
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("COURSE_REFERENCE", "PYTHONWARNINGS")
    }
    command = [sys.executable, *flags, "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, check=check, cwd=ROOT, env=inherited | environment, timeout=120
    )


def _random_gpt2_small(folder: Path):
    """Save a GPT-2 small in which every parameter is random, biases and LayerNorms too."""
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config(attn_implementation="eager")).eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 1:
                parameter.normal_(1.0 if ".ln_" in name and name.endswith("weight") else 0.0, 0.1, generator=generator)
    model.save_pretrained(folder)
    for name in ("vocab.json", "merges.txt"):
        shutil.copy(GPT2_TOKENIZER / name, folder)
    return model
