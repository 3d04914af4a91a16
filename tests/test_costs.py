"""Chapter 10's counts beside those of others: HuggingFace's GPT-2 in every size, and PyTorch's counter of FLOPs."""

from dataclasses import replace

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from solutions.ch06_unembed import cross_entropy_loss
from solutions.ch07_transformer import Transformer
from solutions.ch08_sampling import attend_with_cache
from solutions.ch10_cost import count_parameters, forward_flops, generation_time, kv_cache_bytes
from tests.ch04_attention import attention
from tests.ch10_cost import DEEP, LARGE, MEDIUM, WIDE, XL
from tests.house.journey import code_cells
from utils.config import Config
from utils.course import ROOT
from utils.course.cells import defines
from utils.gpt import SMALL

FAMILY = {"124M": Config(), "355M": MEDIUM, "774M": LARGE, "1558M": XL}


NAMES = {"torch": torch, "FlopCounterMode": FlopCounterMode, "SDPBackend": SDPBackend, "sdpa_kernel": sdpa_kernel}


def of_the_chapter():
    """The function by which chapter 10 counts."""
    cells = (cell.source for cell in code_cells(ROOT / "chapters" / "ch10_cost.ipynb"))
    exec(next(source for source in cells if defines(source, "counted_flops")), NAMES)
    return NAMES["counted_flops"]


counted = of_the_chapter()


def huggingface(cfg, tied=True):
    from transformers.models.gpt2 import GPT2Config, GPT2LMHeadModel  # which needs what Windows lacks

    sizes = {"n_layer": cfg.n_layers, "n_embd": cfg.d_model, "n_head": cfg.n_heads}
    config = GPT2Config(**sizes, tie_word_embeddings=tied, attn_implementation="eager")
    with torch.device("meta"):
        return GPT2LMHeadModel(config)


@pytest.mark.parametrize(("name", "cfg"), FAMILY.items())
def test_parameters_are_those_that_huggingface_counts(name, cfg):
    theirs = huggingface(cfg)
    assert count_parameters(cfg) == sum(one.numel() for one in theirs.parameters())
    assert name == f"{round(count_parameters(cfg) / 1e6)}M"


def test_untied_parameters_are_those_that_huggingface_counts():
    assert count_parameters(Config(), tied=False) == sum(
        one.numel() for one in huggingface(Config(), False).parameters()
    )


@pytest.mark.slow
@pytest.mark.parametrize("cfg", FAMILY.values(), ids=FAMILY)
def test_flops_are_those_that_pytorch_counts_in_huggingfaces_model(cfg):
    model = huggingface(cfg)
    for batch, seq in ((1, 64), (2, 17)):
        tokens = torch.zeros(batch, seq, dtype=torch.long, device="meta")
        assert forward_flops(cfg, seq, batch) == counted(lambda tokens=tokens: model(tokens))


@pytest.mark.slow
@pytest.mark.parametrize("cfg", [SMALL, replace(SMALL, d_head=6, n_layers=3), WIDE, DEEP], ids=str)
def test_counts_are_those_of_the_courses_own_transformer(cfg):
    """Whose unembedding is untied, with a bias that is frozen."""
    with torch.device("meta"):
        model = Transformer(cfg)
        learned = sum(one.numel() for one in model.parameters() if one.requires_grad)
        assert count_parameters(cfg, tied=False) == learned
        for batch, seq in ((1, 1), (3, 9)):
            tokens = torch.zeros(batch, seq, dtype=torch.long)
            assert forward_flops(cfg, seq, batch) == counted(lambda tokens=tokens: model(tokens))


OTHER_WORK = {"loop_over_heads", "one_query_at_a_time"}  # the scores twice, and those of the past alone
RIGHT = {one.name: one.component for one in attention.variants if one.name not in OTHER_WORK}


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT)
def test_every_right_attention_counts_as_the_solution(name, monkeypatch):
    """A fused one too, which torch's counter takes for nothing on a CPU."""
    monkeypatch.setattr("solutions.ch07_transformer.Attention", RIGHT[name])
    model, tokens = Transformer(SMALL), torch.randint(SMALL.d_vocab, (2, 9))
    assert counted(lambda: model(tokens)) == forward_flops(SMALL, 9, 2)
    assert counted(lambda: cross_entropy_loss(model(tokens), tokens).backward()) == 3 * forward_flops(SMALL, 9, 2)


def test_a_training_step_is_three_forward_passes():
    model, tokens = Transformer(SMALL), torch.randint(SMALL.d_vocab, (2, 9))
    assert counted(lambda: cross_entropy_loss(model(tokens), tokens).backward()) == 3 * forward_flops(SMALL, 9, 2)


def test_the_cache_is_what_attention_keeps():
    attention = Transformer(SMALL).blocks[0].attn
    empty = torch.zeros(2, 0, SMALL.n_heads, SMALL.d_head)
    _, keys, values = attend_with_cache(attention, torch.rand(2, 7, SMALL.d_model), empty, empty)
    assert kv_cache_bytes(SMALL, 7, 2, 4) == SMALL.n_layers * (keys.nbytes + values.nbytes)


def test_a_cached_token_is_one_position_of_a_pass():
    """On a machine that only computes."""
    alone = generation_time(WIDE, 30, 2, 1.0, 1e15) - generation_time(WIDE, 30, 1, 1.0, 1e15)
    assert alone == forward_flops(WIDE, 31) / 31


def test_the_papers_counts_are_those_of_the_first_gpts_vocabulary():
    in_the_paper = [117, 345, 762, 1542]
    assert [round(count_parameters(replace(cfg, d_vocab=40478)) / 1e6) for cfg in FAMILY.values()] == in_the_paper
