"""my_gpt/ as a package: self-contained, the learner's own where it passed, right, and nothing of theirs lost."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from solutions.ch00_tokens import bpe_encode
from solutions.ch07_transformer import Transformer
from solutions.ch08_sampling import generate, generate_with_cache
from tests.fresh_python import at_once
from utils.course import ROOT, exercises
from utils.learner.collecting import gather, save
from utils.learner.own_gpt.loading import loaded, module
from utils.learner.own_gpt.parts import known_exercises, whose
from utils.learner.own_gpt.writing import NOTES, write_package
from utils.learner.progress import record_pass

PIECES = (
    "from utils.pieces import pieces\n"
    "Embed, PosEmbed, LayerNorm, Attention, MLP, Unembed = pieces(\n"
    '    "Embed", "PosEmbed", "LayerNorm", "Attention", "MLP", "Unembed"\n)'
)
OWN = ["bpe_encode", "Embed", "LayerNorm", "gelu_new", "MLP", "Attention", "Unembed", "Transformer", "generate"]
BLOCKER = """\
import runpy, sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocker())
sys.path.insert(0, "")
sys.argv = ["my_gpt", *{arguments}]
runpy.run_module("my_gpt", run_name="__main__")
"""
COURSE = {"utils", "tests", "solutions", "training", "benchmarks"}
OTHERS = {"jaxtyping", "einops", "regex", "tokenizers", "transformers", "transformer_lens"}


def keep(symbol, *cells):
    """What the reporter keeps after a pass."""
    exercise = known_exercises()[symbol]
    source = (ROOT / "solutions" / f"{exercise.stem}.py").read_text(encoding="utf-8")
    text = gather(symbol, [source, *cells])
    name = exercise.test.removeprefix("test_")
    header = f'"""{symbol}, written by you; it passed the checks of {exercise.stem}."""\n\n'
    save(header + text, Path(os.environ["COURSE_STATE"]) / "my_gpt" / f"{name}.py")
    record_pass(exercise.stem, symbol)


@pytest.fixture
def state(tmp_path, monkeypatch):
    """An empty folder for what the learner keeps."""
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """my_gpt/ of a learner who has passed OWN, written as a package; read it, don't write."""
    folder = tmp_path_factory.mktemp("own")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_STATE", str(folder))
        for symbol in OWN:
            keep(symbol, PIECES if symbol == "Transformer" else "")
        write_package()
    return folder / "my_gpt"


@pytest.fixture(scope="module")
def gpt(own):
    """The learner's model, with its modules loaded."""
    with loaded(own):
        yield module("course.telling").load()


def reference_model(gpt):
    """The solution's Transformer with the same weights."""
    model = Transformer(gpt.model.cfg)
    model.load_state_dict(gpt.model.state_dict())
    return model


def alone(folder, *arguments, blocked=COURSE | OTHERS):
    """`python -m my_gpt` in this folder, in a Python without site-packages' .pth files and without these modules."""
    code = BLOCKER.format(blocked=blocked, arguments=list(arguments))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COURSE", "PYTHON"))}
    environment["PYTHONPATH"] = str(Path(torch.__file__).parent.parent)
    return subprocess.run(
        [sys.executable, "-S", "-B", "-c", code],
        cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=120,
    )  # fmt: skip


@pytest.mark.slow
def test_it_runs_elsewhere_without_the_course_and_tells_what_it_tells_here(own, gpt, tmp_path):
    shutil.copytree(own, tmp_path / "far" / "my_gpt")
    ran = alone(tmp_path / "far", "Once", "upon a time", "--tokens", "60", "--seed", "3")
    assert ran.stderr == "" and ran.returncode == 0
    sampling = {"temperature": 0.8, "top_p": 0.9, "freq_penalty": 0.2}
    assert ran.stdout == gpt.text("Once upon a time", 60, seed=3, **sampling) + "\n"
    assert ran.stdout.startswith("Once upon a time") and len(ran.stdout) > 150
    fast = alone(tmp_path / "far", "Once upon a time", "--tokens", "60", "--seed", "3", "--fast")
    assert (fast.stdout, fast.stderr) == (ran.stdout, "")
    under_another_name = tmp_path / "other" / "my_gpt"
    shutil.copytree(own, under_another_name)
    shutil.rmtree(under_another_name / "model")
    ran = alone(tmp_path / "other", "--model", str(own / "model"), "--temperature", "0", "--tokens", "12")
    assert ran.stdout.startswith("Once upon a time there was a great feast"), ran.stderr


def test_each_part_says_whose_it_is(own):
    for name in ("bpe_encode", "transformer", "attention", "generate"):
        text = (own / "parts" / f"{name}.py").read_text(encoding="utf-8")
        assert f"written by you: my_gpt/{name}.py, but for its imports. To change it, change that file." in text
        assert not re.search(r"^(from|import) (utils|solutions|tests|jaxtyping|einops|regex)\b", text, re.MULTILINE)
    for name, stem in (("pos_embed", "ch02_embeddings"), ("generate_with_cache", "ch08_sampling")):
        text = (own / "parts" / f"{name}.py").read_text(encoding="utf-8")
        assert f"borrowed: the reference solution of {stem}." in text and "SOLUTION" not in text
    assert "from .pieces import pieces" in (own / "parts" / "transformer.py").read_text(encoding="utf-8")
    assert "class TransformerBlock" in (own / "parts" / "transformer.py").read_text(encoding="utf-8")
    assert "from .sample_next_token import" in (own / "parts" / "generate_with_cache.py").read_text(encoding="utf-8")


def test_the_page_says_whose_when_how_long_and_how_right(own):
    text = (own / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| \[(\w+)\]\(parts/\w+\.py\) \| (.*) \|$", text, re.MULTILINE))
    assert re.fullmatch(r"\*\*yours\*\* \| \d{4}-\d\d-\d\d \| \d+", rows["Attention"])
    assert rows["PosEmbed"] == "borrowed from ch02_embeddings | |"
    assert "9 of the 12 parts that tell a story are yours, 3 are borrowed" in text.replace("\n", " ")
    assert re.search(r"differ from the reference model's by \d\S+ at most, where the largest logit is 15\.1", text)
    assert "The likeliest next token is the same at 22 of 22." in text.replace("\n", " ")
    assert "Yours too" in text and "[gelu_new](gelu_new.py)" in text and "`torch` and `safetensors` beside it" in text
    assert max(map(len, text.splitlines())) <= 120
    (far_from,) = re.findall(r"by (\S+) at most", text)
    assert float(far_from) < 1e-4


def test_one_call_and_the_story_are_the_same_text(gpt):
    tokens = torch.tensor([gpt.tokenizer.end, *gpt.tokenizer.encode("The goose said")])
    for sampling in ({"temperature": 0}, {"temperature": 0.9, "top_k": 20}, {"top_p": 0.8, "freq_penalty": 0.5}):
        torch.manual_seed(5)
        told = generate_with_cache(reference_model(gpt), tokens, 50, **sampling)
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


def test_beyond_n_ctx_generate_goes_on_and_so_does_the_fast_loop(gpt):
    prompt = "The King and the Queen went on. " * 31
    start = torch.tensor([gpt.tokenizer.end, *gpt.tokenizer.encode(prompt)])
    assert 240 < len(start) <= gpt.model.cfg.n_ctx
    told = (
        generate(reference_model(gpt), start, 30, temperature=0.7, freq_penalty=0.1) if torch.manual_seed(1) else None
    )
    expected = b"".join(map(gpt.tokenizer.bytes_of, told.tolist()[1:])).decode()
    sampling = {"temperature": 0.7, "freq_penalty": 0.1}
    assert gpt.text(prompt, 30, seed=1, **sampling) == expected
    pieces = list[str]()
    gpt.tell(prompt, pieces.append, 30, seed=1, fast=True, **sampling)
    assert "".join(pieces) == expected


def test_the_story_ends_where_the_model_ends_it_and_half_characters_wait(gpt, monkeypatch):
    fox = [gpt.tokenizer.ids[bytes([byte])] for byte in "🦊".encode()]
    coming = iter([*fox, fox[0], gpt.tokenizer.end, *fox])
    monkeypatch.setattr(module("parts.generate_with_cache"), "sample_next_token", lambda *seen, **named: next(coming))
    told: list[str] = []
    assert gpt.tell("A fox:", told.append, 20, seed=0) == 6
    assert told == ["A fox:", "🦊", "\ufffd"]


def test_the_tokenizer_is_huggingfaces(gpt, tmp_path):
    from transformers import AutoTokenizer

    theirs = AutoTokenizer.from_pretrained(ROOT / "utils" / "reference_model", local_files_only=True)
    texts = ["Once upon a time", " it's 1999,\n\n  été 狐は月 🦊  \t", "a<|endoftext|>b", "", "don't  STOP!!"]
    theirs.backend_tokenizer.model.save(str(tmp_path))  # vocab.json and merges.txt
    two_files = module("course.tokenizer").Tokenizer.read(tmp_path, bpe_encode)
    for text in texts:
        ids = theirs.encode(text, add_special_tokens=False)
        assert gpt.tokenizer.encode(text) == ids == two_files.encode(text)
        assert b"".join(map(gpt.tokenizer.bytes_of, ids)).decode() == text
    assert two_files.end == gpt.tokenizer.end == 0


@pytest.fixture(scope="module")
def huggingface(tmp_path_factory):
    """A small GPT-2 of random weights, every one of them, in two kinds of folder; and the model."""
    from transformers import GPT2Config, GPT2LMHeadModel

    folder = tmp_path_factory.mktemp("huggingface")
    sizes = {"vocab_size": 4096, "n_positions": 40, "n_embd": 24, "n_layer": 3, "n_head": 4, "n_inner": 50}
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(**sizes, bos_token_id=0, eos_token_id=0, layer_norm_epsilon=1e-3)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    model.save_pretrained(folder / "one")
    model.save_pretrained(folder / "sharded", max_shard_size="100KB")
    (folder / "old").mkdir()
    torch.save(model.state_dict(), folder / "old" / "pytorch_model.bin")
    shutil.copy(folder / "one" / "config.json", folder / "old")
    for one in ("one", "sharded", "old"):
        shutil.copy(ROOT / "utils" / "reference_model" / "tokenizer.json", folder / one)
    return folder, model


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
    assert ours.text("The fox", 30, temperature=0) == expected.partition("<|endoftext|>")[0]


@pytest.mark.parametrize("half", [True, False])
def test_the_fast_loop_gives_the_same_logits_and_tokens(gpt, huggingface, half):
    fast = module("course.fast").FastGPT2
    other = module("course.telling").load(huggingface[0] / "one").model  # its weights need all 32 bits
    for model in (gpt.model, other):
        torch.manual_seed(2)
        tokens = torch.randint(4096, (30,))
        loop, wanted = fast(model, half), model(tokens[None])[0].detach()
        for upto in (1, 2, 7, 29, 30):  # one at a time, and several
            largest = wanted[upto - 1].abs().max().clamp(min=1)
            assert (loop.logits(tokens[:upto]) - wanted[upto - 1]).abs().max() < 1e-5 * largest
        n_new = min(200, model.cfg.n_ctx - 10)
        told = generate_with_cache(
            reference_model(gpt) if model is gpt.model else model, tokens[:10], n_new, temperature=0
        )
        assert list(fast(model, half).tokens(tokens[:10], n_new)) == told[10:].tolist()


def test_the_bundled_weights_are_multiplied_from_16_bits_where_the_machine_can(gpt):
    product = module("course.products").product
    torch.manual_seed(0)
    exact, bias, x = torch.randn(50, 30).half().float(), torch.randn(30), torch.randn(3, 50)
    torch.testing.assert_close(product(exact, bias)(x), torch.addmm(bias, x, exact))
    finer = exact + 1e-6
    assert torch.equal(product(finer, bias)(x), torch.addmm(bias, x, finer))
    assert torch.equal(product(exact, bias, half=False)(x), torch.addmm(bias, x, exact))
    assert torch.equal(product(exact * 1e6, bias)(x), torch.addmm(bias, x, exact * 1e6))


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


def test_a_part_that_can_not_be_taken_along_is_borrowed_and_the_reason_told(state):
    keep("Embed")
    kept = state / "my_gpt" / "embed.py"
    kept.write_text("from utils.reference import encode\n\nclass Embed:\n    sample = encode\n")
    (state / "my_gpt" / "unembed.py").write_text("class Unembed(Missing):\n    pass\n")
    (state / "my_gpt" / "mlp.py").write_text("class MLP(:\n")
    parts = {part.symbol: part for part in write_package()}
    assert not any(part.yours for part in parts.values())
    text = (state / "my_gpt" / "README.md").read_text(encoding="utf-8")
    for reason in (
        "`Embed`: yours is kept in my_gpt/embed.py, but it needs `from utils.reference import encode`, which is",
        "`Unembed`: yours is kept in my_gpt/unembed.py, but it stops with NameError: name 'Missing' is not defined.",
        "`MLP`: yours is kept in my_gpt/mlp.py, but it stops with SyntaxError: invalid syntax",
    ):
        assert reason in text
    assert "Embed (yours: it needs `from utils.reference import encode`, which is the course's)" in whose(
        [*parts.values()]
    )
    kept.unlink()
    keep("Embed")
    assert {part.symbol: part.yours for part in write_package()}["Embed"]


def test_the_solution_itself_can_be_built_upon(state):
    """As a learner may: a class of the same name made of the reference solution's."""
    cell = "from solutions.ch03_layernorm import LayerNorm as Given\nclass LayerNorm(Given):\n    'Mine.'"
    save(f'"""LayerNorm."""\n\n{cell}\n', state / "my_gpt" / "layer_norm.py")
    given = "from solutions.ch04_attention import project_heads, Attention as Given"
    helper = f"{given}\nclass Attention(Given):\n    project = project_heads"
    save(f'"""Attention."""\n\n{helper}\n', state / "my_gpt" / "attention.py")
    parts = {part.module: part for part in write_package()}
    assert parts["layer_norm"].yours and parts["attention"].yours and not parts["given_layernorm"].yours
    assert "from .given_layernorm import LayerNorm as Given" in parts["layer_norm"].source
    assert "given_project_heads" in parts and not any(part.problem for part in parts.values())


def test_nothing_changes_when_nothing_has_changed_and_nothing_is_lost(state):
    keep("Embed")
    write_package()
    folder = state / "my_gpt"
    times = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file() and path.name != NOTES}
    write_package()
    assert {path: path.stat().st_mtime_ns for path in times} == times
    (folder / "parts" / "embed.py").write_text("by hand", encoding="utf-8")
    (folder / "README.md").write_text("my own page", encoding="utf-8")
    (folder / "parts" / "mine.py").write_text("left alone", encoding="utf-8")
    (folder / NOTES).write_text("{", encoding="utf-8")
    write_package()
    versions = {path.name: path.read_text(encoding="utf-8") for path in (folder / "versions").iterdir()}
    assert versions["parts.embed.1.py"] == "by hand" and versions["README.1.md"] == "my own page"
    assert "by hand" not in (folder / "parts" / "embed.py").read_text(encoding="utf-8")
    assert (folder / "parts" / "mine.py").read_text(encoding="utf-8") == "left alone"
    assert "class Embed" in (folder / "embed.py").read_text(encoding="utf-8")


WRITE = """\
from pathlib import Path
from utils.learner.collecting import save
from utils.learner.own_gpt.writing import write_package
# ready
save(Path({source!r}).read_text(), Path({target!r}))
write_package()
"""


@pytest.mark.slow
def test_three_that_write_at_once_leave_all_three_parts(own, state):
    names = ("embed", "layer_norm", "attention")
    codes = [
        WRITE.format(source=str(own / f"{name}.py"), target=str(state / "my_gpt" / f"{name}.py")) for name in names
    ]
    at_once(codes, state / "waiting", COURSE_STATE=str(state))
    for name in names:
        assert "written by you" in (state / "my_gpt" / "parts" / f"{name}.py").read_text(encoding="utf-8")
    assert not list((state / "my_gpt").rglob("*.partial"))


@pytest.mark.slow
def test_the_course_tells_the_same_story_and_says_whose_it_is(own):
    environment = {**os.environ, "COURSE_STATE": str(own.parent)}
    command = [sys.executable, "-m", "utils", "generate", "Once upon a time", "--tokens", "20", "--seed", "4"]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8")
    yours, borrowed, empty, *story = ran.stdout.splitlines()
    assert yours == "yours: bpe_encode, MLP, Attention, Unembed, Embed, LayerNorm, Transformer, generate" or ran.stderr
    assert borrowed.startswith("from the reference solutions: ") and "PosEmbed" in borrowed and empty == ""
    assert "\n".join(story) + "\n" == alone(own.parent, "--tokens", "20", "--seed", "4").stdout


def test_every_exercise_of_the_story_is_known():
    assert {"bpe_encode", "Transformer", "generate"} <= known_exercises().keys()
    assert known_exercises()["Transformer"] == exercises("ch07_transformer")[1]
