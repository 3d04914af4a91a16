"""Components made of parts: what a card says of a part that is missing, misnamed, never called or made of the wrong."""

import pytest
from torch import nn

from solutions.ch07_transformer import Transformer, TransformerBlock
from tests.ch07_transformer import block, transformer
from utils.checking.parts import part_advice
from utils.checking.translations import translate
from utils.running.records import Frame, LearnerError

SHAPES = {"resid_pre": {"batch": 2, "pos": 5}, "ln1.w": {"d_model": 8}, "mlp.W_in": {"d_model": 8, "d_mlp": 17}}
WANTED = {"ln1.w": (8,), "ln1.b": (8,), "ln2.w": (8,), "ln2.b": (8,), "mlp.W_in": (8, 17)}
FIRST_MADE = "`self.ln1` is not there yet: a part is made of the `Config`, as in `LayerNorm(cfg)`."
ONE_MODULE = "A loop goes through what holds several, such as the `nn.ModuleList` `self.blocks`; this is one module."


def advice(source, message, function="forward", shapes=SHAPES):
    kind, _, message = message.partition(": ")
    frame = Frame("a cell", 1, function, source)
    return translate(LearnerError(type=kind, message=message, frames=[frame]), shapes)


@pytest.mark.parametrize(
    ("source", "message", "function", "wanted"),
    [
        ("self.ln2 = self.ln1", "AttributeError: 'TransformerBlock' object has no attribute 'ln1'", "__init__", FIRST_MADE),
        ("x = self.ln1(x)", "AttributeError: 'TransformerBlock' object has no attribute 'ln1'", "forward", "Nothing has been assigned to `self.ln1`: make this part in `__init__`."),
        ("x = self.ln_1(x)", "AttributeError: 'TransformerBlock' object has no attribute 'ln_1'", "forward", "`self` has no `ln_1`; the nearest part is `ln1`."),
        ("self.attn = Attention(self.ln1)", "AttributeError: 'LayerNorm' object has no attribute 'n_heads'", "__init__", "A part is made of the whole `Config`, as in `LayerNorm(cfg)`."),
        ("self.ln1(self.attn)", "AttributeError: 'Attention' object has no attribute 'mean'", "forward", "A module stands where a tensor is meant: call it on one, as in `self.embed(tokens)`."),
        ("self.ln1()", "TypeError: LayerNorm.forward() missing 1 required positional argument: 'residual'", "forward", "A part is called here with nothing in its brackets: it needs `residual`."),
        ("self.ln1 = cfg(cfg)", "TypeError: 'Config' object is not callable", "__init__", "A part is made by its class, of the `Config`: `LayerNorm(cfg)`."),
        ("for block in self.mlp:", "TypeError: 'MLP' object is not iterable", "forward", ONE_MODULE),
        ("for layer in cfg.n_layers:", "TypeError: 'int' object is not iterable", "forward", "A number can't be gone through: `range(cfg.n_layers)` gives so many turns."),
    ],
)  # fmt: skip
def test_errors_between_parts_are_translated(source, message, function, wanted):
    assert advice(source, message, function) == wanted
    alone = {"residual": {"batch": 2, "pos": 5}, "w": {"d_model": 8}}
    assert advice(source, message, function, alone) != wanted  # where there are no parts, none is spoken of


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        ({"ln_1.w": (8,), "ln_1.b": (8,), "ln_2.w": (8,), "ln_2.b": (8,), "mlp.W_in": (8, 17)}, "What they hold is right: rename `ln_1` to `ln1`, rename `ln_2` to `ln2`."),
        ({"ln1.w": (8,), "ln1.b": (8,), "ln2.w": (8,), "ln2.b": (8,), "ffn.W_in": (8, 17)}, "What they hold is right: rename `ffn` to `mlp`."),
        ({"ln1.w": (8,), "ln1.b": (8,), "mlp.W_in": (8, 17)}, "A part is a module that is assigned in `__init__` under exactly this name: `self.ln2 = ...`."),
        ({"ln1.w": (8,), "ln1.b": (8,), "ln2.w": (8,), "mlp.W_in": (8, 17)}, "`self.ln2` has no `b` with parameters of its own."),
    ],
)  # fmt: skip
def test_a_part_that_is_missing_is_told_from_one_with_another_name(got, wanted):
    assert part_advice(got, WANTED) == wanted


class NormsRenamed(TransformerBlock):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.norm1, self.norm2 = self.ln1, self.ln2
        del self.ln1, self.ln2


class LayersRenamed(Transformer):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.layers = self.blocks
        del self.blocks


class NoUnembed(Transformer):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.head = nn.Linear(cfg.d_model, cfg.d_vocab)
        del self.unembed


@pytest.mark.parametrize(
    ("exercise", "answer", "said"),
    [
        (block, NormsRenamed, "rename `norm1` to `ln1`, rename `norm2` to `ln2`"),
        (transformer, LayersRenamed, "rename `layers` to `blocks`"),
        (transformer, NoUnembed, "`self.unembed = ...`"),
    ],
)
def test_a_card_says_what_to_do_about_a_part(exercise, answer, said):
    assert said in str(exercise.judge(answer))
