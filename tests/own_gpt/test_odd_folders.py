"""python -m my_gpt --model FOLDER, where the folder's files are odd: one line says what, where, and what to do."""

import json
import os
import shutil
import sys

import pytest
import torch
from safetensors.torch import load_file

from tests.own_gpt.own_package import alone
from utils.own_gpt.loading import module

pytestmark = pytest.mark.slow  # each spoils a folder, of which a model is loaded

WORDS = "tokenizer.json is not written in GPT-2's way: {}; copy there the tokenizer that the model was trained with."
WEIGHTS = "can't be used: {}; give the folder that GPT2LMHeadModel.save_pretrained made."
DEEP = "[" * 100_000


def in_vocab(index):
    return lambda content: content["model"]["vocab"].update({"a": index})


def added(tokens):
    return lambda content: content.update(added_tokens=tokens)


def in_model(**entries):
    return lambda content: content["model"].update(entries)


NUMBER = 'the number of the token "a" is {}, and should be '
TOKENIZERS = {
    "a number as text": (in_vocab("3"), NUMBER.format('"3"') + "a whole number"),
    "no number": (in_vocab(None), NUMBER.format("null") + "a whole number"),
    "a list as number": (in_vocab([1]), NUMBER.format("[1]") + "a whole number"),
    "half a number": (in_vocab(1.5), NUMBER.format("1.5") + "a whole number"),
    "a number below 0": (in_vocab(-5), NUMBER.format("-5") + "from 0 on"),
    "added: no list": (added("x"), 'added_tokens is "x", and should be a list'),
    "added: a number": (added([3]), "added_tokens[0] is 3, and should be an object"),
    "added: no content": (added([{"id": 0}]), "the content of added_tokens[0] is null, and should be a text"),
    "added: nothing": (added([{"content": "", "id": 0}]), "the content of added_tokens[0] is empty"),
    "added: half a character": (
        added([{"content": "\ud800", "id": 0}]),
        r"the content of added_tokens[0] is '\ud800', which holds half a character",
    ),
    "added: a text as number": (
        added([{"content": "<|x|>", "id": "0"}]),
        'the number of the token "<|x|>" is "0", and should be a whole number',
    ),
    "merges: a number": (in_model(merges=[3]), "one of the merges is 3, and should be a list"),
    "merges: numbers": (in_model(merges=[[1, 2]]), "half a merge is 1, and should be a text"),
    "merges: three": (in_model(merges=["a b c"]), 'the merge "a b c" is not of two tokens'),
    "merges: an object": (in_model(merges={"a b": 1}), 'merges is {"a b":1}, and should be a list'),
    "vocab: a list": (in_model(vocab=["a"]), 'vocab is ["a"], and should be an object'),
    "no byte": (
        lambda content: content["model"]["vocab"].update({"木": 1}),
        "the token \"木\" has '木', which stands for no byte",
    ),
}
SETTINGS = {
    "layer_norm_epsilon": ("x", 'config.json says layer_norm_epsilon is "x", and it must be a number from 0 to 1.'),
    "initializer_range": (-1, "config.json says initializer_range is -1, and it must be a number from 0 to 1."),
    "tie_word_embeddings": ("no", 'config.json says tie_word_embeddings is "no", and it must be true or false.'),
    "n_head": (True, "config.json says n_head is true, and it must be a whole number from 1 on."),
}
TENSORS = {
    "float8": (
        lambda weight: weight.to(torch.float8_e4m3fn),
        "ln_f.bias is float8_e4m3fn, and should be numbers such as float32",
    ),
    "sparse": (torch.Tensor.to_sparse, "ln_f.bias is sparse, nested or without values, and should be an ordinary"),
    "without values": (lambda weight: weight.to("meta"), "ln_f.bias is sparse, nested or without values"),
    "complex": (lambda weight: weight.to(torch.complex64), "ln_f.bias is complex64, and should be numbers"),
}


@pytest.fixture
def folder(huggingface, tmp_path):
    """A small GPT-2 to be spoiled."""
    return shutil.copytree(huggingface[0] / "one", tmp_path / "model")


@pytest.fixture
def said(gpt, capsys):
    """Tell a story with a model's folder: its one line on stderr, "" where it is told."""

    def tell(folder):
        ended = module("course.command").main(["Once", "--tokens", "2", "--seed", "1", "--model", str(folder)])
        printed = capsys.readouterr()
        assert ended == (1 if printed.err else 0) and bool(printed.out) != bool(printed.err)
        assert printed.err.count("\n") == ended
        return printed.err

    return tell


def change(file, how):
    content = json.loads(file.read_text(encoding="utf-8"))
    how(content)
    file.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(("how", "reason"), TOKENIZERS.values(), ids=TOKENIZERS)
def test_an_odd_tokenizer_is_said(how, reason, folder, said):
    assert said(folder) == ""
    change(folder / "tokenizer.json", how)
    assert said(folder).endswith(WORDS.format(reason) + "\n")


@pytest.mark.parametrize(("key", "value", "reason"), [(key, *rest) for key, rest in SETTINGS.items()])
def test_an_odd_setting_is_said(key, value, reason, folder, said):
    change(folder / "config.json", lambda content: content.update({key: value}))
    assert said(folder) == f"{folder}/{reason}\n"


@pytest.mark.parametrize(("how", "reason"), TENSORS.values(), ids=TENSORS)
def test_an_odd_tensor_is_said(how, reason, folder, said):
    whole = folder / "model.safetensors"
    state = load_file(whole)
    whole.unlink()
    torch.save(state, folder / "pytorch_model.bin")
    assert said(folder) == ""
    state["transformer.ln_f.bias"] = how(state["transformer.ln_f.bias"])
    torch.save(state, folder / "pytorch_model.bin")
    assert WEIGHTS.partition("{}")[0] + reason in said(folder)
    torch.save(dict(enumerate(state.values())), folder / "pytorch_model.bin")
    assert "holds tensors under names that are no texts, such as 0; give the folder that" in said(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors.index.json"])
def test_what_is_nested_too_deeply_is_said(name, folder, said):
    if name.endswith("index.json"):
        (folder / "model.safetensors").unlink()
    (folder / name).write_text(DEEP)
    assert said(folder).startswith(f"{folder / name} can't be read: it is nested too deeply; give the folder that")


def test_the_home_of_nobody_is_said(said, monkeypatch):
    def nobody(path):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("pathlib.Path.expanduser", nobody)
    told = "There is no folder ~nobody: Could not determine home directory; give the folder that GPT2LMHeadModel"
    assert said("~nobody").startswith(told)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name of a file is Unicode")
def test_a_folder_whose_name_is_no_utf_8_tells_the_same(own, tmp_path):
    odd = tmp_path / os.fsdecode(b"na\xffme")
    shutil.copytree(own, odd / "my_gpt")
    told = [alone(where, "Once", "--tokens", "5", "--seed", "1") for where in (own.parent, odd)]
    assert [one.returncode for one in told] == [0, 0], told[1].stderr
    assert told[0].stdout == told[1].stdout
