"""Errors in how a function of torch is called: arguments that are missing, misnamed or in another order."""

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
