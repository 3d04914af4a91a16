"""What a chapter declares about one thing to write: data alone, which every part of the judge may read."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from judge.checking.asking import ask_own
from judge.checking.known import KnownAnswers
from judge.checking.places import Place
from judge.running.kinds import KINDS, Kind
from judge.running.kinds.kind import Axes, Parameters, Places
from judge.running.libraries import LIBRARIES, Library
from judge.running.on_demand import Tensor
from judge.running.records import Arguments, Question, Record
from judge.running.settings import Settings, standard_settings

Components = tuple[Any, ...]  # what a test function is given
Properties = dict[str, Callable[[Tensor], float]]
Starts = dict[str, float]  # of parameters, by their names


@dataclass(frozen=True)
class WorkedExample:
    """The chapter's own example: a question whose answer the text computes by hand.

    `shows` names properties of the answer that a reader of the chapter knows, such as the mean of each vector.
    """

    text: str  # "the chapter's vector 0, 2, 2, 8 (with `w` = 1 and `b` = 0)"
    arguments: Arguments
    shows: Properties = field(default_factory=Properties)


@dataclass(eq=False)
class Declaration(KnownAnswers):
    """One thing the learner writes.

    `inputs` and `output` name the axes of what goes in and comes out: `"batch pos d_model"`, `"..."` for any shape,
    `"batch pos ... d_model"` where any number of axes may stand between, none too, "" for what is no tensor.
    `free_axes` are axes of the output whose sizes neither the inputs nor the Config know. `parameters` gives each
    parameter's axes, such as {"w": "d_model"}, or is a function from the Config (or from what the driver makes the
    component of) to such a dict; a function to write has none. `initial` gives the constants that
    parameters start with, and may be a function like `parameters`; the others start with random numbers. `spreads` says
    of which spread, by the parameter's name and the Config: where several are given, each is right. `drive` names the
    kind. `view` is applied to both answers before they are compared, where several are right. `solution` is the
    module that holds the reference solution, by default solutions.chNN_word for tests/chNN_word.py. `given` is the
    class that misconceptions written as a `forward` alone belong to, by default made from `parameters` and `initial`.
    `settings` is what components are made of where that is the exercise's own: an instance in which no two sizes are
    equal, of a frozen dataclass, or a dict; by default what the course has told the engine. `library` is torch, numpy,
    jax or python; by default the kind's, else torch where anything has axes, else python. With `float64_too` an answer
    in float64 is as right as one in float32. `places` is what a card calls
    the items of an answer that is a list, the outermost first: "step" for `step 2`, or a name for each; of a dict, by
    its keys. `amounts` is a function of a question's arguments that names the parts of what is counted, with their
    sizes, {"the position table (n_ctx · d_model)": 786432}: a card says of a wrong count if it is off by one of them.
    `asks_own` answers a question for a component of the course's own, the solution or a misconception, where there is a
    quicker way than to run it.
    `points` is what a grader gives for a right answer.
    """

    inputs: dict[str, str]
    output: str = ""
    parameters: Parameters = None
    initial: Starts | Callable[[Any], Starts] = field(default_factory=Starts)
    spreads: Callable[[str, Any], Collection[float]] = lambda name, cfg: (cfg.init_range,)
    drive: str = ""
    free_axes: str = ""
    view: Callable[[Any], Any] = lambda answer: answer
    example: WorkedExample | None = None
    solution: str = ""
    given: type | None = None
    settings: Any = None
    library: str = ""
    float64_too: bool = False
    places: Places = ()
    amounts: Callable[..., dict[str, int]] | None = None
    asks_own: Callable[[Any, Question], Record] = ask_own
    points: float = 1.0
    symbol: str = field(default="", init=False)
    declared_at: Place = field(init=False, repr=False)
    body: Callable[[Any], None] = field(init=False, repr=False)

    @property
    def kind(self) -> Kind:
        """How what the learner writes is called, and what follows from that."""
        return KINDS[self.drive]

    @property
    def written_with(self) -> Library:
        """The library that it is written with: what a card calls foreign, and which edits belong."""
        has_axes = any((self.output, *self.inputs.values()))
        return LIBRARIES[self.library or self.kind.library or ("torch" if has_axes else "python")]

    @property
    def known_settings(self) -> Settings:
        """The settings that components are made of, as far as they are known."""
        return standard_settings() if self.settings is None else Settings(self.settings)

    @property
    def stem(self) -> str:
        """The chapter that the exercise belongs to."""
        return self.solution.rpartition(".")[2]

    @property
    def inputs_axes(self) -> list[list[str]]:
        """The axes of each input."""
        return [axes.split() for axes in self.inputs.values()]

    def viewed(self, answer: Any) -> Any:
        """The exercise's view of an answer; of one that it can't look at, such as None, the answer itself."""
        try:
            return self.view(answer)
        except Exception:
            return answer

    def axes(self, made_of: Any = None) -> Axes:
        """Each parameter's axes, for a component made of this Config (or whatever the driver makes it of)."""
        return self.parameters(made_of) if callable(self.parameters) else self.parameters or {}

    def starts(self, made_of: Any = None) -> Starts:
        """The constants that parameters start with, for a component made of this Config."""
        return self.initial(made_of) if callable(self.initial) else self.initial

    def example_question(self, seed: int) -> Question:
        """The question that the chapter's text answers by hand, where there is one."""
        assert self.example
        return Question(self.drive, self.example.arguments, {}, seed)
