"""The learner's package tells what their functions make, token by token; it reads any GPT-2 folder; the fast loop."""

import json
import shutil

import pytest
import torch

from solutions.ch00_tokens import bpe_encode
from solutions.ch08_sampling import generate, generate_with_cache
from tests.own_gpt.own_package import reference_model
from utils.course import ROOT
from utils.own_gpt.loading import module
from utils.passages import texts


@pytest.mark.slow
def test_one_call_and_the_story_are_the_same_text(gpt):
    tokens = torch.tensor([gpt.tokenizer.end, *gpt.tokenizer.encode("The goose said")])
    model, in_one_call = reference_model(gpt), module("parts.generate_with_cache").generate_with_cache
    for sampling in ({"temperature": 0.0}, {"temperature": 0.9, "top_k": 20}, {"top_p": 0.8, "freq_penalty": 0.5}):
        torch.manual_seed(5)
        told = in_one_call(model, tokens, 50, **sampling)
        expected = b"".join(map(gpt.tokenizer.bytes_of, told.tolist()[1:])).decode().partition("<|endoftext|>")[0]
        assert gpt.text("The goose said", 50, seed=5, **sampling) == expected


def test_tokens_are_told_as_they_are_made(gpt, monkeypatch):
    parts = module("parts.generate_with_cache")
    inner, calls, told = parts.generate_with_cache, [], []

    def counted(model, tokens, count, **sampling):
        longer = inner(model, tokens, count, **sampling)
        calls.append((count, len(told)))
        return longer

    monkeypatch.setattr(parts, "generate_with_cache", counted)
    assert gpt.tell("Once upon a time", told.append, 40, seed=0) == 40
    assert calls == [(1, 1), (39, len(told))] and len(told) > 35

    original = parts.sample_next_token
    monkeypatch.setattr(
        parts, "generate_with_cache", lambda *given, **named: deaf(inner, parts, original, given, named)
    )
    heard: list[str] = []
    gpt.tell("Once upon a time", heard.append, 40, seed=0)
    assert "".join(heard) == "".join(told)


def deaf(inner, parts, original, given, named):
    """The same call by code that chooses without the module's `sample_next_token`."""
    listening, parts.sample_next_token = parts.sample_next_token, original
    try:
        return inner(*given, **named)
    finally:
        parts.sample_next_token = listening


@pytest.mark.slow
def test_beyond_n_ctx_generate_goes_on_and_so_does_the_fast_loop(gpt):
    prompt = "The King and the Queen went on. " * 31
    start = torch.tensor([gpt.tokenizer.end, *gpt.tokenizer.encode(prompt)])
    assert 240 < len(start) <= gpt.model.cfg.n_ctx
    model = reference_model(gpt)
    torch.manual_seed(1)
    told = generate(model, start, 30, temperature=0.7, freq_penalty=0.1)
    expected = b"".join(map(gpt.tokenizer.bytes_of, told.tolist()[1:])).decode()
    sampling = {"temperature": 0.7, "freq_penalty": 0.1}
    assert gpt.text(prompt, 30, seed=1, **sampling) == expected
    pieces = list[str]()
    gpt.tell(prompt, pieces.append, 30, seed=1, fast=gpt.fast_loop(prompt), **sampling)
    assert "".join(pieces) == expected


def test_the_story_ends_where_the_model_ends_it_and_half_characters_wait(gpt, monkeypatch):
    fox = [gpt.tokenizer.ids[bytes([byte])] for byte in "🦊".encode()]
    coming = iter([*fox, fox[0], gpt.tokenizer.end, *fox])
    monkeypatch.setattr(module("parts.generate_with_cache"), "sample_next_token", lambda *seen, **named: next(coming))
    told: list[str] = []
    assert gpt.tell("A fox:", told.append, 20, seed=0) == 6
    assert told == ["A fox:", "🦊", "\ufffd"]


@pytest.mark.slow
def test_the_tokenizer_is_huggingfaces(gpt, tmp_path):
    from transformers.models.auto import AutoTokenizer

    theirs = AutoTokenizer.from_pretrained(ROOT / "utils" / "reference_model", local_files_only=True)
    texts = ["Once upon a time", " it's 1999,\n\n  été 狐は月 🦊  \t", "a<|endoftext|>b", "", "don't  STOP!!"]
    theirs.backend_tokenizer.model.save(str(tmp_path))  # vocab.json and merges.txt
    two_files = module("course.tokenizer").Tokenizer.read(tmp_path, bpe_encode)
    for text in texts:
        ids = theirs.encode(text, add_special_tokens=False)
        assert gpt.tokenizer.encode(text) == ids == two_files.encode(text)
        assert b"".join(map(gpt.tokenizer.bytes_of, ids)).decode() == text
    assert two_files.end == gpt.tokenizer.end == 0


def test_a_tokenizer_file_that_leaves_out_its_models_type_is_read(gpt, tmp_path):
    """As OpenAI's own GPT-2 has it on HuggingFace's hub: a file older than that field."""
    content = json.loads((ROOT / "utils" / "reference_model" / "tokenizer.json").read_text(encoding="utf-8"))
    del content["model"]["type"], content["pre_tokenizer"]["use_regex"]
    content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    read = module("course.tokenizer").Tokenizer.read(tmp_path, bpe_encode)
    assert read.encode("Once upon a time") == gpt.tokenizer.encode("Once upon a time")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["one", "sharded", "old"])
def test_any_gpt2_folder_of_huggingface_is_read(gpt, huggingface, kind):
    folder, theirs = huggingface
    if kind == "sharded":
        assert len(list((folder / kind).glob("*.safetensors"))) > 1
    ours = module("course.telling").load(folder / kind)
    tokens = torch.randint(4096, (2, 40))
    with torch.no_grad():
        torch.testing.assert_close(ours.model(tokens), theirs(tokens).logits, rtol=0, atol=1e-4)
    told = theirs.generate(torch.tensor([[0, *ours.tokenizer.encode("The fox")]]), max_new_tokens=30, do_sample=False)
    expected = b"".join(map(ours.tokenizer.bytes_of, told[0, 1:].tolist())).decode(errors="replace")
    assert ours.text("The fox", 30, temperature=0.0) == expected.partition("<|endoftext|>")[0]


@pytest.mark.parametrize(("tied", "said"), [(False, False), (False, True), (False, None), (True, True), (True, None)])
def test_the_way_out_is_the_files_own_where_it_has_one(gpt, huggingface, tmp_path, tied, said):
    """As transformers reads it, whatever config.json says of tying; here without the prefix `transformer.`, and with
    the buffers that older versions wrote."""
    folder, theirs = huggingface
    state = {name.removeprefix("transformer."): weight for name, weight in theirs.state_dict().items()}
    if not tied:
        state["lm_head.weight"] = state["lm_head.weight"].roll(1, 0)
    else:
        del state["lm_head.weight"]
    state["h.0.attn.bias"] = torch.ones(1, 1, 40, 40, dtype=torch.bool).tril()
    state["h.0.attn.masked_bias"] = torch.tensor(-1e4)
    torch.save(state, tmp_path / "pytorch_model.bin")
    shutil.copy(folder / "one" / "tokenizer.json", tmp_path)
    settings = json.loads((folder / "one" / "config.json").read_text(encoding="utf-8"))
    settings |= {"tie_word_embeddings": said}
    kept = {name: value for name, value in settings.items() if value is not None}
    (tmp_path / "config.json").write_text(json.dumps(kept), encoding="utf-8")
    tokens = torch.randint(4096, (1, 40))
    with torch.no_grad():
        right = theirs(tokens).logits if tied else theirs(tokens).logits.roll(1, -1)
        torch.testing.assert_close(module("course.telling").load(tmp_path).model(tokens), right, rtol=0, atol=1e-4)


OWN_DICE = {
    "python's": "from random import choice",
    "numpy's": "import numpy\nchoice = numpy.random.choice",
    "torch's, one's own": (
        "import torch\nG = torch.Generator()\n"
        "def choice(some): return some[int(torch.rand((), generator=G) * len(some))]"
    ),
    "python's, one's own": "from random import Random\nR = Random(3)\ndef choice(some): return R.choice(some)",
    "numpy's, one's own": "import numpy\nR = numpy.random.default_rng()\ndef choice(some): return R.choice(some)",
    "numpy's older one": "import numpy\nR = numpy.random.RandomState(3)\ndef choice(some): return R.choice(some)",
}


@pytest.mark.slow
@pytest.mark.parametrize("dice", OWN_DICE.values(), ids=OWN_DICE)
def test_a_seed_holds_for_whatever_a_part_draws_from(gpt, monkeypatch, dice):
    part = module("parts.sample_next_token")
    before = set(vars(part))
    exec(dice, vars(part))
    try:
        monkeypatch.setattr(
            module("parts.generate_with_cache"), "sample_next_token", lambda *seen, **named: part.choice(range(256))
        )
        told = [gpt.text("Once", 12, seed=seed) for seed in (4, 4, 5, None, None)]
    finally:
        for name in set(vars(part)) - before:
            delattr(part, name)
    assert told[0] == told[1] and len(set(told)) == 4


@pytest.mark.slow
@pytest.mark.parametrize("bits", [16, 32])
def test_the_fast_loop_gives_the_same_logits_and_tokens(gpt, huggingface, bits):
    fast = module("course.fast").FastGPT2
    other = module("course.telling").load(huggingface[0] / "one").model  # its weights need all 32 bits
    for model in (gpt.model, other):
        torch.manual_seed(2)
        tokens = torch.randint(4096, (30,))
        loop, wanted = fast(model, bits), model(tokens[None])[0].detach()
        for upto in (1, 2, 7, 29, 30):  # one at a time, and several
            largest = wanted[upto - 1].abs().max().clamp(min=1)
            assert (loop.logits(tokens[:upto]) - wanted[upto - 1]).abs().max() < 1e-5 * largest
        n_new = min(80, model.cfg.n_ctx - 10)
        told = generate_with_cache(
            reference_model(gpt) if model is gpt.model else model, tokens[:10], n_new, temperature=0.0
        )
        assert list(fast(model, bits).tokens(tokens[:10], n_new)) == told[10:].tolist()


def test_the_bundled_weights_are_multiplied_from_16_bits_where_the_machine_can(gpt):
    product = module("course.products").product
    torch.manual_seed(0)
    exact, bias, x = torch.randn(50, 30).half().float(), torch.randn(30), torch.randn(3, 50)
    torch.testing.assert_close(product(exact, bias)(x), torch.addmm(bias, x, exact))
    finer = exact + 1e-6
    assert torch.equal(product(finer, bias)(x), torch.addmm(bias, x, finer))
    assert torch.equal(product(exact, bias, bits=32)(x), torch.addmm(bias, x, exact))
    assert torch.equal(product(exact * 1e6, bias)(x), torch.addmm(bias, x, exact * 1e6))


def test_in_8_bits_each_product_is_off_by_half_a_step_for_each_number_at_most(gpt):
    torch.manual_seed(0)
    weight, bias, x = torch.randn(48, 30), torch.randn(30), torch.randn(3, 48)
    weight[:, 4] = 0
    weight[:, 5] *= 1e-6
    got, right = module("course.products").product(weight, bias, bits=8)(x), torch.addmm(bias, x, weight)
    steps = weight.abs().amax(dim=0) / 127
    bfloat16 = 2**-8 * x.abs() @ weight.abs()  # x is rounded to it, and so is the sum
    assert ((got - right).abs() <= x.abs().sum(dim=1, keepdim=True) * steps / 2 + 2 * bfloat16 + 1e-6).all()
    assert torch.equal(got[:, 4], bias[4].expand(3)) and not torch.allclose(got, right, rtol=1e-4, atol=1e-4)


def test_with_8_bits_every_weight_that_is_read_is_int8_and_the_logits_stay_near(gpt, monkeypatch):
    inner, read = torch._weight_int8pack_mm, []  # type: ignore

    def counted(x, weight, scale):
        read.append(weight)
        return inner(x, weight, scale)

    monkeypatch.setattr(torch, "_weight_int8pack_mm", counted)
    loop = module("course.fast").FastGPT2(gpt.model, bits=8)
    read.clear()  # each was tried once
    loop.logits(torch.tensor([0]))
    assert {weight.dtype for weight in read} == {torch.int8}
    cfg = gpt.model.cfg
    of_a_layer = 4 * cfg.d_model * cfg.n_heads * cfg.d_head + 2 * cfg.d_model * cfg.d_mlp
    assert sum(map(torch.numel, read)) == cfg.n_layers * of_a_layer + cfg.d_model * cfg.d_vocab
    assert all(1e-4 < gpt.agrees(text[:200], loop) < 0.06 for text in texts()[::6])


BROKEN_SCALES = {
    "a fifth too large": lambda scale: 1.2 * scale,
    "of the wrong columns": lambda scale: scale.flip(0),
    "one for all": lambda scale: scale.mean().expand_as(scale),
}


@pytest.mark.parametrize("broken", BROKEN_SCALES.values(), ids=BROKEN_SCALES)
def test_a_broken_scale_of_8_bits_is_noticed(gpt, monkeypatch, broken):
    inner = torch.addcmul
    assert isinstance(gpt.fast_loop("Once upon a time", bits=8), module("course.fast").FastGPT2)
    monkeypatch.setattr(torch, "addcmul", lambda bias, sums, scale: inner(bias, sums, broken(scale)))
    assert gpt.fast_loop("Once upon a time", bits=8).startswith("The fast loop's logits differ from yours by")
