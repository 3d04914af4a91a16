"""The sentences about an error: how the call was made, what Python answered, and what that means to a learner."""

import ast
import re

from judge.checking.code import Code, every
from judge.checking.diagnosis.cases import proved_by
from judge.checking.diagnosis.translations import translate
from judge.checking.diagnosis.translations.raised import Raised, lacks
from judge.checking.evidence import Evidence
from judge.checking.trial import Trial
from judge.checking.wording import listed
from judge.running.kinds.kind import CannotDrive
from judge.running.records import CHANGES, TOO_SLOW, LearnerError
from judge.running.spelling import CERTAIN, is_slip, nearest

# What the chapters' stubs say.
STUB = re.compile(r"(\w+)(\.\w+)?: write this part")
OF_TIME = ("seconds", "of a processor")  # in what is said of a limit: others are of a size
OF_A_CONFIG = re.compile(r"AttributeError: '(\w+)' object has no attribute '(\w+)'")
CONFIGS = {"cfg", "config"}
# Characters of a message: some of torch's list every overload.
MOST_SAID = 1000


@proved_by(
    case='error(LearnerError("NameError", "name \'self\' is not defined"))',
    near='error(LearnerError("NameError", "name \'self\' is defined"))',
)
def translated(evidence: Evidence) -> str | None:
    """The meaning of an error of torch or Python."""
    text = translate(evidence.got)
    return f"{text} {more}" if text and (more := _more_of_the_settings(evidence)) else text


@proved_by(
    case={
        "said(check_agrees, misspelling('attribute'))": "`self.remembred` … `self.remembered`",
        "said(check_agrees, misspelling('another_letter'))": "`self.remembared` … `self.remembered`",
        "said(check_agrees, misspelling('method'))": "`self.rememberr` … `self.remember`",
    },
    near=(
        "said(check_agrees, misspelling('unlike'))",
        "said(check_agrees, misspelling('counterpart'))",
        "said(check_agrees, misspelling('too_soon'))",
        "said(check_agrees, misspelling('beside_a_method'))",
    ),
)
def misspelt(evidence: Evidence) -> str | None:
    """For a name in `self` that the code never sets, where it sets one that is nearly the same."""
    raised = evidence.got
    lacking = re.fullmatch(lacks(), raised.text)
    if not lacking or not raised.says(rf"\bself\.{lacking[2]}\b"):
        return None
    name = lacking[2]
    stored, read = _of_self(evidence.code, ast.Store), _of_self(evidence.code, ast.Load)
    is_called = raised.says(rf"\bself\.{name}\(")
    near = nearest(name, stored | _methods(evidence.code) if is_called else stored, CERTAIN)
    # `encoder` is near `decoder` too, and code that reads both may have forgotten one.
    if name in stored or not near or (near in read and not is_slip(name, near)):
        return None
    both = "write the same name in both places"
    return f"`self.{name}` is likely a misspelling of `self.{near}`, which your code defines: {both}."


def _of_self(code: Code, way: type[ast.expr_context]) -> set[str]:
    """The names of the attributes of `self` that it reads, or stores."""
    attributes = [node for tree in code.trees for node in every(ast.Attribute, tree)]
    return {node.attr for node in attributes if isinstance(node.ctx, way) and ast.unparse(node.value) == "self"}


def _methods(code: Code) -> set[str]:
    """The names of its functions that take a `self`."""
    functions = [node for tree in code.trees for node in every(ast.FunctionDef, tree)]
    return {function.name for function in functions if [one.arg for one in function.args.args[:1]] == ["self"]}


def _more_of_the_settings(evidence: Evidence) -> str | None:
    """Where the code reads several names from the Config that it does not have: what it calls the others."""
    raised, missing = evidence.got, OF_A_CONFIG.fullmatch(evidence.got.text)
    if evidence.trial is None or not missing:
        return None
    configs = {type(settings).__name__ for settings in (evidence.trial.made_of, raised.settings.small)}
    if missing[1] not in configs:
        return None
    read = [name for name in _read_of_a_config(evidence) if name not in (missing[2], *raised.fields)]
    called = {name: raised.settings.field_called(name) for name in read}
    known = [f"`{name}` is `{field}`" for name, field in called.items() if field]
    unknown = [name for name, field in called.items() if not field]
    others = f"Of the others in your code, {', '.join(known)}." if known else ""
    lacking = f"It has nothing called {listed(unknown)}." if unknown else ""
    return " ".join(filter(None, (others, lacking)))


def _read_of_a_config(evidence: Evidence) -> list[str]:
    """The fields of a Config that the code reads, each once, in its order."""
    found: list[str] = []
    for tree in evidence.code.trees:
        for node in every(ast.Attribute, tree):
            if ast.unparse(node.value).removeprefix("self.") in CONFIGS:
                found.append(node.attr)
    return list(dict.fromkeys(found))


@proved_by(
    case='error(LearnerError("ValueError", "my own", RAISED))', near='error(LearnerError("ValueError", "my own"))'
)
def own_raise(evidence: Evidence) -> str | None:
    """For an error that the learner's own code raises."""
    if not evidence.got.error.by_a_raise:
        return None
    return "Your own `raise` ended it, where no error is due: its condition holds too often."


def raised_by(error: LearnerError, trial: Trial) -> Raised:
    """The error with the named axes of what the learner's code was given, and their sizes."""
    exercise, session = trial.session.exercise, trial.session
    known = session.known_sizes(trial.made_of, trial.inputs).keys()

    def sized(named: dict[str, str]) -> dict[str, dict[str, int]]:
        complete = {name: axes for name, axes in named.items() if axes and known >= {*axes.split()}}
        return {name: dict(session.sizes(trial.made_of, trial.inputs, axes)) for name, axes in complete.items()}

    parameters = exercise.axes(trial.made_of) if trial.kind.of_settings else {}
    return Raised(
        error,
        sized(exercise.inputs),
        sized(parameters),
        exercise.known_settings,
        exercise.written_with,
        trial.kind.is_function,
    )


def not_yet(error: LearnerError, symbol: str) -> str:
    """The sentence about a stub: the learner's own, or another that it calls."""
    stub = STUB.match(error.message)
    if stub and stub[1] != symbol:
        return f"It calls `{stub[1]}`, which is still a stub: write and run that first, then run this again."
    unwritten = error.frames[-1]
    raises = f"the line that raises NotImplementedError (line {unwritten.line})"
    return f"`{unwritten.function}` is still to be written: replace {raises}, then run it again."


def instead(error: LearnerError) -> str:
    """What a far side says of code that does not end, or that changes what others share: all but the first line."""
    _, _, rest = error.message.partition("\n")
    if rest or error.type != TOO_SLOW:
        return rest
    if "clock" in error.message:
        return "Does it wait for something: for an input, a pause, or another process?"
    if not any(word in error.message for word in OF_TIME):
        return ""
    return "No single loop ran all that time: how often is this called, and how much does each call compute?"


def error_lines(error: LearnerError, trial: Trial, advice: str) -> tuple[str, ...]:
    """What was raised, and how what was written is called, where that was not as it should be."""
    if error.type == TOO_SLOW:
        return (f"{error.message.splitlines()[0]}, so it was stopped",)
    if error.type == CHANGES:
        return (error.message.splitlines()[0],)
    message = _message(error, advice)
    if error.type == CannotDrive.__name__:
        return (message,)
    raised = f"{error.type}: {message}" if message else error.type
    symbol = trial.session.exercise.symbol
    in_the_making = error.frames and error.frames[0].function == "__init__"
    if trial.kind.of_settings and in_the_making:
        settings = type(trial.made_of).__name__
        return (f"it is made as `{symbol}(cfg)`, with a {settings}, and `__init__` raised", raised)
    if error.in_the_call and trial.kind.call:
        form = trial.kind.call.format(symbol, ", ".join(_handed_over(trial)))
        return (f"it is called as `{form}`, and Python answered", raised)
    return (raised,)


def _message(error: LearnerError, advice: str) -> str:
    """The error's message, with Python's own suggestion where the advice does not speak of that name."""
    message = error.message
    if len(message) > MOST_SAID:
        message = f"{message[:MOST_SAID]}..."
    found = re.match(r"name '(\w+)' is not defined", message)
    of_self = found and f"`self.{found[1]}" in advice
    suggested = error.meant and not of_self and not re.search(rf"\b{re.escape(error.meant)}\b", advice)
    return f"{message}. Did you mean: '{error.meant}'?" if suggested else message


def _handed_over(trial: Trial) -> list[str]:
    """The names of what the call is given, as they stand in it."""
    names = list(trial.session.exercise.inputs)
    settings = [f"{name}=..." for name in trial.kind.keywords(trial.question)]
    return names[: len(trial.inputs) or None] + settings
