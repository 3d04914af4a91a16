"""A release without solutions on its own: its tests judge right and wrong answers, and name mistakes."""

import json
import os

import pytest

from tests.releasing.handed_in import WRONG, hand_in, judge, solutions
from tests.releasing.in_release import run_in
from utils.course import ROOT, all_exercises, stems
from utils.releasing.making import release

pytestmark = pytest.mark.slow
HANDFUL = {"LayerNorm", "softmax", "Attention", "sample_top_p", "train_bpe", "AdamW"}
EVERYTHING = os.environ.get("COURSE_WHOLE_RELEASE")  # a folder that `release OUT --without-solutions` has made


def chosen():
    """The exercises that are recorded here; all where a whole release is named."""
    return [one for one in all_exercises() if EVERYTHING or one.symbol in HANDFUL]


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    """The release, with the answers of a handful of exercises."""
    if EVERYTHING:
        from pathlib import Path

        return Path(EVERYTHING)
    out = tmp_path_factory.mktemp("release") / "course"
    list(release(out, ROOT, without_solutions=True, recorded=chosen()))
    return out


def judged(without, folder, texts, exercises):
    return json.loads(run_in(without, judge(hand_in(folder, texts), exercises)).splitlines()[-1])


def test_every_solution_that_is_handed_in_passes(without, tmp_path):
    found = judged(without, tmp_path, solutions(), chosen())
    assert {symbol: status for symbol, (status, _, card) in found.items() if status != "passed"} == {}


def test_wrong_answers_fail_and_their_mistakes_are_named(without, tmp_path):
    wrong = {"LayerNorm", "softmax", "sample_top_p", "train_bpe"}
    found = judged(without, tmp_path, WRONG, [one for one in all_exercises() if one.symbol in wrong])
    assert {status for status, _, _ in found.values()} == {"failed"}
    assert found["LayerNorm"][1] == "the unbiased variance"
    assert "The cause: the unbiased variance. `Tensor.var` divides by d_model - 1" in found["LayerNorm"][2]
    assert found["softmax"][1] == "exp without the largest score subtracted"
    assert (found["sample_top_p"][1] and "The cause: " in found["train_bpe"][2]) or found["train_bpe"][1] is None


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
        "from utils.grading.bounds import Bounds\n"
        "from utils.grading.plans import chosen, plan_of\n"
        "from utils.grading.seeds import seed_for\n"
        "print(plan_of(*chosen(['ch03_layernorm']), seed_for(None), Bounds()).checks)\n"
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
    "progress": "0 of 43 exercises",
    "hint LayerNorm --more": "Hint 2: pseudocode",
    "hint LayerNorm --solution": "chapters/ch03_layernorm.ipynb holds no such hint for LayerNorm: solution.",
    "generate Once": "Yours to write first: ",
    "race": "this course was handed out without its solutions",
    "verify": "This command is for the course's authors, and this is a release for learners.",
    "release out": "This command is for the course's authors, and this is a release for learners.",
    "update": "Say which release: python -m utils update RELEASE",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_works_or_says_why_not(without, tmp_path, command):
    asked = f"import runpy\nsys.argv = ['utils', *{command.split()!r}]\n"
    run = f"{asked}try:\n    runpy.run_module('utils', run_name='__main__')\nexcept SystemExit:\n    pass\n"
    said = run_in(without, run, COURSE_STATE=str(tmp_path))
    assert COMMANDS[command] in " ".join(said.split())


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
    assert not [name for name in names if name.startswith(("solutions", "tests/misconceptions", "utils/authoring"))]
    for path in (*without.glob("tests/*.py"), *without.glob("chapters/*.ipynb")):
        text = path.read_text(encoding="utf-8")
        assert "BEGIN SOLUTION" not in text and "Hint 3" not in text, path
        assert path.suffix == ".ipynb" or ("import solutions" not in text and "from solutions" not in text), path
