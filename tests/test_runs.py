"""A run that is kept is the same model to HuggingFace and to my_gpt, and says what can't be kept."""

import json
from dataclasses import replace

import pytest
import torch

from solutions.ch07_transformer import Transformer
from tests.own_gpt.own_package import alone, written_package
from utils.config import SMALL
from utils.model_folder.settings import read_settings
from utils.model_folder.unreadable import Unreadable
from utils.race.changes import CHANGES, changed
from utils.race.kept import load_changed, save_changed
from utils.runs import in_runs, save_run

LETTERS = [*"\n !abcdefgé…ßROMEO:"]
CHARACTERS = sorted(set(LETTERS))
CFG = replace(SMALL, d_model=12, n_ctx=32, d_vocab=len(CHARACTERS))
HISTORY = [{"step": 2, "loss": 3.5, "held_out": 3.6}]


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    model = Transformer(CFG)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if not name.endswith("b_U"):
                weight.add_(torch.randn_like(weight) * 0.3)
    return model


@pytest.fixture(scope="module")
def run(model, tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("runs") / "verona", model, CHARACTERS, HISTORY, steps=2, lr=1e-3)


def test_huggingface_reads_the_same_model(run, model):
    from transformers.models.gpt2 import GPT2LMHeadModel

    theirs = GPT2LMHeadModel.from_pretrained(run)
    tokens = torch.randint(CFG.d_vocab, (3, CFG.n_ctx))
    with torch.no_grad():
        assert torch.allclose(theirs(tokens).logits, model(tokens), atol=1e-4)
    assert not theirs.config.tie_word_embeddings
    assert theirs.lm_head.weight.data_ptr() != theirs.transformer.wte.weight.data_ptr()


def test_each_character_is_a_token_of_the_same_number(run):
    from transformers.models.auto.tokenization_auto import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(run)
    text = "ROMEO: é…ß!\nbad  egg"
    ids = [CHARACTERS.index(character) for character in text]
    assert tokenizer.encode(text) == ids
    assert tokenizer.decode(ids, clean_up_tokenization_spaces=False) == text


def test_a_run_is_beside_my_gpt_whatever_folder_a_notebook_runs_in(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    (tmp_path / "chapters").mkdir()
    monkeypatch.chdir(tmp_path / "chapters")
    assert in_runs("first").relative_to(tmp_path).as_posix() == "runs/first"


def test_the_history_is_kept_beside_it(run):
    kept = json.loads((run / "history.json").read_text(encoding="utf-8"))
    assert kept == {"settings": {"steps": 2, "lr": 1e-3}, "history": HISTORY}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """The folder of a learner in which my_gpt/ is."""
    return written_package(tmp_path_factory.mktemp("learner")).parent


@pytest.mark.slow
@pytest.mark.parametrize("fast", [[], ["--fast"]])
def test_my_gpt_writes_in_its_voice(fast, run, model, own):
    arguments = ["--model", str(run), "--temperature", "0", "--penalty", "0", "--tokens", "12", *fast, "ROMEO:"]
    told = alone(own, *arguments)
    assert told.returncode == 0, told.stderr
    tokens = [CHARACTERS.index(character) for character in "ROMEO:"]
    with torch.no_grad():
        for _ in range(12):
            tokens.append(int(model(torch.tensor([tokens]))[0, -1].argmax()))
    assert told.stdout.rstrip("\n") == "".join(CHARACTERS[token] for token in tokens).rstrip("\n")


@pytest.mark.slow
@pytest.mark.parametrize("letter", ["Z", "ü"])
def test_a_character_that_the_run_does_not_know_is_named(run, own, letter):
    told = alone(own, "--model", str(run), f"ROM{letter}O:")
    assert told.returncode == 1
    assert f"the characters of the text it was trained on, and {letter!r} is none of them." in told.stderr


@pytest.mark.parametrize(
    ("sizes", "characters", "said"),
    [
        ({}, CHARACTERS[:-1], "17 characters, and the model has d_vocab = 18: give those that it was trained on"),
        ({}, [*CHARACTERS[:-1], "ab"], "'ab' is not one character: a run is kept with tokens that are characters"),
        ({}, [*CHARACTERS[:-1], "a"], "some characters are there twice"),
        ({"d_head": 5}, CHARACTERS, "n_heads * d_head is 15, d_model 12: HuggingFace's GPT-2 needs the two"),
    ],
)
def test_what_cannot_be_kept_is_said(sizes, characters, said, tmp_path):
    with pytest.raises(ValueError) as error:
        save_run(tmp_path, Transformer(replace(CFG, **sizes)), characters)
    assert said in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_another_model_is_refused(model, tmp_path):
    other = Transformer(CFG)
    with torch.no_grad():
        other.unembed.b_U += 1
    with pytest.raises(ValueError, match="b_U is not 0"):
        save_run(tmp_path, other, CHARACTERS)
    del other.unembed
    with pytest.raises(ValueError, match=r"no parameter 'unembed.W_U': give a Transformer as chapter 7 has it"):
        save_run(tmp_path, other, CHARACTERS)


@pytest.mark.parametrize("name", CHANGES)
def test_a_model_with_a_change_is_not_kept_as_a_gpt2(name, tmp_path):
    with pytest.raises(ValueError, match=r"no place for|has no parameter '.*': give a Transformer as chapter 7 has it"):
        save_run(tmp_path, changed(Transformer, CFG, [name], seed=0), CHARACTERS)
    assert list(tmp_path.iterdir()) == []


def test_without_changes_it_is_a_gpt2(tmp_path):
    save_run(tmp_path, changed(Transformer, CFG, [], seed=0), CHARACTERS)
    assert json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))["model_type"] == "gpt2"


@pytest.mark.parametrize("changes", [[name] for name in CHANGES] + [list(CHANGES)], ids=",".join)
def test_a_model_with_changes_is_read_again(changes, tmp_path):
    torch.manual_seed(0)
    kept = changed(Transformer, CFG, changes, seed=0)
    save_changed(tmp_path, kept, CHARACTERS, changes, HISTORY, steps=2)
    again = load_changed(tmp_path, Transformer)
    tokens = torch.randint(CFG.d_vocab, (3, CFG.n_ctx))
    assert torch.equal(again(tokens), kept(tokens)) and not again.training
    assert json.loads((tmp_path / "history.json").read_text(encoding="utf-8"))["settings"] == {"steps": 2}


def test_a_model_with_changes_says_to_others_that_it_is_no_gpt2(tmp_path):
    save_changed(tmp_path, changed(Transformer, CFG, ["rotary", "gqa"], seed=0), CHARACTERS, ["rotary", "gqa"])
    with pytest.raises(Unreadable) as error:
        read_settings(tmp_path)
    said = 'config.json says model_type is "GPT-2 with rotary, gqa"; the course\'s GPT-2 needs "gpt2": '
    assert said in str(error.value)


def test_a_gpt2_is_not_read_as_one_with_changes(run):
    with pytest.raises(ValueError, match=r"holds a GPT-2 without changes: python -m my_gpt --model "):
        load_changed(run, Transformer)
