"""Kinds of folders: the tokens and ends that transformers reads of them, and what the reference model refuses."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from utils.model_folder.settings import read_ends
from utils.model_folder.unreadable import Unreadable
from utils.model_folder.vocabulary import read_vocabulary
from utils.reference import BUNDLED, ReferenceUnavailable, reference


@pytest.fixture
def folder(tmp_path):
    """The bundled model's files, to be changed."""
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        shutil.copy(BUNDLED / name, tmp_path)
    return tmp_path


def write(file, content):
    file.write_text(json.dumps(content), encoding="utf-8")


def two_files(folder):
    content = json.loads((BUNDLED / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    (folder / "tokenizer.json").unlink()
    write(folder / "vocab.json", content["vocab"])
    merges = "\n".join(map(" ".join, content["merges"]))
    (folder / "merges.txt").write_text(f"#version: 0.2\n{merges}\n", encoding="utf-8")


USER = {"content": "<|user|>", "lstrip": True, "rstrip": False, "normalized": False, "special": True}
BESIDE = {
    "nothing": {},
    "added": {"added_tokens.json": {"<|b|>": 4097, "<|a|>": 4096}},
    "added and named": {
        "added_tokens.json": {"<|pad|>": 4096},
        "special_tokens_map.json": {"pad_token": "<|pad|>", "eos_token": "<|end|>"},
    },
    "named by an object": {"special_tokens_map.json": {"pad_token": USER}},
    "in the tokenizer's settings": {
        "tokenizer_config.json": {"added_tokens_decoder": {"4097": {"content": "<b>"}, "4096": USER}},
        "added_tokens.json": {"<|x|>": 4096},
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("files", BESIDE.values(), ids=BESIDE)
@pytest.mark.parametrize("vocabulary", ["tokenizer.json", "vocab.json"])
def test_what_stands_beside_a_vocabulary_is_read_as_transformers_reads_it(folder, files, vocabulary):
    from transformers.models.auto import AutoTokenizer

    if vocabulary == "vocab.json":
        two_files(folder)
    for name, content in files.items():
        write(folder / name, content)
    theirs = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    read = read_vocabulary(folder)
    assert read.special == theirs.get_added_vocab()
    for token in read.added:
        flags = theirs.added_tokens_decoder[token.index]
        assert (token.lstrip, token.rstrip, token.single_word) == (flags.lstrip, flags.rstrip, flags.single_word)


@pytest.mark.parametrize(
    ("config", "generation", "ends"),
    [
        ({"eos_token_id": 7}, None, {7}),
        ({"eos_token_id": [7, 8]}, None, {7, 8}),
        ({"eos_token_id": 7}, {"eos_token_id": 9}, {9}),
        ({"eos_token_id": 7}, {"eos_token_id": [9, 0]}, {9, 0}),
        ({"eos_token_id": 7}, {"eos_token_id": None}, set()),
        ({"eos_token_id": 7}, {}, set()),  # as transformers 5.23 has it
        ({"eos_token_id": None}, None, set()),
        ({}, None, {3}),
    ],
)
def test_a_story_ends_where_generate_ends(tmp_path, config, generation, ends):
    write(tmp_path / "config.json", config)
    if generation is not None:
        write(tmp_path / "generation_config.json", generation)
    assert read_ends(tmp_path, 3) == ends
    write(tmp_path / "generation_config.json", {"eos_token_id": "x"})
    with pytest.raises(Unreadable, match=r'generation_config.json says eos_token_id is "x", and it must be'):
        read_ends(tmp_path, 3)


def settings(**changes):
    def change(folder):
        file = folder / "config.json"
        write(file, json.loads(file.read_text(encoding="utf-8")) | changes)

    return change


def cross_attention(folder):
    state = load_file(folder / "model.safetensors")
    state["transformer.h.0.crossattention.c_attn.bias"] = torch.zeros(3)
    save_file(state, folder / "model.safetensors")


REFUSED = {
    "untied": (settings(tie_word_embeddings=False), "lack lm_head.weight, and config.json says tie_word_embeddings is"),
    "cross attention": (cross_attention, "hold h.0.crossattention.c_attn.bias, and GPT-2 has no encoder"),
    "an adapter": (lambda folder: write(folder / "adapter_config.json", {}), "holds an adapter (adapter_config.json)"),
    "cut off": (lambda folder: (folder / "config.json").write_text('{"n_embd": 1'), "config.json can't be read: it is"),
    "a pointer": (
        lambda folder: (folder / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\n"),
        "model.safetensors can't be read: it is a pointer of Git LFS",
    ),
    "no tokenizer": (lambda folder: (folder / "tokenizer.json").unlink(), "holds no tokenizer"),
    "another tokenizer": (
        lambda folder: write(folder / "tokenizer.json", {"model": {"type": "WordPiece", "vocab": {}, "merges": []}}),
        "is not GPT-2's kind of tokenizer",
    ),
}


@pytest.mark.parametrize(("spoil", "said"), REFUSED.values(), ids=REFUSED)
def test_what_the_reference_refuses_it_says_with_the_way_out(folder, monkeypatch, spoil, said):
    spoil(folder)
    monkeypatch.setenv("COURSE_REFERENCE", str(folder))
    with pytest.raises(ReferenceUnavailable) as raised:
        reference()
    assert said in str(raised.value)
    assert str(raised.value).endswith(" Or unset COURSE_REFERENCE to use the bundled model.")


@pytest.mark.slow
def test_a_short_context_and_silent_settings_are_read(folder, monkeypatch):
    state = load_file(folder / "model.safetensors")
    state["transformer.wpe.weight"] = state["transformer.wpe.weight"][:8].clone()
    save_file(state, folder / "model.safetensors")
    kept = ("model_type", "vocab_size", "n_embd", "n_layer", "n_head")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    write(folder / "config.json", {key: config[key] for key in kept} | {"n_positions": 8})
    content = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    content["added_tokens"] = []
    content["model"]["vocab"]["<s>"] = content["model"]["vocab"].pop("<|endoftext|>")
    write(folder / "tokenizer.json", content)
    monkeypatch.setenv("COURSE_REFERENCE", str(folder))
    read, bundled = reference(), reference.__globals__["_reference"]("bundled")
    assert read.cfg.n_ctx == 8 and read.tokens.shape == (2, 8)
    assert read.tokens.equal(bundled.tokens[:, 1:9])
    assert read.weights["unembed.W_U"].equal(bundled.weights["unembed.W_U"])
