"""Errors in how a function of torch is called: arguments that are missing, misnamed or in another order."""

import re

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule


def normalized_shape(match: Match, raised: Raised) -> str:
    wanted, got = match.groups()
    return (
        "`normalized_shape` holds the sizes of the last axes, "
        "those that are averaged over. The input is "
        f"{raised.shape(got)}, and {raised.shape(wanted)} is not how it ends."
    )


def embedding_indices(match: Match, raised: Raised) -> str:
    if raised.says(r"\bembedding\(\s*self\.W_\w+\s*,"):
        return "`F.embedding` takes the index first and the table second: they have changed places."
    return "`F.embedding` looks up whole numbers: pass int64 token numbers or positions first, then the table."


def statistic(match: Match, raised: Raised) -> str | None:
    name = match[1]
    if raised.says(rf"\b(?:np|numpy)\.{name}\("):
        return f"NumPy's `{name}` can't work on a tensor: write `torch.{name}(..., dim=-1, keepdim=True)`."
    if raised.says(rf"\btorch\.{name}\(\s*(?:dim|axis|keepdim)\s*="):
        return f"`torch.{name}` takes the tensor first: `torch.{name}(x, dim=-1, keepdim=True)`."
    return None


CALL_RULES: list[Rule] = [
    (
        r"RuntimeError: Given normalized_shape=\[(.*?)\], expected input with shape \[\*, .*\], but got input of "
        r"size\[(.*?)\]",
        normalized_shape,
    ),
    (
        r"TypeError: layer_norm\(\): argument 'normalized_shape' \(position 2\) must be tuple of ints, not \w+",
        "`F.layer_norm(input, normalized_shape, weight, bias, eps)`: "
        "`normalized_shape` is a tuple of sizes, such as `(d_model,)`.",
    ),
    (
        r"TypeError: layer_norm\(\): argument '(?:weight|bias)' \(position [34]\) must be Tensor, not \w+",
        "The order is `F.layer_norm(input, normalized_shape, weight, bias, eps)`; `eps=...` by name is safest.",
    ),
    (
        r"RuntimeError: Expected (weight|bias) to be of same shape as normalized_shape, but got \w+ of shape \[(.*?)\] "
        r"and normalized_shape = \[(.*?)\]",
        lambda match, raised: (
            f"The {match[1]} has shape {raised.shape(match[2])} and "
            f"`normalized_shape` is {raised.shape(match[3])}: "
            "the axes that are averaged over are those that the weight and "
            "the bias have."
        ),
    ),
    (
        r"RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int;"
        r" but got torch\.\w+ instead \(while checking arguments for embedding\)",
        embedding_indices,
    ),
    (
        r"TypeError: embedding\(\): argument '(?:indices|weight)' \(position \d\) must be Tensor, not \w+",
        "`F.embedding` takes two tensors: the index first, then the table.",
    ),
    (
        r"RuntimeError: one_hot is only applicable to index tensor of type LongTensor\.",
        "`F.one_hot` takes int64 numbers: leave out `.float()` and `.int()` on its input.",
    ),
    (
        r"RuntimeError: Class values must be smaller than num_classes\.",
        "The second argument of `F.one_hot` counts the possible values, and an index is as large as that or larger.",
    ),
    (
        r"TypeError: arange\(\): argument 'end' \(position 1\) must be Number, not Tensor",
        "`arange` takes a number, such as the size `x.shape[axis]`, and this is a whole tensor.",
    ),
    (
        r"TypeError: take\(\) got an unexpected keyword argument '(?:axis|dim)'",
        "`torch.take` reads the tensor as one flat list and knows no "
        "axis. To pick rows of a table, index it: "
        "`table[rows]`.",
    ),
    (
        r"TypeError: (mean|sum|var|std)\(\) (?:missing 1 required positional arguments: \"dim\"|"
        r"received an invalid combination of arguments - got \(.*\bdims=.*)",
        lambda match, raised: f"Name the axis: `{match[1]}(dim=-1, keepdim=True)`. The argument is called `dim`.",
    ),
    (
        r"TypeError: (softmax|log_softmax)\(\) missing 1 required positional arguments: \"dim\"",
        lambda match, raised: f"Name the axis along which the weights add up to 1: `{match[1]}(..., dim=...)`.",
    ),
    (
        r"TypeError: (ones|zeros|full|empty|rand|randn)_like\(\): argument 'input' \(position 1\) must be Tensor, not "
        r"(?:torch\.Size|tuple|list|int)",
        lambda match, raised: (
            f"`torch.{match[1]}_like` takes a tensor, and makes another of its shape. "
            f"From the sizes themselves it is `torch.{match[1]}(...)`."
        ),
    ),
    (
        r"TypeError: (\w+)\(\) received an invalid combination of arguments - got \(\), but.*",
        lambda match, raised: (
            f"`{match[1]}()` is called with nothing in its brackets, and it needs at least one argument."
        ),
    ),
    (
        r"TypeError: (?:ones|zeros|empty|randn|rand)\(\): argument 'size' "
        r"(?:\(position \d\) must be tuple of ints, .*not float|failed to unpack .*but got float\")",
        "Sizes are whole numbers, and one of these is a float: take them from `cfg`, such as `cfg.d_model`.",
    ),
    (
        r"TypeError: (mean|sum|var|std)\(\) received an invalid combination of arguments - got \((.*)\), but.*",
        statistic,
    ),
    (
        r"TypeError: mean\(\) received an invalid combination of arguments - got \(keepdim=bool, \).*",
        "`keepdim` needs to know which axis: `mean(dim=-1, keepdim=True)`.",
    ),
    (
        r"TypeError: (var|std)\(\) received an invalid combination of arguments - got \(.*\bddof=.*",
        "`ddof` is NumPy's word: here it is `correction`.",
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
        f"{signature} takes {taken} and is passed {match['given']}: "
        f"either the call passes too many, or a name is missing there{perhaps}."
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
        f"{signature} is passed too little: values go to its names in order, and nothing is left for {names}. "
        "Compare the two from left to right."
    )


def unknown_name(match: Match, raised: Raised) -> str | None:
    signature, keyword = _signature(match, raised), match["keyword"]
    if not signature:
        return None
    if not raised.says(rf"\b{keyword}\s*=") and (spread := raised.says(r"\*\*\w+")):
        return f"`{spread[0]}` passes `{keyword}` by name: {signature} has to take it, or all of them by `{spread[0]}`."
    return (
        f"`{keyword}` is passed by name, and {signature} has no such name: "
        "it is called otherwise there, or not taken at all."
    )


def twice(match: Match, raised: Raised) -> str | None:
    signature = _signature(match, raised)
    if not signature:
        return None
    return (
        f"`{match['keyword']}` is passed twice, by its place and by its name: values without a name go to the names of "
        f"{signature} in order."
    )


SIGNATURE_RULES: list[Rule] = [
    (
        CALLED + r"takes (?P<least>from \d+ to )?(?P<most>\d{1,3}) positional arguments? but (?P<given>\d{1,3}) "
        r"(?:positional arguments? .*)?(?:was|were) given",
        too_many,
    ),
    (CALLED + r"missing \d+ required (?:positional|(?P<by_name>keyword-only)) arguments?: (?P<names>'\w+'.*)", too_few),
    (CALLED + r"got an unexpected keyword argument '(?P<keyword>\w+)'.*", unknown_name),
    (CALLED + r"got multiple values for argument '(?P<keyword>\w+)'", twice),
]
