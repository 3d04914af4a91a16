"""What the parameters that a component has say about those that it lacks, and what to do about each.

Each clue takes evidence with a `Made` in `got`, and a `Due` in `want`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from judge.checking.diagnosis.cases import proved_by
from judge.checking.diagnosis.dotted import Shapes
from judge.checking.diagnosis.parts import part_advice, surplus_advice
from judge.checking.evidence import Evidence
from judge.checking.tensors import Sizes
from judge.checking.wording import listed
from judge.running.kinds.modules import COPY, SAVED_BUFFER
from judge.running.on_demand import Tensor, torch
from judge.running.records import Record
from judge.running.settings import Settings, standard_settings
from judge.running.values import is_dict

# What is said of an attribute that has a parameter's name, by its type.
OF_A_TYPE = {
    COPY: "`{name}` is a copy of what was handed in: keep that itself.",
    "Tensor": (
        "`self.{name}` is a plain tensor or a buffer, "
        "which no optimiser would find: wrap it, "
        "`self.{name} = nn.Parameter(...)`."
    ),
    "Parameter": (
        "`self.{name}` is a parameter that has another name too: give it one of its own, `nn.Parameter(...)`."
    ),
}


class Names:
    """The names that are missing, and those that are one too many."""

    def __init__(self, evidence: Evidence):
        self.made, self.due = evidence.got, evidence.want
        self.missing = [name for name in self.due.axes if name not in self.made.shapes]
        self.extra = [name for name in self.made.shapes if name not in self.due.axes]

    @property
    def of_parts(self) -> bool:
        return any("." in name for name in self.missing)


@proved_by(
    case={
        "parameters(w=None, beta=torch.zeros(8))": "right: rename `beta`",
        "parameters(w=None, beta=torch.zeros(9))": "parameter is",
        "parameters(gamma=torch.ones(8), beta=torch.zeros(8))": "gamma … beta",
        "parameters(w=None)": "parameter is",
        'parameters(w=None, types={"b": "Tensor"})': "plain tensor",
        'parameters(w=None, types={"w": "Tensor"})': "parameter is",
        'parameters(w=None, types={"b": "Parameter"})': "parameter that … (...)",
        'parameters(w=None, types={"b": "float"})': "is of type float, not an nn",
        'parameters(w=None, types={"c": "float"})': "parameter is",
        'parameters({"b.weight": torch.ones(3)}, w=None)': "parameter `b.weight`",
        'parameters({"ln.weight": torch.ones(8)}, w=None)': "inside `self.ln`",
        'parameters({"fc.weight": torch.ones(3), "proj.weight": torch.ones(3)})': "inside `self.fc` … proj",
    },
    near=(
        "parameters(gamma=torch.zeros(8), other=torch.zeros(8))",
        'parameters({"c.weight": torch.ones(3)}, w=None)',
        'parameters({"ln.weight": torch.ones(8)}, w=None, b=None)',
        'parameters({"fc.weight": torch.ones(3), "proj.weight": torch.ones(3)}, w=None)',
    ),
)
def wrong_names(evidence: Evidence) -> str | None:
    """For parameters that are missing: what may have become of each."""
    names = Names(evidence)
    if not names.missing or names.of_parts:
        return None
    found = [*_of_attributes(names), *_of_other_names(names), *_of_modules(names)]
    if found:
        return " ".join(dict.fromkeys(found))
    return (
        "A parameter is an nn.Parameter assigned in __init__ under exactly this name: "
        f"`self.{names.missing[0]} = nn.Parameter(...)`."
    )


@proved_by(case="parameters(w=None, b=None, scale=torch.ones(1))", near="parameters(w=None, scale=torch.ones(1))")
def too_many_names(evidence: Evidence) -> str | None:
    """For parameters that are one too many, where none is missing."""
    names = Names(evidence)
    if names.missing or not names.extra:
        return None
    return "Only what the line above names is trained: keep other values out of `nn.Parameter` and of modules."


def _of_attributes(names: Names) -> Iterator[str]:
    """The thing that stands under the name of a parameter that is missing."""
    for name in names.missing:
        inner = [other for other in names.extra if other.startswith(f"{name}.")]
        found = _of_module(name, inner[0]) if inner else _of_attribute(name, names.made.types.get(name))
        if found:
            yield found


def _of_module(name: str, inner: str) -> str:
    return f"`self.{name}` is a module with a parameter `{inner}`. Make it `self.{name} = nn.Parameter(...)`."


def _of_attribute(name: str, kind: str | None) -> str | None:
    if kind is None:
        return None
    said = OF_A_TYPE.get(kind, "`self.{name}` is of type {kind}, not an nn.Parameter.")
    return said.format(name=name, kind=kind)


def _of_other_names(names: Names) -> Iterator[str]:
    """Which parameters too many are the missing ones under other names."""
    pairs = [(_other_name(name, names), name) for name in names.missing]
    renames = [f"rename `{other}` to `{name}`" for other, name in pairs if other]
    if renames:
        yield f"The shapes are right: {', '.join(renames)}."


def _other_name(name: str, names: Names) -> str | None:
    """The one parameter too many that can only be this one: by how it starts, by a name it goes by, or by its shape."""
    due, shape = names.due, names.due.shapes[name]
    alike = [other for other in names.extra if "." not in other and names.made.shapes[other] == shape]
    start = due.starts.get(name)
    values = names.made.record.parameters
    reasons: list[Callable[[str], bool]] = [
        lambda other: start is not None and _starts_at(values[other], start),
        lambda other: due.settings.is_another_name(other, name),
        lambda other: [due.shapes[missing] for missing in names.missing].count(shape) == 1,
    ]
    for reason in reasons:
        found = [other for other in alike if reason(other)]
        if len(found) == 1:
            return found[0]
    return None


def _starts_at(value: Tensor, constant: float) -> bool:
    return bool((value == constant).all())


def _of_modules(names: Names) -> Iterator[str]:
    """The modules that hold parameters which belong to the component itself."""
    owners = dict.fromkeys(name.rpartition(".")[0] for name in names.extra)
    owners = [f"self.{owner}" for owner in owners if owner and owner not in names.missing]
    if not owners:
        return
    missing = listed(f"self.{name}" for name in names.missing)
    yield (
        f"Parameters that belong to the component itself are inside {listed(owners)}: "
        f"assign an `nn.Parameter(...)` to {missing}."
    )


@dataclass(frozen=True)
class Made:
    """The parameters of a component when it is made."""

    record: Record

    @cached_property
    def shapes(self) -> Shapes:
        return {name: tuple(value.shape) for name, value in self.record.parameters.items()}

    @property
    def types(self) -> dict[str, str]:
        """The type of each attribute that has a parameter's name but is none, and of each submodule."""
        outputs = self.record.outputs
        return outputs[0] if outputs and is_dict(outputs[0]) else {}

    @property
    def saved_buffers(self) -> list[str]:
        """The tensors that are saved with the parameters and are none, by name."""
        return [name for name, kind in self.types.items() if kind == SAVED_BUFFER]


@dataclass(frozen=True)
class Due:
    """The parameters that are due: the axes of each with their sizes, and the constants that some start with.

    `settings` are what it is made of.
    """

    axes: Mapping[str, Sizes]
    starts: Mapping[str, float]
    settings: Settings = field(default_factory=standard_settings)

    @cached_property
    def shapes(self) -> Shapes:
        return {name: tuple(size for _, size in axes) for name, axes in self.axes.items()}


@proved_by(
    case={
        'parts("blocks.0.w", wanted=["blocks.0.w", "blocks.1.w"])': "blocks … 1",
        'parts("block_0.w", "block_1.w", wanted=["blocks.0.w", "blocks.1.w"])': "is right: keep … blocks",
        'parts("block_0.w", wanted=["blocks.0.w", "blocks.1.w"])': "blocks.0.w",
        'parts(wanted=["blocks.0.w", "blocks.1.w"])': "blocks.0.w",
        'parts(wanted=["ln1.w"])': "A part … ln1 =",
        'parts("ln1.b", wanted=["ln1.w", "ln1.b"])': "ln1` has no `w",
        'parts("norm1.w", "norm2.w", wanted=["ln1.w", "ln2.w"])': "`ln1`, rename",
        (
            'parts("norm.w", "block_0.v", "block_1.v", wanted=["ln_final.w", "blocks.0.v", "blocks.1.v"])'
        ): "norm … ln_final … blocks",
        'parts("norm.w", wanted=["ln1.w", "ln2.w"])': "`self.ln1` and … norm",
        'parts("ln1.weight", wanted=["ln1.w"])': "In `self.ln1`",
        'parts("ln1.scale", wanted=["ln1.w"])': "ln1` has no `w",
        'parts("mlp.up.weight", "mlp.down.weight", wanted=["mlp.W", "mlp.V"])': "In `self.mlp`",
        'parts("ln_f.weight", wanted=["ln_final.m"])': "`ln_f` by … ln_final",
        'parts("norm1.w", "norm2.weight", "head.weight", wanted=["ln1.w", "ln2.m", "unembed.f"])': "norm1 … `norm2` by",
        'parts("gpt.h.0.w", "gpt.ln_f.weight", wanted=["blocks.0.w", "ln_final.m"])': "`gpt.h` is … blocks",
        'parts(wanted=["attn.W"], types={"attn": "type"})': "class itself",
        'parts(wanted=["attn.W"], types={"attn": "tuple"})': "`self.attn` is a",
        'parts("attn.V", "mlp.W", wanted=["attn.W", "mlp.V"])': "attn … mlp` those of `attn",
        'parts("attn.V", "mlp.V", wanted=["attn.W", "mlp.V"])': "of `mlp`: make",
    },
    near=(
        'parts("ln_1.w", "ln_1.b", wanted=["ln1.w", "ln1.b"])',
        'parts("norm1.w", wanted=["ln1.w", "ln2.w"])',
        'parts("norm.w", "block_0.v", wanted=["ln_final.w", "blocks.0.v", "blocks.1.v"])',
        'parts("norm.w", "norm2.w", wanted=["ln1.w", "ln2.w"])',
        'parts("mlp.up.weight", "mlp.down.V", wanted=["mlp.W", "mlp.V"])',
        'parts("ln_f.weight", wanted=["ln_final.w"])',
        'parts("norm1.w", "norm2.weight", wanted=["ln1.w", "ln2.m", "unembed.f"])',
        'parts("gpt.h.0.w", "gpt.ln_f.scale", wanted=["blocks.0.w", "ln_final.m"])',
        'parts(wanted=["attn.W"], types={"attn": "Attention"})',
        'parts(wanted=["attn.W"], types={"attn": "list"})',
        'parts("attn.V", wanted=["attn.W", "mlp.W"])',
    ),
)
def missing_parts(evidence: Evidence) -> str | None:
    """For parameters of parts that are missing."""
    names = Names(evidence)
    if not names.of_parts:
        return None
    return part_advice(names.made.shapes, names.due.shapes, names.made.types)


@proved_by(
    case={'parts("blocks.0.w", "blocks.1.w", wanted=["blocks.0.w"])': "blocks … 1"},
    near='parts("blocks.0.w", "scale", wanted=["blocks.0.w"])',
)
def too_many_parts(evidence: Evidence) -> str | None:
    """For lists of parts that are too long."""
    names = Names(evidence)
    if names.missing or not names.extra:
        return None
    return surplus_advice(names.made.shapes, names.due.shapes)


@proved_by(
    case={'parameters(w=None, b=None, types={"where": "saved buffer"})': "where"},
    near='parameters(w=None, types={"where": "saved buffer"})',
)
def buffers_saved(evidence: Evidence) -> str | None:
    """For buffers that `load_state_dict` would look for in weights that have none."""
    made = evidence.got
    if not made.saved_buffers or made.shapes != evidence.want.shapes:
        return None
    whole, _, name = made.saved_buffers[0].rpartition(".")
    where = f"in `{whole}` " if whole else ""
    return (
        "`load_state_dict(..., strict=True)` would look for it among the weights, which do not have it: "
        f'{where}write `self.register_buffer("{name}", ..., persistent=False)`.'
    )


@proved_by(
    case={
        "parameters(w=torch.ones(768), b=None)": "`cfg` instead",
        "parameters(W_U=torch.ones(8, 50257))": "50257 is GPT-2 … d_vocab",
        "parameters(W_U=torch.ones(9, 50257))": "`cfg.d_model, cfg.d_vocab`",
        "parameters(w=torch.ones(8, 1), b=None)": "1: broadcasting",
    },
    near=(
        "parameters(w=torch.ones(767), b=None)",
        "parameters(W_U=torch.ones(8, 23))",
        "parameters(w=torch.ones(8, 2), b=None)",
    ),
)
def wrong_shape(evidence: Evidence) -> str | None:
    """For the first parameter whose shape is wrong: where its sizes come from."""
    made, due = evidence.got, evidence.want
    for name, shape in due.shapes.items():
        if name in made.shapes and made.shapes[name] != shape:
            if found := _shape_advice(made.shapes[name], due.axes[name], due.settings):
                return found
    return None


def _shape_advice(got: tuple[int, ...], axes: Sizes, settings: Settings) -> str | None:
    names, sizes = [axis for axis, _ in axes], [size for _, size in axes]
    if list(got) == [settings.defaults.get(axis, 0) for axis in names]:
        return f"These are {settings.whose}'s own sizes: take the sizes from `cfg` instead."
    if written := _written_out(got, axes, settings):
        return written
    if [size for size in got if size != 1] == sizes:
        return "Leave out the axes of size 1: broadcasting adds them."
    if not set(names) <= set(settings.names):
        return None
    order = ", in this order" if len(names) > 1 else ""
    listed = ", ".join(f"cfg.{axis}" for axis in names)
    return f"Its sizes come from the Config{order}: `{listed}`."


def _written_out(shape: tuple[int, ...], axes: Sizes, settings: Settings) -> str | None:
    """Whether every size that is wrong is a usual one, such as GPT-2's own, written out as a number."""
    if len(shape) != len(axes):
        return None
    wrong = [(axis, size) for (axis, due), size in zip(axes, shape, strict=True) if size != due]
    if any(size != settings.defaults.get(axis, 0) for axis, size in wrong):
        return None
    return " ".join(f"{size} is {settings.whose}'s own `{axis}`: write `cfg.{axis}`." for axis, size in wrong)


@proved_by(case="parameters(w=torch.ones(8).double(), b=None)", near="parameters(w=None, b=None)")
def not_float32(evidence: Evidence) -> str | None:
    """For parameters of another dtype."""
    values = evidence.got.record.parameters.values()
    if all(value.dtype == torch.float32 for value in values):
        return None
    return "Parameters are float32, as torch makes them: leave out `dtype=`, `.double()`, `.half()` and `.long()`."


@proved_by(
    case={
        'Evidence("start", name="ln1.w", want=1.0)': "own parameters",
        'Evidence("start", name="W_E", want=None)': "normal distribution",
        'Evidence("start", name="w", want=1.0)': "`self.w = nn.Parameter(torch.ones(...))`",
        'Evidence("start", name="w", want=0.5)': "= nn.Parameter(torch.full( … 0.5))",
    },
    near=('Evidence("start", name="W_E", want=0.0)', 'Evidence("start", name="w", want=0.0)'),
)
def where_to_start(evidence: Evidence) -> str:
    """For initial values that are wrong; `want` is the constant that is due, None where the values are drawn."""
    name, constant = evidence.name, evidence.want
    if "." in name:
        return (
            "Parts start their own parameters when they are made: "
            "change none of them afterwards. If nothing here does, "
            "a part is wrong: run its own test."
        )
    if constant is None:
        return f"Draw it from a normal distribution, as in `nn.init.normal_(self.{name}, std=cfg.init_range)`."
    made = {0.0: "torch.zeros(...)", 1.0: "torch.ones(...)"}.get(constant, f"torch.full(..., {constant:g})")
    return f"Start it there: `self.{name} = nn.Parameter({made})`."
