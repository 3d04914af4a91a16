"""A training run from beginning to end: what it returns, what it makes of a model, what it does on the way."""

import contextlib
import io
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from judge.running.kinds.kind import Kind, Observed
from judge.running.records import Question, Record
from judge.running.values import copied, is_dict
from utils.gpt.model import TableModel

STARTS = 100_003  # a seed of torch's global random numbers, and what another process may have there
GOES_ON = 200_003


class TrainingRun(Kind):
    """The question's arguments are the model's table, n_ctx, the data, and the fields of `args` that are plain data."""

    name = "training_run"
    call = "{}(model, data, args)"
    library = "torch"
    has_inputs = False
    names_inputs = False

    def drive(
        self,
        train: Callable,
        table: Tensor,
        n_ctx: int,
        data: Tensor,
        args: dict[str, Any],
        by_draw: bool = False,
        rates: list[float] | None = None,
        killed_in_step: int | None = None,
        reports: bool = True,
    ) -> Observed:
        """Call train(model, data, args), and look at what comes of it.

        `by_draw` hands over a `draw` of batches in place of `data`. `rates` makes `optimisers` plain descents, one for
        each parameter of the model, which tell how they are used. Where it never `reports`, `report` is None. A run
        that is killed is begun again by a new model.
        """
        file = InMemory("checkpoint.pt", {}) if killed_in_step is not None else None
        run = _Run(table, n_ctx, args, file, by_draw, rates, reports)
        torch.default_generator.manual_seed(STARTS)
        if killed_in_step is None:
            return Observed([run.whole(train, data)])
        kept = {"keeps a checkpoint": run.until(train, data, killed_in_step)}
        torch.default_generator.manual_seed(GOES_ON)
        return Observed([run.whole(train, data) | kept])

    def misfit(self, record: Record, question: Question) -> str | None:
        return None if is_dict(record.output) else "its output does not say what came of the run"


class InMemory:
    """What can be asked of a path, and of a file that lies on no disk: where code is tried, nothing may be written."""

    def __init__(self, name: str, files: dict[str, bytes]):
        self.name, self.files = name, files

    @property
    def parent(self) -> "InMemory":
        return self

    def mkdir(self, **options: bool) -> None:
        """It is there."""

    def with_name(self, name: str) -> "InMemory":
        return InMemory(name, self.files)

    def exists(self) -> bool:
        return self.name in self.files

    def open(self, mode: str) -> io.BytesIO:
        return _Written(self) if "w" in mode else io.BytesIO(self.files[self.name])

    def replace(self, other: "InMemory") -> None:
        self.files[other.name] = self.files.pop(self.name)

    def unlink(self, missing_ok: bool = False) -> None:
        self.files.pop(self.name, None)


class _Written(io.BytesIO):
    """What is kept when it is closed."""

    def __init__(self, path: InMemory):
        super().__init__()
        self.path = path

    def close(self) -> None:
        if not self.closed:
            self.path.files[self.path.name] = self.getvalue()
        super().close()


class Killed(BaseException):
    """What ends a run from outside: no Exception, so that nothing of the learner's catches it."""


class Watched(TableModel):
    """A table model with an offset, whose logits are noisy in training mode, and which counts its calls."""

    def __init__(self, table: Tensor, n_ctx: int, last_step: float):
        super().__init__(table, n_ctx)
        self.offset = nn.Parameter(torch.zeros(len(table)))
        self.last_step = last_step
        self.rows_trained: list[int] = []
        self.estimated: list[Any] = []  # the windows read without gradients

    def forward(self, tokens: Tensor) -> Tensor:
        logits = super().forward(tokens) + self.offset
        if torch.is_grad_enabled():
            self._count(len(tokens))
        else:
            self.estimated += tokens.tolist()
        return logits * (1 + torch.rand(()) / 2) if self.training else logits

    def loss_of_the_estimated(self) -> float | None:
        """The mean loss over all windows that were read without gradients, as the model is now; None of other forms."""
        lengths = set(map(len, self.estimated))
        if len(lengths) != 1 or min(lengths) < 2:
            return None
        windows = torch.tensor(self.estimated)
        with torch.no_grad():
            logits = super().forward(windows[:, :-1]) + self.offset
            return float(F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten()))

    def _count(self, rows: int) -> None:
        if len(self.rows_trained) >= self.last_step:
            raise Killed
        self.rows_trained.append(rows)


class Descent:
    """Plain gradient descent, which keeps the learning rate and the length of its gradient in each step."""

    def __init__(self, parameter: nn.Parameter, lr: float):
        self.parameter, self.lr = parameter, lr
        self.rates: list[float] = []
        self.lengths: list[float | None] = []
        self.speed = torch.zeros_like(parameter)

    def step(self) -> None:
        self.rates.append(float(self.lr))
        self.lengths.append(None if self.parameter.grad is None else float(self.parameter.grad.norm()))
        if self.parameter.grad is None:
            return
        self.speed = 0.5 * self.speed + self.parameter.grad
        with torch.no_grad():
            self.parameter -= self.lr * self.speed

    def zero_grad(self) -> None:
        self.parameter.grad = None


class _Run:
    """One set of arguments, of which as many runs can be made."""

    def __init__(
        self,
        table: Tensor,
        n_ctx: int,
        args: dict[str, Any],
        file: InMemory | None,
        by_draw: bool,
        rates: list[float] | None,
        reports: bool,
    ):
        self.table, self.n_ctx, self.args, self.file = table, n_ctx, args, file
        self.by_draw, self.rates, self.reports = by_draw, rates, reports

    def until(self, train: Callable, data: Tensor, step: int) -> bool:
        """A run that is killed in this step, from 1 on; whether there is a checkpoint then."""
        with contextlib.suppress(Killed):
            self._made(train, data, Watched(self.table, self.n_ctx, step - 1), [], [])
        return self.file is not None and self.file.exists()

    def whole(self, train: Callable, data: Tensor) -> dict[str, Any]:
        model = Watched(self.table, self.n_ctx, float("inf"))
        reported: list[Any] = []
        made: list[Descent] = []
        returned = self._made(train, data, model, reported, made)
        seen = {
            "returned": copied(returned),
            "reported": reported,
            "table": model.table.detach(),
            "offset": model.offset.detach(),
            "ends in training mode": model.training,
            "rows of each batch": model.rows_trained,
            "rows held out": len(model.estimated),
            "one batch held out": len(set(map(tuple, model.estimated))) <= self.args["batch_size"],
            "loss held out": model.loss_of_the_estimated(),
        }
        rates = {"rates": [one.rates for one in made], "lengths": [one.lengths for one in made]}
        return seen | (rates if made else {}) | {"stands still": self.rates is not None and not any(self.rates)}

    def _made(self, train: Callable, data: Tensor, model: Watched, reported: list[Any], made: list[Descent]) -> Any:
        fields = copied(self.args)
        fields |= {"checkpoint": self.file, "report": None}
        if self.reports:
            fields["report"] = lambda entry: reported.append(copied(entry))
        fields |= {"draw": self._draw if self.by_draw else None, "optimisers": None}
        if self.rates is not None:
            fields["optimisers"] = lambda model: self._optimisers(model, made)
        return train(model, data.clone(), SimpleNamespace(**fields))

    def _draw(self, generator: torch.Generator) -> Tensor:
        return torch.randint(len(self.table), (self.args["batch_size"], self.n_ctx), generator=generator)

    def _optimisers(self, model: Watched, made: list[Descent]) -> list[Descent]:
        pairs = zip(model.parameters(), self.rates or [], strict=True)
        made += [Descent(parameter, lr) for parameter, lr in pairs]
        return list(made)
