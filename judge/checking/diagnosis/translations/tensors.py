"""Errors of torch that are not about shapes: dtypes, gradients, devices."""

import re

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule, lacks
from judge.running.on_demand import Tensor, torch

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
            "This changes a parameter in place while gradients are tracked. Make the tensor first and wrap it in "
            "`nn.Parameter(...)` when it is finished, or use a function of `nn.init`."
        )
    found = raised.says(IN_PLACE)
    changes = f"`{found[0].rstrip('(')}` changes" if found else "This changes"
    if raised.function == "forward":
        return f"{changes} a parameter in place. Give the result a name of its own instead: `result = ...`."
    return (
        f"{changes} a parameter in place while gradients are tracked. To compute with it, give the result a "
        "name of its own; to update it, as an optimiser does, write `with torch.no_grad():` around the line."
    )


def numpy(_: Match, raised: Raised) -> str:
    found = raised.says(r"\b(?:np|numpy)\.(\w+)\(")
    twin = f": `torch.{found[1]}` for `np.{found[1]}`" if found and hasattr(torch, found[1]) else ""
    if found and found[1] == "take":
        twin = ": `table[rows]` for `np.take(table, rows, axis=0)`"
    return f"Stay in torch{twin}. Don't follow the advice to `detach()`: no gradient would reach the parameters."


TORCH_RULES: list[Rule] = [
    Rule(
        lacks("Tensor", "(?:append|extend)"),
        "A tensor keeps its size. `torch.cat([x, more])` makes a longer one, where `more` has as many axes as `x`.",
        case="tokens.append(3)",
        near="(3).append(tokens)",
    ),
    Rule(
        r'TypeError: multinomial\(\) missing 1 required positional arguments?: "num_samples"',
        "`multinomial` wants to know how many to draw: `torch.multinomial(weights, 1)`.",
        case="torch.multinomial(residual.softmax(-1))",
        near="torch.multinomial(residual.softmax(-1), 1)",
    ),
    Rule(
        r"RuntimeError: selected index k out of range",
        "More values are asked for here than the axis has: `k` can be at most its size.",
        case="residual.topk(100).values",
        near="residual[:, :, 100]",
    ),
    Rule(
        r"TypeError: (\w+)\(\): argument '(\w+)' (?:\(position \d+\) )?must be int, not float",
        "`{1}` wants a whole number for its `{2}`, and this is a float: another one is meant, or "
        "`int(...)` is missing.",
        case={"residual.topk(0.9).values": "topk … k"},
        near='residual.topk("3").values',
    ),
    Rule(
        r"TypeError: can't multiply sequence by non-int of type '(?:float|Tensor)'",
        "A list is not multiplied number by number: make a tensor of it first, `torch.tensor(...)`.",
        case="residual - 0.5 * [1, 2]",
        near="residual - 5 * [1, 2]",
    ),
    Rule(
        r"RuntimeError: mixed dtype \(CPU\): .*",
        "The input, the weight and the bias of a layer norm must all be float32: leave out `.half()` and `.double()`.",
        case="F.layer_norm(residual.double(), (8,), self.w, self.b)",
        near="F.layer_norm(residual.double(), (5,))",
    ),
    Rule(
        r"(?:Runtime|NotImplemented)Error: mean\(\): could not infer output dtype\. .* Got: (?:Long|Int)",
        INTEGERS,
        case=("tokens.mean(-1)", "NotImplementedError: mean(): could not infer output dtype. Input. Got: Long"),
        near="tokens.norm()",
    ),
    Rule(
        r"(?:Runtime|NotImplemented)Error: std and var only support floating point and complex dtypes",
        INTEGERS,
        case=("tokens.var(-1)", "NotImplementedError: std and var only support floating point and complex dtypes"),
        near='tokens.std("pos")',
    ),
    Rule(
        r'NotImplementedError: "(\w+)" not implemented for \'(\w+)\'',
        no_kernel,
        case={
            "tokens.softmax(-1)": "tensor holds",
            "torch.linalg.det(torch.ones(3, 3).half())": "PyTorch can't",
            "F.cross_entropy(tokens.flatten(), residual.flatten(0, 1))": "first argument",
            "residual ^ 2": "residual ** 2",
            "0.5 * (residual + 1) ^ 3": "(...) ** 3",
        },
        near=("torch.randn(8, dtype=torch.long)", "torch.bincount(residual)"),
    ),
    Rule(
        r"RuntimeError: a (?:view of a )?leaf Variable that .* is being used in an in-place operation\.",
        in_place,
        case={
            "self.w -= 1": "`-=` changes a parameter in place. Give",
            "self.W_E[0] = 0": "This changes a parameter in place. Give",
            "self.w.mul_(2)": "`.mul_` changes",
            "init: self.w = nn.Parameter(torch.ones(8))\nself.w[0] = 2": "tracked. Make",
            "def step(w): w -= 0.1 * w\nstep(torch.ones(3, requires_grad=True))": "compute with",
        },
        near=("residual = residual.expand(4, 2, 5, 8)\nresidual += 1", "self.W_E = 0"),
    ),
    Rule(
        r"RuntimeError: one of the variables needed for gradient computation has been modified by an inplace "
        r"operation: \[torch\.FloatTensor \[([\d, ]*)\]\].*",
        "A tensor of shape {1:shape} was changed in place after another step had used it, and the gradient needs its "
        "old values. Look for `+=`, `-=`, methods that end in `_` and `x[...] =`, and assign to a new name instead.",
        case="centred = residual * self.w\nvariance = centred.exp()\nvariance += 1\nvariance.sum().backward()",
        near="(residual * 2).sum().backward()",
    ),
    Rule(
        r"RuntimeError: Output \d+ of \w+ is a view and is being modified inplace\..*",
        "This changes one of several views in place. Give the result a name of its own instead: `result = ...`.",
        case="one, other = self.w.split(4)\none += 1",
        near="self.w += 1",
    ),
    Rule(
        r"RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn",
        "What `backward()` starts from is cut off from the parameters: no gradient passes through `torch.no_grad()`, "
        "`detach()`, `.data`, `.item()`, a list or integers.",
        case="residual.sum().backward()",
        near="self.w.backward()",
    ),
    Rule(
        r"RuntimeError: Can't call numpy\(\) on Tensor that requires grad\. Use tensor\.detach\(\)\.numpy\(\) .*",
        numpy,
        case={
            "np.take(self.W_E.numpy(), tokens.numpy(), axis=0)": "torch: `table[rows]`",
            "np.sqrt(self.w)": "torch: `torch.sqrt` … sqrt",
            "self.w.numpy()": "torch. Don't",
        },
        near=("self.w.detach().numpy().sqrt()", "np.ones(8) @ self.w"),
    ),
    Rule(
        r"RuntimeError: probability tensor contains either `inf`, `nan` or element < 0",
        "`multinomial` wants weights that are 0 or more, and finite: `exp` of a logit above 88 is not. Minus infinity "
        "hides a token in logits, before the softmax; in probabilities 0 does.",
        case="torch.multinomial(residual.softmax(-1).flatten() - 1.0, 1)",
        near="torch.multinomial(residual.softmax(-1).flatten() * 0.0, 1)",
    ),
    Rule(
        r"RuntimeError: scatter\(\): Expected self\.dtype to be equal to src\.dtype|"
        r"RuntimeError: index_add_\(\): self \(\w+\) and source \(\w+\) must have the same scalar type",
        "Both tensors must have one dtype. `full_like`, `ones_like` and `zeros_like` take that of the tensor in their "
        "brackets, which of tokens is int64: say `dtype=` too.",
        case="residual[0, 0].scatter_add(0, tokens[0], torch.full_like(tokens[0], -1.5))",
        near="residual[0, 0].scatter_add(0, tokens[0].float(), torch.full_like(residual[0, 0], -1.5))",
    ),
    Rule(
        r"RuntimeError: masked_fill_? only supports boolean masks, but got mask with dtype .*",
        "The mask must say True or False: make it with `.bool()`, or by a comparison such as `mask == 0`.",
        case="residual.masked_fill(torch.ones(5, 8).triu(1), 0.0)",
        near="residual.masked_fill(torch.ones(5, 7).triu(1).bool(), 0.0)",
    ),
    Rule(
        r"TypeError: masked_fill_?\(\) received an invalid combination of arguments - got \(Tensor, str\).*",
        "The value is a number, not text: `float('-inf')` makes minus infinity of the text.",
        case='residual.masked_fill(residual > 0, "-inf")',
        near="residual.masked_fill(residual > 0, [0.0])",
    ),
    Rule(
        r"\w+: (?:Expected all tensors to be on the same device|Tensor on device \w+ is not on the expected device|"
        # The last is said before torch 2.13, of tensors without data.
        r"Unhandled FakeTensor Device Propagation).*",
        "Two tensors on this line are on different devices. Leave out `.to(...)`, and make new tensors where the input "
        "is, with `device=x.device`.",
        case=(
            'residual + torch.ones(8, device="meta")',
            'with FakeTensorMode(): return torch.ones(8, device="cuda") + torch.ones(8)',
        ),
        near=('torch.ones(8, device="gpu")', 'torch.ones(8, device="meta").cpu()'),
    ),
    Rule(
        NO_GPU,
        'PyTorch finds no GPU here that it could use: leave out `.cuda()` and `device="cuda"`.',
        case=(
            "residual.cuda()",
            'torch.zeros(2, device="cuda")',
            'torch.Generator(device="cuda")',
            "AssertionError: Torch not compiled with CUDA enabled",
            "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and",
            "RuntimeError: No CUDA GPUs are available",
            "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).",
            ("AcceleratorError: CUDA error: CUDA driver version is insufficient for CUDA runtime version\nSearch for"),
        ),
        near=('residual.to("mps")', 'torch.zeros(2, device="gpu")'),
    ),
]


# The rest of a call of plain numbers.
PLAIN = re.compile(r"(?:[\d\s.,+*/_-]|math\.pi)+\)")
LARGEST_OF = r"(?<![.\w])(?P<function>max|min)\("
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


def number_method(match: Match, raised: Raised) -> str | None:
    kind, name = match.groups()
    if not hasattr(Tensor, name) or name == "detach":
        return None
    what = "the shape of a tensor" if kind == "torch.Size" else "a plain number"
    return (
        f"`{name}` is a method of tensors, and what stands before it here is {what}. In `x + y.{name}()` the "
        f"method is applied to `y` alone: to apply it to the sum write `(x + y).{name}()`."
        if re.search(rf"[-+] *[\w.]+\.{name}\(", raised.line)
        else f"`{name}` is a method of tensors, and what stands before it here is {what}."
    )


TRUTH = r"RuntimeError: Boolean value of Tensor with more than one value is ambiguous"
NUMBER_RULES: list[Rule] = [
    Rule(
        lacks(r"(int|float|torch\.Size)"),
        number_method,
        case={
            "eps = 1e-5\nreturn residual / (residual.pow(2) + eps.sqrt())": "sqrt … sqrt()",
            "power = 2\nreturn power.pow(residual)": "`pow` is a method",
        },
        near=("eps = 1e-5\nreturn residual / eps.sqrt()", "power = 2\nreturn power.to_power(residual)"),
    ),
    Rule(
        r"TypeError: only integer tensors of a single element can be converted to an index",
        "A slice bound is one integer, and this is a whole tensor: to look up a row for each of its numbers, leave out "
        "the colon, `table[rows]`. Where the first rows are meant, the bound is the size of an axis, `x.shape[axis]`.",
        line=r"\[\s*:\s*\w+\s*[],]",
        case="self.W_pos[:tokens]",
        near="self.W_pos[list(range(tokens))]",
    ),
    Rule(
        r"TypeError: only integer tensors of a single element can be converted to an index",
        "A whole tensor stands where Python needs one integer, such as a slice bound, `range(...)` or the index of a "
        "list. The size of an axis is `x.shape[axis]`.",
        case="[0, 1, 2][tokens]",
        near='[0, 1, 2]["a"]',
    ),
    Rule(
        r"ValueError: only one element tensors can be converted to Python scalars",
        single_number,
        case={
            "residual + math.sqrt(2 / math.pi) * math.pow(residual, 3)": "`math.pow` takes",
            "d_model = 8; return math.exp(residual) / math.sqrt(d_model)": "`math.exp` and … sqrt",
            "math.sqrt(residual)": "`math.sqrt` takes … sqrt",
            "torch.tensor([self.W_E[0], self.W_E[1]])": "`torch.tensor` makes",
            "float(residual)": "`float()` takes",
        },
        near=("math.sqrt(2 / math.pi) * math.floor(residual)", "math.exp(residual)"),
    ),
    Rule(
        r"RuntimeError: a Tensor with \d+ elements cannot be converted to Scalar",
        single_number,
        case={"residual.item()": "item("},
        near="tokens.tolist().item()",
    ),
    Rule(
        TRUTH,
        "`torch.einsum` takes the pattern first and the tensors behind it.",
        line=r"torch\.einsum\(\s*[^\"'\s]",
        case='torch.einsum(residual, self.W_E, "bpd,vd->bpv")',
        near="all(residual)",
    ),
    Rule(
        TRUTH,
        "`nn.{loss}` is a class: it is made first and then called, `nn.{loss}()(...)`.",
        line=r"\bnn\.(?P<loss>\w+Loss)\(\s*[^)\s]",
        case="nn.CrossEntropyLoss(residual.flatten(0, 1), tokens.flatten())",
        near="nn.CrossEntropyLoss() if residual > 0 else None",
    ),
    Rule(
        TRUTH,
        "`if`, `and`, `or`, `not` and `assert` need one yes or no, and a tensor gives one for each value: choose value "
        "by value with `torch.where`, or ask `.all()` or `.any()`.",
        line=r"^(?:if|elif|while|assert)\b|\b(?:and|or|not|if)\b",
        case="residual if residual > 0 else 0",
        near='residual if residual["a"] else 0',
    ),
    Rule(
        TRUTH,
        "Python's `{function}` compares its arguments, and one of them is a tensor of many values: make one number of "
        "it first, such as `.sum()` for how many are True.",
        line=LARGEST_OF + SEVERAL,
        case=("max(residual > 0, 3)", "min(3, (residual.softmax(dim=-1) > (0.5 / (1 + 1))))"),
        near=("max(residual, key=abs)", "min(residual.softmax(dim=-1))"),
    ),
    Rule(
        TRUTH,
        "Python's `{function}` compares whole rows. Of a tensor's numbers it is `x.a{function}(dim=...)`.",
        line=LARGEST_OF,
        case="residual - max(residual)",
        near="residual if residual else 0",
    ),
]


LOSS_RULES: list[Rule] = [
    Rule(
        r"ValueError: Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)\.",
        "Each row of scores is paired with one target, and here are {1} rows and {2} targets: shift both, and flatten "
        "both the same way, so that the scores keep their last axis.",
        case={"F.cross_entropy(residual.flatten(0, 1), tokens[:, 1:].flatten())": "10 … 8"},
        near="F.cross_entropy(residual.flatten(0, 1), tokens.flatten().float())",
    ),
    Rule(
        r"IndexError: Target (-?\d+) is out of bounds\.",
        "A target is a number of a class, counted from 0, and no class is number {1}. Look which axis of the scores "
        "the loss takes for the classes, and cut off what has no target.",
        case="F.cross_entropy(residual.flatten(0, 1), tokens.flatten())",
        near="self.W_E[30]",
    ),
    Rule(
        r"RuntimeError: expected target dtype to be Long or Byte, but got \w+",
        "The targets are numbers of classes, and so whole numbers: leave out `.float()`.",
        case="F.cross_entropy(residual.flatten(0, 1), tokens.flatten().float())",
        near="F.cross_entropy(residual, residual.long())",
    ),
    Rule(
        r"RuntimeError: expected scalar type Long but found \w+",
        "The targets are numbers of classes, and so whole numbers: leave out `.float()`.",
        line=r"\b(?:cross_entropy|nll_loss)\(",
        case="RuntimeError: expected scalar type Long but found Float | F.cross_entropy(x, y)",
        near="RuntimeError: expected scalar type Long but found Float | x @ y",
    ),
    Rule(
        r"RuntimeError: Expected floating point type for target with class probabilities, got Long",
        "Targets of the same shape as the scores are read as probabilities: hand over one number of a class for each "
        "row of scores, or, if they are one-hot, write `.float()` behind them.",
        case="F.cross_entropy(residual, residual.long())",
        near="F.cross_entropy(residual[:1].flatten(0, 1), tokens.flatten())",
    ),
]
