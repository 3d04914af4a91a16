"""Errors of torch that are not about shapes: dtypes, gradients, devices."""

import re

import torch

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule

IN_PLACE = r"[-+*/@]=|\.[a-z]\w*_\("
INTEGERS = (
    "The tensor holds integers, and this needs floats. "
    "Token numbers are names of rows: look up their vectors first; "
    "where integers are meant, write `.float()`."
)
INTEGERS_FOR_SCORES = (
    "The tensor holds integers, such as token numbers or indices, and softmax takes scores. `topk`, `sort` and `max` "
    "give the values first and the indices second; where integers are meant, write `.float()`."
)
# Torch built for the CPU; built for CUDA, without a driver, a GPU, or a driver that is new enough.
NO_GPU = (
    r"AssertionError: Torch not compiled with CUDA enabled|"
    r"RuntimeError: (?:Cannot get CUDA generator without ATen_cuda library|Found no NVIDIA driver on your system|"
    r"No CUDA GPUs are available|The NVIDIA driver on your system is too old|CUDA driver initialization failed).*|"
    r"(?:Accelerator|Runtime)Error: CUDA error: CUDA driver version is insufficient.*"
)


def no_kernel(match: Match, raised: Raised) -> str | None:
    kernel, dtype = match.groups()
    if kernel.startswith("bitwise_xor"):
        found = raised.says(r"([\w.]+|\))\s*\^\s*([\w.]+)")
        power = f"{found[1].replace(')', '(...)')} ** {found[2]}" if found else "x ** 2"
        return f"`^` is no power in Python: write `{power}`."
    if dtype == "Half":
        return "PyTorch can't do this in half precision on the CPU: leave out `.half()` and stay in float32."
    if dtype == "Long" and raised.says(r"\b(?:cross_entropy|nll_loss)\("):
        return "The first argument holds whole numbers: the scores come first, the token numbers second."
    if dtype == "Long" and re.match("(?:log_)?softmax", kernel):
        return INTEGERS_FOR_SCORES
    return INTEGERS if dtype == "Long" and re.match("LayerNorm|Gelu", kernel) else None


def in_place(_: Match, raised: Raised) -> str:
    if raised.function == "__init__":
        return (
            "This changes a parameter in place while gradients are tracked. "
            "Make the tensor first and wrap it in `nn.Parameter(...)` when "
            "it is finished, or use a function of `nn.init`."
        )
    found = raised.says(IN_PLACE)
    changes = f"`{found[0].rstrip('(')}` changes" if found else "This changes"
    if raised.function == "forward":
        return f"{changes} a parameter in place. Give the result a name of its own instead: `result = ...`."
    return (
        f"{changes} a parameter in place while gradients are tracked. "
        "To compute with it, give the result a name of its own; "
        "to update it, as an optimiser does, "
        "write `with torch.no_grad():` around the line."
    )


def overwritten(match: Match, raised: Raised) -> str:
    return (
        f"A tensor of shape {raised.shape(match[1])} was changed in "
        "place after another step had used it, "
        "and the gradient needs its old values. "
        "Look for `+=`, `-=`, methods that end in `_` and `x[...] =`, "
        "and assign to a new name instead."
    )


def numpy(_: Match, raised: Raised) -> str:
    found = raised.says(r"\b(?:np|numpy)\.(\w+)\(")
    twin = f": `torch.{found[1]}` for `np.{found[1]}`" if found and hasattr(torch, found[1]) else ""
    if found and found[1] == "take":
        twin = ": `table[rows]` for `np.take(table, rows, axis=0)`"
    return f"Stay in torch{twin}. Don't follow the advice to `detach()`: no gradient would reach the parameters."


TORCH_RULES: list[Rule] = [
    (
        r"AttributeError: 'Tensor' object has no attribute '(?:append|extend)'",
        "A tensor keeps its size. `torch.cat([x, more])` makes a longer one, where `more` has as many axes as `x`.",
    ),
    (
        r'TypeError: multinomial\(\) missing 1 required positional arguments?: "num_samples"',
        "`multinomial` wants to know how many to draw: `torch.multinomial(weights, 1)`.",
    ),
    (
        r"RuntimeError: selected index k out of range",
        "More values are asked for here than the axis has: `k` can be at most its size.",
    ),
    (
        r"TypeError: (\w+)\(\): argument '(\w+)' (?:\(position \d+\) )?must be int, not float",
        lambda match, _: (
            f"`{match[1]}` wants a whole number for its `{match[2]}`, and this is a float: another one is meant, "
            "or `int(...)` is missing."
        ),
    ),
    (
        r"TypeError: can't multiply sequence by non-int of type '(?:float|Tensor)'",
        "A list is not multiplied number by number: make a tensor of it first, `torch.tensor(...)`.",
    ),
    (
        r"RuntimeError: mixed dtype \(CPU\): .*",
        "The input, the weight and the bias of a layer norm must all be float32: leave out `.half()` and `.double()`.",
    ),
    (r"(?:Runtime|NotImplemented)Error: mean\(\): could not infer output dtype\. .* Got: (?:Long|Int)", INTEGERS),
    (r"(?:Runtime|NotImplemented)Error: std and var only support floating point and complex dtypes", INTEGERS),
    (r'NotImplementedError: "(\w+)" not implemented for \'(\w+)\'', no_kernel),
    (r"RuntimeError: a (?:view of a )?leaf Variable that .* is being used in an in-place operation\.", in_place),
    (
        r"RuntimeError: one of the variables needed for gradient computation has been modified by an inplace "
        r"operation: \[torch\.FloatTensor \[([\d, ]*)\]\].*",
        overwritten,
    ),
    (
        r"RuntimeError: Output \d+ of \w+ is a view and is being modified inplace\..*",
        "This changes one of several views in place. Give the result a name of its own instead: `result = ...`.",
    ),
    (
        r"RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn",
        "What `backward()` starts from is cut off from the parameters: "
        "no gradient passes through `torch.no_grad()`, `detach()`, `.data`, "
        "`.item()`, a list or integers.",
    ),
    (r"RuntimeError: Can't call numpy\(\) on Tensor that requires grad\. Use tensor\.detach\(\)\.numpy\(\) .*", numpy),
    (
        r"RuntimeError: probability tensor contains either `inf`, `nan` or element < 0",
        "`multinomial` wants weights that are 0 or more, and finite: `exp` of a logit above 88 is not. "
        "Minus infinity hides a token in logits, before the softmax; in probabilities 0 does.",
    ),
    (
        r"RuntimeError: scatter\(\): Expected self\.dtype to be equal to src\.dtype|"
        r"RuntimeError: index_add_\(\): self \(\w+\) and source \(\w+\) must have the same scalar type",
        "Both tensors must have one dtype. `full_like`, `ones_like` and `zeros_like` take that of the tensor in their "
        "brackets, which of tokens is int64: say `dtype=` too.",
    ),
    (
        r"RuntimeError: masked_fill_? only supports boolean masks, but got mask with dtype .*",
        "The mask must say True or False: make it with `.bool()`, or by a comparison such as `mask == 0`.",
    ),
    (
        r"TypeError: masked_fill_?\(\) received an invalid combination of arguments - got \(Tensor, str\).*",
        "The value is a number, not text: `float('-inf')` makes minus infinity of the text.",
    ),
    (
        r"\w+: (?:Expected all tensors to be on the same device|Tensor on device \w+ is not on the expected device|"
        # The last is said before torch 2.13, of tensors without data.
        r"Unhandled FakeTensor Device Propagation).*",
        "Two tensors on this line are on different devices. "
        "Leave out `.to(...)`, and make new tensors where the input is, "
        "with `device=x.device`.",
    ),
    (NO_GPU, 'PyTorch finds no GPU here that it could use: leave out `.cuda()` and `device="cuda"`.'),
]
