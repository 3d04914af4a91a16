"""The learner's ModernTransformer tells stories with folders of Llama's shape; tokenizers of other kinds."""

import json
import shutil
import sys

import pytest
import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from solutions.ch08_sampling import generate
from solutions.ch12_since_gpt2 import ModernTransformer
from tests.model_folder.llama_folders import saved, settings_of, write_settings
from tests.own_gpt.own_package import alone as in_a_python
from utils.config import ModernConfig
from utils.course import ROOT
from utils.own_gpt.loading import module

GPT2S = ROOT / "utils" / "reference_model" / "tokenizer.json"
N_CTX = 40


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    """A small Llama with the reference model's tokenizer, and transformers' own of it."""
    folder = tmp_path_factory.mktemp("llama")
    theirs = saved(folder, vocab_size=4096, bos_token_id=0, eos_token_id=0, tie_word_embeddings=True)
    shutil.copy(GPT2S, folder)
    return folder, theirs


def plain(ours):
    """The solution's ModernTransformer with the same weights, which keeps nothing."""
    model = ModernTransformer(ModernConfig(**vars(ours.model.cfg)))
    model.load_state_dict(ours.model.model.state_dict())
    return model


@pytest.mark.parametrize("kind", ["llama", "qwen3", "mistral"])
def test_a_story_is_that_of_generate_without_a_cache(gpt, tmp_path, kind):
    """Whatever chooses, and beyond n_ctx too."""
    saved(tmp_path, kind, vocab_size=4096, tie_word_embeddings=kind == "llama")
    shutil.copy(GPT2S, tmp_path)
    ours = module("course.telling").load(tmp_path)
    assert type(ours).__name__ == "OwnModern" and ours.notes == () and ours.model.cfg.n_ctx == N_CTX
    tokens, alone = torch.tensor(ours.tokenizer.encode("The goose said")), plain(ours)
    for sampling in ({"temperature": 0.0}, {"temperature": 0.9, "top_k": 20}, {"top_p": 0.8, "freq_penalty": 0.5}):
        torch.manual_seed(5)
        told = generate(alone, tokens, N_CTX + 15, **sampling).tolist()
        made = list[int]()
        with torch.no_grad():
            torch.manual_seed(5)
            ours._tokens(tokens, N_CTX + 15, made.append, sampling)
        assert made == told[len(tokens) :] and len(told) > N_CTX


def test_greedily_it_is_what_transformers_tells(gpt, llama):
    folder, theirs = llama
    ours = module("course.telling").load(folder)
    start = torch.tensor([ours.tokenizer.encode("The fox")])
    told = theirs.generate(start, attention_mask=torch.ones_like(start), max_new_tokens=20, do_sample=False)
    expected = b"".join(map(ours.tokenizer.bytes_of, told[0].tolist())).decode(errors="replace")
    assert ours.text("The fox", 20, temperature=0.0) == expected.partition("<|endoftext|>")[0]


def test_each_token_is_read_once(gpt, llama, monkeypatch):
    ours = module("course.telling").load(llama[0])
    inner, read = ours.model.model.forward, []
    monkeypatch.setattr(ours.model.model, "forward", lambda tokens: read.append(tokens.shape[1]) or inner(tokens))
    ours.text("The goose said", 6, temperature=0.0)
    assert read == [len(ours.tokenizer.encode("The goose said")), 1, 1, 1, 1, 1]
    read.clear()
    ours.text("Another story", 2, temperature=0.0)
    assert read == [len(ours.tokenizer.encode("Another story")), 1]
    assert not any("forward" in vars(block.attn) for block in ours.model.model.blocks)


ODD = {
    "a mask of a square alone": ("attend", lambda inner, self, q, k, v: inner(self, q, k[:, : q.shape[1]], v)),
    "positions from 0 on": ("project", lambda inner, self, x, at: inner(self, x, torch.arange(len(at)))),
    "no method": ("project", None),
}


@pytest.mark.parametrize(("name", "how"), ODD.values(), ids=ODD)
def test_an_attention_that_can_not_go_on_reads_the_whole_text(gpt, llama, monkeypatch, name, how, capsys):
    right = module("course.telling").load(llama[0]).text("The goose said", 12, seed=2)
    attention = module("parts.grouped_query_attention").GroupedQueryAttention
    inner, project = getattr(attention, name), attention.project

    def whole(self, normalized_resid_pre):
        return inner_attend(self, *project(self, normalized_resid_pre, torch.arange(normalized_resid_pre.shape[1])))

    inner_attend = attention.attend
    monkeypatch.setattr(attention, "forward", whole)
    if how is None:
        monkeypatch.delattr(attention, name)
    else:
        monkeypatch.setattr(attention, name, lambda *given: how(inner, *given))
    ours = module("course.telling").load(llama[0])
    assert [note.partition(":")[0] for note in ours.notes] == [
        "Your `project` and `attend` make other logits of a text in two steps"
    ]
    assert ours.text("The goose said", 12, seed=2) == right


def test_the_command_tells_it_and_says_that_the_fast_loop_does_not(gpt, llama, capsys):
    arguments = ["Once", "--tokens", "5", "--seed", "1", "--model", str(llama[0])]
    assert module("course.command").main(arguments) == 0
    quiet = capsys.readouterr()
    assert quiet.out.startswith("Once") and quiet.err == ""
    for fast in (["--fast"], ["--bits", "8"]):
        assert module("course.command").main([*arguments, *fast]) == 0
        said = capsys.readouterr()
        assert said.out == quiet.out
        assert said.err == "The fast loop is for GPT-2's shape alone: your own code tells the story of this model.\n"


def test_what_is_wrong_with_a_folder_is_one_line(gpt, llama, tmp_path, capsys):
    shutil.copytree(llama[0], tmp_path / "model")
    write_settings(tmp_path / "model", settings_of(llama[0]) | {"attention_bias": True})
    assert module("course.command").main(["Once", "--model", str(tmp_path / "model")]) == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert "says attention_bias is true; chapter 12's ModernTransformer needs false: give" in said.err


@pytest.mark.slow
def test_it_needs_nothing_of_the_course(own, llama):
    arguments = ["The", "fox", "--tokens", "9", "--seed", "3", "--model", str(llama[0])]
    ran = in_a_python(own.parent, *arguments)
    assert (ran.returncode, ran.stderr) == (0, "") and ran.stdout.startswith("The fox")


# Tokenizers, as the library writes them.

TEXTS = ["The goose said: it's 1999", " two  spaces\n\n\tand a tab", "été 狐は月 🦊 don't STOP!!", "<|user|>hello"]
CORPUS = ["The goose said that it was 1999 and 2001.", "Once upon a time there was a fox, and it said: été!"] * 3
LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPECIAL = ["<|begin|>", "<|end|>", "<|user|>"]


def byte_level(pattern=None, digits=False):
    """Byte pairs as Llama 3's and Qwen's, after another pattern, or as SmolLM2's, with digits apart."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern is None)
    if pattern:
        before = pre_tokenizers.Split(Regex(pattern), behavior="isolated")
        made.pre_tokenizer = pre_tokenizers.Sequence([before, made.pre_tokenizer])
    if digits:
        made.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), made.pre_tokenizer]
        )
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, special_tokens=SPECIAL)
    )
    return made


def llama_3():
    made = byte_level(LLAMA_3)
    template = processors.TemplateProcessing(
        single="<|begin|> $A", pair="<|begin|> $A $B", special_tokens=[("<|begin|>", 0)]
    )
    made.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), template])
    return made


def qwen():
    made = byte_level(LLAMA_3)
    made.normalizer = normalizers.NFC()
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    return made


def llama_2():
    """SentencePiece's way: ▁ for a space, one before each text, and a token for each byte."""
    made = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    of_bytes = [f"<0x{byte:02X}>" for byte in range(256)]
    made.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=420, special_tokens=["<unk>", "<s>", "</s>", *of_bytes])
    )
    content = json.loads(made.to_str())
    content["added_tokens"] = content["added_tokens"][:3]  # its bytes are no tokens that a text could write out
    made = Tokenizer.from_str(json.dumps(content))
    made.add_tokens([AddedToken("<|user|>", normalized=False)])
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A $B", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    return made


KINDS = {"Llama 3's": (llama_3, [0]), "Qwen's": (qwen, []), "Llama 2's": (llama_2, [1])}


@pytest.fixture
def folder(llama, tmp_path):
    """The Llama's folder without a tokenizer."""
    for name in ("config.json", "model.safetensors"):
        shutil.copy(llama[0] / name, tmp_path)
    return tmp_path


@pytest.mark.parametrize(("make", "begin"), KINDS.values(), ids=KINDS)
def test_a_tokenizer_of_another_kind_is_read_by_the_library(gpt, folder, make, begin, capsys):
    theirs = make()
    theirs.save(str(folder / "tokenizer.json"))
    ours = module("course.telling").load(folder)
    assert ours.notes == (module("course.library").NOTE,) and ours.tokenizer.begin == begin
    for text in TEXTS:
        ids = theirs.encode(text, add_special_tokens=False).ids
        assert ours.tokenizer.encode(text) == ids
        assert ours._start(text).tolist() == [*begin, *ids]
        assert theirs.encode(text).ids[: len(begin) + len(ids)] == [*begin, *ids]
        written = b"".join(map(ours.tokenizer.bytes_of, ids)).decode()
        before = " " if make is llama_2 and text != TEXTS[-1] else ""  # which its decoder takes away again
        assert written == before + theirs.decode(ids, skip_special_tokens=False)
        if text != TEXTS[-1]:
            assert written == before + text
    assert ours.tokenizer.bytes_of(4000).decode() == "\ufffd"
    assert module("course.command").main(["The", "goose", "--tokens", "3", "--model", str(folder)]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("The goose") and said.err == f"{module('course.library').NOTE}\n"


def test_digits_apart_are_for_bpe_encode_too(gpt, folder):
    """SmolLM2's way."""
    theirs = byte_level(digits=True)
    theirs.save(str(folder / "tokenizer.json"))
    ours = module("course.telling").load(folder)
    assert type(ours.tokenizer).__name__ == "Tokenizer" and ours.notes == () and ours.tokenizer.begin == []
    for text in [*TEXTS, " 12  34\n5a6's 7", "٣½²Ⅷ一①", "x1<|user|>2"]:
        ids = theirs.encode(text, add_special_tokens=False).ids
        assert ours.tokenizer.encode(text) == ids
        assert b"".join(map(ours.tokenizer.bytes_of, ids)).decode() == text
    with pytest.raises(
        module("course.unreadable").Unreadable, match="its pre_tokenizer is none of those that cut by GPT-2's pattern"
    ):
        module("course.tokenizer").Tokenizer.read(folder, ours.tokenizer.bpe_encode)  # as a GPT-2's


def test_a_token_that_begins_every_text_is_read_of_gpt2s_kind_too(gpt, llama, folder):
    content = json.loads(GPT2S.read_text(encoding="utf-8"))
    content["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [],
        "special_tokens": {"<|endoftext|>": {"id": "<|endoftext|>", "ids": [0], "tokens": ["<|endoftext|>"]}},
    }
    (folder / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    start = {one: module("course.telling").load(one)._start("The fox").tolist() for one in (llama[0], folder)}
    assert start[folder] == [0, *start[llama[0]]]
    written = module("course.telling").load(folder)._start("<|endoftext|>The fox").tolist()
    assert written == start[folder]  # not twice


def test_an_empty_prompt_needs_a_token_to_begin_with(gpt, llama, capsys):
    assert module("course.command").main(["", "--model", str(llama[0])]) == 1
    assert capsys.readouterr().err == "The prompt is empty, and this model has no token to begin with.\n"


def test_the_story_ends_where_the_folder_says(gpt, folder):
    qwen().save(str(folder / "tokenizer.json"))
    assert module("course.telling").load(folder).ends == {0}
    (folder / "generation_config.json").write_text('{"eos_token_id": [1, 2]}')
    assert module("course.telling").load(folder).ends == {1, 2}
    (folder / "generation_config.json").unlink()
    settings = settings_of(folder)
    del settings["eos_token_id"]
    write_settings(folder, settings)
    assert module("course.telling").load(folder).ends == {2}  # LlamaConfig's own


@pytest.mark.slow
def test_without_the_library_it_says_how_to_get_it(own, folder):
    llama_3().save(str(folder / "tokenizer.json"))
    told = in_a_python(own.parent, "Once", "--model", str(folder))
    assert (told.returncode, told.stdout) == (1, "")
    another = f"{folder / 'tokenizer.json'} is of another kind than GPT-2's, which your bpe_encode can't read"
    install = f'"{sys.executable}" -m pip install tokenizers'
    assert told.stderr == f"{another}. The library tokenizers reads it: {install}\n"


DAMAGED = {
    "nothing": (
        {},
        "writes its tokens in a way that my_gpt does not know (decoder: null); give another model's folder.",
    ),
    "word pieces": (
        {"decoder": {"type": "WordPiece"}},
        'writes its tokens in a way that my_gpt does not know (decoder: {"type":"WordPiece"}); give another',
    ),
    "no model": ({"decoder": {"type": "ByteLevel"}}, "can't be read by the library tokenizers: "),
}


@pytest.mark.parametrize(("content", "said"), DAMAGED.values(), ids=DAMAGED)
def test_what_the_library_can_not_read_is_said(gpt, folder, content, said, capsys):
    (folder / "tokenizer.json").write_text(json.dumps(content))
    assert module("course.command").main(["Once", "--model", str(folder)]) == 1
    printed = capsys.readouterr()
    assert printed.out == "" and f"{folder / 'tokenizer.json'} {said}" in printed.err and printed.err.count("\n") == 1


def test_a_beginning_that_can_not_be_read_is_said(gpt, folder, capsys):
    content = json.loads(GPT2S.read_text(encoding="utf-8"))
    content["post_processor"] = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}]}
    (folder / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    assert module("course.command").main(["Once", "--model", str(folder)]) == 1
    assert "tokenizer.json has a post_processor that can't be read: {" in capsys.readouterr().err
