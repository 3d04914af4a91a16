"""judge.checking.diagnosis.registry: each sentence where it is proved, and not where it nearly is.

The functions that say them carry their cases (`proved_by`), and here are the names that these use: `form`, `value` and
their like make evidence, `said` has a check judge something whole.
"""

import ast
from dataclasses import replace  # noqa: F401 - for the cases
from functools import cache
from textwrap import indent

import einops
import pytest
import torch

from judge.checking import Exercise, check_agrees, check_repeatable
from judge.checking.diagnosis.behaviour import Repeated, kept_outside
from judge.checking.diagnosis.cases import PROVED_BY
from judge.checking.diagnosis.parameters import Due, Made
from judge.checking.diagnosis.registry import SENTENCES, sentence
from judge.checking.diagnosis.translations.raised import Raised
from judge.checking.evidence import Evidence, as_tensor
from judge.checking.session import Session
from judge.checking.trial import Trial
from judge.running.records import Array, Frame, LearnerError, Opaque, Question, Record
from judge.running.sources import run_cell
from tests.judge.checking.diagnosis.counted import boards, off  # noqa: F401 - for the cases
from tests.judge.checking.diagnosis.test_translations import as_pairs, has_pieces
from tests.judge.checking.tiny import WEIGHTS, X, judged_by_check, scale, written
from utils.course import ROOT
from utils.gpt import SMALL

WANT = torch.arange(80.0).mul(0.7).sin().view(2, 5, 8) * 3
SAME_ROWS = WANT[:1].expand(2, -1, -1)
STAIRS = torch.cat([torch.arange(16.0), 16 + 1e-4 * torch.arange(4)]).view(2, 5, 2)
RAMP = torch.tensor([0.1, 1.1, 2.1, 3.1, 4.1, 4.10001, 4.10002])
P = torch.tensor([0.02, 0.1, 0.0, 0.5, 0.05, 0.3, 0.03], dtype=torch.double)
EVEN = (torch.arange(12) < 9).double()
NAMED, NUMBERED = ["batch", "pos", "d_model"], ["axis 0", "axis 1", "axis 2"]
RAISED = [Frame("your cell", 1, "forward", "raise ValueError('my own')")]
AXES = {"w": [("d_model", 8)], "b": [("d_model", 8)], "W_U": [("d_model", 8), ("d_vocab", 23)]}


def form(got, want=WANT, names=NAMED):
    return Evidence("form", got, want, list(zip(names, want.shape, strict=True)))


def value(got, want=WANT, names=NAMED):
    numbers = as_tensor(want)
    sizes = list(zip(names, numbers.shape, strict=False)) if numbers is not None else []
    return Evidence("value", got, want, sizes)


def raises(body):
    """No error, where a KeyError is due, from a function of `word`."""
    names = {}
    run_cell(f"def unknown(word): {body}\n", names)
    return Evidence("due error", None, "KeyError", component=names["unknown"])


def alone(got):
    return Evidence("alone", got, WANT, list(zip(NAMED, WANT.shape, strict=True)), name="pos", axis=1)


def draws(shares, want=P, times=2000):
    return Evidence("draws", (times * shares.double() / shares.sum()).round(), want.double())


def parameters(others=None, types=None, **given):
    """Where a component has these parameters, None for one that is right, and should have `w` and `b`, or `W_U`."""
    due = {name: AXES[name] for name in (("W_U",) if "W_U" in given else ("w", "b"))}
    values = {name: torch.zeros(8) if value is None else value for name, value in given.items()}
    record = Record(outputs=[types or {}], parameters=values | (others or {}))
    return Evidence("parameters", Made(record), Due(due, {"w": 1.0, "b": 0.0} if "w" in due else {}))


def parts(*names, wanted, types=None):
    """Where a component has parameters of these names, and should have others; whose shapes go by their last letter."""
    shapes = {name: (3 + ord(name[-1]) % 7,) for name in (*names, *wanted)}
    record = Record(outputs=[types or {}], parameters={name: torch.zeros(shapes[name]) for name in names})
    return Evidence("parameters", Made(record), Due({name: [("size", shapes[name][0])] for name in wanted}, {}))


def of_x():
    return Trial(Session(Exercise(inputs={"x": "pos"}, solution=__name__), 0), Question("function", (X,)))


def repeats(kept, chance, seeded=False):
    return Evidence("repeat", Repeated(X, kept, chance, seeded, of_x()), component=lambda x: x)


def reshaped(component):
    return form(component(X), X).of(of_x(), component)


def flattened(x):
    return x.flatten()


def seeding(x):
    torch.manual_seed(0)
    return int(torch.multinomial(x, 1))


def cut_by_a_list(x):
    return torch.tensor(x.tolist()).exp()


@torch.no_grad()
def without_grad(x):
    return x.exp()


def with_a_constant(x):
    """No `.detach()`."""
    return x * torch.tensor(0.5)


def padded(tokens, table):
    return torch.nn.functional.embedding(tokens, table, padding_idx=0)


def summed_by_letters(x, w):
    return torch.einsum("bpd,dm->bm", x, w)


def kept_by_letters(x, w):
    return torch.einsum("bpd,dm->bpm", x, w)


def summed_by_words(x, w):
    return einops.einsum(x, w, "b pos d, d m -> b m")


def joined(x):
    return torch.cat([number[None] for row in x for vector in row for number in vector])


def error(raised):
    return Evidence("error", Raised(raised))


class Words:
    def __init__(self, vocab):
        self.vocab = vocab

    def encode(self, text):
        return [self.vocab.index(word) for word in text]


OF_WORDS = Exercise(inputs={"words": ""}, drive="methods", solution=__name__)
OF_WORDS.test(lambda Words: None)


def words(methods, init="def __init__(self, _): pass\n"):
    """What a judgement says of the class with these methods, as a cell of its own."""
    return of_a_cell(
        "Words", "class Words:\n" + indent(init + methods, "    "), OF_WORDS, [["a", "b"]], ("encode", "b")
    )


def count(n):
    return n + 1


OF_COUNT = Exercise(inputs={"n": ""}, solution=__name__)
OF_COUNT.test(lambda count: None)
OF_BOTH = Exercise(inputs={"n": "", "tied": ""}, solution=__name__)
OF_BOTH.test(lambda count: None)


def count_of(body, before=""):
    """The same of a function of `n` and `tied`, which is True, with lines before it in its cell."""
    return of_a_cell("count", before + "def count(n, tied=True):\n" + indent(body, "    "), OF_COUNT, 3)


def width(cfg):
    return cfg.n_heads * cfg.d_head


OF_WIDTH = Exercise(inputs={"cfg": ""}, solution=__name__)
OF_WIDTH.test(lambda width: None)


def width_of(body, before=""):
    """The same of a function of a Config."""
    return of_a_cell("width", before + "def width(cfg):\n" + indent(body, "    "), OF_WIDTH, SMALL)


def of_a_cell(name, source, exercise, *arguments):
    names = {}
    run_cell(source, names)
    return judged_by_check(check_agrees, names[name], *arguments, exercise=exercise).failure.advice


def said(check, answer):
    """What a judgement by this check says of a class, or of a `forward`."""
    component = answer if isinstance(answer, type) else written(answer)
    return judged_by_check(check, component, SMALL, WEIGHTS, X).failure.advice


def emptied(where):
    got = WANT.clone()
    got[:, where] = 0
    return got


def counting_calls(self, x):
    self.calls = getattr(self, "calls", 0) + 1
    return x * self.calls


def growing(self, x):
    """Its second call can't be added."""
    self.past = torch.cat([getattr(self, "past", x[:, :0]), x], dim=1)
    return x + self.past


def too_long(self, x):
    """Not even its first call can."""
    self.past = torch.cat([x, x], dim=1)
    return x + self.past


class DrawnOnce(scale.given):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.table = torch.rand(8)

    def forward(self, x):
        return x * self.w + self.table


class MadeInTheClass(scale.given):
    seen: list[int] = []  # noqa: RUF012 - the mistake

    def __init__(self, cfg):
        super().__init__(cfg)
        self.seen.append(1)

    def forward(self, x):
        return x * self.w + len(self.seen)


class MadeInInit(MadeInTheClass):
    def __init__(self, cfg):
        self.seen = []
        super().__init__(cfg)


class Misspelling(scale.given):
    def remember(self, x):
        self.remembered = x
        return x

    def attribute(self, x):
        return self.remember(x) + self.remembred

    def another_letter(self, x):
        return self.remember(x) + self.remembared

    def method(self, x):
        return self.rememberr(x)

    def unlike(self, x):
        return self.remember(x) + self.kept

    def counterpart(self, x):
        self.encoder = x
        return self.encoder + self.decoder

    def too_soon(self, x):
        self.encoder = x
        x = x + self.encoderr
        self.encoderr = x

    def beside_a_method(self, x):
        return x + self.rememberr


def misspelling(name):
    """A class whose `forward` is the method of this name."""
    return type("Scale", (scale.given,), {"remember": Misspelling.remember, "forward": vars(Misspelling)[name]})


def yields(text):
    for word in text.split(" "):
        yield word.encode()


def in_round_brackets(text):
    return (word.encode() for word in text.split(" "))


GIVEN = globals() | {one.__name__: one for one in (Array, LearnerError, Opaque, check_agrees, check_repeatable)}


@cache
def said_of(code):
    """The clue that says something of a case, and what; of a whole judgement the words alone are known."""
    case = eval(code, GIVEN)
    if not isinstance(case, Evidence):
        return None, case
    found = sentence(case)
    return (found.clue, found.text) if found else (None, None)


CASES = [(clue, code, pieces) for clue, (case, _) in PROVED_BY.items() for code, pieces in as_pairs(case)]
RELATIVES = [(clue, code) for clue, (_, near) in PROVED_BY.items() for code, _ in as_pairs(near)]


@pytest.mark.parametrize(("clue", "code", "pieces"), CASES, ids=[code for _, code, _ in CASES])
def test_the_evidence_gets_this_sentence(clue, code, pieces):
    by, text = said_of(code)
    assert by in (clue, None) and text and len(text) <= 310 and text[-1] in ".?"
    assert has_pieces(text, pieces)


@pytest.mark.parametrize(("clue", "code"), RELATIVES, ids=[code for _, code in RELATIVES])
def test_a_near_relative_does_not(clue, code):
    assert said_of(code)[1] not in {said_of(case)[1] for case, _ in as_pairs(PROVED_BY[clue][0])}


def test_evidence_is_about_words_that_have_sentences():
    """A word that is mistyped would have none; evidence for which there is no sentence is about no word."""
    calls = [
        node
        for path in (ROOT / "judge").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Evidence"
    ]
    words = [ast.literal_eval(node.args[0]) for node in calls if node.args]
    assert {*words} == SENTENCES.keys()


def test_every_sentence_has_a_case():
    """`kept_outside` has its own in test_keeping.py, since it is proved by a whole notebook."""
    clues = {clue for clues in SENTENCES.values() for clue in clues}
    assert [clue.__name__ for clue in clues if clue not in PROVED_BY and clue is not kept_outside] == []
