"""The seams of judge.checking for what is right and for how a verdict is shown; the third, the wall, is test_wall's."""

import contextlib
import sys
from dataclasses import replace

import pytest

from judge.checking import CheckFailed, check_agrees, check_shape, line, use_oracle, use_reporter, use_runner
from judge.checking import oracle as oracles
from judge.checking.asking import ask_own
from judge.checking.oracle import RecordedOracle
from judge.checking.places import Place
from judge.checking.recorded import NotRecorded, archive_in
from judge.checking.reporting import SilentReporter, current_reporter
from judge.checking.survey import surveyed_reference
from tests.ch03_layernorm import layer_norm
from tests.judge.checking import tiny
from tests.judge.checking.tiny import WEIGHTS, Counting, Scale, X, judge_scale, judged_by, scale, written
from utils.course import CourseError
from utils.gpt import SMALL
from utils.releasing.recording import record

FEW = 12


class Raising(layer_norm.given):
    """Raises on a line of its own, once it has printed something."""

    def forward(self, residual):
        print("the shape is", list(residual.shape))
        return residual.detach().wieght


class Stub(layer_norm.given):
    def forward(self, residual):
        raise NotImplementedError("LayerNorm.forward: write this part")


class SumsForMeans(layer_norm.given):
    """Wrong in a way that no misconception has: the chapter's worked example is shown."""

    def forward(self, residual):
        centred = residual - residual.mean(-1, keepdim=True)
        return centred / (centred.pow(2).sum(-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


def components():
    """Who is judged."""
    from solutions.ch03_layernorm import LayerNorm

    wrong = [one.component for one in layer_norm.misconceptions]
    return [LayerNorm, Raising, Stub, SumsForMeans, *wrong[:2]]


@pytest.fixture(scope="module", autouse=True)
def few_misconceptions():
    """The first of them: to record all takes seconds, and the others are recorded no other way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layer_norm, "_misconceptions", layer_norm.misconceptions[:FEW])
        yield


@pytest.fixture(scope="module")
def recorded(few_misconceptions, tmp_path_factory):
    """A folder with the answers to every question of test_layer_norm with seed 0, and those of its misconceptions."""
    folder = tmp_path_factory.mktemp("course") / "tests" / "expected"
    assert record(layer_norm, folder) == folder / "ch03_layernorm" / "layer_norm.zip"
    return folder


@pytest.fixture
def no_solutions(monkeypatch):
    """Each component and its verdict; from now on `solutions` can't be imported, as in a course without them."""
    judged = [(component, layer_norm.judge(component)) for component in components()]
    for name in [name for name in sys.modules if name.partition(".")[0] == "solutions"] + ["solutions"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError):
        import solutions.ch03_layernorm  # noqa: F401
    return judged


@pytest.mark.slow
@pytest.mark.parametrize("given_by_hand", [True, False])
def test_without_the_solutions_a_record_gives_the_same_verdicts(recorded, no_solutions, given_by_hand, monkeypatch):
    """The folder is named by `use_oracle`, or else found beside the tests, as expected/."""
    if not given_by_hand:
        monkeypatch.setattr(layer_norm, "declared_at", Place(recorded.parent / "ch03_layernorm.py", 1))
    for component, verdict in no_solutions:
        if given_by_hand:
            with use_oracle(RecordedOracle(recorded)):
                assert layer_norm.judge(component) == verdict
        else:
            assert layer_norm.judge(component) == verdict


def test_the_worked_example_is_among_what_is_recorded(recorded):
    question = layer_norm.example_question(0)
    assert question.name in [one.name for one in layer_norm.questions(seed=0)]
    assert RecordedOracle(recorded).expected(layer_norm, question).output.shape == (1, 1, 4)


def test_another_seed_is_refused_in_words(recorded, no_solutions):
    with use_oracle(RecordedOracle(recorded)), pytest.raises(NotRecorded) as caught:
        layer_norm.judge(no_solutions[0][0], seed=7)
    assert str(caught.value) == (
        "This course was handed out without its solutions, and no answer to this question is recorded "
        "(ch03_layernorm, layer_norm). Answers are recorded for seed 0 alone, and this is seed 7."
    )


def test_an_exercise_that_was_not_recorded_is_named(tmp_path):
    with use_oracle(RecordedOracle(tmp_path)), pytest.raises(NotRecorded, match="has no answers for test_layer_norm"):
        layer_norm.judge(SumsForMeans)


def agreement(*others):
    """A test function with checks on other inputs before its own."""

    def test_scale(Scale):
        with line("agrees"):
            for x in others:
                check_agrees(Scale, SMALL, WEIGHTS, x)
            check_agrees(Scale, SMALL, WEIGHTS, X)

    return test_scale


def test_an_answer_belongs_to_its_question_wherever_that_stands(tmp_path, monkeypatch):
    """A check that is put in front asks what was not recorded; it never gets another question's answer."""
    monkeypatch.setattr(scale, "body", agreement())
    record(scale, tmp_path)
    with use_oracle(RecordedOracle(tmp_path)):
        assert judged_by(agreement(), Scale).status == "passed"
        with pytest.raises(NotRecorded, match="Recorded are those of the tests as they were handed out"):
            judged_by(agreement(X + 1), Scale)
    archive_in.cache_clear()  # nobody writes an archive anew while a course runs
    monkeypatch.setattr(scale, "body", agreement(X + 1, X * 2))
    surveyed_reference.cache_clear()
    record(scale, tmp_path)
    with use_oracle(RecordedOracle(tmp_path)):
        assert judged_by(agreement(X * 2, X + 1), Scale).status == "passed"


def test_a_solution_that_raises_is_a_mistake_of_the_author(monkeypatch):
    monkeypatch.setattr("solutions.ch03_layernorm.LayerNorm", Raising)
    with pytest.raises(
        CourseError, match=r"solution solutions\.ch03_layernorm\.LayerNorm raised AttributeError: .*wieght"
    ):
        layer_norm.judge(layer_norm.variants[0].component, seed=9)


def test_a_module_that_the_solution_misses_is_named(monkeypatch):
    def broken(name):
        raise ModuleNotFoundError("No module named 'einops'", name="einops")

    monkeypatch.setattr(oracles.importlib, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="einops"):
        layer_norm.judge(layer_norm.variants[0].component)


def test_the_component_itself_goes_to_the_reporter_only_if_it_lives_here():
    reporter = Remembering(seen=False)
    with use_reporter(reporter), use_runner(Counting()):
        judge_scale(Scale)
    assert reporter.reports[0][2] is None


def test_the_default_runner_and_oracle_are_back_after_an_error():
    with pytest.raises(ZeroDivisionError), use_runner(None), use_oracle(None):
        raise ZeroDivisionError
    assert layer_norm.judge(layer_norm.variants[0].component).status == "passed"


class Remembering:
    """A reporter that keeps what it is told."""

    def __init__(self, seen):
        self.seen, self.reports = seen, []

    def report(self, stem, verdict, component):
        self.reports.append((stem, verdict, component))
        return self.seen


@pytest.mark.parametrize("seen", [True, False])
def test_a_verdict_is_shown_by_the_reporter(seen, capsys):
    reporter, stub = Remembering(seen), written(tiny.stub)
    with use_reporter(reporter):
        assert judge_scale(Scale, seed=3) is None
        with pytest.raises(CheckFailed) as caught:
            judge_scale(stub)
        with pytest.raises(CheckFailed):
            judge_scale()
    assert [(stem, verdict.status, component) for stem, verdict, component in reporter.reports] == [
        ("tiny", "passed", Scale),
        ("tiny", "not yet", stub),
        ("tiny", "failed", None),
    ]
    assert reporter.reports[0][1].seed == 3 and caught.value.verdict is reporter.reports[1][1]
    card = str(caught.value.verdict)
    assert caught.value._render_traceback_() == ["○ Scale: not yet" if seen else card]
    assert capsys.readouterr() == ("", "")


def test_the_innermost_reporter_reports_else_the_standard_one():
    inner, outer, standard = Remembering(False), Remembering(False), current_reporter()
    with use_reporter(outer), contextlib.suppress(ZeroDivisionError), use_reporter(inner):
        judge_scale(Scale)
        1 / 0  # noqa: B018
    assert (len(inner.reports), len(outer.reports)) == (1, 0) and current_reporter() is standard
    assert type(standard).__name__ == "LearnerReporter"


def test_the_silent_reporter_leaves_the_card_to_the_exception(capsys):
    with use_reporter(SilentReporter()), pytest.raises(CheckFailed) as caught:
        judge_scale(written(tiny.no_offset))
    assert caught.value._render_traceback_() == [str(caught.value)] and "leaving out `b`" in str(caught.value)
    assert capsys.readouterr() == ("", "")


def test_what_a_judging_needs_is_asked_of_the_reference_alone():
    """Without components the questions come from the reference, whose answers are then remembered."""

    def body(Scale):
        with line("keeps the shape"):
            check_shape(Scale, SMALL, WEIGHTS, X)

    assert judged_by(body, Scale).status == "passed"
    questions = scale.questions(seed=5)
    assert questions is scale.questions(seed=5) and {question.seed for question in questions} == {5}


def test_a_quicker_way_answers_for_the_courses_own_code_and_for_no_learners():
    answered = []

    def quicker(component, question):
        answered.append(component)
        return ask_own(component, question)

    def body(Scale):
        with line("agrees with the reference solution"):
            check_agrees(Scale, SMALL, WEIGHTS, X)

    known, wrong = scale.misconceptions, written(tiny.no_offset)
    one = replace(scale, asks_own=quicker)
    one.symbol = scale.symbol
    one.misconceptions.extend(known)
    failure = judged_by(body, wrong, one).failure
    assert failure.misconception == "leaving out `b`"
    assert Scale in answered and known[0].component in answered and wrong not in answered
