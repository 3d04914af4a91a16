"""Components made of parts: what a card says of a part that is missing, misnamed, never called or made of the wrong."""

import pytest
from torch import nn

from judge.checking.diagnosis.parts import part_advice, surplus_advice
from solutions.ch07_transformer import Transformer, TransformerBlock
from tests.ch07_transformer import block, transformer

WANTED = {"ln1.w": (8,), "ln1.b": (8,), "ln2.w": (8,), "ln2.b": (8,), "mlp.W_in": (8, 17)}

NORMS = {"ln1.w": (8,), "ln1.b": (8,), "ln2.w": (8,), "ln2.b": (8,)}
RENAMED = {name.replace("ln", "ln_"): shape for name, shape in NORMS.items()}
W_IN = {"mlp.W_in": (8, 17)}
TORCHS_OWN = (
    "In `self.ln1` the parameters have the names of PyTorch's own modules: put the model's own part there instead, "
    "made of `cfg`."
)
LACKING = "A part is a module that is assigned in `__init__` under exactly this name: `self.mlp = ...`."


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (RENAMED | W_IN, "What they hold is right: rename `ln_1` to `ln1`, rename `ln_2` to `ln2`."),
        (NORMS | {"ffn.W_in": (8, 17)}, "What they hold is right: rename `ffn` to `mlp`."),
        (
            {f"inner.{name.replace('ln', 'ln_')}": shape for name, shape in NORMS.items()}
            | {"inner.ffn.W_in": (8, 17)},
            "What they hold is right, but not where they are, or what they are called: `inner.ln_1` is `self.ln1`, "
            "`inner.ln_2` is `self.ln2`, `inner.ffn` is `self.mlp`.",
        ),
        (
            {"inner.norm.w": (8,), "inner.norm.b": (8,), "ln2.w": (8,), "ln2.b": (8,), "inner.ffn.W_in": (8, 17)},
            "What they hold is right, but not where they are, or what they are called: `inner.norm` is `self.ln1`, "
            "`inner.ffn` is `self.mlp`.",
        ),
        (NORMS, LACKING),
        ({"ln1.weight": (8,), "ln1.bias": (8,), "ln2.w": (8,), "ln2.b": (8,)} | W_IN, TORCHS_OWN),
        ({name: NORMS[name] for name in ("ln1.w", "ln1.b", "ln2.w")} | W_IN, "`self.ln2` has no `b` of its own."),
    ],
)
def test_a_part_that_is_missing_is_told_from_one_with_another_name(got, wanted):
    assert part_advice(got, WANTED) == wanted


BLOCKS = {f"blocks.{layer}.w": (8,) for layer in range(3)}
ALONE = {f"block_{layer}.w": (8,) for layer in range(3)}


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (
            ALONE,
            "What they hold is right: keep `block_0`, `block_1`, `block_2` in one list, `self.blocks = "
            "nn.ModuleList(...)`.",
        ),
        (
            {name: BLOCKS[name] for name in ("blocks.0.w", "blocks.1.w")},
            "`self.blocks` has no number 2 of its own: make as many parts as the Config says, each one anew, and keep "
            "all of them.",
        ),
        (
            {name: ALONE[name] for name in ("block_0.w", "block_1.w")},
            "`blocks.0.w` belongs to a module inside this one. torch finds it where that module is assigned to an "
            "attribute, or stands in an `nn.ModuleList`; a plain list or dict hides it.",
        ),
    ],
)
def test_parts_that_belong_in_a_list_are_told_from_those_that_are_not_there(got, wanted):
    assert part_advice(got, BLOCKS) == wanted


def test_a_list_of_parts_that_is_too_long_says_so():
    longer = BLOCKS | {"blocks.3.w": (8,), "blocks.4.w": (8,)}
    assert surplus_advice(longer, BLOCKS) == "`self.blocks` goes on to number 4: make as many parts as the Config says."
    assert surplus_advice(BLOCKS | {"scale": (1,)}, BLOCKS) is None


class PartsSwapped(TransformerBlock):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.attn, self.mlp = self.mlp, self.attn


class AttentionTwice(TransformerBlock):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.mlp = type(self.attn)(cfg)


class TheClassItself(TransformerBlock):
    def __init__(self, cfg):
        super().__init__(cfg)
        attention = type(self.attn)
        del self.attn
        self.attn = attention


class WithAComma(Transformer):
    def __init__(self, cfg):
        super().__init__(cfg)
        blocks = self.blocks
        del self.blocks
        self.blocks = (blocks,)


class TheListCalled(Transformer):
    def forward(self, tokens):
        return self.unembed(self.ln_final(self.blocks(self.embed(tokens) + self.pos_embed(tokens))))


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


class NamesOfNanoGPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.wpe = nn.Embedding(config.block_size, config.n_embd)
        self.drop = nn.Dropout(config.dropout)
        self.unembed = nn.Linear(config.d_model, config.d_vocab)


@pytest.mark.slow
def test_a_card_lists_only_the_first_of_many_names():
    text = str(transformer.judge(LayersRenamed))
    assert text.count("is missing") == text.count("is one too many") == 8 and text.count("and 40 more") == 2


@pytest.mark.parametrize(
    ("exercise", "answer", "said"),
    [
        (block, NormsRenamed, "rename `norm1` to `ln1`, rename `norm2` to `ln2`"),
        (transformer, LayersRenamed, "rename `layers` to `blocks`"),
        (transformer, NoUnembed, "made of `cfg`: `head` by `self.unembed`."),
        (
            transformer,
            NamesOfNanoGPT,
            "`Config` calls this `d_vocab`. Of the others in your code, "
            "`n_embd` is `d_model`, `block_size` is `n_ctx`. It has nothing called `dropout`.",
        ),
        (block, PartsSwapped, "`self.attn` holds the parameters of `mlp`, and `self.mlp` those of `attn`"),
        (block, AttentionTwice, "`self.mlp` holds the parameters of `attn`: make it of its own class."),
        (block, TheClassItself, "`self.attn` is the class itself"),
        (transformer, WithAComma, "`self.blocks` is a tuple: is there a comma at the end of its line?"),
        pytest.param(
            transformer,
            TheListCalled,
            "An `nn.ModuleList` only holds modules and can't be called itself",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_card_says_what_to_do_about_a_part(exercise, answer, said):
    assert said in str(exercise.judge(answer))
