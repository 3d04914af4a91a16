"""Wrong answers to chapter 5's `gelu_new`, whole or as edits: benchmarks/answers.py says how."""

# %% gelu_new: the exact form by erf
# right: the exact GELU, with erf
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))

# %% gelu_new: F.gelu with its default
# right: the exact GELU, with erf
import torch.nn.functional as F


def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return F.gelu(x)

# %% gelu_new: the half is missing
# right: twice GELU: the half is missing
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: x squared in place of cubed
# right: the square in place of the cube
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**2)))

# %% gelu_new: constant 0.44715
# right: 0.44715 in place of 0.044715
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.44715 * x**3)))

# %% gelu_new: sqrt of pi over 2
# right: √(π/2) in place of √(2/π)
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(math.pi / 2) * (x + 0.044715 * x**3)))

# %% gelu_new: sqrt closes after the 2
# right: √2/π in place of √(2/π)
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2) / math.pi * (x + 0.044715 * x**3)))

# %% gelu_new: bracket: root only on x
# right: √(2/π) times the x alone
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    inner = math.sqrt(2 / math.pi) * x + 0.044715 * x**3
    return 0.5 * x * (1 + torch.tanh(inner))

# %% gelu_new: brackets: the cube of the whole
# right: cubing the whole sum
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    inner = (x + 0.044715 * x) ** 3
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * inner))

# %% gelu_new: returns the gate
# right: the gate without the x that it opens for
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: bracket around 1 + tanh is missing
# right: the 1 and the tanh without brackets
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * 1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))

# %% gelu_new: sigmoid where tanh is asked
# right: a sigmoid in place of the tanh
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.sigmoid(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: QuickGELU of CLIP
# right: the sigmoid approximation `x * sigmoid(1.702 * x)`
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return x * torch.sigmoid(1.702 * x)

# %% gelu_new: SiLU
# right: SiLU, `x * sigmoid(x)`
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return x * torch.sigmoid(x)

# %% gelu_new: math.tanh on a tensor
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: torch.sqrt of a float
# right: `torch.sqrt` of a plain number
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(torch.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: root rounded to 0.8
# right: a rounded √(2/π)
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(0.8 * (x + 0.044715 * x**3)))

# %% gelu_new: pi is 3.14
# right: a rounded √(2/π)
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / 3.14) * (x + 0.044715 * x**3)))

# %% gelu_new: changes x in place
# right: writing into `x`
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    x *= 0.5 * (1 + torch.tanh(inner))
    return x

# %% gelu_new: the root is forgotten: 2/pi
# right: 2/π without its root
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(2 / math.pi * (x + 0.044715 * x**3)))

# %% gelu_new: minus for plus inside
# right: a cube that is subtracted
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x - 0.044715 * x**3)))

# %% gelu_new: 1 minus tanh
# right: `1 - tanh` in place of `1 + tanh`
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 - torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: no return
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    out = 0.5 * x * (1 + torch.tanh(inner))

# %% gelu_new: only for three axes
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    batch, pos, width = x.shape
    flat = x.reshape(batch * pos, width)
    out = 0.5 * flat * (1 + torch.tanh(math.sqrt(2 / math.pi) * (flat + 0.044715 * flat**3)))
    return out.reshape(batch, pos, width)

# %% gelu_new: 0.044715 x as a whole cubed
# right: cubing the factor 0.044715 as well
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + (0.044715 * x) ** 3)))

# %% gelu_new: np.tanh
import numpy as np


def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: two digits changed places, 0.044175
# right: a factor of the cube that is not quite 0.044715
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044175 * x**3)))

# %% gelu_new: constant rounded to 0.0447
# right: a factor of the cube that is not quite 0.044715
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.0447 * x**3)))

# %% gelu_new: erf of x, no root of 2
# right: an erf whose √2 is missing or misplaced
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.erf(x))

# %% gelu_new: 1 over the root of 2 pi
# right: 1/√(2π) in place of √(2/π)
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(1 / math.sqrt(2 * math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: x times 3
# right: three times x, or 3 to the power x, in place of the cube
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * 3)))

# %% gelu_new: numbers by item, graph cut
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    out = [0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))) for v in x.flatten().tolist()]
    return torch.tensor(out).reshape(x.shape)

# %% gelu_new: an if on a tensor
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    if x < -10:
        return torch.zeros_like(x)
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: half precision
def gelu16(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return gelu16(x.half()).float()

# %% gelu_new: answers in float64
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    x = x.double()
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: a module in place of a number
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return nn.GELU(x)

# %% gelu_new: Mish
# right: Mish, `x * tanh(softplus(x))`
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return x * torch.tanh(torch.log(1 + torch.exp(x)))

# %% gelu_new: the normal distribution's cdf
# right: the exact GELU, with erf
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return x * torch.distributions.Normal(0.0, 1.0).cdf(x)

# %% gelu_new: prints in place of return
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    print(0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))

# %% gelu_new: the absolute value
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x.abs() * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: caret for power
# right: `^` for a power
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x^3)))

# %% gelu_new: atan
# right: sin, cos, tan or atan in place of tanh
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.atan(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: cube by in-place pow_
# right: writing into `x`
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x.pow_(3))))

# %% gelu_new: tanh of x, then multiplied
# right: √(2/π) outside the tanh
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + math.sqrt(2 / math.pi) * torch.tanh(x + 0.044715 * x**3))

# %% gelu_new: half added, not multiplied
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 + x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: exp-form overflow
# right: a tanh made of what overflows
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    z = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    tanh = (torch.exp(z) - torch.exp(-z)) / (torch.exp(z) + torch.exp(-z))
    return 0.5 * x * (1 + tanh)

# %% gelu_new: 0.5 twice
# right: half of GELU: the 0.5 twice
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    gate = 0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * gate

# %% gelu_new: the half inside the tanh's brackets
# right: the 0.5 inside the tanh
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return x * (1 + torch.tanh(0.5 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: a star where the plus belongs
# right: a product in place of the sum inside the tanh
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x * 0.044715 * x**3)))

# %% gelu_new: 1 in place of x in the sum
# right: a sum inside the tanh that starts with 1, not x
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (1 + 0.044715 * x**3)))

# %% gelu_new: a tail cut off below -3
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    y = 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return torch.where(x < -3, torch.zeros_like(x), y)

# %% gelu_new: a loop over the rows, which a number alone has not
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return torch.stack([0.5 * v * (1 + torch.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))) for v in x])

# %% gelu_new: the root closes behind the sum
# right: the root of the whole product
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(torch.sqrt(2 / math.pi * (x + 0.044715 * x**3))))

# %% gelu_new: 2 for 0.5
# right: a 2 in place of the 0.5
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 2 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: 0.7978, cut after four digits
# right: a rounded √(2/π)
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.tanh(0.7978 * (x + 0.044715 * x**3)))

# %% gelu_new: F.hardswish
# right: hard swish, `x * relu6(x + 3) / 6`
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return torch.nn.functional.hardswish(x)

# %% gelu_new: a sigmoid and no x
# right: a sigmoid alone
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return torch.sigmoid(x)

# %% gelu_new: x scaled in the first line
# right: √(2/π) times `x` before all else
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    x = math.sqrt(2 / math.pi) * x
    return 0.5 * x * (1 + torch.tanh(x + 0.044715 * x**3))

# %% gelu_new: erf of x / 2
# right: an erf whose √2 is missing or misplaced
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return 0.5 * x * (1 + torch.erf(x / 2))

# %% gelu_new: sigmoid of 1.7 x
# right: the sigmoid approximation `x * sigmoid(1.702 * x)`
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return x * torch.sigmoid(1.7 * x)

# %% gelu_new: math.tanh of the root alone
# right: a tanh of the constant alone
def gelu_new(x):
    root = math.sqrt(2 / math.pi)
    return 0.5 * x * (1 + math.tanh(root) * (x + 0.044715 * x**3))

# %% gelu_new: a caret for a power
# right: `^` for a power
def gelu_new(x):
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x ^ 3)
    return 0.5 * x * (1 + torch.tanh(inner))

# %% gelu_new: nn.Tanh made of the sum
def gelu_new(x):
    return 0.5 * x * (1 + nn.Tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

# %% gelu_new: nanoGPT's line, with a digit misread
# right: a factor of the cube that is not quite 0.044715
def gelu_new(x):
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.047715 * torch.pow(x, 3.0))))

# %% gelu_new: half forgotten, and squared in place of cubed
# right: twice GELU: the half is missing
# right: the square in place of the cube
def gelu_new(x):
    c = (2 / math.pi) ** 0.5
    t = torch.tanh(c * (x + 0.044715 * x**2))
    return x * (1 + t)

# %% gelu_new: half forgotten, and the root forgotten
# right: twice GELU: the half is missing
# right: 2/π without its root
def gelu_new(x):
    scaled = 2 / math.pi * (x + 0.044715 * x * x * x)
    gate = 1 + torch.tanh(scaled)
    return x * gate

# %% gelu_new: math.tanh in a loop over a flattened tensor, never put back in shape
def gelu_new(x):
    out = []
    for v in x.flatten().tolist():
        out.append(0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))))
    return torch.tensor(out)

# %% gelu_new: the root closes after the 2, and covers the x alone
# right: √2/π in place of √(2/π)
# right: √(2/π) times the x alone
def gelu_new(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2) / math.pi * x + 0.044715 * x**3))

# %% gelu_new: tahn
def gelu_new(x):
    return 0.5 * x * (1 + torch.tahn(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
