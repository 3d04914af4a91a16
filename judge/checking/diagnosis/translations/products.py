"""Errors of what combines tensors: matmul, einsum and einops, of parts that differ in size or in dtype."""

import re

from judge.checking.diagnosis.translations.raised import INDEX_INSTEAD, NUMBER, Match, Raised, Rule

DTYPE = r"(?:c10::)?(\w+(?: int)?)"


def matmul(match: Match, raised: Raised) -> str:
    if raised.says(r"\bone_hot\(\s*\w+\s*\)") and not raised.axis(match.groups()[-2]):
        return (
            "`F.one_hot` alone makes as many columns as the largest number in its input asks for. Pass the number "
            "of possible values as well: `F.one_hot(tokens, self.cfg.d_vocab)`."
        )
    return _token_numbers(raised) or summed_axes(match, raised)


def _token_numbers(raised: Raised) -> str | None:
    if raised.says(r"\btokens(?:\.float\(\)|\.to\([\w.]+\))?\s*@|(?:matmul|mm|linear)\(\s*tokens\b"):
        return f"`tokens` holds numbers, not vectors, so there is nothing to multiply. {INDEX_INSTEAD}"
    return None


def summed_axes(match: Match, raised: Raised) -> str:
    one, other = match.groups()[-2:]
    return (
        "A product sums over one axis of each side, which must have the same size: here they have "
        f"{raised.sized(one)} and {raised.sized(other)}. Print both shapes before this line."
    )


def dtypes(match: Match, raised: Raised) -> str | None:
    kinds = {_kind(name) for name in match.groups() if name}
    if "bool" in kinds and len(kinds) > 1:
        return "One side holds truth values, as a comparison gives: write `.float()` behind it."
    if "integers" in kinds and len(kinds) > 1:
        if raised.says(r"\bone_hot\("):
            return "`one_hot` makes integers, the table holds floats: write `.float()` behind it."
        return _token_numbers(raised) or (
            "One side holds integers and the other floats. To pick rows of a table, index it: `table[rows]`; where "
            "integers are meant to be multiplied, as in a one-hot vector, write `.float()` first."
        )
    if kinds == {"float32", "float64"}:
        return (
            "One side is float64, the other float32. The course works in float32: leave out `.double()` and "
            "`dtype=torch.float64`, and write `.float()` behind what comes from NumPy."
        )
    if kinds in ({"float32", "float16"}, {"float32", "bfloat16"}):
        return "One side is half precision, the other float32. Leave out `.half()` and `.to(...)`: stay in float32."
    return None


def _kind(name: str) -> str:
    name = name.lower()
    known = {"float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16"}
    return "integers" if name in ("long", "long int", "int", "short", "byte", "char") else known.get(name, name)


def einsum_subscripts(match: Match, raised: Raised) -> str:
    named, dims, operand = match.groups()
    if raised.says(r"torch\.einsum\(\s*[\"'][^\"']*[a-z]{2,} [a-z]{2,}"):
        return "`torch.einsum` reads every letter as an axis. For axes that are words use `einops.einsum`."
    advice = "name every axis of each tensor, in order"
    if int(dims) < int(named):
        advice = "one of them is not there, such as the batch axis, or it is one too many in the pattern"
    return f"Operand {operand} (counted from 0) has {dims} axes and its part of the pattern names {named}: {advice}."


def einops_shape(match: Match, raised: Raised) -> str:
    pattern, shape, reason = match.groups()
    missing = re.search(r"Specify sizes for new axes in repeat: (\{.*\})", reason)
    if missing:
        given = ", ".join(f"{name}=..." for name in sorted(re.findall(r"\w+", missing[1])))
        return f"A new axis needs a size: add `{given}` behind the pattern."
    if "Identifiers only on one side" in reason:
        return "`rearrange` neither makes nor drops an axis: use `repeat` for a new one, `reduce` for one that goes."
    if "Wrong shape: expected" in reason:
        return f"The left side of `{pattern}` must name each axis of what goes in: {raised.shape(shape)}."
    return (
        "The message's last line says what does not fit between the pattern and what goes in, which has "
        f"shape {raised.shape(shape)}."
    )


EINSUM_SIZES = (
    rf"RuntimeError: einsum\(\): subscript \w has size {NUMBER} for operand (\d+) which does not broadcast with "
    rf"previously seen size {NUMBER}"
)
PRODUCT_RULES: list[Rule] = [
    Rule(
        rf"RuntimeError: (?:mm: )?mat1 and mat2 shapes cannot be multiplied \(\d+x{NUMBER} and {NUMBER}x\d+\)",
        matmul,
        case={
            "tokens @ self.W_E": "To pick rows of a table, index it: `table[rows]`",
            "residual @ self.W_E": "8 (`d_model`) and 23 (`d_vocab`)",
            "tokens = tokens[:, 1:4]\nreturn F.one_hot(tokens).float() @ self.W_E": "`F.one_hot` alone",
            "RuntimeError: mm: mat1 and mat2 shapes cannot be multiplied (10x8 and 23x8) | x @ y": "product sums",
        },
        near=("(tokens * 1.0) @ self.W_E", "F.one_hot(tokens).float() @ self.W_E.T"),
    ),
    Rule(
        rf"RuntimeError: size mismatch, got input \(\d+\), mat \(\d+x{NUMBER}\), vec \({NUMBER}\)",
        summed_axes,
        case={"self.W_E @ residual[0, 0, :5]": "8 (`d_model`) and 5 (`pos`)"},
        near="self.W_E @ torch.tensor(3.0)",
    ),
    Rule(
        rf"RuntimeError: inconsistent tensor size, expected tensor \[{NUMBER}\] and src \[{NUMBER}\] to .*",
        summed_axes,
        case={"self.w @ self.W_E[0, :5]": "8 (`d_model`) and 5 (`pos`)"},
        near="self.w @ self.W_E",
    ),
    Rule(
        r"RuntimeError: Expected size for first two dimensions of batch2 tensor to be: "
        rf"\[(?P<batch>\d+), {NUMBER}\] but got: \[(?P=batch), {NUMBER}\]\.",
        summed_axes,
        case={"residual @ residual": "8 (`d_model`) and 5 (`pos`)"},
        near="residual @ torch.ones(3, 8, 4)",
    ),
    Rule(
        r"RuntimeError: both arguments to matmul need to be at least 1D, but they are \dD and \dD",
        "`@` multiplies vectors and matrices, and one side is a single number without axes. Use `*` to scale by a "
        "number; to pick a row of a table by its number, index it: `table[row]`.",
        case="tokens[0, 0] @ self.W_E",
        near="tokens[0] @ self.W_E",
    ),
    Rule(
        rf"RuntimeError: expected m1 and m2 to have the same dtype, but got: {DTYPE} != {DTYPE}",
        dtypes,
        case={
            "F.one_hot(tokens, 23) @ self.W_E": "`one_hot` makes",
            "tokens @ self.W_pos[:5]": "`tokens` holds … To pick rows of a table, index it: `table[rows]`",
            "residual.long() @ self.W_E.T": "holds integers",
            "residual.half() @ self.W_E.T": "half precision",
            "(tokens[..., None] == torch.arange(23)) @ self.W_E": "truth values",
        },
        near=("F.one_hot(tokens, 23).double() @ self.W_E", "self.W_pos[:5] @ tokens"),
    ),
    Rule(
        r"RuntimeError: (?:mat1 and mat2|addmv input tensors) must have the same dtype, but got "
        rf"{DTYPE}(?:, {DTYPE},)? and {DTYPE}",
        dtypes,
        case={
            "nn.Linear(5, 8)(tokens)": "holds integers",
            "self.W_E.long() @ self.w": "holds integers",
            "LayerNorm: residual * self.w.double() @ self.w": "float64, the",
        },
        near=("nn.Linear(8, 8)(tokens.float())", "self.W_E.double() @ self.w[:5]"),
    ),
    Rule(
        rf"RuntimeError: expected scalar type {DTYPE} but found {DTYPE}",
        dtypes,
        case={
            "torch.bmm(residual, residual.mT.double())": "float64, the",
            "Embed: einops.einsum(F.one_hot(tokens), self.W_E, 'b p v, v d -> b p d')": "`one_hot` makes",
            "RuntimeError: expected scalar type Long but found Float | x @ y": "holds integers",
        },
        near="torch.bmm(residual, residual.mT.half())",
    ),
    Rule(
        rf"RuntimeError: dot : expected both vectors to have same dtype, but found {DTYPE} and {DTYPE}",
        dtypes,
        case="self.w @ torch.from_numpy(np.zeros(8))",
        near="self.w @ torch.ones(8, dtype=torch.bool)",
    ),
    Rule(
        EINSUM_SIZES,
        "One name in the pattern stands for an axis of size {3:size}, and in operand {2} (counted from 0) for one of "
        "size {1:size}: the names are in another order than the shape, or a tensor has another size than is due. "
        "`F.one_hot` makes no more columns than the largest number needs, without `num_classes`.",
        line=r"one_?hot",
        case={
            (
                'torch.einsum("bpv,vd->bpd", F.one_hot(torch.arange(5)).float()[None], self.W_E)'
            ): "5 (`pos`) … 1 … 23 (`d_vocab`)"
        },
        near='torch.einsum("bpv,vd->bpd", F.one_hot(torch.arange(5), 23).float()[None], self.W_E).view(3)',
    ),
    Rule(
        EINSUM_SIZES,
        "One name in the pattern stands for an axis of size {3:size}, and in operand {2} (counted from 0) for one of "
        "size {1:size}: the names are in another order than the shape, or a tensor has another size than is due.",
        case={
            'torch.einsum("bpd,dv->bpv", residual, self.W_E)': "8 (`d_model`) … 1 … 23 (`d_vocab`)",
            (
                'einops.einsum(residual, self.W_E, "batch pos d, d v -> batch pos v")'
            ): "8 (`d_model`) … 1 … 23 (`d_vocab`)",
        },
        near=(
            'torch.einsum("bp,dv->bpv", residual, self.W_E)',
            'einops.rearrange(residual, "b p (h d) -> b p h d", h=3)',
        ),
    ),
    Rule(
        r"RuntimeError: einsum\(\): the number of subscripts in the equation \((\d+)\) does not match the number of "
        r"dimensions \((\d+)\) for operand (\d+) and no ellipsis was given",
        einsum_subscripts,
        case={
            'torch.einsum("batch pos d, vocab d -> batch pos vocab", residual, self.W_E)': "`torch.einsum` reads",
            'einops.einsum(residual, self.W_E, "b p, v d -> b p d")': "0 … 3 … 2",
            'torch.einsum("bpd,vd->bpv", residual[0], self.W_E)': "0 … 2 … 3",
        },
        near='torch.einsum("bpd,vd->bpx", residual, self.W_E)',
    ),
    Rule(
        r"RuntimeError: einsum\(\): (?:more|fewer) operands were provided than specified in the equation",
        "Left of `->` the pattern needs one part for each tensor, with a comma between parts.",
        case='torch.einsum("bpd,vd->bpv", residual)',
        near='torch.einsum("bpd->bpv", residual)',
    ),
    Rule(
        r"RuntimeError: einsum\(\): output subscript \w does not appear in the equation for any input operand",
        "Right of `->` the pattern names an axis that no tensor on its left has.",
        case='torch.einsum("bpd,vd->bpx", residual, self.W_E)',
        near='torch.einsum("bpd,vd->bpp", residual, self.W_E)',
    ),
    Rule(
        r"RuntimeError: einsum\(\): invalid subscript given at index \d+ in the equation string.*",
        "`torch.einsum` takes one letter for each axis, commas and `->`. For axes that are words use `einops.einsum`.",
        case='torch.einsum("b_p,vd->b", residual, self.W_E)',
        near='torch.einsum("bp,vd->b", residual, self.W_E)',
    ),
    Rule(
        r'EinopsError:  Error while processing \S+-reduction pattern "(.*?)"\.\n Input tensor shape: '
        r"torch\.Size\(\[([\d, ]*)\]\)\. Additional info: .*?\.\n (.*)",
        einops_shape,
        case={
            'einops.repeat(self.W_pos[:5], "pos d -> batch pos d")': "add `batch=...`",
            'einops.rearrange(self.W_pos[:5], "pos d -> batch pos d")': "`rearrange` neither",
            'einops.rearrange(residual, "batch pos -> pos batch")': "batch pos -> pos batch",
            (
                'einops.rearrange(residual, "b p (h d) -> b p h d", h=3)'
            ): "The message's … [2, 5, 8] (`batch pos d_model`)",
            'einops.rearrange(residual, "b p d, c -> b p d")': "The message's … [2, 5, 8] (`batch pos d_model`)",
        },
        near=('einops.einsum(residual, "b p d_ -> b p")', 'einops.rearrange(residual, "b p -> p b")'),
    ),
    Rule(
        r"EinopsError: Unknown axis \w+ on right side of einsum [^ ]+\.",
        "In `einops.einsum` axes are words, with a space between them: `b p m, h m d -> b h p d`. `torch.einsum` takes "
        "letters without spaces, and its pattern comes first.",
        case='einops.einsum(residual, self.W_E, "bpm,vm->bpv")',
        near='einops.einsum(residual, self.W_E, "b p m, v m -> b p k")',
    ),
    Rule(
        r"ValueError: The last argument passed to `einops\.einsum` must be a string, representing the einsum pattern\.",
        "`einops.einsum` takes the tensors first and the pattern last.",
        case='einops.einsum("b p d, v d -> b p v", residual, self.W_E)',
        near='einops.einsum(residual, self.W_E, "b p d, v d")',
    ),
]
