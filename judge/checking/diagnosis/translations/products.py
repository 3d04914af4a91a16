"""Errors of what combines tensors: matmul, einsum and einops, of parts that differ in size or in dtype."""

import re

from judge.checking.diagnosis.translations.raised import INDEX_INSTEAD, NUMBER, Match, Raised, Rule

DTYPE = r"(?:c10::)?(\w+(?: int)?)"


def matmul(match: Match, raised: Raised) -> str:
    if raised.says(r"\bone_hot\(\s*\w+\s*\)") and not raised.axis(match.groups()[-2]):
        return (
            "`F.one_hot` alone makes as many columns as the largest number "
            "in its input asks for. Pass the number of possible values as "
            "well: `F.one_hot(tokens, self.cfg.d_vocab)`."
        )
    return _token_numbers(raised) or summed_axes(match, raised)


def _token_numbers(raised: Raised) -> str | None:
    if raised.says(r"\btokens(?:\.float\(\)|\.to\([\w.]+\))?\s*@|(?:matmul|mm|linear)\(\s*tokens\b"):
        return f"`tokens` holds numbers, not vectors, so there is nothing to multiply. {INDEX_INSTEAD}"
    return None


def summed_axes(match: Match, raised: Raised) -> str:
    one, other = match.groups()[-2:]
    return (
        "A product sums over one axis of each side, "
        "which must have the same size: here they have "
        f"{raised.sized(one)} and {raised.sized(other)}. "
        "Print both shapes before this line."
    )


def dtypes(match: Match, raised: Raised) -> str | None:
    kinds = {_kind(name) for name in match.groups() if name}
    if "bool" in kinds and len(kinds) > 1:
        return "One side holds truth values, as a comparison gives: write `.float()` behind it."
    if "integers" in kinds and len(kinds) > 1:
        if raised.says(r"\bone_hot\("):
            return "`one_hot` makes integers, the table holds floats: write `.float()` behind it."
        return _token_numbers(raised) or (
            "One side holds integers and the other floats. "
            "To pick rows of a table, index it: `table[rows]`; "
            "where integers are meant to be multiplied, "
            "as in a one-hot vector, write `.float()` first."
        )
    if kinds == {"float32", "float64"}:
        return (
            "One side is float64, the other float32. "
            "The course works in float32: leave out `.double()` and "
            "`dtype=torch.float64`, and write `.float()` behind what comes from NumPy."
        )
    if kinds in ({"float32", "float16"}, {"float32", "bfloat16"}):
        return "One side is half precision, the other float32. Leave out `.half()` and `.to(...)`: stay in float32."
    return None


def _kind(name: str) -> str:
    name = name.lower()
    known = {"float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16"}
    return "integers" if name in ("long", "long int", "int", "short", "byte", "char") else known.get(name, name)


def _too_few_columns(raised: Raised) -> str:
    if not raised.says(r"one_?hot"):
        return ""
    return " `F.one_hot` makes no more columns than the largest number needs, without `num_classes`."


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
        "The message's last line says what does not fit between the "
        "pattern and what goes in, which has shape "
        f"{raised.shape(shape)}."
    )


PRODUCT_RULES: list[Rule] = [
    (rf"RuntimeError: (?:mm: )?mat1 and mat2 shapes cannot be multiplied \(\d+x{NUMBER} and {NUMBER}x\d+\)", matmul),
    (rf"RuntimeError: size mismatch, got input \(\d+\), mat \(\d+x{NUMBER}\), vec \({NUMBER}\)", summed_axes),
    (rf"RuntimeError: inconsistent tensor size, expected tensor \[{NUMBER}\] and src \[{NUMBER}\] to .*", summed_axes),
    (
        r"RuntimeError: Expected size for first two dimensions of batch2 tensor to be: "
        rf"\[(?P<batch>\d+), {NUMBER}\] but got: \[(?P=batch), {NUMBER}\]\.",
        summed_axes,
    ),
    (
        r"RuntimeError: both arguments to matmul need to be at least 1D, but they are \dD and \dD",
        "`@` multiplies vectors and matrices, "
        "and one side is a single number without axes. "
        "Use `*` to scale by a number; to pick a row of a table by its "
        "number, index it: `table[row]`.",
    ),
    (rf"RuntimeError: expected m1 and m2 to have the same dtype, but got: {DTYPE} != {DTYPE}", dtypes),
    (
        r"RuntimeError: (?:mat1 and mat2|addmv input tensors) must have the same dtype, but got "
        rf"{DTYPE}(?:, {DTYPE},)? and {DTYPE}",
        dtypes,
    ),
    (rf"RuntimeError: expected scalar type {DTYPE} but found {DTYPE}", dtypes),
    (rf"RuntimeError: dot : expected both vectors to have same dtype, but found {DTYPE} and {DTYPE}", dtypes),
    (
        rf"RuntimeError: einsum\(\): subscript \w has size {NUMBER} for operand (\d+) which does not broadcast with "
        rf"previously seen size {NUMBER}",
        lambda match, raised: (
            "One name in the pattern stands for an axis of size "
            f"{raised.sized(match[3])}, and in operand {match[2]} (counted "
            f"from 0) for one of size {raised.sized(match[1])}: "
            "the names are in another order than the shape, or a tensor "
            f"has another size than is due.{_too_few_columns(raised)}"
        ),
    ),
    (
        r"RuntimeError: einsum\(\): the number of subscripts in the equation \((\d+)\) does not match the number of "
        r"dimensions \((\d+)\) for operand (\d+) and no ellipsis was given",
        einsum_subscripts,
    ),
    (
        r"RuntimeError: einsum\(\): (?:more|fewer) operands were provided than specified in the equation",
        "Left of `->` the pattern needs one part for each tensor, with a comma between parts.",
    ),
    (
        r"RuntimeError: einsum\(\): output subscript \w does not appear in the equation for any input operand",
        "Right of `->` the pattern names an axis that no tensor on its left has.",
    ),
    (
        r"RuntimeError: einsum\(\): invalid subscript given at index \d+ in the equation string.*",
        "`torch.einsum` takes one letter for each axis, commas and `->`. For axes that are words use `einops.einsum`.",
    ),
    (
        r'EinopsError:  Error while processing \S+-reduction pattern "(.*?)"\.\n Input tensor shape: '
        r"torch\.Size\(\[([\d, ]*)\]\)\. Additional info: .*?\.\n (.*)",
        einops_shape,
    ),
    (
        r"EinopsError: Unknown axis \w+ on right side of einsum [^ ]+\.",
        "In `einops.einsum` axes are words, with a space between them: `b p m, h m d -> b h p d`. "
        "`torch.einsum` takes letters without spaces, and its pattern comes first.",
    ),
    (
        r"ValueError: The last argument passed to `einops\.einsum` must be a string, representing the einsum pattern\.",
        "`einops.einsum` takes the tensors first and the pattern last.",
    ),
]
