"""What is wrong with a folder is said in the same words by utils/model_folder and by the page's model and tokenizer."""

import json
import shutil
from itertools import count

import pytest
import torch
from safetensors.torch import load_file, save_file

from utils.model_folder.unreadable import Unreadable
from utils.model_folder.vocabulary import read_vocabulary
from utils.model_folder.weights import read

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SAID = """async ([folder, where]) => {
    const { Model } = await import("/javascript/model.mjs");
    const { Tokenizer } = await import("/javascript/tokens.mjs");
    const get = async (name, how) => (await fetch(`/${folder}/${name}`))[how]();
    try {
        new Model(await get("config.json", "json"), await get("model.safetensors", "arrayBuffer"), where);
        new Tokenizer(await get("tokenizer.json", "json"), where);
    } catch (error) {
        return error.message;
    }
    return "";
}"""


def settings(**changes):
    return lambda folder: change(folder / "config.json", lambda content: content.update(changes))


def without(*keys):
    return lambda folder: change(folder / "config.json", lambda content: [content.pop(key, None) for key in keys])


def tokens(how):
    return lambda folder: change(folder / "tokenizer.json", how)


def tensors(how):
    def changed(folder):
        state = load_file(folder / "model.safetensors")
        how(state)
        save_file(state, folder / "model.safetensors")

    return changed


def bytes_of(text):
    return lambda folder: (folder / "model.safetensors").write_bytes(text)


def change(file, how):
    content = json.loads(file.read_text(encoding="utf-8"))
    how(content)
    file.write_text(json.dumps(content), encoding="utf-8")


NUMBERS = count()
BIAS = "transformer.ln_f.bias"
READ = {
    "as it is": settings(),
    "no epsilon": without("layer_norm_epsilon", "initializer_range", "activation_function", "tie_word_embeddings"),
    "a whole number as a float": settings(n_layer=3.0),
    "another gelu_new": settings(activation_function="gelu_pytorch_tanh"),
    "by other names": lambda folder: change(
        folder / "config.json", lambda content: content.update(hidden_size=content.pop("n_embd"))
    ),
    "reordered": settings(reorder_and_upcast_attn=True),
    "double": tensors(lambda state: state.update({name: one.double() for name, one in state.items()})),
    "masks": tensors(lambda state: state.update({"transformer.h.0.attn.bias": torch.ones(3, dtype=torch.bool)})),
}
REFUSED = {
    "another model": settings(model_type="llama"),
    "no type": without("model_type"),
    "another activation": settings(activation_function="relu"),
    "scaled by layer": settings(scale_attn_by_inverse_layer_idx=True),
    "not scaled": settings(scale_attn_weights=False),
    "cross attention": settings(add_cross_attention=True),
    "a text": settings(n_embd="x"),
    "null": settings(n_head=None),
    "true": settings(n_head=True),
    "half": settings(n_layer=1.5),
    "nothing": settings(n_positions=0),
    "epsilon": settings(layer_norm_epsilon=[1, {"a": "ü"}]),
    "tied": settings(tie_word_embeddings="no"),
    "heads": settings(n_head=7),
    "two names": settings(hidden_size=48),
    "no width": without("n_embd"),
    "more blocks": settings(n_layer=2),
    "fewer blocks": settings(n_layer=4),
    "another width": settings(n_inner=7),
    "untied": settings(tie_word_embeddings=False),
    "missing": tensors(lambda state: state.pop(BIAS)),
    "not finite": tensors(lambda state: state.update({BIAS: state[BIAS] / 0})),
    "whole numbers": tensors(lambda state: state.update({BIAS: state[BIAS].to(torch.int16)})),
    "float8": tensors(lambda state: state.update({BIAS: state[BIAS].to(torch.float8_e4m3fn)})),
    "an encoder's": tensors(lambda state: state.update({"transformer.h.0.crossattention.c_attn.bias": torch.ones(2)})),
    "an adapter": tensors(lambda state: state.update({"transformer.h.0.attn.c_attn.lora_A.weight": torch.ones(2)})),
    "a pointer": bytes_of(b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 7000000\n"),
    "no bytes": bytes_of(b""),
    "a page": bytes_of(b"<!doctype html><title>404</title>"),
    "cut off": lambda folder: bytes_of((folder / "model.safetensors").read_bytes()[:-5])(folder),
    "normalizer": tokens(lambda content: content.update(normalizer={"type": "NFC"})),
    "no pattern": tokens(lambda content: content["pre_tokenizer"].update(use_regex=False)),
    "prefix": tokens(lambda content: content["pre_tokenizer"].update(add_prefix_space=True)),
    "word pieces": tokens(lambda content: content["model"].update(type="WordPiece")),
    "a list": tokens(lambda content: content["model"].update(vocab=[])),
    "no number": tokens(lambda content: content["model"]["vocab"].update({"a": None})),
    "three": tokens(lambda content: content["model"]["merges"].append("a b c")),
    "no byte": tokens(lambda content: content["model"]["vocab"].update({"木": 4096})),
    "a gap": tokens(lambda content: content["added_tokens"].append({"id": 5000, "content": "<x>"})),
    "half a character": tokens(lambda content: content["added_tokens"].append({"id": 4096, "content": "\ud800"})),
    "no flag": tokens(lambda content: content["added_tokens"].append({"id": 4096, "content": "x", "lstrip": "y"})),
    "overlapping": tokens(
        lambda content: content["added_tokens"].append({"id": 4096, "content": " x", "rstrip": True})
    ),
}


@pytest.fixture
def said(page, served, huggingface):
    """Spoil a small GPT-2, and give what Python and the page say of it."""
    name = f"spoiled-{next(NUMBERS)}"  # another each time: a browser keeps what it has fetched

    def say(spoil):
        folder = shutil.copytree(huggingface[0] / "one", served / name)
        spoil(folder)
        try:
            read(folder)
            read_vocabulary(folder)
            ours = ""
        except Unreadable as reason:
            ours = str(reason)
        return ours, page.evaluate(SAID, [name, str(folder)])

    yield say
    shutil.rmtree(served / name)


@pytest.mark.parametrize("spoil", REFUSED.values(), ids=REFUSED)
def test_what_one_refuses_the_other_refuses_in_the_same_words(said, spoil):
    ours, the_page = said(spoil)
    assert ours == the_page != ""


@pytest.mark.parametrize("spoil", READ.values(), ids=READ)
def test_what_one_reads_the_other_reads(said, spoil):
    assert said(spoil) == ("", "")
