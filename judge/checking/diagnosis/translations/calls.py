"""Errors in how a function of torch is called: arguments that are missing, misnamed or in another order."""

import re

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule

FLOATS_EMBEDDED = (
    r"RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int;"
    r" but got torch\.\w+ instead \(while checking arguments for embedding\)"
)
OTHER_ARGUMENTS = (
    r"TypeError: (mean|sum|var|std)\(\) received an invalid combination of arguments - got \((.*)\), but.*"
)
CALL_RULES: list[Rule] = [
    Rule(
        r"RuntimeError: Given normalized_shape=\[(.*?)\], expected input with shape \[\*, .*\], but got input of "
        r"size\[(.*?)\]",
        "`normalized_shape` holds the sizes of the last axes, those that are averaged over. The input is {2:shape}, "
        "and {1:shape} is not how it ends.",
        case={
            "F.layer_norm(residual, (5,))": "[2, 5, 8] (`batch pos d_model`) … [5] (`pos`)",
            "nn.LayerNorm(5)(residual)": "[2, 5, 8] (`batch pos d_model`) … [5] (`pos`)",
        },
        near=("F.layer_norm(residual, (5, 8), self.w, self.b)", "F.layer_norm(residual, 5)"),
    ),
    Rule(
        r"TypeError: layer_norm\(\): argument 'normalized_shape' \(position 2\) must be tuple of ints, not \w+",
        "`F.layer_norm(input, normalized_shape, weight, bias, eps)`: `normalized_shape` is a tuple of sizes, such as "
        "`(d_model,)`.",
        case=("F.layer_norm(residual, 8)", "F.layer_norm(residual, self.w, self.b)"),
        near=("F.layer_norm(residual, (5,))", "F.layer_norm(residual)"),
    ),
    Rule(
        r"TypeError: layer_norm\(\): argument '(?:weight|bias)' \(position [34]\) must be Tensor, not \w+",
        "The order is `F.layer_norm(input, normalized_shape, weight, bias, eps)`; `eps=...` by name is safest.",
        case="F.layer_norm(residual, (8,), self.w, 1e-5)",
        near='F.layer_norm(residual, (8,), eps="a")',
    ),
    Rule(
        r"RuntimeError: Expected (weight|bias) to be of same shape as normalized_shape, but got \w+ of shape \[(.*?)\] "
        r"and normalized_shape = \[(.*?)\]",
        "The {1} has shape {2:shape} and `normalized_shape` is {3:shape}: the axes that are averaged over are those "
        "that the weight and the bias have.",
        case={"F.layer_norm(residual, (5, 8), self.w, self.b)": "weight … [8] (`d_model`) … [5, 8] (`pos d_model`)"},
        near="F.layer_norm(residual, (5,), None, None)",
    ),
    Rule(
        FLOATS_EMBEDDED,
        "`F.embedding` takes the index first and the table second: they have changed places.",
        line=r"\bembedding\(\s*self\.W_\w+\s*,",
        case="F.embedding(self.W_E, tokens)",
        near="F.embedding(tokens, self.w)",
    ),
    Rule(
        FLOATS_EMBEDDED,
        "`F.embedding` looks up whole numbers: pass int64 token numbers or positions first, then the table.",
        case="F.embedding(residual, self.W_E)",
        near="F.embedding(tokens, self.w)",
    ),
    Rule(
        r"TypeError: embedding\(\): argument '(?:indices|weight)' \(position \d\) must be Tensor, not \w+",
        "`F.embedding` takes two tensors: the index first, then the table.",
        case="F.embedding(range(5), self.W_pos)",
        near="F.embedding(tokens)",
    ),
    Rule(
        r"RuntimeError: one_hot is only applicable to index tensor of type LongTensor\.",
        "`F.one_hot` takes int64 numbers: leave out `.float()` and `.int()` on its input.",
        case="F.one_hot(tokens.float()) @ self.W_E",
        near="F.one_hot(tokens - 9)",
    ),
    Rule(
        r"RuntimeError: Class values must be smaller than num_classes\.",
        "The second argument of `F.one_hot` counts the possible values, and an index is as large as that or larger.",
        case="F.one_hot(tokens, 5)",
        near="F.one_hot(-tokens)",
    ),
    Rule(
        r"TypeError: arange\(\): argument 'end' \(position 1\) must be Number, not Tensor",
        "`arange` takes a number, such as the size `x.shape[axis]`, and this is a whole tensor.",
        case="torch.arange(tokens)",
        near='torch.arange("5")',
    ),
    Rule(
        r"TypeError: take\(\) got an unexpected keyword argument '(?:axis|dim)'",
        "`torch.take` reads the tensor as one flat list and knows no axis. To pick rows of a table, index it: "
        "`table[rows]`.",
        case="torch.take(self.W_E, tokens, axis=0)",
        near="torch.take(self.W_E, tokens, rows=0)",
    ),
    Rule(
        r"TypeError: (mean|sum|var|std)\(\) (?:missing 1 required positional arguments: \"dim\"|"
        r"received an invalid combination of arguments - got \(.*\bdims=.*)",
        "Name the axis: `{1}(dim=-1, keepdim=True)`. The argument is called `dim`.",
        case=(
            "residual.mean(dims=-1, keepdim=True)",
            "TypeError: mean() received an invalid combination of arguments - got (dims=int, ), but",
        ),
        near="residual.mean(keepdim=True)",
    ),
    Rule(
        r"TypeError: (softmax|log_softmax)\(\) missing 1 required positional arguments: \"dim\"",
        "Name the axis along which the weights add up to 1: `{1}(..., dim=...)`.",
        case="torch.softmax(residual)",
        near="residual.cumsum()",
    ),
    Rule(
        r"TypeError: (ones|zeros|full|empty|rand|randn)_like\(\): argument 'input' \(position 1\) must be Tensor, not "
        r"(?:torch\.Size|tuple|list|int)",
        "`torch.{1}_like` takes a tensor, and makes another of its shape. From the sizes themselves it is "
        "`torch.{1}(...)`.",
        case="torch.ones_like(residual.shape)",
        near='torch.ones_like("residual")',
    ),
    Rule(
        r"TypeError: (\w+)\(\) received an invalid combination of arguments - got \(\), but.*",
        "`{1}()` is called with nothing in its brackets, and it needs at least one argument.",
        case="residual.pow()",
        near="residual.pow(None)",
    ),
    Rule(
        r"TypeError: (?:ones|zeros|empty|randn|rand)\(\): argument 'size' "
        r"(?:\(position \d\) must be tuple of ints, .*not float|failed to unpack .*but got float\")",
        "Sizes are whole numbers, and one of these is a float: take them from `cfg`, such as `cfg.d_model`.",
        case=(
            "init: self.w = nn.Parameter(torch.ones(cfg.layer_norm_eps))",
            "init: self.w = nn.Parameter(torch.ones(cfg.d_vocab, cfg.layer_norm_eps))",
        ),
        near=(
            'init: self.w = nn.Parameter(torch.ones("8"))',
            'init: self.w = nn.Parameter(torch.ones(cfg.d_vocab, "8"))',
        ),
    ),
    Rule(
        OTHER_ARGUMENTS,
        "NumPy's `{1}` can't work on a tensor: write `torch.{1}(..., dim=-1, keepdim=True)`.",
        line=r"\b(?:np|numpy)\.{1}\(",
        case="np.mean(residual, axis=-1, keepdims=True)",
        near="torch.mean(dim=-1)",
    ),
    Rule(
        OTHER_ARGUMENTS,
        "`torch.{1}` takes the tensor first: `torch.{1}(x, dim=-1, keepdim=True)`.",
        line=r"\btorch\.{1}\(\s*(?:dim|axis|keepdim)\s*=",
        case="torch.mean(dim=-1, keepdim=True)",
        near="np.mean(residual, axis=-1, keepdims=True)",
    ),
    Rule(
        r"TypeError: mean\(\) received an invalid combination of arguments - got \(keepdim=bool, \).*",
        "`keepdim` needs to know which axis: `mean(dim=-1, keepdim=True)`.",
        case="residual.mean(keepdim=True)",
        near='residual.mean("d_model")',
    ),
    Rule(
        r"TypeError: (var|std)\(\) received an invalid combination of arguments - got \(.*\bddof=.*",
        "`ddof` is NumPy's word: here it is `correction`.",
        case="residual.var(-1, ddof=0, keepdim=True)",
        near="residual.var(-1, biased=False, keepdim=True)",
    ),
]


# How Python names a function: those inside another one, and those of a class, with where they stand.
CALLED = r"TypeError: (?:\w+\.<locals>\.)*(?:(?P<owner>\w+)\.)?(?P<name>\w+|<lambda>)\(\) "


def _signature(match: Match, raised: Raised) -> str | None:
    """How the `def` begins; None where the learner's line does not have its bare name."""
    owner, name = match["owner"], match["name"]
    if name == "<lambda>":
        return "`lambda ...`" if raised.line else None
    if name == "forward":
        return f"`def forward(...)` of `{owner}`" if raised.line else None
    made = name == "__init__"
    before = r"\." if owner and not made else r"(?<![\w.])"
    if not raised.says(rf"{before}{owner if made else name}\b"):
        return None
    return f"`def {name}(...)`" + (f" of `{owner}`" if made else "")


def too_many(match: Match, raised: Raised) -> str | None:
    if match["owner"] and match["name"] not in ("__init__", "forward") and not raised.error.frames:
        return _without_self(match)
    signature = _signature(match, raised)
    if not signature:
        return None
    taken = f"{'at most ' if match['least'] else ''}{match['most']} value{'' if match['most'] == '1' else 's'}"
    one_more = match["owner"] and int(match["given"]) == int(match["most"]) + 1
    perhaps = ", perhaps `self`, since a method is given its object first" if one_more else ""
    return (
        f"{signature} takes {taken} and is passed {match['given']}: either the call passes too many, or a "
        f"name is missing there{perhaps}."
    )


def _without_self(match: Match) -> str | None:
    """Of a method that is called by the test, with as much as it should."""
    if int(match["given"]) != int(match["most"]) + 1:
        return None
    return f"Is `self` missing in `def {match['name']}(...)`? A method is given its object first."


def too_few(match: Match, raised: Raised) -> str | None:
    signature = _signature(match, raised)
    if not signature:
        return None
    names = re.sub(r"'(\w+)'", r"`\1`", match["names"])
    if match["by_name"]:
        return f"{signature} has a star in it: what stands behind that is passed by name, here {names}."
    return (
        f"{signature} gets too few values: they go to its names in order, and none is left for {names}. "
        "Compare the values in the call with the names in the definition, one by one."
    )


def unknown_name(match: Match, raised: Raised) -> str | None:
    signature, keyword = _signature(match, raised), match["keyword"]
    if not signature:
        return None
    if not raised.says(rf"\b{keyword}\s*=") and (spread := raised.says(r"\*\*\w+")):
        return f"`{spread[0]}` passes `{keyword}` by name: {signature} has to take it, or all of them by `{spread[0]}`."
    return (
        f"`{keyword}` is passed by name, and {signature} has no such name: it is called otherwise there, or "
        "not taken at all."
    )


def twice(match: Match, raised: Raised) -> str | None:
    signature = _signature(match, raised)
    if not signature:
        return None
    return (
        f"`{match['keyword']}` is passed twice, by its place and by its name: values without a name go to the "
        f"names of {signature} in order."
    )


SIGNATURE_RULES: list[Rule] = [
    Rule(
        CALLED + r"takes (?P<least>from \d+ to )?(?P<most>\d{1,3}) positional arguments? but (?P<given>\d{1,3}) "
        r"(?:positional arguments? .*)?(?:was|were) given",
        too_many,
        case={
            'class Words:\n    def encode(text): return text\nWords().encode("a")': "`self` missing … encode",
            (
                "def extend(text, amount): return text[:amount]\ndef search(text): return extend(0.5, text, 2)\n"
                'search("abc")'
            ): "`def extend(...)` takes 2",
            (
                "def search(text):\n    def extend(text, amount=1): return text[:amount]\n"
                '    return extend(0.5, text, 2)\nsearch("abc")'
            ): "takes at most",
            (
                'def search(texts):\n    longest = lambda: texts[-1]\n    return longest(texts)\nsearch(["a", "bc"])'
            ): "`lambda ...` … 0 … 1",
            (
                'class Cache:\n    def keep(new): return new\ndef read(text): return Cache().keep(text)\nread("abc")'
            ): "def keep … 1 … 2",
            (
                "class Half(nn.Module):\n    def forward(self, x): return x / 2\n"
                "def read(x): return Half()(x, x, x)\nread(0.5)"
            ): "Half … 2 … 4",
        },
        near=(
            'class Words:\n    def encode(self, text): return text\nWords().encode("a", "b", "c")',
            (
                "def extend(text, amount): return text[:amount]\n"
                'def search(text): return F.relu(text, False, 2)\nsearch("abc")'
            ),
        ),
    ),
    Rule(
        CALLED + r"missing \d+ required (?:positional|(?P<by_name>keyword-only)) arguments?: (?P<names>'\w+'.*)",
        too_few,
        case={
            (
                "def run_blocks(model, resid, cache): return resid\n"
                "def read(resid): return run_blocks(resid, {})\nread(0.5)"
            ): "def run_blocks … `cache`",
            (
                "class Cache:\n    def __init__(self, n_heads, d_head): self.n_heads = n_heads\n"
                "def read(n_heads): return Cache(n_heads)\nread(2)"
            ): "of `Cache` … `d_head`",
            (
                "def extend(text, *, amount): return text[:amount]\ndef search(text): return extend(text)\n"
                'search("abc")'
            ): "def extend … `amount`",
        },
        near=(
            "def read(resid): return F.softmax()\nread(0.5)",
            "def read(n_heads): return nn.Bilinear(n_heads)\nread(2)",
        ),
    ),
    Rule(
        CALLED + r"got an unexpected keyword argument '(?P<keyword>\w+)'.*",
        unknown_name,
        case={
            (
                "def extend(text, amount): return text[:amount]\n"
                'def search(text): return extend(text, number=2)\nsearch("abc")'
            ): "number … def extend",
            (
                "def choose(text, logits): return 0\n"
                "def write(text, **sampling): return choose(text, 0.5, **sampling)\n"
                'write("abc", temperature=0.5)'
            ): "**sampling … temperature",
        },
        near=(
            'def search(text): return F.relu(text, number=2)\nsearch("abc")',
            (
                "def choose(text, logits): return 0\n"
                "def write(text, **sampling): return choose(text, 0.5, temperature=0.5, **sampling)\n"
                'write("abc")'
            ),
        ),
    ),
    Rule(
        CALLED + r"got multiple values for argument '(?P<keyword>\w+)'",
        twice,
        case={
            (
                "def extend(text, amount): return text[:amount]\ndef search(text): return extend(2, text=text)\n"
                'search("abc")'
            ): "text … def extend"
        },
        near='def search(text): return F.relu(2, input=text)\nsearch("abc")',
    ),
]
