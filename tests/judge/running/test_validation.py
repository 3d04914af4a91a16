"""judge.running.validation: a record that can't be the answer to its question is refused, in words that say why."""

import math
from dataclasses import replace

import pytest
import torch

from judge.running.local import LocalRunner
from judge.running.records import Array, Frame, LearnerError, Opaque, Question, Record, Unchanged
from judge.running.validation import validated
from judge.running.wire import from_bytes, to_bytes
from tests.judge.checking.kinds.caching import SMALL, Head
from utils.config import Config
from utils.gpt.model import GPT, Attention

X, TOKENS, W = torch.rand(2, 3), torch.arange(3), torch.rand(3, 4)
ASKED = Question("component", (Config(), {"w": W, "b": torch.rand(4)}, X, TOKENS), {"cotangent": torch.ones(2, 4)})
ANSWER = Record(
    outputs=[torch.rand(2, 4)],
    inputs_after=[Unchanged(), Unchanged()],
    grads={"w": torch.rand(3, 4), "b": None},
    input_grads=[torch.rand(2, 3), None],
)
PLAIN = replace(ASKED, options={})
PLAIN_ANSWER = replace(ANSWER, grads={}, input_grads=[])
INITIAL = Question("component", (Config(), None))
STREAM = Question("stream", ([W, W],))
ERROR = Record(error=LearnerError("ValueError", "no", [Frame("your cell", 1, "f", "x")]), printed="hello")


GPT2 = Config(d_model=4, d_vocab=5, n_ctx=3, d_head=2, d_mlp=6, n_heads=1, n_layers=1)
GPT2_WEIGHTS = {name: torch.rand(value.shape) for name, value in GPT(GPT2).named_parameters()}
ATTENTION_WEIGHTS = {name: torch.rand(value.shape) for name, value in Attention(GPT2).named_parameters()}
HEAD_WEIGHTS = {name: torch.rand(value.shape) for name, value in Head(SMALL).named_parameters()}
AFTER = Question("model_after", (GPT2, {}))


FITTING = {
    "gradients": (ASKED, ANSWER),
    "no gradients": (ASKED, replace(ANSWER, grads={"w": None, "b": None}, input_grads=[None, None])),
    "any output": (PLAIN, replace(PLAIN_ANSWER, outputs=[Opaque("set")])),
    "a changed input": (PLAIN, replace(PLAIN_ANSWER, inputs_after=[X + 1, Array(X)])),
    "three times": (replace(PLAIN, options={"times": 3}), replace(PLAIN_ANSWER, outputs=[1, 2, 3])),
    "an error": (ASKED, ERROR),
    "initial parameters": (INITIAL, Record([{}], parameters={"any.name": W})),
    "parameters of a component that is only made": (
        replace(PLAIN, args=PLAIN.args[:2]),
        Record([{}], parameters={"w": W}),
    ),
    "registered layers": (STREAM, Record([{}], parameters={"layers.1.weight": W})),
    "steps": (Question("optimiser", ([W], [[W]])), Record([[[W]]])),
    "draws": (Question("batches", (TOKENS, 2, 3, 0), {"times": 5}), Record([{}])),
}


@pytest.mark.parametrize(("question", "record"), FITTING.values(), ids=FITTING.keys())
def test_an_answer_that_fits(question, record):
    assert validated(record, question) is record
    validated(from_bytes(to_bytes(record)), from_bytes(to_bytes(question)))


def asks(drive, *args, **options):
    return Question(drive, args, options)


class Tiny(torch.nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(3, 4))

    def forward(self, x):
        return x @ self.w


class Stream(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(layers)

    def forward(self, x):
        return sum((layer(x) for layer in self.layers), x)


class Step:
    def __init__(self, parameters, lr):
        self.parameters = parameters

    def step(self):
        pass

    zero_grad = step


TRUE = {
    "component": (Tiny, asks("component", Config(), {"w": W}, X, cotangent=torch.ones(2, 4))),
    "component, initial": (Tiny, asks("component", Config(), None)),
    "component, initial, called": (Tiny, asks("component", Config(), None, X, cotangent=torch.ones(2, 4), times=2)),
    "component, wrong weights": (Tiny, asks("component", Config(), {"v": W}, X)),
    "function": (lambda x, y: x[0], asks("function", [X, X], {"a": 1}, times=2, cotangent=X)),
    "function in place": (lambda x: x.add_(1), asks("function", X, cotangent=X)),
    "function of a Config": (lambda cfg: cfg.d_model, asks("function", Config())),
    "methods": (list, asks("methods", [[1, 2]], ("append", 3), ("pop",))),
    "stream": (Stream, asks("stream", [torch.eye(3)], X, cotangent=X)),
    "stream, only made": (Stream, asks("stream", [torch.eye(3)])),
    "with_model": (lambda model, x: model(x), asks("with_model", torch.rand(3, 3), 5, TOKENS[None], times=2)),
    "with_gpt": (lambda model, x: model(x), asks("with_gpt", GPT2, GPT2_WEIGHTS, TOKENS[None], times=2, manual_seed=3)),
    "with_attention": (
        lambda attn, x: attn(x),
        asks("with_attention", GPT2, ATTENTION_WEIGHTS, torch.rand(2, 3, 4), times=2),
    ),
    "with_cache": (Head, asks("with_cache", SMALL, HEAD_WEIGHTS, torch.rand(2, 3, 5), cuts=(1, 2))),
    "with_cache, shapes": (Head, asks("with_cache", SMALL, HEAD_WEIGHTS, torch.rand(2, 3, 5), shapes=True)),
    "work_of": (lambda model, x: model(x), asks("work_of", GPT2, GPT2_WEIGHTS, TOKENS[None])),
    "model_after": (lambda model, x: model(x), asks("model_after", GPT2, GPT2_WEIGHTS, TOKENS[None])),
    "model_after, of a table": (lambda model, x: 1, asks("model_after", torch.rand(3, 3), 5, TOKENS[None])),
    "optimiser": (Step, asks("optimiser", [W], [[W], [None]], 1e-2)),
    "numpy_arrays": (lambda x: x + 1, asks("numpy_arrays", X)),
    "batches": (lambda data, *_: data, asks("batches", TOKENS, 2, 3, 0, times=4)),
    "training": (lambda model, data, args: [0.5], asks("training", torch.rand(3, 3), 5, TOKENS, {"lr": 1.0})),
    "names_read": (lambda: X, asks("names_read")),
}


@pytest.mark.parametrize(("answer", "question"), TRUE.values(), ids=TRUE.keys())
def test_what_every_driver_says_fits_its_question(answer, question):
    record = LocalRunner().ask(answer, question)
    assert validated(from_bytes(to_bytes(record)), question)
    assert bool(record.error) == (question.args[1:2] == ({"v": W},))


FORGED = {
    "no record": (PLAIN, "yes", "the answer is a str, not a Record"),
    "no outputs": (PLAIN, replace(PLAIN_ANSWER, outputs=[]), "it has 0 of 1 outputs"),
    "two outputs": (PLAIN, replace(PLAIN_ANSWER, outputs=[1, 2]), "it has 2 of 1 outputs"),
    "one of three": (replace(PLAIN, options={"times": 3}), PLAIN_ANSWER, "it has 1 of 3 outputs"),
    "no inputs": (PLAIN, replace(PLAIN_ANSWER, inputs_after=[]), "it has 0 of 2 inputs_after"),
    "three inputs": (PLAIN, replace(PLAIN_ANSWER, inputs_after=[1, 2, 3]), "it has 3 of 2 inputs_after"),
    "inputs of an optimiser": (FITTING["steps"][0], Record([[]], [1]), "it has 1 of 0 inputs_after"),
    "no gradients of inputs": (ASKED, replace(ANSWER, input_grads=[]), "it has 0 of 2 input_grads"),
    "gradients of inputs": (PLAIN, replace(PLAIN_ANSWER, input_grads=[None] * 2), "it has 2 of 0 input_grads"),
    "another shape": (
        ASKED,
        replace(ANSWER, input_grads=[X.T, None]),
        "input_grads[0] is a tensor [3, 2] of float32, the input is a tensor [2, 3] of float32",
    ),
    "another dtype": (
        ASKED,
        replace(ANSWER, input_grads=[X.double(), None]),
        "input_grads[0] is a tensor [2, 3] of float64, the input is a tensor [2, 3] of float32",
    ),
    "a gradient of tokens": (
        ASKED,
        replace(ANSWER, input_grads=[None, torch.rand(3)]),
        "input_grads[1] is a tensor [3] of float32, the input is a tensor [3] of int64",
    ),
    "a gradient of a number": (
        asks("function", 1, cotangent=X),
        Record([X], [1], input_grads=[torch.ones(())]),
        "input_grads[0] is a tensor [] of float32, the input is of type int",
    ),
    "no gradients": (ASKED, replace(ANSWER, grads={}), "grads lacks b, w and has nothing too many"),
    "a gradient too many": (
        ASKED,
        replace(ANSWER, grads=ANSWER.grads | {"v": X}),
        "grads lacks nothing and has v too many",
    ),
    "gradients unasked": (
        PLAIN,
        replace(PLAIN_ANSWER, grads=ANSWER.grads),
        "grads lacks nothing and has b, w too many",
    ),
    "gradients of a function": (
        asks("function", X, cotangent=X),
        Record([X], [X], grads={"w": X}, input_grads=[X]),
        "grads lacks nothing and has w too many",
    ),
    "a gradient of another shape": (
        ASKED,
        replace(ANSWER, grads={"w": W.T, "b": None}),
        "grads['w'] is a tensor [4, 3] of float32, the weight is a tensor [3, 4] of float32",
    ),
    "parameters unasked": (PLAIN, replace(PLAIN_ANSWER, parameters={"w": W}), "parameters, which were not asked for"),
    "unknown parameters": (
        asks("component", Config(), {"w": W}),
        Record([{}], parameters={"v": W}),
        "parameters has v, which the question has not",
    ),
    "parameters of another shape": (
        STREAM,
        Record([{}], parameters={"layers.0.weight": X}),
        "parameters['layers.0.weight'] is a tensor [2, 3] of float32, the weight is a tensor [3, 4] of float32",
    ),
    "work in words": (asks("work_of", GPT2, {}), Record(["little"]), "its output is no number of operations"),
    "work below nothing": (asks("work_of", GPT2, {}), Record([-1.0]), "its output is no number of operations"),
    "work without a number": (asks("work_of", GPT2, {}), Record([math.nan]), "its output is no number of operations"),
    "a model in words": (AFTER, Record(["as it was"]), "its output does not say what was left of the model"),
    "a model without a mode": (AFTER, Record([{"changed": []}]), "its output does not say what was left of the model"),
    "a model that is a little frozen": (
        AFTER,
        Record([{"changed": [], "training": False, "frozen": 0.5}]),
        "its output does not say what was left of the model",
    ),
    "a model with numbers for names": (
        AFTER,
        Record([{"changed": [1], "training": False, "frozen": False}]),
        "its output does not say what was left of the model",
    ),
    "an error beside outputs": (PLAIN, replace(ERROR, outputs=[1]), "outputs beside an error"),
    "an error beside parameters": (INITIAL, replace(ERROR, parameters={"w": W}), "parameters beside an error"),
    "outputs of text": (PLAIN, replace(PLAIN_ANSWER, outputs="x"), "Record.outputs is not a list of values"),
    "an output that is a record": (PLAIN, replace(PLAIN_ANSWER, outputs=[ANSWER]), "Record.outputs is not a list"),
    "an output that is a set": (PLAIN, replace(PLAIN_ANSWER, outputs=[{1}]), "Record.outputs is not a list of values"),
    "a sparse output": (PLAIN, replace(PLAIN_ANSWER, outputs=[X.to_sparse()]), "Record.outputs is not a list"),
    "an opaque number": (PLAIN, replace(PLAIN_ANSWER, outputs=[Array(1)]), "Record.outputs is not a list of values"),
    "an error of text": (PLAIN, Record(error="no"), "Record.error is not a LearnerError or None"),
    "frames of text": (PLAIN, Record(error=LearnerError("E", "m", "f")), "Record.error is not a LearnerError or None"),
    "bases of numbers": (
        PLAIN,
        Record(error=LearnerError("E", "m", [], [1])),
        "Record.error is not a LearnerError or None",
    ),
    "a line of text": (PLAIN, Record(error=LearnerError("E", "m", [Frame("", "1", "", "")])), "Record.error is not"),
    "a list of parameters": (
        INITIAL,
        Record([{}], parameters=[W]),
        "Record.parameters is not a dict of tensors by name",
    ),
    "a gradient of text": (
        ASKED,
        replace(ANSWER, input_grads=["", ""]),
        "Record.input_grads is not a list of floating",
    ),
}


@pytest.mark.parametrize(("question", "record", "words"), FORGED.values(), ids=FORGED.keys())
def test_a_forged_answer_is_refused(question, record, words):
    with pytest.raises(ValueError) as refused:
        validated(record, question)
    if type(record) is Record:
        words = f"the answer does not fit its question: {words}"
    assert words in str(refused.value)


def test_what_was_printed_is_text():
    record = Record([1])
    object.__setattr__(record, "printed", 5)
    with pytest.raises(ValueError, match=r"Record.printed is not a text of at most 100000 characters"):
        validated(record, Question("names_read"))
