"""What long runs found is there and complete, and the rows that repeat are what they are said to be."""

import pytest
import torch

from solutions.ch07_transformer import Transformer
from utils.config import Config
from utils.experiments import OPTIMISERS, WAYS, against_gpt2, changes_table, losses_of, recorded, recorded_changes
from utils.experiments.induction import head_scores, patterns, periodic, second_half
from utils.race.changes import CHANGES

CFG = Config(d_model=8, d_vocab=48, n_ctx=48, d_head=4, d_mlp=8, n_heads=2, n_layers=2)


@pytest.mark.parametrize("name", ["settings", "overfitting", "induction"])
def test_each_experiment_has_its_command_and_three_seeds_in_every_row(name):
    found = recorded(name)
    assert found["command"] == f"python benchmarks/training_experiments.py {name}"
    for row in found["rows"].values():
        curves = [value for key, value in row.items() if key not in ("step", "processor_seconds")]
        assert curves and all(len(curve) == 3 for curve in curves)
        assert {len(seed) for curve in curves for seed in curve} == {len(row["step"])}


def test_an_experiment_that_is_not_there_is_named_among_those_that_are():
    with pytest.raises(LookupError, match="no experiment is called tides; there are settings, overfitting, induction"):
        recorded("tides")


def row(losses, way="equal steps", **more):
    return {way: {"steps": 580, "runs": [{"loss": loss} for loss in losses]}, "pace": 1.0} | more


def test_a_row_is_held_against_gpt2_seed_by_seed():
    rows = {"gpt2": row([2.0, 2.1, 2.2, 2.3, 2.4]), "gqa": row([1.9, 2.0, 2.1, 2.2, 2.45])}
    found = against_gpt2(rows, "gqa", "equal steps")
    assert (found.difference, found.error, found.same_sign) == (pytest.approx(-0.07), pytest.approx(0.03), 4)
    assert not found.shown
    rows["gqa"] = row([1.9, 2.0, 2.1, 2.2, 2.31], way="equal time")
    assert against_gpt2(rows, "gqa", "equal time").shown


def test_the_table_has_each_row_twice_and_gpt2_without_a_difference():
    losses = [2.0, 2.1, 2.2, 2.3, 2.4]
    better = [loss - 0.1 - 0.001 * seed for seed, loss in enumerate(losses)]
    table = changes_table({"gpt2": row(losses), "gqa": row(better) | row(better, way="equal time", pace=1.25)})
    assert table.splitlines() == [
        "equal steps   pace  steps       held out       less GPT-2  sign",
        "gpt2          1.00    580  2.200 ± 0.071",
        "gqa           1.25    580  2.098 ± 0.070  -0.102 ± 0.001  5 of 5  shown",
        "",
        "equal time    pace  steps       held out       less GPT-2  sign",
        "gpt2          1.00    580  2.200 ± 0.071",
        "gqa           1.25    580  2.098 ± 0.070  -0.102 ± 0.001  5 of 5  shown",
    ]


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_every_change_is_recorded_with_five_seeds_at_equal_steps_and_at_equal_time(optimiser):
    found = recorded_changes(optimiser)
    assert found["command"] == f"python benchmarks/changes.py {optimiser}"
    assert list(found["rows"]) == ["gpt2", *CHANGES, "all", "all but gqa"]
    for name in found["rows"]:
        for way in WAYS:
            assert len(losses_of(found["rows"], name, way)) == 5
        lasts = [len(run["by_position"]) for run in found["rows"][name]["equal steps"]["runs"] if "by_position" in run]
        assert set(lasts) <= ({8} if name in ("rotary", "all", "all but gqa") else {2})


def test_an_optimiser_without_runs_is_named():
    with pytest.raises(LookupError, match="no runs with sgd; there are those with muon, adamw"):
        recorded_changes("sgd")


def test_rows_repeat_after_their_period_and_not_before():
    rows, periods = periodic(torch.Generator().manual_seed(3), CFG, 200)
    assert rows.shape == (200, 48) and set(periods.tolist()) == set(range(12, 25))
    for row, period in zip(rows.tolist(), periods.tolist(), strict=True):
        assert len(set(row[:period])) == period
        assert row[period:] == row[:-period]


def test_the_loss_is_that_of_the_second_half():
    class Knows(torch.nn.Module):
        """Is sure of the next token from the middle of the row on, and wrong before."""

        def forward(self, tokens):
            logits = torch.zeros(*tokens.shape, 48)
            logits[:, 24:-1].scatter_(-1, tokens[:, 25:, None], 99.0)
            return logits

    rows, _ = periodic(torch.Generator().manual_seed(3), CFG, 5)
    assert second_half(Knows(), rows) == pytest.approx(0, abs=1e-6)
    assert second_half(torch.nn.Sequential(torch.nn.Embedding(48, 48).requires_grad_(False)), rows) > 1


def test_patterns_are_those_of_the_attention_itself():
    """With values that say where they come from, what a head answers is its pattern."""
    torch.manual_seed(0)
    model = Transformer(CFG)
    rows, periods = periodic(torch.Generator().manual_seed(3), CFG, 3)
    for block in model.blocks:
        for weight in (block.attn.W_Q, block.attn.W_K):
            torch.nn.init.normal_(weight)
    found = patterns(model, rows)
    assert [pattern.shape for pattern in found] == [(3, 2, 48, 48)] * 2
    for pattern in found:
        assert torch.equal(pattern, pattern.tril()) and torch.allclose(pattern.sum(-1), torch.ones(3, 2, 48))
    read = []
    model.blocks[1].attn.register_forward_hook(lambda _part, given, answer: read.append((given[0], answer)))
    model(rows)
    (x, answer), attn = read[0], model.blocks[1].attn
    values = torch.einsum("bpd,hdk->bhpk", x, attn.W_V) + attn.b_V[:, None]
    again = torch.einsum("bhpk,hkd->bpd", found[1] @ values, attn.W_O) + attn.b_O
    assert torch.allclose(again, answer, atol=1e-6)
    scores = head_scores(model, rows, periods)
    assert list(scores) == ["one_back", "two_to_eight_back", "behind_copy", "three_to_five_behind"]
    assert all(0 <= score <= 1 for score in scores.values())


def test_a_head_that_looks_behind_the_earlier_copy_is_found():
    rows, periods = periodic(torch.Generator().manual_seed(3), CFG, 4)
    queries = torch.arange(48)
    looked = torch.zeros(4, 2, 48, 48)
    for row, period in enumerate(periods):
        keys = (queries - period + 1).clamp(min=0)
        looked[row, 1, queries, keys] = 1
        looked[row, 0, queries, (queries - 1).clamp(min=0)] = 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("utils.experiments.induction.patterns", lambda model, tokens: [looked, looked])
        scores = head_scores(torch.nn.Identity(), rows, periods)
    expected = {"one_back": 1, "two_to_eight_back": 0, "behind_copy": 1, "three_to_five_behind": 0}
    assert {name: round(score, 6) for name, score in scores.items()} == expected
