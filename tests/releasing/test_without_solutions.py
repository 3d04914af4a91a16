"""A release without solutions on its own: its tests judge right and wrong answers, and name mistakes."""

import importlib
import json
import os
from pathlib import Path

import pytest

from judge.checking.recorded import FOLDER
from tests.releasing.handed_in import WRONG, hand_in, judge, solutions
from tests.releasing.in_release import run_in
from utils.course import ROOT, all_exercises, stems
from utils.releasing import making
from utils.releasing.making import release
from utils.releasing.recording import record_named

pytestmark = pytest.mark.slow
WHOLE = {"LayerNorm", "train_bpe", "greedy"}  # with every misconception, by one process: each imports torch
HANDFUL = WHOLE | {"softmax", "Attention", "sample_basic", "AdamW"}
FEW = 4  # misconceptions of the others: to record hundreds takes minutes
RECORD_ALL = making.record_all
EVERYTHING = os.environ.get("COURSE_WHOLE_RELEASE")  # a folder that `release OUT --without-solutions` has made


def chosen():
    """The exercises that are recorded here; all where a whole release is named."""
    return [one for one in all_exercises() if EVERYTHING or one.symbol in HANDFUL]


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    """The release, with the answers of a handful of exercises."""
    if EVERYTHING:
        return Path(EVERYTHING)
    out = tmp_path_factory.mktemp("release") / "course"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "record_all", record_most_with_few)
        list(release(out, ROOT, without_solutions=True, recorded=chosen()))
    return out


def record_most_with_few(exercises, folder, workers, secrets):
    """As `record_all` does it, but that most of the exercises have few misconceptions."""
    yield from RECORD_ALL([one for one in exercises if one.symbol in WHOLE], folder, 1, secrets)
    for one in exercises:
        if one.symbol in WHOLE:
            continue
        exercise = getattr(importlib.import_module(f"tests.{one.stem}"), one.test).exercise
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(exercise, "_misconceptions", exercise.misconceptions[:FEW])
            yield record_named(one, folder / "tests" / FOLDER, secrets)


def judged(without, folder, texts, exercises):
    return json.loads(run_in(without, judge(hand_in(folder, texts), exercises)).splitlines()[-1])


def test_every_solution_that_is_handed_in_passes(without, tmp_path):
    found = judged(without, tmp_path, solutions(), chosen())
    assert {symbol: status for symbol, (status, _, card) in found.items() if status != "passed"} == {}


def test_wrong_answers_fail_and_their_mistakes_are_named(without, tmp_path):
    wrong = {"LayerNorm", "softmax", "sample_basic", "train_bpe"}
    found = judged(without, tmp_path, WRONG, [one for one in all_exercises() if one.symbol in wrong])
    assert {status for status, _, _ in found.values()} == {"failed"}
    assert found["LayerNorm"][1] == "the unbiased variance"
    assert "The cause: the unbiased variance. `Tensor.var` divides by d_model - 1" in found["LayerNorm"][2]
    assert found["softmax"][1] == "exp without the largest score subtracted"
    assert (found["sample_basic"][1] and "The cause: " in found["train_bpe"][2]) or found["train_bpe"][1] is None


ALIKE = {  # two answers to greedy that give the same tokens
    "by argsort": "def greedy(logits):\n    return int(logits.argsort().argmax())\n",
    "by counting": "def greedy(logits):\n    return int((logits < logits[-1]).sum())  # argsort\n",
}


def test_a_mistake_is_named_where_the_source_shows_it(without, tmp_path):
    greedy = [one for one in all_exercises() if one.symbol == "greedy"]
    texts = {name: {"ch08_sampling": text} for name, text in ALIKE.items()}
    found = {name: judged(without, tmp_path / name, text, greedy)["greedy"] for name, text in texts.items()}
    assert found["by argsort"][1] == "the place of the largest number in `argsort`"
    assert found["by counting"][1] is None
    assert "The token is the place of the highest logit in `logits` itself" in found["by counting"][2]


def test_the_same_questions_asked_on_another_processor_find_their_answers(without, tmp_path):
    """Random numbers come out a little otherwise there: in the last bit of some."""
    rounded = (
        "import torch\nwhole = torch.randn\n"
        "def randn(*shape, **more):\n    made = whole(*shape, **more)\n    return made * (1 + 1e-7 * (made > 0))\n"
        "torch.randn = randn\n"
    )
    handed_in = hand_in(tmp_path, solutions())
    some = [one for one in chosen() if one.symbol in ("LayerNorm", "Attention", "softmax")]
    found = json.loads(run_in(without, rounded + judge(handed_in, some)).splitlines()[-1])
    assert {status for status, _, _ in found.values()} == {"passed"}


def test_another_seed_and_another_model_are_refused_in_words(without):
    code = (
        "from tests.ch03_layernorm import layer_norm\n"
        "try:\n    layer_norm.questions(seed=3)\nexcept LookupError as error:\n    print(error)\n"
    )
    assert "Answers are recorded for seed 0 alone, and this is seed 3." in run_in(without, code)


def test_the_grader_asks_what_is_recorded(without):
    code = (
        "from grader.bounds import Bounds\n"
        "from grader.plans import chosen, plan_of\n"
        "from grader.lending import seed_for\n"
        "print(plan_of(*chosen(['ch03_layernorm'], 'LayerNorm'), seed_for(None), Bounds()).checks)\n"
    )
    assert int(run_in(without, code)) > 5


def test_nothing_is_lent_and_it_says_so(without):
    asked = "try:\n    pieces('Embed', 'MLP')\nexcept Exception as error:\n    print(error)\n"
    code = f"from utils.pieces import pieces\n{asked}"
    assert run_in(without, code) == (
        "This course was handed out without its solutions, so nothing can be lent. Yours to write first: "
        "Embed (chapters/ch02_embeddings.ipynb), MLP (chapters/ch05_mlp.ipynb).\n"
    )


COMMANDS = {
    "grade chapters/ch03_layernorm.ipynb --exercise LayerNorm --seed 3": "for seed 0 alone, and this is seed 3.",
    "progress": f"0 of {len(all_exercises())} exercises",
    "hint LayerNorm --more": "Hint 2: pseudocode",
    "hint LayerNorm --solution": "chapters/ch03_layernorm.ipynb holds no such hint for LayerNorm: solution.",
    "generate Once": "Yours to write first: ",
    "race": "this course was handed out without its solutions",
    "verify": "This command is for the course's authors, and this is a release for learners.",
    "release out": "This command is for the course's authors, and this is a release for learners.",
    "update": "Say which release: python -m utils update RELEASE",
}


EACH = """
import contextlib, io, json, runpy, sys
said = {{}}
for command in {commands!r}:
    sys.argv, told = ["utils", *command.split()], io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told), contextlib.suppress(SystemExit):
        runpy.run_module("utils", run_name="__main__")
    said[command] = told.getvalue()
print(json.dumps(said))
"""


def test_each_command_works_or_says_why_not(without, tmp_path):
    """One after another in one Python: each imports what it needs when it runs, and leaves nothing behind."""
    ran = run_in(without, EACH.format(commands=[*COMMANDS]), COURSE_STATE=str(tmp_path))
    said = json.loads(ran.splitlines()[-1])
    found = {command: " ".join(text.split()) for command, text in said.items()}
    assert {command: text for command, text in found.items() if COMMANDS[command] not in text} == {}


def test_every_module_of_the_release_can_be_imported(without):
    code = (
        "import importlib, pathlib\n"
        "for path in sorted(pathlib.Path('utils').rglob('*.py')):\n"
        "    if 'templates' not in path.parts and path.name != '__main__.py':\n"
        "        importlib.import_module('.'.join(path.with_suffix('').parts))\n"
        f"for stem in {stems()!r}:\n    importlib.import_module(f'tests.{{stem}}')\n"
        "print('all of them')\n"
    )
    assert run_in(without, code).endswith("all of them\n")


def test_no_word_of_a_solution_is_in_any_file(without):
    names = [path.relative_to(without).as_posix() for path in without.rglob("*") if path.is_file()]
    assert not [name for name in names if name.startswith(("solutions", "tests/misconceptions", "author"))]
    for path in (*without.glob("tests/*.py"), *without.glob("chapters/*.ipynb")):
        text = path.read_text(encoding="utf-8")
        assert "BEGIN SOLUTION" not in text and "Hint 3" not in text, path
        assert path.suffix == ".ipynb" or ("import solutions" not in text and "from solutions" not in text), path
