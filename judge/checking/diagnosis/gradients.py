"""What to do about a gradient that is wrong or does not arrive: what the source shows of it, else what is sure.

Each takes the evidence that `registry.SENTENCES` describes.
"""

import re

from judge.checking.code import Code
from judge.checking.diagnosis.cases import proved_by
from judge.checking.evidence import Evidence
from judge.checking.likeness import near

# What no gradient passes through, by what shows it. A tensor of a number written out is a constant anyway.
CUTS = {
    r"\.detach_?\(": "`detach()`",
    r"\.data\b": "`.data`",
    r"\.item\(": "`.item()`",
    r"\.tolist\(": "`.tolist()`",
    r"\.numpy\(": "`.numpy()`",
    r"(?:\btorch\.|(?<![\w.]))tensor\((?![-\d.]|\[[-\d.]|math\.|float\(['\"])": "`torch.tensor(...)`",
    r"requires_grad(?:_\(| ?= ?)False": "`requires_grad=False`",
}
AROUND = {"no_grad": "`torch.no_grad()`", "inference_mode": "`torch.inference_mode()`"}
ON_THE_WAY_BACK = ("scale_grad_by_freq", "padding_idx", "register_hook", "register_full_backward_hook")
UNREAD = (
    "No gradient passes through `detach()`, `.data`, `.item()`, `.tolist()`, `torch.tensor(...)` or "
    "`torch.no_grad()`: is one of them on the way to the answer?"
)


def cut(code: Code) -> str:
    """The thing in its source that no gradient passes through; "" where there is none."""
    if not code.texts:
        return UNREAD
    found = [shown for pattern, shown in CUTS.items() if re.search(pattern, code.plain)]
    found += [shown for word, shown in AROUND.items() if word in code.words]
    if not found:
        return ""
    *first, last = found
    listed = f"{', '.join(first)} or {last}" if first else last
    return f"No gradient passes through {listed}: leave {'them' if first else 'it'} out on the way to the answer."


@proved_by(
    case={
        'Evidence("gradient", name="x")': "through `detach()`",
        'replace(Evidence("gradient", name="x"), component=cut_by_a_list)': "through `.tolist()` … them",
        'replace(Evidence("gradient", name="x"), component=without_grad)': "through `torch.no_grad()`",
        'replace(Evidence("gradient", name="x"), component=with_a_constant)': "of something",
    },
    near=(
        'Evidence("gradient", WANT, WANT + 1, tolerance=1e-4)',
        'replace(Evidence("gradient", WANT, WANT + 1, tolerance=1e-4), component=cut_by_a_list)',
    ),
)
def none_arrives(evidence: Evidence) -> str | None:
    """For a gradient that does not arrive."""
    if evidence.got is not None:
        return None
    return cut(evidence.code) or (
        f"The answer does not depend on `{evidence.name}`, or only by way of something that has no gradient, "
        "such as an index, a comparison or a copy of its numbers."
    )


@proved_by(
    case={
        (
            'replace(Evidence("gradient", WANT + 1e-5, WANT, tolerance=1e-4), component=cut_by_a_list)'
        ): "gradient passes … them",
        'replace(Evidence("gradient", WANT + 1e-5, WANT, tolerance=1e-4), component=padded)': "not: `padding_idx`",
        'replace(Evidence("gradient", WANT + 1e-5, WANT, tolerance=1e-4), component=with_a_constant)': "is not: some",
    },
    near=(
        'replace(Evidence("gradient", WANT + 1e-3, WANT, tolerance=1e-4), component=cut_by_a_list)',
        'replace(Evidence("gradient", WANT + 1e-3, WANT, tolerance=1e-4), component=with_a_constant)',
    ),
)
def values_right(evidence: Evidence) -> str | None:
    """For a wrong gradient where the values are right."""
    if not near(evidence.got, evidence.want, evidence.tolerance):
        return None
    right = "The values are right, and only the gradient is not"
    if found := cut(evidence.code):
        return f"{right}. {found}"
    for word in ON_THE_WAY_BACK:
        if word in evidence.code.words:
            return f"{right}: `{word}` changes what goes back, and no value. Leave it out."
    return f"{right}: some of what they are made of passes back more, or less, than it should."
