"""The learner's package on the command line: what it tells, and what it refuses."""

import shutil

import pytest

from utils.learner.own_gpt.loading import module


def test_without_the_loops_agreement_ones_own_code_goes_on(gpt, own, monkeypatch, capsys):
    command = module("course.command")
    assert gpt.agrees("Once upon a time") < 1e-5
    arguments = ["Once", "--tokens", "5", "--seed", "1"]
    assert command.main(arguments) == 0
    right = capsys.readouterr().out
    monkeypatch.setattr(module("course.telling").OwnGPT, "agrees", lambda *given: 0.01)
    assert command.main([*arguments, "--fast"]) == 0
    said = capsys.readouterr()
    assert (
        said.out == right
        and said.err == "The fast loop's logits differ from yours by 0.01 of the largest: yours go on.\n"
    )


REFUSED = {
    "no such folder": (["--model", "{tmp}/nowhere"], "There is no folder {tmp}/nowhere; give the folder that"),
    "no config": (["--model", "{tmp}"], "{tmp} holds no config.json; give the folder that"),
    "another model": (["--model", "{tmp}/bert"], "config.json says model_type is 'bert'; your GPT-2 needs 'gpt2'"),
    "another activation": (
        ["--model", "{tmp}/relu"],
        "says activation_function is 'relu'; your GPT-2 needs 'gelu_new'",
    ),
    "no sizes": (["--model", "{tmp}/sizes"], "does not say 'n_embd'"),
    "no JSON": (["--model", "{tmp}/broken"], "config.json can't be read"),
    "no weights": (["--model", "{tmp}/empty"], "holds no weights (model.safetensors)"),
    "damaged weights": (["--model", "{tmp}/damaged"], "model.safetensors can't be read"),
    "no tokenizer": (["--model", "{tmp}/dumb"], "holds no tokenizer: neither tokenizer.json, nor vocab.json"),
    "another tokenizer": (["--model", "{tmp}/llama"], "is not GPT-2's kind of tokenizer"),
    "too many": (["--top-k", "5000"], "top_k is 5000, and the model has 4096 tokens."),
}
SIZES = '"n_embd": 24, "n_layer": 3, "n_head": 4, "n_inner": 50, "n_positions": 40, "vocab_size": 4096'
CONFIGS = {
    "bert": '{"model_type": "bert"}',
    "relu": '{"model_type": "gpt2", "activation_function": "relu"}',
    "sizes": '{"model_type": "gpt2"}',
    "broken": "{",
    **dict.fromkeys(("empty", "damaged", "dumb", "llama"), f'{{"model_type": "gpt2", {SIZES}}}'),
}


@pytest.mark.parametrize(("arguments", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_with_a_model_is_said(arguments, said, gpt, huggingface, tmp_path, capsys):
    for name, config in CONFIGS.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(config)
    (tmp_path / "damaged" / "model.safetensors").write_bytes(b"none")
    for name in ("dumb", "llama"):
        shutil.copy(huggingface[0] / "one" / "model.safetensors", tmp_path / name)
    (tmp_path / "llama" / "tokenizer.json").write_text('{"model": {"type": "BPE"}, "pre_tokenizer": null}')
    assert module("course.command").main([one.format(tmp=tmp_path) for one in arguments]) == 1
    printed = capsys.readouterr()
    assert said.format(tmp=tmp_path) in printed.err and printed.out == "" and printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--top-k", "3", "--top-p", "0.5"], "argument --top-p: not allowed with argument --top-k"),
        (["--temperature", "-1"], "argument --temperature: -1 is not at least 0"),
        (["--temperature", "nan"], "argument --temperature: nan is not at least 0"),
        (["--top-p", "1.5"], "argument --top-p: 1.5 is not at least 0 and at most 1"),
        (["--penalty", "inf"], "argument --penalty: inf is not finite"),
        (["--tokens", "0"], "argument --tokens: 0 is less than 1"),
        (["--tokens", "many"], "argument --tokens: 'many' is not a whole number"),
        (["--seed", "99999999999999999999"], "argument --seed: 99999999999999999999 is too large"),
    ],
)
def test_options_that_make_no_sense_are_refused(arguments, said, gpt, capsys):
    with pytest.raises(SystemExit) as stopped:
        module("course.command").main(arguments)
    assert stopped.value.code == 2 and said in capsys.readouterr().err
