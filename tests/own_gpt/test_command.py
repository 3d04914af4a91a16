"""The learner's package on the command line: what it tells, and what it refuses."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.own_gpt.own_package import alone
from utils.course import ROOT
from utils.own_gpt.loading import module


@pytest.mark.slow
def test_without_the_loops_agreement_ones_own_code_goes_on(gpt, own, monkeypatch, capsys):
    command = module("course.command")
    assert gpt.agrees("Once upon a time", module("course.fast").FastGPT2(gpt.model)) < 1e-5
    arguments = ["Once", "--tokens", "5", "--seed", "1"]
    assert command.main(arguments) == 0
    right = capsys.readouterr().out
    monkeypatch.setattr(module("course.telling").OwnGPT, "agrees", lambda *given: 0.01)
    assert command.main([*arguments, "--fast"]) == 0
    said = capsys.readouterr()
    assert said.out == right
    assert said.err == "The fast loop's logits differ from yours by 0.01 of the largest: yours go on.\n"


def test_bits_8_is_the_fast_loop_and_says_where_it_can_not_be(gpt, huggingface, monkeypatch, capsys):
    command, without = module("course.command"), "Tell the story without --bits 8"
    arguments = ["Once", "--tokens", "20", "--temperature", "0", "--bits", "8"]
    used = []
    monkeypatch.setattr(module("course.fast").FastGPT2, "tokens", lambda *given: used.append(given) or iter([5, 6]))
    assert command.main(arguments) == 0
    told = b"".join(map(gpt.tokenizer.bytes_of, (5, 6))).decode()
    assert capsys.readouterr() == (f"Once{told}\n", "") and len(used) == 1
    assert command.main([*arguments, "--model", str(huggingface[0] / "one")]) == 1
    odd = "--bits 8 needs matrices whose number of rows 16 divides, and one of this model has 24. "
    assert capsys.readouterr().err == f"{odd}{without}.\n"
    monkeypatch.delattr(torch, "_weight_int8pack_mm")
    assert command.main(arguments) == 1
    lacking = f"--bits 8 needs torch._weight_int8pack_mm, which does not work in torch {torch.__version__} of "
    assert capsys.readouterr() == ("", f"{lacking}{sys.executable}. {without}, or install torch 2.13, which has it.\n")


SIZES = '"n_embd": 24, "n_layer": 3, "n_head": 4, "n_inner": 50, "n_positions": 40, "vocab_size": 4096'
NOT_WRITTEN = "is not written in GPT-2's way: "


def gpt2(more=""):
    return f'{{"model_type": "gpt2", {SIZES}{more}}}'


FOLDERS = {  # each with a config.json, and what is said of it
    "bert": (
        '{"model_type": "bert"}',
        'is "bert"; my_gpt reads "gpt2" or "llama" or "mistral" or "qwen3": give another',
    ),
    "relu": (gpt2(', "activation_function": "relu"'), 'function is "relu"; the course\'s GPT-2 needs "gelu_new"'),
    "broken": ("{", "config.json can't be read"),
    "list": ("[]", "config.json holds no JSON object, but []; give the folder"),
    "three": (gpt2(', "n_layer": "three"'), 'config.json says n_layer is "three", and it must be a whole number'),
    "none": (gpt2(', "n_head": 0'), "config.json says n_head is 0, and it must be a whole number from 1 on"),
    "odd": (gpt2(', "n_head": 5'), "config.json says n_embd is 24, which n_head, 5, can't divide."),
    "empty": (gpt2(), "holds no weights (model.safetensors)"),
    "damaged": (gpt2(), "model.safetensors can't be read"),
    "dumb": (gpt2(), "holds no tokenizer: neither tokenizer.json, nor vocab.json"),
    "llama": (gpt2(), f"tokenizer.json {NOT_WRITTEN}vocab is null"),
    "wide": (gpt2(', "n_inner": 51'), "h.0.mlp.c_fc.weight is [24, 50], and by config.json it should be"),
    "untied": (
        gpt2(', "tie_word_embeddings": false'),
        "lack lm_head.weight, and config.json says tie_word_embeddings is false; give",
    ),
    "two": (gpt2(', "n_layer": 2'), "hold more blocks than config.json says, 2; give the folder that"),
    "shards": (gpt2(), "b.safetensors, which model.safetensors.index.json names; is the download complete?"),
    "pointer": (gpt2(), "it is a pointer of Git LFS, which stands for the file: run git lfs pull"),
    "pickle": (gpt2(), "it is damaged, or holds more than tensors; give the folder that"),
    "pickles": (gpt2(), "pytorch_model.bin holds no tensors by name, but list; give"),
    "nan": (gpt2(), "wpe.weight holds numbers that are not finite; give the folder that"),
    "unmerged": (gpt2(), f"{NOT_WRITTEN}merges is null, and should be a list; copy there the"),
    "merges": (gpt2(), f'merges.txt {NOT_WRITTEN}the merge "a b c" is not of'),
}
REFUSED = {  # other options
    "no such folder": (["--model", "{tmp}/nowhere"], "There is no folder {tmp}/nowhere; give the folder that"),
    "no config": (["--model", "{tmp}"], "{tmp} holds no config.json; give the folder that"),
    "too many": (["--top-k", "5000"], "top_k is 5000, and the model has 4096 tokens."),
    **{name: (["--model", f"{{tmp}}/{name}"], said) for name, (_, said) in FOLDERS.items()},
}


def damage(folder, weights):
    """Give the folders weights and tokenizers, each with something wrong in it."""
    for name in ("dumb", "llama", "wide", "two", "untied", "unmerged", "merges"):
        shutil.copy(weights, folder / name)
    (folder / "damaged" / "model.safetensors").write_bytes(b"none")
    (folder / "shards" / "model.safetensors.index.json").write_text('{"weight_map": {"wte.weight": "b.safetensors"}}')
    (folder / "pointer" / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:1\n")
    torch.save({"path": folder}, folder / "pickle" / "pytorch_model.bin")
    torch.save([1], folder / "pickles" / "pytorch_model.bin")
    not_finite = {"transformer.wpe.weight": torch.full((40, 24), torch.nan)}
    torch.save(load_file(weights) | not_finite, folder / "nan" / "pytorch_model.bin")
    shutil.copy(ROOT / "utils" / "reference_model" / "tokenizer.json", folder / "nan")
    (folder / "llama" / "tokenizer.json").write_text('{"model": {"type": "BPE"}, "pre_tokenizer": null}')
    model, before = '"model": {"type": "BPE", "vocab": {}}', '"pre_tokenizer": {"type": "ByteLevel"}'
    (folder / "unmerged" / "tokenizer.json").write_text(f"{{{model}, {before}}}")
    (folder / "merges" / "vocab.json").write_text("{}")
    (folder / "merges" / "merges.txt").write_text("#version: 0.2\na b c\n")


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_with_a_model_is_said(arguments, said, gpt, huggingface, tmp_path, capsys):
    for name, (config, _) in FOLDERS.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(config)
    damage(tmp_path, huggingface[0] / "one" / "model.safetensors")
    assert module("course.command").main([one.format(tmp=tmp_path) for one in arguments]) == 1
    printed = capsys.readouterr()
    assert said.format(tmp=tmp_path) in printed.err and printed.out == "" and printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--top-k", "3", "--top-p", "0.5"], "--top-p: not allowed with argument --top-k"),
        (["--temperature", "-1"], "--temperature: -1 is not at least 0"),
        (["--temperature", "nan"], "--temperature: nan is not at least 0"),
        (["--top-p", "1.5"], "--top-p: 1.5 is not at least 0 and at most 1"),
        (["--temperature", "1e-45"], "--temperature: 1e-45 is too near 0"),
        (["--penalty", "inf"], "--penalty: inf is not at least -1000 and at most 1000"),
        (["--penalty", "1e39"], "--penalty: 1e39 is not at least -1000 and at most 1000"),
        (["--bits", "4"], "--bits: invalid choice: 4"),
        (["--tokens", "0"], "--tokens: 0 is less than 1"),
        (["--tokens", "many"], "--tokens: 'many' is not a whole number"),
        (["--seed", "99999999999999999999"], "--seed: 99999999999999999999 is too large"),
    ],
)
def test_options_that_make_no_sense_are_refused(arguments, said, gpt, capsys):
    with pytest.raises(SystemExit) as stopped:
        module("course.command").main(arguments)
    assert stopped.value.code == 2 and capsys.readouterr().err.startswith(said)


def test_the_longest_way_to_every_limit_is_a_story(gpt, capsys):
    for limits in (["--temperature", "1e-6"], ["--penalty", "1000"], ["--penalty=-1000"], ["--top-k", "4096"]):
        assert module("course.command").main(["Once", "--tokens", "4", *limits]) == 0
        assert len(capsys.readouterr().out) > len("Once\n")


def test_a_part_that_stops_is_named_with_its_line(gpt, monkeypatch, capsys):
    def mine(*seen, **settings):
        raise ZeroDivisionError("mine")

    command, parts = module("course.command"), module("parts.sample_next_token")
    code = compile("def mine(*seen, **settings):\n    1 / 0\n", parts.__file__, "exec")
    names: dict = {}
    exec(code, names)
    monkeypatch.setattr(module("parts.generate_with_cache"), "sample_next_token", names["mine"])
    assert command.main(["Once"]) == 1
    said = capsys.readouterr()
    assert said.out == "Once\n"
    assert said.err.startswith("The story stops with ZeroDivisionError: division by zero\nIt is in my_gpt/parts/")
    assert "sample_next_token.py, line 2:\n" in said.err

    monkeypatch.setattr(module("course.telling").OwnGPT, "tell", mine)  # not in a part: a bug of the course
    with pytest.raises(ZeroDivisionError, match="mine"):
        command.main(["Once"])


@pytest.mark.slow
def test_help_needs_no_torch_and_what_is_missing_is_named(own):
    helped = alone(own.parent, "--help", blocked={"torch"})
    assert helped.returncode == 0 and "--temperature T" in helped.stdout and helped.stderr == ""
    install = f'Install what my_gpt needs: "{sys.executable}" -m pip install -r "{own / "requirements.txt"}"'
    for name in ("torch", "safetensors", "einops"):
        missing = alone(own.parent, blocked={name})
        assert (missing.returncode, missing.stdout) == (1, "")
        assert missing.stderr == f"This Python has no module {name}. {install}\n"


@pytest.fixture
def ctrl_c_is_heard():
    """What runs in a shell's background ignores Ctrl-C, and so would all that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


COMMANDS = {"my_gpt": ["my_gpt"], "the course's": ["utils", "generate"]}


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal")
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_ctrl_c_is_no_error_whenever_it_comes(own, command, tmp_path, ctrl_c_is_heard):
    """While torch is imported, and in the middle of the story."""
    (tmp_path / "torch.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    folder = own.parent if command == ["my_gpt"] else ROOT
    environment = os.environ | {"COURSE_STATE": str(own.parent)}
    for begun in (False, True):
        told = subprocess.Popen(
            [sys.executable, "-m", *command, "--tokens", "5000"],
            cwd=folder, env=environment if begun else environment | {"PYTHONPATH": str(tmp_path)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip
        with told:
            if begun:
                while "Once upon a time" not in told.stdout.readline(30):
                    pass
                told.send_signal(signal.SIGINT)
            out, said = told.communicate(timeout=600)
            assert (told.returncode, said, out[-1:]) == (130, "", "\n")


@pytest.mark.slow
def test_called_as_a_file_it_says_how_to_call_it(own):
    ran = subprocess.run([sys.executable, str(own)], cwd=own.parent, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("Call it as a module, in the folder that holds this one: python -m my_gpt")


def test_the_python_of_the_folder_is_named_where_another_lacks_something(gpt, monkeypatch, tmp_path, capsys):
    def lacking(*given):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    command, beside = module("course.command"), Path(".venv", "Scripts" if os.name == "nt" else "bin", "python")
    monkeypatch.setattr(command, "_load", lacking)
    monkeypatch.chdir(tmp_path)
    assert command.main([]) == 1
    assert "Install what my_gpt needs:" in capsys.readouterr().err
    beside.parent.mkdir(parents=True)
    beside.touch()
    assert command.main([]) == 1
    said = f"This Python has no module torch. Try the one of this folder: {beside} -m my_gpt\n"
    assert capsys.readouterr().err == said
