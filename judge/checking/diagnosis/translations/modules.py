"""Errors in making a component: a Config for a number, `super().__init__()`, parameters, arguments of its methods."""

from judge.checking.diagnosis.translations.names import CONFIG_RULES, config_as_number
from judge.checking.diagnosis.translations.raised import ARGUMENT, OPERANDS, Match, Raised, Rule, lacks
from judge.running.on_demand import Module, Tensor, nn, torch
from judge.running.spelling import OF_METHODS, nearest


def own_attribute(match: Match, raised: Raised) -> str | None:
    owner, name = match.groups()
    if not raised.says(rf"\bself\.{name}\b(?!\s*=[^=])"):
        return None
    if owner == "Tensor":
        return "`self` is a tensor here: it must come first, as in `def forward(self, ...)`."
    if name == "cfg":
        return "Nothing has been assigned to `self.cfg`: write `self.cfg = cfg` in `__init__`."
    if field := raised.settings.field_called(name):
        return f"This is a field of the config: `{'' if raised.function == '__init__' else 'self.'}cfg.{field}`."
    if name in raised.inputs and raised.function == "forward":
        return f"`{name}` is passed to the call, not kept in `self`: write `{name}`."
    if name in raised.parameters:
        return f"Nothing has been assigned to `self.{name}` yet: write `self.{name} = nn.Parameter(...)` in `__init__`."
    return _no_such_parameter(name, raised)


def _no_such_parameter(name: str, raised: Raised) -> str | None:
    if near := nearest(name, raised.parameters):
        return f"`self` has no `{name}`; the nearest parameter is `{near}`."
    if raised.says(rf"\bself\.{name}\(") and hasattr(Tensor, name):
        return f"`{name}` is a method of tensors, not of `self`: `x.{name}(...)`."
    if raised.says(rf"\bself\.{name}\("):
        return f"Nothing is called `self.{name}`. A function of the notebook is called without `self`: `{name}(...)`."
    known = " and ".join(f"`self.{parameter}`" for parameter in raised.parameters)
    if not known:
        return None
    are = "parameter here is" if len(raised.parameters) == 1 else "parameters here are"
    return f"Nothing has been assigned to `self.{name}`. The {are} {known}."


def tensor_attribute(match: Match, raised: Raised) -> str | None:
    name = match[1]
    if raised.says(rf"\bself\.{name}\b"):
        return None
    methods = [method for method in dir(torch.Tensor) if not method.startswith("_") and not method.endswith("_")]
    near = OTHER_METHODS.get(name) or nearest(name, methods, OF_METHODS)
    return f"Tensors have no `{name}`; what they have is `{near}`." if near else None


def forward_arguments(match: Match, raised: Raised) -> str | None:
    if raised.error.frames or not raised.inputs:
        return None
    passed = " and ".join(f"`{name}`" for name in raised.inputs)
    return f"The call passes {passed} and nothing else: `def forward({', '.join(['self', *raised.inputs])})`."


def init_arguments(match: Match, raised: Raised) -> str | None:
    if raised.says(r"super\(\)\.__init__\([^)]"):
        return "`nn.Module` takes nothing: `super().__init__()`, with empty brackets."
    if raised.error.frames:
        return None
    return f"It is made as `{match[1]}(cfg)`: write `def __init__(self, cfg)` and take every size from `cfg`."


def assigned(match: Match, raised: Raised) -> str:
    name = match[1]
    if raised.function == "__init__":
        return f"`self.{name}` is a parameter already: wrap the new tensor too, `self.{name} = nn.Parameter(...)`."
    return f"`self.{name}` is a parameter, which training changes: give this result a name without `self`."


def module_as_tensor(match: Match, raised: Raised) -> str | None:
    names = [name for name in match.groups() if name and isinstance(getattr(nn, name, None), type)]
    if not names or not issubclass(getattr(nn, names[0]), Module):
        return None
    made = f"nn.{names[0]}(...)"
    return f"`{made}` makes a module, no tensor: its settings stand in these brackets, the tensor in a second pair."


def layer_of_a_tensor(match: Match, raised: Raised) -> str | None:
    name = match[1]
    layer = getattr(nn, name, None)
    if not isinstance(layer, type) or not raised.says(rf"\bnn\.{name}\(\s*[a-z]"):
        return None
    return (
        f"`nn.{name}` is the class of a layer, and its brackets take settings. The layer is called: `nn.{name}()(x)`."
    )


OTHER_METHODS = {"variance": "var", "average": "mean", "stddev": "std", "astype": "to"}

MODULE_RULES: list[Rule] = [
    Rule(
        r"TypeError: (\w+)\.__init__\(\) takes (?:from 1 to )?\d positional arguments? but \d were given",
        layer_of_a_tensor,
        case={"nn.Tanh(residual)": "nn.Tanh … Tanh"},
        near="nn.Tanh(3)",
    ),
    Rule(
        OPERANDS + r"(?:'function' and '\w+'|'\w+' and 'function')",
        "A function stands where what it gives is meant: call it, with round brackets behind its name.",
        case="F.softmax * residual",
        near='"gelu" * residual',
    ),
    Rule(
        lacks("Tensor"),
        tensor_attribute,
        case={"residual.variance(-1)": "no `variance`;", "residual - residual.meann(-1)": "meann … mean"},
        near=("residual.wobble(-1)", "residual - self.meann"),
    ),
    Rule(
        r'NotImplementedError: Module \[\w+\] is missing the required "forward" function',
        "Python finds no method `forward` in the class: look at its spelling, and whether its `def` is indented as far "
        "as that of `__init__`, no further.",
        case="class Answer(nn.Module):\n    def foward(self, tokens): return tokens\nAnswer()(given_tokens)",
        near='raise NotImplementedError("write this part")',
    ),
    Rule(
        r"TypeError: called with a Config it gives \w+, which is no nn\.Module",
        "Derive the class from `nn.Module`, as in `class Name(nn.Module):`, and begin `__init__` with "
        "`super().__init__()`.",
        case='raise TypeError("called with a Config it gives Answer, which is no nn.Module")',
        near='raise TypeError("called with a Config it gives Answer")',
    ),
    Rule(
        lacks("(?:int|float|tuple)", "detach"),
        "`nn.Parameter` wraps a tensor: make one of that size first, such as `torch.ones(cfg.d_model)`.",
        line=r"\bParameter\(",
        case="init: self.w = nn.Parameter(cfg.d_model)",
        near="init: self.w = cfg.d_model.detach()",
    ),
    Rule(
        r"RuntimeError: the weights do not fit: `([\w.]{1,60})` has shape \[([\d, ]*)\], the weight \[([\d, ]*)\]",
        "`{1}` is made with shape [{2}] where [{3}] is due: take each size from `cfg`, which changes from one question "
        "to the next, and write none out as a number.",
        case={
            (
                "from utils.running.parameters import load_weights\n"
                "load_weights(self, {name: torch.cat([value, value]) for name, value in self.named_parameters()})"
            ): "W_E … 23, 8 … 46, 8"
        },
        near='from utils.running.parameters import load_weights\nload_weights(self, {"W_E": self.W_E})',
    ),
    Rule(
        r"RuntimeError: Only Tensors of floating point and complex dtype can require gradients",
        "A parameter holds floats, and this tensor holds integers: leave out the `dtype`, or write `1.0` for `1`.",
        case="init: self.w = nn.Parameter(torch.ones(cfg.d_model, dtype=torch.int64))",
        near="init: self.w = nn.Parameter(1)",
    ),
    Rule(
        OPERANDS + r"(?:'Config' and '.+'|'.+' and 'Config')",
        config_as_number,
        case={"init: self.scale = cfg * 2": "A whole … one argument that your class is made with is the"},
        near='init: self.scale = cfg.d_model * "2" * 2.0',
    ),
    Rule(
        OPERANDS + r"(?:'(\w+)' and '(?:Tensor|Parameter)'|'(?:Tensor|Parameter)' and '(\w+)')",
        module_as_tensor,
        case={"post = nn.GELU(residual)\nreturn post @ self.W_E.T": "nn.GELU(...)"},
        near="torch.Generator() @ self.W_E.T",
    ),
    Rule(
        ARGUMENT + r"Tensor, not (\w+)",
        module_as_tensor,
        case={"F.relu(nn.GELU(residual))": "nn.GELU(...)"},
        near='F.relu("GELU")',
    ),
    Rule(
        ARGUMENT + r".*(?:not|type) Config(?: at pos \d+)?",
        config_as_number,
        case={"init: self.w = nn.Parameter(torch.ones(cfg))": "A whole"},
        near='init: self.w = nn.Parameter(torch.ones("8"))',
    ),
    Rule(
        r"TypeError: \w+\(\): argument '\w+' failed to unpack .*but got Config\"",
        config_as_number,
        case={"init: self.linear = nn.Linear(cfg, 8)": "A whole"},
        near='init: self.linear = nn.Linear("8", 8)',
    ),
    Rule(
        r"TypeError: 'Config' object (?:cannot be interpreted as an integer|is not iterable)",
        config_as_number,
        case={
            "init: self.ln = nn.LayerNorm(cfg)": "A whole … one argument that your class is made with is the",
            "init: self.rows = list(range(cfg))": "A whole … one argument that your class is made with is the",
        },
        near=("init: self.ln = nn.LayerNorm(8.0)", 'init: self.rows = list(range("9"))'),
    ),
    Rule(
        r"TypeError: must be real number, not Config",
        config_as_number,
        case={"init: self.root = math.sqrt(cfg)": "A whole … one argument that your class is made with is the"},
        near='init: self.root = math.sqrt("8")',
    ),
    *CONFIG_RULES,
    Rule(
        r"AttributeError: cannot assign (?:parameters|module|buffer) before Module\.__init__\(\) call",
        "`super().__init__()` is missing: it is the first line of `__init__`.",
        case=(
            "class Answer(nn.Module):\n    def __init__(self, cfg): self.w = nn.Parameter(torch.ones(8))\nAnswer(cfg)"
        ),
        near="init: self.w.w.w = 3",
    ),
    Rule(
        r"TypeError: (?:list|tuple|generator) is not a Module subclass",
        "Modules are due here, and one of them is a whole list: `nn.ModuleList(layers)`, without brackets of its own "
        "around it, or `nn.Sequential(*layers)`, with a star.",
        case="init: self.layers = nn.ModuleList([[nn.Linear(8, 8)]])",
        near="init: self.layers = nn.ModuleList([nn.Linear])",
    ),
    Rule(
        lacks(r"\w+", "_(?:backward_hooks|parameters|modules|buffers)"),
        "`super().__init__()` is missing: it is the first line of `__init__`.",
        case=(
            "class Answer(nn.Module):\n    def __init__(self, cfg): self.cfg = cfg\n"
            "    def forward(self, x): return x\nAnswer(cfg)(given_tokens)"
        ),
        near="class Answer:\n    def __init__(self, cfg): self.cfg = cfg\nAnswer(cfg)(given_tokens)",
    ),
    Rule(
        r"TypeError: descriptor '__init__' of 'super' object needs an argument",
        "`super` needs brackets of its own: `super().__init__()`.",
        case="class Answer(nn.Module):\n    def __init__(self, cfg):\n        super.__init__()\nAnswer(cfg)",
        near="class Answer(nn.Module):\n    def __init__(self, cfg):\n        super().__init()\nAnswer(cfg)",
    ),
    Rule(
        r"TypeError: cannot assign 'torch\.\w+' as parameter '(\w+)' \(torch\.nn\.Parameter or None expected\)",
        assigned,
        case={
            "init: self.w = nn.Parameter(torch.ones(8))\nself.w = torch.zeros(8)": "parameter already",
            "self.w = residual": "parameter, which",
        },
        near="self.w = 3",
    ),
    Rule(
        r"TypeError: \w+\.forward\(\) (?:takes \d+ positional arguments? but \d+ were given|missing \d+ .*)",
        forward_arguments,
        case={
            (
                "class Answer(nn.Module):\n    def forward(tokens): return tokens\nAnswer()(given_tokens)"
            ): "`tokens` and `residual`",
            (
                "class Answer(nn.Module):\n    def forward(self, tokens, table): return tokens\nAnswer()(given_tokens)"
            ): "`tokens` and `residual`",
        },
        near=(
            "def forward(tokens): return tokens\nforward(given_tokens, given_tokens)",
            ("class Answer(nn.Module):\n    def forward(self, tokens): return self.forward()\nAnswer()(given_tokens)"),
        ),
    ),
    Rule(
        r"TypeError: Embedding\.__init__\(\) missing \d+ required positional arguments?: .*",
        "`nn.Embedding` takes two sizes, the number of rows and their length. It makes a table of its own.",
        line=r"\bEmbedding\(",
        case="init: self.embedding = nn.Embedding(cfg.d_vocab)",
        near=(
            "class Embedding(nn.Module):\n    def __init__(self, rows, size):\n        super().__init__()\n"
            "Embedding(cfg)"
        ),
    ),
    Rule(
        r"TypeError: Linear\.__init__\(\) missing \d+ required positional arguments?: .*",
        "`nn.Linear` takes two sizes, that of the axis that goes in and that of the one that comes out.",
        line=r"\bLinear\(",
        case="init: self.out = nn.Linear(8)",
        near='init: self.out = nn.Linear("8", 8)',
    ),
    Rule(
        r"TypeError: LayerNorm\.__init__\(\) missing \d+ required positional arguments?: .*",
        "`nn.LayerNorm` takes the size of the axis that is normalised.",
        line=r"\bLayerNorm\(",
        case="init: self.ln = nn.LayerNorm()",
        near="init: self.ln = nn.LayerNorm(8.0)",
    ),
    Rule(
        r"TypeError: (\w+)\.__init__\(\) (?:takes 1 positional argument but 2 were given|missing \d+ .*)",
        init_arguments,
        case={
            (
                "class Answer(nn.Module):\n    def __init__(self):\n        super().__init__()\nAnswer(cfg)"
            ): "as `Answer(cfg)`",
            (
                "class Answer(nn.Module):\n    def __init__(self, cfg):\n        super().__init__(cfg)\nAnswer(cfg)"
            ): "`nn.Module` takes",
            (
                "class LayerNorm(nn.Module):\n    def __init__(self, d_model, eps):\n"
                "        super().__init__()\nLayerNorm(cfg)"
            ): "LayerNorm",
        },
        near="init: self.ln = nn.LayerNorm()",
    ),
    Rule(
        lacks(),
        own_attribute,
        case={
            "self.W_e[tokens]": "nearest parameter",
            "residual / self.d_model": "self.cfg.d_model",
            "self.W_E[self.tokens]": "`self`: write … tokens",
            "init: nn.init.normal_(self.W_E)": "`self.W_E` yet",
            (
                "class Answer(nn.Module):\n    def forward(self, residual): return self.cfg.d_model\n"
                "Answer()(given_residual)"
            ): "to `self.cfg`",
            (
                "class Answer(nn.Module):\n    def forward(tokens, self): return self.W_E[tokens]\n"
                "Answer()(given_tokens)"
            ): "a tensor here",
            "residual / self.eps": "self.cfg.layer_norm_eps",
            "residual * self.gamma": "gamma … W_pos",
            "residual - self.mean(residual)": "tensors, not … mean",
            'class Words:\n    def encode(self): return self.ids["fox"]\nWords().encode()': "to `self.ids` … W_pos",
            "self.normalise(residual)": "normalise",
            "PosEmbed: self.W_E[: tokens.shape[1]]": "`self.W_E`. The … W_pos",
            "LayerNorm: residual * self.gamma + self.beta": "are `self.w`",
        },
        near=("self.W_qqqqq[tokens]", "residual / self.width"),
    ),
]


CALL_IT = "A module stands where a tensor is meant: call it on one, as in `self.embed(tokens)`."
CALL_THE_PART = (
    "A class is called on a tensor, as in `Embed(tokens)`, "
    "and makes a new part. The part that `__init__` made is in the "
    "object: `self.embed(tokens)`."
)


def missing_part(match: Match, raised: Raised) -> str | None:
    """`self.ln1` before it is there, `Attention(self.ln1)`, or a module in the place of what it answers."""
    owner, name = match.groups()
    parts, functions = raised.parts, [frame.function for frame in raised.error.frames]
    making = "__init__" in functions
    if not parts or owner == "Config":
        return None
    if owner == "Tensor":
        elsewhere = making or not raised.says(rf"\.{name}\b")
        in_a_call = name in raised.fields and functions[:1] == ["forward"] and elsewhere
        return CALL_THE_PART if in_a_call else None
    if name in raised.fields and making:
        return "A part is made of the whole `Config`, as in `LayerNorm(cfg)`."
    if raised.says(rf"\bself\.{name}\b"):
        if name in parts and making:
            return f"`self.{name}` is not there yet: a part is made of the `Config`, as in `LayerNorm(cfg)`."
        if name in parts:
            return f"Nothing has been assigned to `self.{name}`: make this part in `__init__`."
        near = nearest(name, parts)
        return f"`self` has no `{name}`; the nearest part is `{near}`." if near else None
    return CALL_IT if hasattr(Tensor, name) else None


def part_without_self(match: Match, raised: Raised) -> str | None:
    name = match[1]
    return f"The part is kept in the object: write `self.{name}`." if name in raised.parts else None


def several_for_one(match: Match, raised: Raised) -> str | None:
    if not raised.parts or not raised.error.frames:
        return None
    passed = int(match[2]) - 1
    return f"`{match[1]}` is called on one thing, what it reads, and here {passed} stand in its brackets."


def keyword(match: Match, raised: Raised) -> str | None:
    if not raised.parts or not raised.error.frames:
        return None
    return f"`{match[1]}` is called on what it reads, and nothing else: leave out `{match[2]}=`."


def called_on_nothing(match: Match, raised: Raised) -> str | None:
    if not raised.parts or not raised.error.frames:
        return None
    return f"A part is called here with nothing in its brackets: it needs `{match[1]}`."


PART_RULES: list[Rule] = [
    Rule(
        r"TypeError: (\w+)\.__init__\(\) takes 2 positional arguments but \d were given",
        "A part is made of the whole `Config`: `{1}(cfg)`.",
        line=r"\b{1}\([^)]*cfg\.",
        of_parts=True,
        case="Block init: self.ln1 = LayerNorm(cfg.d_model, 1)",
        near="Block init: self.ln1 = LayerNorm(1, 2)",
    ),
    Rule(
        r"NameError: name '(\w+)' is not defined",
        part_without_self,
        case="Block: ln1(residual)",
        near="Block: mystery(residual)",
    ),
    Rule(
        r"TypeError: (\w+)\.forward\(\) takes 2 positional arguments but (\d{1,2}) were given",
        several_for_one,
        case={"Block: self.ln1(residual, residual, residual)": "LayerNorm … 3"},
        near="Block: self.ln1(residual)(2)",
    ),
    Rule(
        r"TypeError: (\w+)\.forward\(\) got an unexpected keyword argument '(\w+)'",
        keyword,
        case={"Block: self.ln1(residual, mask=None)": "LayerNorm … mask="},
        near="Block: residual.mean(mask=None)",
    ),
    Rule(
        lacks(),
        missing_part,
        case={
            "Block init: self.ln2 = self.mlp": "`self.mlp` is",
            "Block: self.mlp(residual)": "been assigned",
            "Block: self.ln_1(residual)": "nearest part",
            "Block init: self.ln2 = LayerNorm(self.ln1)": "whole `Config`",
            "Block: LayerNorm(residual)": "A class is called",
            "Block: self.ln1(self.ln1)": "module stands",
        },
        near="Block: self.wholly(residual)",
    ),
    Rule(
        r"IndexError: only integers, slices \(`:`\), .* are valid indices \(got (?!Config\b|NoneType\b)\w+\)|"
        r"RuntimeError: Could not infer dtype of (?!Config\b|NoneType\b)\w+|"
        + ARGUMENT
        + r"Tensor, not (?!Config\b|NoneType\b)[A-Z]\w+",
        CALL_IT,
        of_parts=True,
        case=("Block: residual[self.ln1]", "Block: torch.tensor(self.ln1)", "Block: torch.exp(self.ln1)"),
        near=('Block: residual["ln1"]', 'Block: torch.tensor("ln1")', 'Block: torch.exp("ln1")'),
    ),
    Rule(
        r"TypeError: \w+\.forward\(\) missing 1 required positional argument: '(\w+)'",
        called_on_nothing,
        case={"Block: self.ln1()": "residual"},
        near="Block: residual.softmax()",
    ),
    Rule(
        r"TypeError: 'Config' object is not callable|TypeError: utils\.config\.Config is not a Module subclass",
        "A part is made by its class, of the `Config`: `LayerNorm(cfg)`.",
        of_parts=True,
        case="Block init: self.ln1 = cfg(cfg)",
        near="Block init: self.ln1 = LayerNorm(8)",
    ),
    Rule(
        r"TypeError: (?:\w+\.)*(\w+) is not a Module subclass",
        "`{1}` is the class itself: a module is made of it with brackets, `{1}(cfg)`.",
        line=r"\b{1}\b(?!\s*\()",
        of_parts=True,
        case="Block init: self.blocks = nn.ModuleList([LayerNorm for _ in range(2)])",
        near="Block init: self.blocks = nn.ModuleList([3])",
    ),
    Rule(
        r'NotImplementedError: Module \[Module(?:List|Dict)\] is missing the required "forward" function',
        "An `nn.ModuleList` only holds modules and can't be called itself: call them one after the other, in a loop "
        "such as `for block in self.blocks`.",
        case="Block: self.blocks(residual)",
        near="Block: nn.Module()(residual)",
    ),
    Rule(
        r"TypeError: unsupported operand type\(s\) for \*: '\w+' and 'int'",
        "A module can't be multiplied: make each one anew, in a loop or a comprehension over `range(cfg.n_layers)`.",
        line=r"\bModuleList\(",
        of_parts=True,
        case="Block init: self.blocks = nn.ModuleList(LayerNorm(cfg) * 2)",
        near="Block init: self.blocks = LayerNorm(cfg) * 2",
    ),
    Rule(
        r"IndexError: index (-?\d{1,15}) is out of range",
        "The `nn.ModuleList` has no module number {1}. It holds as many as the Config says, numbered from 0; a loop "
        "such as `for block in self.blocks` needs no numbers.",
        of_parts=True,
        case="Block: self.blocks[2](residual)",
        near="Block: residual[2]",
    ),
    Rule(
        r"TypeError: 'int' object is not iterable",
        "A number can't be gone through: `range(cfg.n_layers)` gives so many turns.",
        line=r"\bfor\b",
        of_parts=True,
        case="Block: [block for block in self.cfg.n_layers]",
        near="Block: max(3)",
    ),
    Rule(
        r"TypeError: '\w+' object is not iterable",
        "A loop goes through what holds several, such as the `nn.ModuleList` `self.blocks`; this is one module.",
        line=r"\bfor\b",
        of_parts=True,
        case="Block: [block for block in self.ln1]",
        near="Block: max(self.ln1)",
    ),
]


def size_of_an_input(match: Match, raised: Raised) -> str | None:
    """For a size that is read from a part, where an input has an axis of that name."""
    name = match[1]
    if raised.says(rf"\bself\.{name}\b"):
        return None
    for given, axes in raised.of_inputs.items():
        if name in axes:
            return f"`{name}` is not kept there. It is the size of an axis: `{given}.shape[{list(axes).index(name)}]`."
    return None


HABIT_RULES: list[Rule] = [
    Rule(
        lacks("Tensor", "logits"),
        "What stands before `.logits` is a tensor already, and holds no other: leave `.logits` out (`logit` is another "
        "function).",
        case="residual.logits[0, -1]",
        near="residual.logit[0, -1]",
    ),
    Rule(
        lacks(r"\w+", "config"),
        "What `{part}` is made of is called `cfg` here: `{part}.cfg`.",
        line=r"\b(?!self\b)(?P<part>\w+)\.config\b",
        case="part = nn.Identity()\nreturn residual[-part.config.n_ctx :]",
        near="residual[-self.config.n_ctx :]",
    ),
    Rule(
        lacks(r"\w+"),
        size_of_an_input,
        case={"part = nn.Identity()\nreturn residual / part.d_model": "d_model … residual"},
        near="part = nn.Identity()\nreturn residual / part.d_head",
    ),
    Rule(
        r"RuntimeError: bincount only supports 1-d non-negative integral inputs\.",
        "`bincount` counts whole numbers from 0 on, along the one axis of its input. A text with a batch axis has two: "
        "`text[0]` is its only row.",
        case="torch.bincount(tokens)",
        near="torch.bincount(residual[0, 0])",
    ),
]
