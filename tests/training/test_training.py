"""How the reference model was made: resuming is exact, the export is the model, the figures are what they say."""

import math
from dataclasses import replace

import pytest
import torch
from tokenizers import Tokenizer
from torch.testing import assert_close

from solutions.ch07_transformer import Transformer
from training import __main__ as command
from training.data import END_OF_TEXT, train_tokenizer
from training.evaluate import REPEATED_TOKENS, bits_per_byte, head_scores, repeated_tokens
from training.export import export
from training.loop import TiedTransformer, TrainArgs, read_checkpoint, train
from utils.config import Config
from utils.reference.folders import read

SMALL = Config(d_model=12, d_vocab=300, n_ctx=20, d_head=4, d_mlp=28, n_heads=3, n_layers=2)
QUICK = TrainArgs(
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


def test_an_interrupted_run_resumes_exactly(tmp_path, data):
    straight = list(train(SMALL, data, QUICK, tmp_path / "straight.pt"))
    interrupted = train(SMALL, data, QUICK, tmp_path / "resumed.pt")
    before = [next(interrupted) for _ in range(5)]  # the last checkpoint is of step 4
    interrupted.close()
    after = list(train(SMALL, data, QUICK, tmp_path / "resumed.pt"))
    assert [line.step for line in after] == [5, 6]
    log = [(line.step, line.loss, line.lr) for line in before[:4] + after]
    assert log == [(line.step, line.loss, line.lr) for line in straight]
    one, other = (torch.load(tmp_path / name, weights_only=True) for name in ("straight.pt", "resumed.pt"))
    assert one["step"] == other["step"] == 6 and one["generator"].equal(other["generator"])
    for name, weight in one["model"].items():
        assert weight.equal(other["model"][name]), name
    for index, moments in one["optimizer"]["state"].items():
        assert all(value.equal(other["optimizer"]["state"][index][key]) for key, value in moments.items())


def test_a_finished_run_trains_no_further(tmp_path, data):
    list(train(SMALL, data, QUICK, tmp_path / "checkpoint.pt"))
    assert list(train(SMALL, data, QUICK, tmp_path / "checkpoint.pt")) == []


def test_training_learns(tmp_path):
    data = torch.arange(SMALL.d_vocab, dtype=torch.int16).repeat(3)
    log = list(train(SMALL, data, replace(QUICK, steps=40, phrase_steps=0, lr_max=0.02), tmp_path / "checkpoint.pt"))
    assert log[0].loss == pytest.approx(math.log(SMALL.d_vocab), abs=0.1)
    assert log[-1].loss < log[0].loss - 0.4


@pytest.mark.parametrize(
    ("cfg", "args", "wanted"),
    [
        (SMALL, replace(QUICK, lr_max=0.5), r"made with another lr_max: \[0.002\], now \[0.5\]"),
        (SMALL, replace(QUICK, steps=8, seed=1), r"made with another steps, seed: \[4, 20\], now \[8, 1\]"),
        (replace(SMALL, d_mlp=32), QUICK, r"made with another d_mlp: \[28\], now \[32\]"),
    ],
)
def test_a_run_with_other_settings_is_refused(tmp_path, data, cfg, args, wanted):
    next(train(SMALL, data, replace(QUICK, checkpoint_every=1), tmp_path / "checkpoint.pt"))
    with pytest.raises(ValueError, match=f"{wanted}.*Use the same settings to resume, or another --run folder"):
        next(train(cfg, data, replace(args, checkpoint_every=1), tmp_path / "checkpoint.pt"))


def test_w_u_stays_w_e_transposed(tied):
    tokens = torch.arange(8).view(2, 4)
    untied = Transformer(SMALL)
    untied.load_state_dict(tied.model.state_dict() | {"unembed.W_U": tied.model.embed.W_E.detach().T})
    assert_close(tied(tokens), untied(tokens))


def test_the_second_stage_has_a_cosine_and_phrases_of_its_own():
    args = replace(QUICK, steps=100, phrase_steps=50, warmup=2, lr_max=0.5, phrase_lr_max=0.25, lr_min=0.125)
    stages = [args.stage(step) for step in range(args.all_steps)]
    assert stages[1] == (0.5, 0.0) and stages[101] == (0.25, 0.5)
    assert [lr for lr, _ in (stages[99], stages[149])] == pytest.approx([0.125, 0.125], abs=1e-3)
    assert {share for _, share in stages[:100]} == {0.0} and {share for _, share in stages[100:]} == {0.5}


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
    previous_token, induction = head_scores(tmp_path)
    alike = 1 / torch.arange(2, 102)  # what each query but the first gives to a key, when all it may see get the same
    before_any_copy = (
        alike[: REPEATED_TOKENS - 2].sum() / 100
    )  # head 1 looks at all alike where it can't look so far back
    assert_close(previous_token[0], torch.stack([torch.tensor(1.0), before_any_copy, alike.mean()]), atol=1e-2, rtol=0)
    assert_close(
        induction[0], torch.stack([torch.tensor(0.0), torch.tensor(1.0), alike[50:].mean()]), atol=1e-2, rtol=0
    )


def test_one_command_makes_the_model_and_its_card(tmp_path, monkeypatch, capsys):
    (tmp_path / "tales.txt").write_text(TEXT * 40, encoding="utf-8")
    monkeypatch.setattr(command, "REFERENCE", replace(SMALL, n_ctx=101))
    monkeypatch.setattr(command, "TrainArgs", lambda **steps: replace(QUICK, **steps))
    command.TrainArgs.steps, command.TrainArgs.phrase_steps, command.TrainArgs.threads = 4, 2, 1
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
    assert read_checkpoint(run / "checkpoint.pt").step == 6
    assert Tokenizer.from_file(str(out / "tokenizer.json")).token_to_id(END_OF_TEXT) == 0


def test_a_corpus_that_is_not_there_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.argv", ["training", "--corpus", str(tmp_path), "--run", str(tmp_path / "run")])
    with pytest.raises(SystemExit, match=r"--corpus .*: neither a text file nor a folder with train.txt and valid.txt"):
        command.main()
    assert not (tmp_path / "run").exists()


def test_corpus_md_lists_the_books():
    tales = command.BUNDLED.parents[1] / "training" / "corpus.md"
    rows = [line for line in tales.read_text(encoding="utf-8").splitlines() if "gutenberg.org/ebooks/" in line]
    documents, held_out = (sum(int(row.split(" | ")[column].rstrip(" |")) for row in rows) for column in (4, 5))
    assert (len(rows), documents, held_out) == (73, 2016, 99)
