"""Other reference models: a folder, GPT-2 small's shape, the real GPT-2, and the errors that say the way out."""

import json
import shutil

import pytest
import torch
from torch.testing import assert_close

from solutions.ch06_unembed import cross_entropy_loss
from solutions.ch07_transformer import Transformer
from tests.house.fresh_python import fresh_python
from tests.reference.gpt2_small import real_gpt2, with_weights_of
from utils.course import ROOT
from utils.reference import BUNDLED, ReferenceUnavailable, boot, encode, reference, str_tokens

GPT2_TOKENIZER = ROOT.parent / "shared" / "gpt2-tokenizer"


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
        ({"config.json": None}, "holds no config.json"),
        ({"model.safetensors": None}, r"holds no weights \(model.safetensors\)"),
        ({"tokenizer.json": None}, "holds no tokenizer"),
        (
            {"config.json": {"model_type": "llama"}},
            'config.json says model_type is "llama"; the course\'s GPT-2 needs "gpt2"',
        ),
        ({"config.json": {"activation_function": "relu"}}, 'config.json says activation_function is "relu"'),
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
    with pytest.raises(ReferenceUnavailable, match=f"{wanted}.* Or unset COURSE_REFERENCE to use the bundled model"):
        reference()


@pytest.mark.slow
def test_gpt2_offline_is_one_quick_message_with_the_way_out(tmp_path):
    offline = {"COURSE_REFERENCE": "gpt2", "HF_HOME": str(tmp_path), "HF_ENDPOINT": "http://127.0.0.1:9"}
    code = (
        "import time; from utils.reference import reference; started = time.perf_counter()\n"
        "try: reference()\nfinally: print(time.perf_counter() - started)"
    )
    ran = fresh_python(code, **offline, check=False)
    assert ran.returncode == 1 and float(ran.stdout) < 15
    lines = ran.stderr.strip().splitlines()
    assert len(lines) < 20 and "another exception" not in ran.stderr
    name, _, message = lines[-1].partition(": ")
    assert name.endswith("ReferenceUnavailable")
    assert message.startswith("The reference model 'gpt2': GPT-2 small's weights (0.5 GB) are not on this machine and ")
    assert message.endswith(
        "Go online once and try again, or point COURSE_REFERENCE at a folder that holds them, "
        "or unset COURSE_REFERENCE to use the bundled model."
    )


@pytest.mark.slow
@pytest.mark.skipif(
    not GPT2_TOKENIZER.is_dir(), reason="GPT-2's vocab.json and merges.txt are not beside the repository"
)
def test_a_gpt2_small_of_random_weights_goes_the_same_way(monkeypatch, gpt2_small, tmp_path, forget):
    with_weights_of(gpt2_small, tmp_path)
    for name in ("vocab.json", "merges.txt"):
        shutil.copy(GPT2_TOKENIZER / name, tmp_path)
    monkeypatch.setenv("COURSE_REFERENCE", str(tmp_path))
    model = reference()
    ours = Transformer(model.cfg)
    ours.load_state_dict(dict(model.weights), strict=True)
    assert (model.cfg.n_layers, model.cfg.d_model, model.cfg.d_vocab, model.cfg.n_ctx) == (12, 768, 50257, 1024)
    assert model.tokens.shape == (2, 11) and model.tokens[:, 0].tolist() == [50256, 50256]
    with torch.no_grad():
        logits, expected = ours(model.tokens), gpt2_small.model(model.tokens).logits
    assert expected.std() > 0.1
    assert_close(logits, expected, atol=1e-4, rtol=0)
    assert_close(model.activations["unembed.hook_out"], expected, atol=1e-4, rtol=0)
    assert str_tokens(encode(" The king")) == ["<|endoftext|>", " The", " king"]


@pytest.mark.gpt2
def test_the_real_gpt2(monkeypatch, forget):
    model = real_gpt2(monkeypatch)
    ours = Transformer(model.cfg)
    ours.load_state_dict(dict(model.weights), strict=True)
    with torch.no_grad():
        logits = ours(model.tokens)
        best = ours(encode("Once upon a"))[0, -1].argmax()
    assert_close(logits, model.activations["unembed.hook_out"], atol=2e-3, rtol=0)
    assert cross_entropy_loss(logits, model.tokens) < 5
    assert str_tokens(best[None]) == [" time"]
