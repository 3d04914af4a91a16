"""Errors of Python about names: what is undefined, in the wrong module, misspelt, or read too early."""

import importlib

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule, lacks
from judge.running.libraries import Library
from judge.running.on_demand import Tensor, torch
from judge.running.spelling import CERTAIN, IN_CODE, OF_SETTINGS, nearest

EINOPS = ("reduce", "repeat")
OF_MATH = ("pi", "inf", "nan")
# what others call the one input
HABITS = ("x", "input", "inputs", "idx")
NO_SELF = "There is no `self` here, this is a plain function: all that it needs comes in its arguments."
SELF_IS_MISSING = "`self` is missing from this function's arguments: `def forward(self, ...)`."
NO_DEVICE = "Nothing is called `device` here. Leave out `.to(device)`: all the tensors here are on one device."


def module_attribute(match: Match, raised: Raised) -> str | None:
    module, name = match.groups()
    if _is_of_einops(name, raised):
        return f"`{name}` comes from einops: `einops.{name}`."
    if module.startswith("torch") and hasattr(Tensor, name):
        return f"`{name}` is a method of tensors: `x.{name}(...)`."
    others = ((torch.nn, "nn"), (torch.nn.functional, "F")) if raised.library.has_tensors else ()
    for other, short in others:
        if hasattr(other, name):
            return f"`{name}` is in `{short}`: write `{short}.{name}`."
    if module.startswith("torch.nn") and hasattr(torch, name):
        return f"`{name}` is in `torch` itself: write `torch.{name}`."
    public = [function for function in dir(importlib.import_module(module)) if function[0] != "_"]
    near = nearest(name, public, CERTAIN)
    if not near:
        return None
    return f"`{module}` has no `{name}`; the nearest name is `{near}`."


def _is_of_einops(name: str, raised: Raised) -> bool:
    if name == "rearrange":
        return True
    return name in EINOPS and bool(raised.says(r"[\"'][^\"']*->"))


def undefined(match: Match, raised: Raised) -> str | None:
    name = match[1]
    if name == "self":
        return NO_SELF if raised.is_function else SELF_IS_MISSING
    library = raised.library
    if name in library.imports:
        return f"Nothing is called `{name}` yet: run `{library.imports[name]}` first."
    if name in library.foreign:
        return f"`{name}` is {library.foreign[name]}, and {library.values}: {library.advice}."
    if name == "device":
        return NO_DEVICE
    if name in raised.parameters and raised.function in ("forward", "__init__"):
        return f"The parameter is kept in the object: write `self.{name}`."
    if raised.function == "__init__":
        return _undefined_in_init(name, raised)
    return _undefined_in_call(name, raised)


def _undefined_in_init(name: str, raised: Raised) -> str | None:
    if name in raised.inputs:
        return f"`{name}` is passed to `forward`: `__init__` knows `cfg` alone."
    field = _field(name, raised)
    if field:
        return f"This is a field of the config: write `{field}`."
    return _misspelt(name, raised)


def _undefined_in_call(name: str, raised: Raised) -> str | None:
    if name in raised.inputs:
        where = "use the name that the input has in the `def` line"
        return f"Nothing is called `{name}` here: {where}."
    kept = "cfg" if name == "cfg" else _field(name, raised)
    if kept and raised.function == "forward":
        return f"The config is kept in the object: write `self.{kept}`."
    for input_name in raised.inputs:
        axes = list(raised.shapes[input_name])
        if name in axes:
            size = f"{input_name}.shape[{axes.index(name)}]"
            return f"The size of the axis `{name}` needs a name first: `{name} = {size}`."
    return _misspelt(name, raised)


def _field(name: str, raised: Raised) -> str | None:
    field = raised.settings.field_called(name)
    return f"cfg.{field}" if field else None


def _misspelt(name: str, raised: Raised) -> str | None:
    library = raised.library
    if name in OF_MATH:
        return f"Nothing is called `{name}` here; Python has it as `math.{name}`."
    if raised.says(rf"\b{name}\(") and _has(library, name):
        whose = library.module.partition(".")[0]
        return f"Nothing is called `{name}` here; {whose} has one: `{library.short}.{name}`."
    known_names = [*library.imports, *raised.parameters, *raised.inputs]
    # Python's own suggestion knows all that has a name here, and calls near what is not.
    known_names.append(raised.error.meant or "")
    near = nearest(name, known_names, IN_CODE) if len(name) > 2 else None
    known = f"self.{near}" if near in raised.parameters else near
    if near:
        return f"Nothing is called `{name}`; the nearest name is `{known}`."
    if name in HABITS and len(raised.inputs) == 1:
        meant = f"If the input is meant: in the stub it is called `{raised.inputs[0]}`."
        return f"Nothing is called `{name}` here. {meant}"
    if raised.function in ("", "<module>"):
        return None
    nothing = f"Nothing is called `{name}` when this line runs"
    if not raised.says(rf"\b{name}\("):
        return f"{nothing}: a line before it, in this function, must assign it."
    if raised.function != "forward":
        return f"{nothing}: a function must be defined before it."
    return (
        f"If `{name}` is a method of your class, write `self.{name}(...)`. Else nothing has that name when "
        "this line runs: a function must be defined before it."
    )


def _has(library: Library, name: str) -> bool:
    """Whether the library has a function of this name, and its own place for it is clear."""
    if not library.module or hasattr(torch.nn.functional, name):
        return False
    return hasattr(importlib.import_module(library.module), name)


NAME_RULES: list[Rule] = [
    Rule(
        "NameError: name '(strict|ignore|replace)' is not defined",
        '`errors` takes a text: write `errors="{1}"`.',
        line=r"\berrors ?= ?{1}\b",
        case='Python: b"a".decode(errors=replace)',
        near="Python: errors = [replace]",
    ),
    Rule(
        r"AttributeError: module '(torch|torch\.nn|torch\.nn\.functional|math|numpy)' has no attribute '(\w+)'",
        module_attribute,
        case={
            'torch.repeat(self.W_pos, "pos d -> batch pos d")': "`repeat` comes",
            "torch.expand(self.W_pos, 2)": "tensors: `x.expand(...)`",
            "torch.one_hot(tokens, 23)": "one_hot … F.one_hot",
            "torch.tahn(residual)": "torch … tahn … tanh",
            "F.onehot(tokens, 23)": "functional … onehot … one_hot",
            'torch.rearrange(residual, "b p d -> p b d")': "`rearrange` comes",
            "nn.functional.ones(8) * residual": "`torch` itself … ones",
        },
        near=("torch.repeat(self.W_pos, 2)", "math.expand(self.W_pos)"),
    ),
    Rule(
        r"NameError: name '(\w+)' is not defined",
        undefined,
        case={
            "def forward(tokens): return self.W_E[tokens]\nforward(given_tokens)": "missing from",
            "Tensor(tokens)": "Tensor … from torch import Tensor",
            "W_E[tokens]": "The parameter",
            "def forward(x): return residual_ + x\nforward(given_tokens)": "residual_ … residual",
            "self.W_pos[:pos]": "pos = tokens",
            "residual / d_model": "write `self.cfg.d_model`",
            'globals().pop("cfg")\nreturn cfg.d_model': "write `self.cfg`",
            "init: self.w = torch.ones(d_model)": "config: write … cfg.d_model",
            "einop.repeat(self.W_pos)": "einop … einops",
            "W_e[tokens]": "called `W_e`; … self.W_E",
            (
                "class Answer(nn.Module):\n    def forward(self, x): return tokens\nAnswer()(given_tokens)"
            ): "called `tokens`",
            "init: self.length = tokens.shape[1]": "to `forward`",
            "residual / sqrt(2.0)": "sqrt … torch … torch.sqrt",
            "residual + eps": "cfg.layer_norm_eps",
            "jnp.mean(residual)": "`jnp` is JAX",
            "residual.to(device)": "called `device`",
            "normalise(residual) * self.w": "normalise",
            "frozen_rate = 3.0\nreturn residual * frozen_rat": "frozen_rat … frozen_rate",
            "(residual - spread_out) * self.w": "spread_out",
            "residual * pi": "here; Python",
            "LayerNorm: x - residual.mean(-1, keepdim=True)": "called `residual`",
        },
        near=("def forward(tokens): return cls.W_E[tokens]\nforward(given_tokens)", "Tokens"),
    ),
    Rule(
        r"UnboundLocalError: cannot access local variable '(\w+)' where it is not associated with a value",
        "`{1}` gets its value in this function, but not before this line reads it: assign it first, or read what you "
        "mean under another name.",
        case=(
            (
                "class Answer(nn.Module):\n    def forward(self, x):\n        del tokens\n"
                "        return tokens\nAnswer()(given_tokens)"
            ),
            "mean = mean + residual\nreturn mean",
        ),
        near=("tokenss", "del residual.mean"),
    ),
]


def config_as_number(_: Match, raised: Raised) -> str:
    text = (
        "A whole `Config` stands where a number or a tensor is needed: take one of its fields, such as `cfg.d_model`."
    )
    made = any(frame.function == "__init__" for frame in raised.error.frames)
    return text + " The one argument that your class is made with is the `Config`." * made


def config_attribute(match: Match, raised: Raised) -> str | None:
    name = match[1]
    if raised.says(rf"\bself\.{name}\b(?!\s*=[^=])"):
        return "`self` is a `Config` here: it must come first, as in `def __init__(self, cfg)`."
    if field := raised.settings.field_called(name):
        return f"`Config` calls this `{field}`."
    if near := nearest(name, raised.fields, OF_SETTINGS):
        return f"`Config` has no `{name}`; the nearest field is `{near}`."
    if raised.library.has_tensors and hasattr(Tensor, name):
        return config_as_number(match, raised)
    return f"`Config` has no `{name}`. Its fields are {', '.join(f'`{setting}`' for setting in raised.fields)}."


# of functions of plain numbers too
CONFIG_RULES: list[Rule] = [
    Rule(
        r"TypeError: 'Config' object is not subscriptable",
        "A field of the config is read with a dot: `cfg.d_model`.",
        case='init: self.w = torch.ones(cfg["d_model"])',
        near='init: self.w = torch.ones(8["d_model"])',
    ),
    Rule(
        lacks("Config"),
        config_attribute,
        case={
            "init: self.w = nn.Parameter(cfg)": "whole `Config`",
            "init: self.w = torch.ones(cfg.dmodel)": "dmodel … d_model",
            "init: self.eps = cfg.eps": "`Config` calls … layer_norm_eps",
            "init: self.size = cfg.width": "`width`. Its",
            (
                "class Answer(nn.Module):\n    def __init__(cfg, self):\n        super().__init__()\n"
                "        self.w = cfg.w\n    def forward(self, x): pass\nclass Other(Answer):\n"
                "    def __init__(cfg, self): return self.W_E\nOther(cfg)"
            ): "`Config` here",
        },
        near=("init: self.w = nn.Parameter(8)", "init: self.w = torch.ones(torch.dmodel)"),
    ),
    Rule(
        r"FrozenInstanceError: cannot assign to field '(\w+)'",
        "A `Config` can't be changed: keep the value under a name of your own.",
        case="init: cfg.d_model = 8",
        near="init: cfg.d_model.x = 8",
    ),
]
