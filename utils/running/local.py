"""The seam through which a test runs code: `run` a component, `call` a function, get a plain `Record`.

Here the code runs in this process. A grader puts another runner in its place with `use_runner`, and the same test
functions then judge code that lives behind a wall.
"""

import contextlib
import io
import os
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from utils.config import Config
from utils.running.records import Frame, LearnerError, Record, plain


class Runner(Protocol):
    """Whatever can run a component or call a function and report a Record; it never raises for the learner's errors."""

    def run(
        self,
        component: Any,
        cfg: Config,
        weights: dict[str, Tensor] | None,
        inputs: tuple,
        cotangent: Tensor | None,
        times: int,
        before: list[tuple],
    ) -> Record: ...

    def call(self, function: Any, args: tuple, cotangent: Tensor | None, times: int, before: list[tuple]) -> Record: ...


class LocalRunner:
    """Runs the code in this process."""

    def run(self, component, cfg, weights, inputs, cotangent, times, before) -> Record:
        content: dict[str, Any] = {}
        with _observed(content):
            module = component(cfg)
            _call_on(before, module)
            named = dict(module.named_parameters())
            if weights is None:
                content["parameters"] = {name: plain(parameter) for name, parameter in named.items()}
            else:
                load_weights(module, weights)
            if inputs:
                _call_and_observe(module, inputs, named, cotangent, times, content)
        return Record(**content)

    def call(self, function, args, cotangent, times, before) -> Record:
        content: dict[str, Any] = {}
        with _observed(content):
            _call_on(before, function)
            _call_and_observe(function, args, {}, cotangent, times, content)
        return Record(**content)


_HERE_IN_THIS_PROCESS = LocalRunner()
_runner: ContextVar[Runner] = ContextVar("runner")


@contextlib.contextmanager
def use_runner(runner: Runner) -> Iterator[None]:
    """Let `run` and `call` go through another runner within the block."""
    token = _runner.set(runner)
    try:
        yield
    finally:
        _runner.reset(token)


def _current() -> Runner:
    return _runner.get(_HERE_IN_THIS_PROCESS)


def runs_here() -> bool:
    """True while code runs in this process, so that the learner's source can be looked up."""
    return isinstance(_current(), LocalRunner)


def run(
    component: Any,
    cfg: Config,
    weights: dict[str, Tensor] | None,
    *inputs: Any,
    cotangent: Tensor | None = None,
    times: int = 1,
    before: Sequence[tuple] = (),
) -> Record:
    """Make `component(cfg)`, load `weights` (None keeps the initial ones), call it on `inputs`, report what happened.

    Without inputs the component is only made. With a cotangent of the output's shape, `(output * cotangent).sum()` is
    backpropagated and gradients are reported. `before` holds the inputs of calls made first, on the initial weights;
    what they answer is dropped. Never raises for what the learner's code does: see `Record.error`.
    """
    return _current().run(component, cfg, weights, inputs, cotangent, times, list(before))


def call(
    function: Any, *args: Any, cotangent: Tensor | None = None, times: int = 1, before: Sequence[tuple] = ()
) -> Record:
    """Call `function(*args)` as `run` calls a component, and report what happened."""
    return _current().call(function, args, cotangent, times, list(before))


def load_weights(module: nn.Module, weights: dict[str, Tensor]) -> None:
    """Load exactly the parameters; buffers of the learner's own, such as a mask, keep what __init__ gave them.

    Raises RuntimeError when the names or shapes do not fit.
    """
    loaded = module.load_state_dict(weights, strict=False)
    missing = sorted(set(loaded.missing_keys) & set(dict(module.named_parameters())))
    if missing or loaded.unexpected_keys:
        raise RuntimeError(f"the weights do not fit: missing {missing}, unexpected {sorted(loaded.unexpected_keys)}")


def _call_on(before: list[tuple], function: Callable) -> None:
    for inputs in before:
        function(*(plain(value) for value in inputs))


def _call_and_observe(
    function: Callable, inputs: tuple, named: dict[str, Tensor], cotangent: Tensor | None, times: int, content: dict
) -> None:
    outputs = content["outputs"] = []
    for _ in range(times):
        leaves = [_leaf(value, cotangent is not None) for value in inputs]
        # A learner's in-place change must be seen, not refused: so they get a copy of the leaf, which autograd allows.
        given = [value.clone() if isinstance(value, Tensor) else plain(value) for value in leaves]
        result = function(*given)
        outputs.append(plain(result))
        content["inputs_after"] = [plain(value) for value in given]
    if (
        cotangent is not None
        and isinstance(result, Tensor)
        and result.requires_grad
        and result.shape == cotangent.shape
    ):
        (result * cotangent).sum().backward()
    if cotangent is not None:
        content["grads"] = {name: _gradient(parameter) for name, parameter in named.items()}
        content["input_grads"] = [_gradient(value) for value in leaves]


def _leaf(value: Any, differentiable: bool) -> Any:
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(differentiable and value.is_floating_point())
    return value


def _gradient(value: Any) -> Tensor | None:
    if not isinstance(value, Tensor) or value.grad is None:
        return None
    return plain(value.grad.to_dense())  # an embedding's gradient may be sparse


@contextlib.contextmanager
def _observed(content: dict[str, Any]) -> Iterator[None]:
    """Collect what the code prints and the error that it ends with; keep the caller's random numbers as they were."""
    printed, random_state = io.StringIO(), torch.get_rng_state()
    try:
        with contextlib.redirect_stdout(printed), torch.enable_grad():
            yield
    except Exception as error:
        content["error"] = LearnerError(type(error).__name__, str(error), own_frames(error))
    finally:
        torch.set_rng_state(random_state)
        content["printed"] = printed.getvalue()


_OUTSIDE = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_HERE = str(Path(__file__).parent.parent) + os.sep


def own_frames(error: BaseException) -> list[Frame]:
    """The frames of an error that lie neither in the course's `utils` nor in a library: the learner's own.

    Of a long chain, such as a recursion without an end, the first and the last few.
    """
    frames = []
    for entry in traceback.extract_tb(error.__traceback__):
        if entry.filename.startswith((_HERE, *_OUTSIDE, "<frozen")):
            continue
        frames.append(Frame(_where(entry.filename), entry.lineno or 0, entry.name, (entry.line or "").strip()))
    return frames if len(frames) <= 6 else [*frames[:3], *frames[-3:]]


def _where(filename: str) -> str:
    """How a reader would call the place: their cell, or a file by its name."""
    in_a_cell = "ipykernel" in filename or filename.startswith("<")
    return "your cell" if in_a_cell else Path(filename).name
