"""Errors of torch about shapes and indices: expanding, viewing, broadcasting, gathering, counting axes."""

import re
from math import prod

from judge.checking.diagnosis.translations.raised import INDEX_INSTEAD, NUMBER, Match, Raised, Rule

STATISTIC = r"\b(?:mean|mu|sigma|avg|var|variance|std|sum|norm)\b"
BIAS = r"self\.(\w+).*[+] *self\.(\w+)(?![\w.\[(])"
PRINT_BOTH = "Axes are lined up from the last one, and only size 1 is stretched: print both shapes first."


def broadcast(match: Match, raised: Raised) -> str:
    one, other, dim = match.groups()
    clash = f"At dimension {dim} one tensor has size {raised.sized(one)} and the other {raised.sized(other)}."
    if _axis_dropped(raised, int(dim), {int(one), int(other)}) and _statistic_without_keepdim(raised.line):
        return (
            f"{clash} A mean, sum or variance without `keepdim=True` loses its axis, and those that are left no "
            "longer line up: pass `keepdim=True` where it is taken, or in einops write `1` in the axis's place."
        )
    return f"{clash} {_room_in_a_bias(match, raised) or PRINT_BOTH}"


def _room_in_a_bias(match: Match, raised: Raised) -> str | None:
    """For `x @ self.W_Q + self.b_Q`, where an axis that both of these have meets one of the input's."""
    line = raised.says(BIAS)
    one, other, dim = match.groups()
    met = {raised.axis(size) or "" for size in (one, other)}
    if not line or "" in met:
        return None
    weight, bias = (list(raised.of_parameters.get(name, {})) for name in line.groups())
    # Further in front it is the product itself that fails.
    in_the_sum = int(dim) >= len(weight) - 1
    for own in met & {*weight} & {*bias[:-1]} if in_the_sum else ():
        (of_input,) = met - {own}
        room = ", ".join([*[":"] * (bias.index(own) + 1), "None"])
        return (
            f"`self.{line[2]}` is [{' '.join(bias)}], and its `{own}` meets `{of_input}`: with "
            f"`self.{line[2]}[{room}]` it has an axis of size 1 there, which is stretched."
        )
    return None


def _axis_dropped(raised: Raised, dim: int, clash: set[int]) -> bool:
    """Whether an input meets itself with one axis gone at exactly this dimension, with these sizes."""
    shapes = [list(axes.values()) for axes in raised.of_inputs.values()]
    return any(_first_clash(whole, axis) == (dim, clash) for whole in shapes for axis in range(len(whole)))


def _first_clash(whole: list[int], axis: int) -> tuple[int, set[int]] | None:
    left = whole[:axis] + whole[axis + 1 :]
    for back in range(1, len(left) + 1):
        sizes = {whole[-back], left[-back]}
        if len(sizes) == 2 and 1 not in sizes:
            return len(whole) - back, sizes
    return None


def _statistic_without_keepdim(line: str) -> bool:
    value = re.sub(r"^[\w, ]+=(?!=)", "", line)
    calls = re.findall(STATISTIC + r"(\([^()]*(?:\([^()]*\)[^()]*)*\)|)", value)
    return any("keepdim" not in arguments and arguments != "()" for arguments in calls)


def expand(match: Match, raised: Raised) -> str:
    asked, has, dim, target, shape = match.groups()
    if asked == "1" and raised.says(r"\.expand\("):
        return (
            "`expand` takes the sizes that the result should have, not how often to repeat: -1 keeps an axis as it "
            "is, as in `table.expand(batch, -1, -1)`."
        )
    clash = f"The tensor has shape {raised.shape(shape)} and must fit {raised.shape(target)}"
    return (
        f"{clash}. Sizes are lined up from the last axis, and only an axis of size 1 or a new one in front "
        f"can be stretched: at dimension {dim}, {raised.sized(has)} can't become {raised.sized(asked)}."
    )


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


def out_of_bounds(match: Match, raised: Raised) -> str:
    index, size = match.groups()
    if size == "0":
        return (
            "The axis that is indexed is empty: nothing stands at any index. Look for where all of it was cut "
            "away, or had been read before."
        )
    return (
        f"The axis that is indexed has size {raised.sized(size)}, counted from 0 to {int(size) - 1}, and the "
        f"index holds {index}. Check that the index counts the same things as this axis, and starts at 0."
    )


def mask_in_brackets(match: Match, raised: Raised) -> str:
    mask, at_mask, shape, at_tensor = match.groups()
    if at_mask == at_tensor and shape.endswith(f", {mask}"):
        return (
            "A mask in brackets counts axes from the first, and these are the last ones: write `tensor[..., "
            "mask]`, or use `masked_fill`."
        )
    return f"The mask has shape {raised.shape(mask)}, and the tensor {raised.shape(shape)}: their axes must be alike."


FEWER_AXES = (
    r"RuntimeError: expand\(\S+\{\[(.*)\]\}, size=\[(.*)\]\): the number of sizes provided \(\d+\) must be greater "
    r"or equal to the number of dimensions in the tensor \(\d+\)"
)
SHAPE_RULES: list[Rule] = [
    Rule(
        rf"RuntimeError: The expanded size of the tensor \({NUMBER}\) must match the existing size \({NUMBER}\) at "
        rf"non-singleton dimension {NUMBER}\.  Target sizes: \[(.*?)\]\.  Tensor sizes: \[(.*?)\]",
        expand,
        case={
            "self.W_pos.expand(2, 5, 8)": "[9, 8] (`n_ctx d_model`) … [2, 5, 8] (`batch pos d_model`)",
            "self.W_pos[:5].expand(2, 1, 1)": "`expand` takes",
            "residual[:] = self.W_E": "[23, 8] (`d_vocab d_model`) … [2, 5, 8] (`batch pos d_model`)",
            "PosEmbed: self.W_pos.expand(*tokens.shape, -1)": "[9, 8] (`n_ctx d_model`) … [2, 5, -1]",
        },
        near=("self.W_pos[:5].expand(2, 4, 8)", "residual[:, 0] = self.W_pos[:, 0]"),
    ),
    Rule(
        r"RuntimeError: The expanded size of the tensor \(-1\) isn't allowed in a leading, non-existing dimension \d+",
        "-1 keeps the size of an axis that is there. A new axis in front needs its real size, such as `batch`.",
        case="self.W_pos[:5].expand(-1, 5, 8)",
        near="self.W_pos[:5].repeat(-1, 1, 1)",
    ),
    Rule(
        FEWER_AXES,
        "`expand` takes one size for each axis of the result, new axes first; -1 keeps an axis as it is. For a table "
        "of two axes: `table.expand(batch, -1, -1)`.",
        line=r"\b(?:expand|broadcast_to)\(",
        case="self.W_pos[:5].expand(2)",
        near="self.W_pos[:5].repeat(2)",
    ),
    Rule(
        FEWER_AXES,
        "What is assigned has shape {1:shape}, more axes than the place it goes to, [{2}].",
        line=r"\]\s*=[^=]",
        case="residual[0, 0, 0] = self.w",
        near="residual[0, 0] = self.W_E[:, 0]",
    ),
    Rule(
        r"RuntimeError: Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        "`repeat` takes one number for each axis, how often to repeat along it, and a number in front for each new "
        "axis. For a table of two axes: `table.repeat(batch, 1, 1)`.",
        case="self.W_pos[:5].repeat(2)",
        near="self.W_pos[:5].expand(2)",
    ),
    Rule(
        r"RuntimeError: Trying to create tensor with negative dimension -\d+: \[.*\]",
        "`repeat` takes how often to repeat along each axis, so -1 means nothing to it: write 1 to keep an axis, or "
        "use `expand`, where -1 keeps it.",
        line=r"\.repeat\(",
        case="self.W_pos[:5].repeat(2, -1, -1)",
        near="torch.zeros(2, -1)",
    ),
    Rule(
        rf"RuntimeError: shape '\[({NUMBER[1:-1]}(?:, {NUMBER[1:-1]})*)\]' is invalid for input of size {NUMBER}",
        view,
        case={
            "self.W_pos[:5].view(2, 5, 8)": "40 … [2, 5, 8] (`batch pos d_model`) … 80 … 2 (`batch`)",
            "self.W_E[tokens].view(2, 5)": "80 … [2, 5] (`batch pos`) … 10",
            "residual.view(2, -1, 768)": "80 … [2, -1, 768]",
            "residual.view(2, 5, 12, 64)": "80 … [2, 5, 12, 64] … 7680",
            "residual.reshape(2, -1, 7)": "80 … [2, -1, 7] … 14",
        },
        near="residual.view(2, 5, 9)",
    ),
    Rule(
        r"RuntimeError: view size is not compatible with input tensor's size and stride.*",
        "`view` can't merge axes that do not lie next to each other in memory, as after `transpose`, `permute`, "
        "`expand` or `split`. `reshape` can; make sure that the axes it merges are the ones you mean.",
        case=("residual.transpose(1, 2).view(2, 40)", "residual.split(4, dim=-1)[0].view(2, 20)"),
        near=("residual.transpose(1, 2).view(2, 41)", "residual.split(4, dim=-1)[0].view(2, 21)"),
    ),
    Rule(
        rf"RuntimeError: The size of tensor a \({NUMBER}\) must match the size of tensor b \({NUMBER}\) at "
        rf"non-singleton dimension {NUMBER}",
        broadcast,
        case={
            "residual - residual.mean(-1)": "2 … 8 (`d_model`) … 5 (`pos`)",
            "mean = residual.mean(dim=-1)\nreturn residual - mean": "2 … 8 (`d_model`) … 5 (`pos`)",
            "residual.mean(-1, keepdim=True) * self.w[:5] - self.W_pos[:4, :5]": "1 … 5 (`pos`) … 4",
            "residual + self.W_pos": "1 … 5 (`pos`) … 9 (`n_ctx`)",
            "mu = residual.mean(-1)\nreturn residual - mu": "2 … 8 (`d_model`) … 5 (`pos`)",
        },
        near=(
            "residual - residual.mean(-1, keepdim=True)[..., :0, 0]",
            "middle = residual.mean(dim=-1)\nreturn residual - middle",
        ),
    ),
    Rule(
        r"IndexError: index_select\(\): Index is supposed to be a vector",
        "`index_select` takes an index with one axis, and yours has more. Plain indexing takes any: `table[rows]`.",
        case="self.W_E.index_select(0, tokens)",
        near="self.W_E.index_select(0, residual[0, 0])",
    ),
    Rule(
        r"RuntimeError: Index tensor must have the same number of dimensions as input tensor",
        "`gather` wants an index with as many axes as the tensor that it reads; to pick rows of a table, index it: "
        "`table[rows]`. To pick one value along the last axis, end the index in an axis of size 1: `index[..., None]`.",
        case="self.W_E.gather(0, tokens[:, :, None])",
        near="self.W_E.gather(0, tokens.T.long()[:, :, None] * 1.0)",
    ),
    Rule(
        r"RuntimeError: Size does not match at dimension \d+ expected index \[.*\] to be no larger than self \[.*\] "
        r"apart from dimension \d+",
        f"`gather` picks single values, at most as many as the tensor has along every other axis. {INDEX_INSTEAD}",
        case="self.W_pos.gather(0, torch.zeros(2, 9).long())",
        near="self.W_pos.gather(0, tokens)",
    ),
    Rule(
        r"RuntimeError: (?:gather|index_select)\(\): Expected dtype int32(?:/| or )int64 for index",
        "The index must be integers, such as token numbers or positions, and it is a tensor of floats.",
        case=("residual.gather(2, residual)", "self.W_E.index_select(0, residual[0, 0])"),
        near=("residual[residual]", "self.W_E.index_select(0, tokens)"),
    ),
    Rule(
        r"IndexError: tensors used as indices must be long, int, byte or bool tensors",
        "Table and index have changed places: the table stands before the brackets, `table[rows]`.",
        line=r"\b(?:tokens|input_ids)\[\s*self\.\w+\s*\]",
        case="tokens[self.W_E]",
        near="self.W_E[tokens.float()]",
    ),
    Rule(
        r"IndexError: tensors used as indices must be long, int, byte or bool tensors",
        "What stands in the brackets must be integers, such as token numbers or positions, and it is a tensor of "
        "floats. The table stands before the brackets: `table[rows]`.",
        case="self.W_E[tokens.float()]",
        near="self.W_E[1.0]",
    ),
    Rule(
        rf"(?:IndexError|RuntimeError): index {NUMBER} is out of bounds for dimension \d+ with size {NUMBER}",
        out_of_bounds,
        case={
            "self.W_pos[tokens]": "9 (`n_ctx`) … 8 … 22",
            "residual[:, 5:][:, -1]": "empty: nothing",
            "self.W_E[9:][tokens]": "14 … 13 … 22",
        },
        near="self.W_E[tokens - 24]",
    ),
    Rule(
        rf"RuntimeError: INDICES element is out of DATA bounds, id={NUMBER} axis_dim={NUMBER}",
        out_of_bounds,
        case={"self.W_E.index_select(1, tokens.flatten())": "8 (`d_model`) … 7 … 22"},
        near="self.W_E.index_select(1, tokens)",
    ),
    Rule(
        r"IndexError: index out of range in self",
        "An index is negative, or has no row in the table: rows are counted from 0. Check that the index counts the "
        "same things as the table's rows.",
        case="F.embedding(tokens, self.W_pos)",
        near="F.one_hot(tokens, 9)",
    ),
    Rule(
        r"IndexError: The shape of the mask \[(.*)\] at index (\d+) does not match the shape of the indexed tensor "
        r"\[(.*)\] at index (\d+)",
        mask_in_brackets,
        case={
            "residual[torch.ones(5, 8).bool()]": "brackets counts",
            "residual[..., torch.ones(7).bool()]": "[2, 5, 8] (`batch pos d_model`)",
        },
        near=("residual[torch.ones(2, 5, 8, 1).bool()]", "residual[..., 8]"),
    ),
    Rule(
        r"IndexError: too many indices for tensor of dimension 1",
        "The tensor has one axis and the brackets name more: each comma starts a new axis.",
        case="residual[0, 0][:, -1]",
        near="residual[0][:, 9]",
    ),
    Rule(
        r"IndexError: too many indices for tensor of dimension (\d+)",
        "The tensor has {1} axes and the brackets name more: each comma starts a new axis.",
        case="self.W_E[0, 0, 0]",
        near="self.W_E[0].shape[1]",
    ),
    Rule(
        r"RuntimeError: permute\(sparse_coo\): number of dimensions in the tensor input does not match .* "
        r"input\.dim\(\) = (\d+) is not equal to len\(dims\) = (\d+)",
        "The tensor has {1} axes and `permute` names {2}: it takes each axis once, in its new order.",
        case={"residual.permute(0, 2)": "3 … 2"},
        near="residual.permute(0, 2, 2)",
    ),
    Rule(
        rf"IndexError: Dimension out of range \(expected to be in range of \[{NUMBER}, {NUMBER}\], but got {NUMBER}\)",
        "Axes are numbered 0 to {2} here, or {1} to -1 from the end: there is no axis {3}. The last is -1.",
        case={"residual.mean(dim=3)": "2 … -3 … 3"},
        near="residual.shape[3]",
    ),
]


JOINING_RULES: list[Rule] = [
    Rule(
        r"RuntimeError: Sizes of tensors must match except in dimension (\d+)\. Expected size (\d+) but got size (\d+) "
        r"for tensor number (\d+) in the list\.",
        "`cat` along dimension {1} needs all other sizes equal: tensor {4} (counted from 0) has {3:size} where the "
        "first has {2:size}.",
        case={"torch.cat([residual, residual[:, :, :4]], 1)": "1 … 4 … 8 (`d_model`)"},
        near="torch.cat([residual, self.W_E])",
    ),
    Rule(
        r"RuntimeError: Tensors must have same number of dimensions: got (\d+) and (\d+)",
        "`cat` joins tensors with the same axes, here one has {1} and another {2}: the one with fewer needs its "
        "missing axis first.",
        case={"torch.cat([residual, self.W_E])": "3 … 2"},
        near="torch.stack([residual, self.W_E])",
    ),
    Rule(
        r"RuntimeError: stack expects each tensor to be equal size, but got \[(.*?)\] at entry 0 and \[(.*?)\] at "
        r"entry (\d+)",
        "`stack` needs tensors of one shape: entry 0 has {1:shape}, entry {3} has {2:shape}.",
        case={"torch.stack([self.W_E, self.W_pos])": "[23, 8] (`d_vocab d_model`) … 1 … [9, 8] (`n_ctx d_model`)"},
        near="torch.cat([residual[0], self.W_E], 1)",
    ),
    Rule(
        r"(?:Runtime|Value)Error: (?:torch\.)?(cat|\w*stack)(?:\(\):)? expect(?:s|ed) a non-empty .*",
        "The list that `torch.{1}` takes is empty: look at the loop that fills it, which may begin too late or end too "
        "early.",
        case=("torch.stack([one for one in residual[:0]])", "torch.cat([one for one in residual[:0]])"),
        near=("torch.stack(residual, residual)", "torch.cat(residual, residual)"),
    ),
    Rule(
        r"TypeError: (cat|stack)\(\): argument 'tensors' \(position 1\) must be tuple of Tensors, not \w+",
        "`torch.{1}` takes one list of tensors: `torch.{1}([one, other])`.",
        case="torch.stack(residual, residual)",
        near="torch.stack([1, 2])",
    ),
    Rule(
        r"TypeError: expected Tensor as element \d+ in argument 0, but got list",
        "The entries of this list are lists, and must be tensors: join the inner ones first.",
        case="torch.stack([[self.w, self.b], [self.w, self.b]])",
        near="torch.stack([1, 2])",
    ),
    Rule(
        r"TypeError: expected Tensor as element (\d+) in argument 0, but got NoneType",
        "Entry {1} of the list (counted from 0) is None. To begin with nothing, begin with a tensor whose axis has "
        "size 0: `torch.zeros(1, 0, ...)`.",
        case="torch.cat([residual, None])",
        near='torch.cat([residual, "none"])',
    ),
    Rule(
        r"TypeError: expected Tensor as element (\d+) in argument 0, but got (?:int|float)",
        "Entry {1} of the list (counted from 0) is a plain number: `torch.tensor([number])` makes a tensor with one "
        "axis of it.",
        case="torch.cat([tokens[0], 3])",
        near="torch.cat([tokens[0], tokens[0, 3]])",
    ),
    Rule(
        r"RuntimeError: zero-dimensional tensor \(at position (\d+)\) cannot be concatenated",
        "`cat` joins along an axis, and entry {1} of the list (counted from 0) has none: `[None]` behind a tensor "
        "gives it one, and `stack` joins tensors that have none.",
        case="torch.cat([tokens[0], tokens[1, 3]])",
        near="torch.cat([tokens[0], tokens])",
    ),
]
