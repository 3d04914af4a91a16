"""How the reference model is made: resuming is exact, the export is the model, the figures are what they say."""

import contextlib
import math
from dataclasses import replace

import pytest
import torch
from tokenizers import Tokenizer
from torch.testing import assert_close

from solutions.ch07_transformer import Transformer
from training import __main__ as command
from training import loop
from training.data import END_OF_TEXT, train_tokenizer, training_batch
from training.evaluate import REPEATED_TOKENS, bits_per_byte, head_scores, repeated_tokens
from training.export import export
from training.loop import read_checkpoint, train
from training.recipe import Recipe
from training.tied import TiedTransformer, make_optimisers
from utils.config import Config
from utils.reference import boot
from utils.reference.folders import read

SMALL = Config(d_model=12, d_vocab=300, n_ctx=20, d_head=4, d_mlp=28, n_heads=3, n_layers=2)
QUICK = Recipe(
    **{"steps": 4, "phrase_steps": 2, "batch_size": 4, "warmup": 2, "repeat_share": 0.5, "phrase_share": 0.5},
    **{"checkpoint_every": 2, "compiled": False, "threads": 1},
)
TEXT = (
    "Once upon a time a hen, a café-keeper and 3 foxes sat in one boat -- and the boat sank.\n"
    f"{END_OF_TEXT}\nThe hen could swim. The foxes could not.\n{END_OF_TEXT}\n"
)


@pytest.fixture(autouse=True)
def _one_thread():
    """Models this small are slower on two, and `train` sets the number of threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def data():
    return torch.randint(SMALL.d_vocab, (500,), generator=torch.Generator().manual_seed(1), dtype=torch.int16)


@pytest.fixture
def tied():
    """A tied Transformer of random weights, biases and LayerNorms too."""
    torch.manual_seed(2)
    tied = TiedTransformer(SMALL)
    with torch.no_grad():
        for parameter in tied.trained_parameters().values():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return tied


class Pulled(BaseException):
    """The plug."""


def trained(data, folder, recipe=QUICK, cfg=SMALL, pulled_after=math.inf):
    """The log of a run, up to the step after which the plug is pulled."""
    log = []

    def report(progress):
        log.append((progress.step, progress.loss, progress.lr))
        if progress.step == pulled_after:
            raise Pulled

    with contextlib.suppress(Pulled):
        train(cfg, data, recipe, folder, report)
    return log


@pytest.mark.slow
@pytest.mark.parametrize(("pulled_after", "kept"), [(1, 0), (3, 2), (5, 4)])
def test_an_interrupted_run_resumes_exactly(tmp_path, data, pulled_after, kept):
    """In the first stage before and after its first checkpoint, and in the second one, which has none yet."""
    straight = trained(data, tmp_path / "straight")
    before = trained(data, tmp_path / "resumed", pulled_after=pulled_after)
    after = trained(data, tmp_path / "resumed")
    assert before[:kept] + after == straight and [step for step, _, _ in straight] == [1, 2, 3, 4, 5, 6]
    for name in ("text.pt", "phrases.pt"):
        one, other = (torch.load(tmp_path / run / name, weights_only=True) for run in ("straight", "resumed"))
        assert one["generator"].equal(other["generator"])
        assert all(weight.equal(other["model"][key]) for key, weight in one["model"].items())
        for mine, resumed in zip(one["optimisers"], other["optimisers"], strict=True):
            for averages in ("means", "squares"):
                assert all(map(torch.equal, mine[averages], resumed[averages]))
    one, other = (read_checkpoint(tmp_path / run) for run in ("straight", "resumed"))
    assert one.step == other.step == 6 and one.seconds > 0 and other.seconds > 0
    assert all(weight.equal(other.weights[name]) for name, weight in one.weights.items())


@pytest.mark.slow
def test_training_learns(tmp_path):
    data = torch.arange(SMALL.d_vocab, dtype=torch.int16).repeat(3)
    log = trained(data, tmp_path, replace(QUICK, steps=40, phrase_steps=0, lr_max=0.02))
    losses = [loss for _, loss, _ in log]
    assert losses[0] == pytest.approx(math.log(SMALL.d_vocab), abs=0.1) and losses[-1] < losses[0] - 0.4


def test_a_last_step_that_is_no_multiple_is_kept_too(tmp_path, data):
    trained(data, tmp_path, replace(QUICK, steps=5, phrase_steps=0))
    assert read_checkpoint(tmp_path).step == 5


def test_biases_and_layernorms_are_not_decayed(tied):
    matrices, vectors = make_optimisers(tied, QUICK)
    assert (matrices.weight_decay, vectors.weight_decay) == (0.1, 0.0)
    every = tied.trained_parameters()
    undecayed = [name for name, one in every.items() if any(one is kept for kept in vectors.params)]
    assert undecayed == [name for name in every if name.rpartition(".")[2].startswith(("b", "w"))]
    assert len(matrices.params) + len(vectors.params) == len(every)


@pytest.mark.parametrize(
    ("cfg", "recipe", "wanted"),
    [
        (SMALL, replace(QUICK, lr_max=0.5), r"a run with another lr_max: \[0.002\], now \[0.5\]"),
        (SMALL, replace(QUICK, steps=8, seed=1), r"a run with another steps, seed: \[4, 20\], now \[8, 1\]"),
        (replace(SMALL, d_mlp=32), QUICK, r"a run with another d_mlp: \[28\], now \[32\]"),
    ],
)
def test_a_run_with_other_settings_is_refused(tmp_path, data, cfg, recipe, wanted):
    trained(data, tmp_path, pulled_after=1)
    with pytest.raises(ValueError, match=f"{wanted}.*Use the same settings to resume, or another --run folder"):
        trained(data, tmp_path, recipe, cfg)


def test_w_u_stays_w_e_transposed(tied):
    tokens = torch.arange(8).view(2, 4)
    untied = Transformer(SMALL)
    untied.load_state_dict(tied.model.state_dict() | {"unembed.W_U": tied.model.embed.W_E.detach().T})
    assert_close(tied(tokens), untied(tokens))


@pytest.mark.slow
def test_the_second_stage_has_a_cosine_and_phrases_of_its_own(tmp_path, data, monkeypatch):
    recipe = replace(QUICK, steps=10, phrase_steps=5, warmup=2, lr_max=0.05, phrase_lr_max=0.025, lr_min=0.0125)
    shares = []

    def noted(*given):
        shares.append(given[4])
        return training_batch(*given)

    monkeypatch.setattr(loop, "training_batch", noted)
    rates = [lr for _, _, lr in trained(data, tmp_path, recipe)]
    assert (rates[1], rates[2], rates[11], rates[12]) == (0.05, 0.05, 0.025, 0.025)
    assert 0.0125 < rates[9] < 0.015 and 0.0125 < rates[14] < 0.017
    assert shares == [0.0] * 10 + [0.5] * 5


@pytest.mark.parametrize("n_tokens", [47, 41, 5])
def test_bits_per_byte_is_what_brute_force_says(tied, data, n_tokens):
    text, n_ctx, n_bytes = data[:n_tokens].long(), 10, 123
    nats = 0.0
    with torch.no_grad():
        for target in range(1, n_tokens):
            start = (target - 1) // n_ctx * n_ctx
            logits = tied(text[None, start:target])[0, -1]
            nats -= logits.log_softmax(-1)[text[target]].item()
    measured = bits_per_byte(tied, data[:n_tokens], n_ctx, n_bytes, batch_size=3)
    assert measured == pytest.approx(nats / math.log(2) / n_bytes, rel=1e-5)


def test_repeated_tokens_come_twice():
    tokens = repeated_tokens(300)
    assert tokens.shape == (32, 1 + 2 * REPEATED_TOKENS) and (tokens[:, 0] == 0).all()
    assert tokens[:, 1 : 1 + REPEATED_TOKENS].equal(tokens[:, 1 + REPEATED_TOKENS :])
    assert 1 <= tokens[:, 1:].min() and tokens.max() < 300


def test_the_export_is_our_model(tmp_path, tied):
    from transformers.models.gpt2 import GPT2LMHeadModel

    export(SMALL, tied.model.state_dict(), train_tokenizer(TEXT, 300), tmp_path)
    theirs = GPT2LMHeadModel.from_pretrained(tmp_path, dtype=torch.float32, attn_implementation="eager")
    tokens = torch.randint(SMALL.d_vocab, (3, SMALL.n_ctx))
    expected = theirs(tokens).logits
    assert_close(tied(tokens), expected, atol=2e-2, rtol=0)  # float16 rounds the weights
    cfg, weights = read(tmp_path)
    assert cfg == SMALL
    for name, weight in tied.trained_parameters().items():
        assert weights[name].equal(weight.half().float()), name
    ours = Transformer(cfg)
    ours.load_state_dict(weights, strict=True)
    assert_close(ours(tokens), expected, atol=1e-5, rtol=0)


@pytest.mark.slow
def test_heads_that_look_where_they_should_score_one(tmp_path):
    """Heads that see only positions: head 0 looks one back, head 1 behind the earlier copy, head 2 at all alike."""
    cfg = replace(SMALL, n_ctx=101, d_model=303, d_head=101, n_layers=1)
    model = Transformer(cfg)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        parameters = dict(model.named_parameters())
        parameters["blocks.0.ln1.w"].fill_(1.0)
        model.pos_embed.W_pos[:, :101] = torch.eye(101)
        for head, back in ((0, 1), (1, REPEATED_TOKENS - 1)):
            parameters["blocks.0.attn.W_Q"][head, :101] = 10 * torch.eye(101).roll(-back, dims=1)
            parameters["blocks.0.attn.W_K"][head, :101] = torch.eye(101)
    export(cfg, model.state_dict(), train_tokenizer(TEXT, 300), tmp_path)
    previous_token, induction = head_scores(boot(str(tmp_path)))
    alike = 1 / torch.arange(2, 102)  # what each query but the first gives to a key, when all it may see get the same
    before_any_copy = alike[: REPEATED_TOKENS - 2].sum() / 100  # where head 1 can't look so far back, and looks at all
    assert_close(previous_token[0], torch.tensor([1.0, before_any_copy, alike.mean()]), atol=1e-2, rtol=0)
    assert_close(induction[0], torch.tensor([0.0, 1.0, alike[50:].mean()]), atol=1e-2, rtol=0)


@pytest.mark.slow
def test_one_command_makes_the_model_and_its_card(tmp_path, monkeypatch, capsys):
    (tmp_path / "tales.txt").write_text(TEXT * 40, encoding="utf-8")
    monkeypatch.setattr(command, "REFERENCE", replace(SMALL, n_ctx=101))
    monkeypatch.setattr(command, "Recipe", lambda **steps: replace(QUICK, **steps))
    command.Recipe.steps, command.Recipe.phrase_steps, command.Recipe.threads = 4, 2, 1
    run, out = tmp_path / "run", tmp_path / "out"
    arguments = ["training", "--corpus", tmp_path / "tales.txt", "--run", run, "--out", out, "--machine", "an abacus"]
    monkeypatch.setattr("sys.argv", [str(argument) for argument in arguments])
    command.main()
    assert "step      6 of 6  loss " in capsys.readouterr().out
    card = (out / "README.md").read_text(encoding="utf-8")
    for wanted in ("bits per byte** on all of valid.txt", "The text `tales.txt`", "on an abacus", "| lr_max | 0.002 |"):
        assert wanted in card
    assert "Unfinished" not in card and "$" not in card
    first = (out / "model.safetensors").read_bytes()
    assert {file.name for file in out.iterdir()} >= {"activations.safetensors", "config.json", "tokenizer.json"}
    command.main()
    assert "step      6 of 6" not in capsys.readouterr().out
    assert (out / "model.safetensors").read_bytes() == first and (out / "README.md").read_text(encoding="utf-8") == card
    assert read_checkpoint(run).step == 6
    assert Tokenizer.from_file(str(out / "tokenizer.json")).token_to_id(END_OF_TEXT) == 0


def test_a_corpus_that_is_not_there_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.argv", ["training", "--corpus", str(tmp_path), "--run", str(tmp_path / "run")])
    with pytest.raises(SystemExit, match=r"--corpus .*: neither a text file nor a folder with train.txt and valid.txt"):
        command.main()
    assert not (tmp_path / "run").exists()
