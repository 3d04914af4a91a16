"""Errors of torch about shapes and indices: expanding, viewing, broadcasting, gathering, counting axes."""

from math import prod

from judge.checking.diagnosis.translations.broadcasting import broadcast
from judge.checking.diagnosis.translations.raised import INDEX_INSTEAD, NUMBER, Match, Raised, Rule


def expand(match: Match, raised: Raised) -> str:
    asked, has, dim, target, shape = match.groups()
    if asked == "1" and raised.says(r"\.expand\("):
        return (
            "`expand` takes the sizes that the result should have, "
            "not how often to repeat: -1 keeps an axis as it is, "
            "as in `table.expand(batch, -1, -1)`."
        )
    clash = f"The tensor has shape {raised.shape(shape)} and must fit {raised.shape(target)}"
    return (
        f"{clash}. Sizes are lined up from the last axis, "
        "and only an axis of size 1 or a new one in front can be "
        f"stretched: at dimension {dim}, {raised.sized(has)} can't "
        f"become {raised.sized(asked)}."
    )


def expand_to_fewer(match: Match, raised: Raised) -> str | None:
    shape, place = match.groups()
    if raised.says(r"\b(?:expand|broadcast_to)\("):
        return (
            "`expand` takes one size for each axis of the result, "
            "new axes first; -1 keeps an axis as it is. "
            "For a table of two axes: `table.expand(batch, -1, -1)`."
        )
    if raised.says(r"\]\s*=[^=]"):
        return f"What is assigned has shape {raised.shape(shape)}, more axes than the place it goes to, [{place}]."
    return None


def view(match: Match, raised: Raised) -> str:
    listed, numel = match[1], int(match[2])
    sizes = [int(size) for size in listed.split(", ")]
    if -1 in sizes:
        known = prod(size for size in sizes if size != -1)
        counts = f"The tensor has {numel} values, and {raised.shape(listed)} needs a multiple of {known}."
        return counts + raised.usual(*sizes)
    counts = f"The tensor has {numel} values and {raised.shape(listed)} asks for {prod(sizes)}"
    if numel and prod(sizes[1:]) == numel:
        return f"{counts}: `view` and `reshape` never copy values. For {raised.sized(sizes[0])} copies use `expand`."
    return f"{counts}: `view` and `reshape` keep the number of values.{raised.usual(*sizes)}"


def float_index(_: Match, raised: Raised) -> str:
    if raised.says(r"\b(?:tokens|input_ids)\[\s*self\.\w+\s*\]"):
        return "Table and index have changed places: the table stands before the brackets, `table[rows]`."
    return (
        "What stands in the brackets must be integers, "
        "such as token numbers or positions, "
        "and it is a tensor of floats. The table stands before the "
        "brackets: `table[rows]`."
    )


def out_of_bounds(match: Match, raised: Raised) -> str:
    index, size = match.groups()
    if size == "0":
        return (
            "The axis that is indexed is empty: nothing stands at any index. "
            "Look for where all of it was cut away, or had been read before."
        )
    return (
        f"The axis that is indexed has size {raised.sized(size)}, "
        f"counted from 0 to {int(size) - 1}, "
        f"and the index holds {index}. Check that the index counts the "
        "same things as this axis, and starts at 0."
    )


def mask_in_brackets(match: Match, raised: Raised) -> str:
    mask, at_mask, shape, at_tensor = match.groups()
    if at_mask == at_tensor and shape.endswith(f", {mask}"):
        return (
            "A mask in brackets counts axes from the first, "
            "and these are the last ones: write `tensor[..., mask]`, "
            "or use `masked_fill`."
        )
    return f"The mask has shape {raised.shape(mask)}, and the tensor {raised.shape(shape)}: their axes must be alike."


SHAPE_RULES: list[Rule] = [
    (
        rf"RuntimeError: The expanded size of the tensor \({NUMBER}\) must match the existing size \({NUMBER}\) at "
        rf"non-singleton dimension {NUMBER}\.  Target sizes: \[(.*?)\]\.  Tensor sizes: \[(.*?)\]",
        expand,
    ),
    (
        r"RuntimeError: The expanded size of the tensor \(-1\) isn't allowed in a leading, non-existing dimension \d+",
        "-1 keeps the size of an axis that is there. A new axis in front needs its real size, such as `batch`.",
    ),
    (
        r"RuntimeError: expand\(\S+\{\[(.*)\]\}, size=\[(.*)\]\): the number of sizes provided \(\d+\) must be greater "
        r"or equal to the number of dimensions in the tensor \(\d+\)",
        expand_to_fewer,
    ),
    (
        r"RuntimeError: Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        "`repeat` takes one number for each axis, "
        "how often to repeat along it, and a number in front for each "
        "new axis. For a table of two axes: `table.repeat(batch, 1, 1)`.",
    ),
    (
        r"RuntimeError: Trying to create tensor with negative dimension -\d+: \[.*\]",
        lambda match, raised: (
            "`repeat` takes how often to repeat along each axis, "
            "so -1 means nothing to it: write 1 to keep an axis, "
            "or use `expand`, where -1 keeps it."
            if raised.says(r"\.repeat\(")
            else None
        ),
    ),
    (rf"RuntimeError: shape '\[({NUMBER[1:-1]}(?:, {NUMBER[1:-1]})*)\]' is invalid for input of size {NUMBER}", view),
    (
        r"RuntimeError: view size is not compatible with input tensor's size and stride.*",
        "`view` can't merge axes that do not lie next to each other in "
        "memory, as after `transpose`, `permute`, `expand` or `split`. "
        "`reshape` can; make sure that the axes it merges are the ones you mean.",
    ),
    (
        rf"RuntimeError: The size of tensor a \({NUMBER}\) must match the size of tensor b \({NUMBER}\) at "
        rf"non-singleton dimension {NUMBER}",
        broadcast,
    ),
    (
        r"IndexError: index_select\(\): Index is supposed to be a vector",
        "`index_select` takes an index with one axis, and yours has more. Plain indexing takes any: `table[rows]`.",
    ),
    (
        r"RuntimeError: Index tensor must have the same number of dimensions as input tensor",
        "`gather` wants an index with as many axes as the tensor that "
        "it reads; to pick rows of a table, index it: "
        "`table[rows]`. To pick one value along the last axis, "
        "end the index in an axis of size 1: `index[..., None]`.",
    ),
    (
        r"RuntimeError: Size does not match at dimension \d+ expected index \[.*\] to be no larger than self \[.*\] "
        r"apart from dimension \d+",
        f"`gather` picks single values, at most as many as the tensor has along every other axis. {INDEX_INSTEAD}",
    ),
    (
        r"RuntimeError: (?:gather|index_select)\(\): Expected dtype int32(?:/| or )int64 for index",
        "The index must be integers, such as token numbers or positions, and it is a tensor of floats.",
    ),
    (r"IndexError: tensors used as indices must be long, int, byte or bool tensors", float_index),
    (
        rf"(?:IndexError|RuntimeError): index {NUMBER} is out of bounds for dimension \d+ with size {NUMBER}",
        out_of_bounds,
    ),
    (rf"RuntimeError: INDICES element is out of DATA bounds, id={NUMBER} axis_dim={NUMBER}", out_of_bounds),
    (
        r"IndexError: index out of range in self",
        "An index is negative, or has no row in the table: "
        "rows are counted from 0. Check that the index counts the same "
        "things as the table's rows.",
    ),
    (
        r"IndexError: The shape of the mask \[(.*)\] at index (\d+) does not match the shape of the indexed tensor "
        r"\[(.*)\] at index (\d+)",
        mask_in_brackets,
    ),
    (
        r"IndexError: too many indices for tensor of dimension (\d+)",
        lambda match, raised: (
            f"The tensor has {'one axis' if match[1] == '1' else f'{match[1]} axes'} and the brackets name more: "
            "each comma starts a new axis."
        ),
    ),
    (
        r"RuntimeError: permute\(sparse_coo\): number of dimensions in the tensor input does not match .* "
        r"input\.dim\(\) = (\d+) is not equal to len\(dims\) = (\d+)",
        lambda match, raised: (
            f"The tensor has {match[1]} axes and `permute` names {match[2]}: it takes each axis once, in its new order."
        ),
    ),
    (
        rf"IndexError: Dimension out of range \(expected to be in range of \[{NUMBER}, {NUMBER}\], but got {NUMBER}\)",
        lambda match, raised: (
            f"Axes are numbered 0 to {match[2]} here, "
            f"or {match[1]} to -1 from the end: there is no axis {match[3]}. "
            "The last is -1."
        ),
    ),
]
