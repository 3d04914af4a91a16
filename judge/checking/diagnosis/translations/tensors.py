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


# The rest of a call of plain numbers.
PLAIN = re.compile(r"(?:[\d\s.,+*/_-]|math\.pi)+\)")
LARGEST_OF = r"(?<![.\w])(max|min)\("
# The first of several arguments, with its comma, where what follows is no setting.
SEVERAL = r"(?:[^(),]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+,(?!\s*(?:key|default)=)"


def single_number(_: Match, raised: Raised) -> str:
    calls = re.findall(r"\bmath\.(\w+)\(([^()]*\)?)", raised.line)
    names = list(dict.fromkeys(name for name, given in calls if not PLAIN.fullmatch(given) and hasattr(torch, name)))
    if len(names) == 1:
        return f"`math.{names[0]}` takes one number, this is a whole tensor: write `torch.{names[0]}`."
    if names:
        listed = " and ".join(f"`math.{name}`" for name in names)
        return f"{listed} take one number each, and one of them gets a whole tensor: write `torch.` for its `math.`."
    if raised.says(r"\b(?:torch\.tensor|Tensor)\("):
        return "`torch.tensor` makes a tensor of plain numbers. To put tensors together write `torch.stack([...])`."
    found = raised.says(r"\b(?:float|int)\(|\.item\(")
    if not found:
        return "One number is needed here, and this tensor holds more: make it one first, or go on with the tensor."
    takes = f"`{found[0]})` takes a tensor of one value, and this one has more"
    return f"{takes}: make it one value first, or go on with the tensor."


def one_integer(_: Match, raised: Raised) -> str:
    if raised.says(r"\[\s*:\s*\w+\s*[],]"):
        return (
            "A slice bound is one integer, and this is a whole tensor: "
            "to look up a row for each of its numbers, leave out the colon, "
            "`table[rows]`. Where the first rows are meant, "
            "the bound is the size of an axis, `x.shape[axis]`."
        )
    return (
        "A whole tensor stands where Python needs one integer, "
        "such as a slice bound, `range(...)` or the index of a list. "
        "The size of an axis is `x.shape[axis]`."
    )


def truth(_: Match, raised: Raised) -> str | None:
    if raised.says(r"torch\.einsum\(\s*[^\"'\s]"):
        return "`torch.einsum` takes the pattern first and the tensors behind it."
    if found := raised.says(r"\bnn\.(\w+Loss)\(\s*[^)\s]"):
        return f"`nn.{found[1]}` is a class: it is made first and then called, `nn.{found[1]}()(...)`."
    if raised.says(r"^(?:if|elif|while|assert)\b|\b(?:and|or|not|if)\b"):
        return (
            "`if`, `and`, `or`, `not` and `assert` need one yes or no, "
            "and a tensor gives one for each value: "
            "choose value by value with `torch.where`, "
            "or ask `.all()` or `.any()`."
        )
    if found := raised.says(rf"{LARGEST_OF}{SEVERAL}"):
        return (
            f"Python's `{found[1]}` compares its arguments, and one of them is a tensor of many values: make one "
            "number of it first, such as `.sum()` for how many are True."
        )
    if found := raised.says(LARGEST_OF):
        return f"Python's `{found[1]}` compares whole rows. Of a tensor's numbers it is `x.a{found[1]}(dim=...)`."
    return None


def number_method(match: Match, raised: Raised) -> str | None:
    kind, name = match.groups()
    if not hasattr(torch.Tensor, name) or name == "detach":
        return None
    what = "the shape of a tensor" if kind == "torch.Size" else "a plain number"
    return (
        f"`{name}` is a method of tensors, and what stands before it "
        f"here is {what}. In `x + y.{name}()` the method is applied to "
        f"`y` alone: to apply it to the sum write `(x + y).{name}()`."
        if re.search(rf"[-+] *[\w.]+\.{name}\(", raised.line)
        else f"`{name}` is a method of tensors, and what stands before it here is {what}."
    )


NUMBER_RULES: list[Rule] = [
    (r"AttributeError: '(int|float|torch\.Size)' object has no attribute '(\w+)'", number_method),
    (r"TypeError: only integer tensors of a single element can be converted to an index", one_integer),
    (r"ValueError: only one element tensors can be converted to Python scalars", single_number),
    (r"RuntimeError: a Tensor with \d+ elements cannot be converted to Scalar", single_number),
    (r"RuntimeError: Boolean value of Tensor with more than one value is ambiguous", truth),
]


def _unpaired(match: Match, raised: Raised) -> str:
    scores, targets = match.groups()
    return (
        "Each row of scores is paired with one target, "
        f"and here are {scores} rows and {targets} targets: "
        "shift both, and flatten both the same way, "
        "so that the scores keep their last axis."
    )


def _no_such_class(match: Match, _: Raised) -> str:
    return (
        "A target is a number of a class, counted from 0, "
        f"and no class is number {match[1]}. "
        "Look which axis of the scores the loss takes for the classes, "
        "and cut off what has no target."
    )


def _targets(match: Match, raised: Raised) -> str | None:
    if match[1] and not raised.says(r"\b(?:cross_entropy|nll_loss)\("):
        return None
    return "The targets are numbers of classes, and so whole numbers: leave out `.float()`."


LOSS_RULES: list[Rule] = [
    (r"ValueError: Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)\.", _unpaired),
    (r"IndexError: Target (-?\d+) is out of bounds\.", _no_such_class),
    (
        r"RuntimeError: expected (?:target dtype to be Long or Byte, but got \w+|scalar type (Long) but found \w+)",
        _targets,
    ),
    (
        r"RuntimeError: Expected floating point type for target with class probabilities, got Long",
        "Targets of the same shape as the scores are read as "
        "probabilities: hand over one number of a class for each row of "
        "scores, or, if they are one-hot, write `.float()` behind them.",
    ),
]
