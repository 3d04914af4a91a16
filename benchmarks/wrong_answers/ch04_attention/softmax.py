"""Wrong answers to chapter 4's `softmax`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right
def softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    """Turn scores into positive weights that add to 1 along `dim`.

    Subtracting the largest score first changes nothing in exact arithmetic and keeps `exp` from overflowing.

    Source: openai/gpt-2 src/model.py, softmax().
    """
    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)

# %% softmax: no largest score subtracted
# right: exp without the largest score subtracted
# like: right
~ exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp() → exp_x = torch.exp(x)
~ exp_scores / exp_scores → exp_x / exp_x

# %% softmax: largest score of the whole tensor
# right: subtracting the largest score of the whole tensor
# like: right
~ exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp() → exp_x = torch.exp(x - x.max())
~ exp_scores / exp_scores → exp_x / exp_x

# %% softmax: keepdim forgotten at the maximum
# right: a maximum without keepdim
# like: dim only used for the maximum
~ dim, keepdim=True → dim
~ =-1 → =dim

# %% softmax: keepdim forgotten at the sum
# right: a sum without keepdim
# like: dim only used for the maximum
~ -1, keepdim=True → dim

# %% softmax: dim is never used, always the last axis
# right: always the last axis
# like: dim only used for the maximum
~ =dim → =-1

# %% softmax: dim only used for the maximum
# right: a maximum along `dim` but a sum along the last axis
def softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    """Turn scores into positive weights that add to 1 along `dim`.

    Subtracting the largest score first changes nothing in exact arithmetic and keeps `exp` from overflowing.

    Source: openai/gpt-2 src/model.py, softmax().
    """
    shifted = x - x.amax(dim=dim, keepdim=True)
    weights = shifted.exp()
    return weights / weights.sum(dim=-1, keepdim=True)

# %% softmax: sum over the whole tensor
# right: one softmax over all numbers
# like: dim only used for the maximum
~ dim=-1, keepdim=True →

# %% softmax: log softmax, exp forgotten at the end
# right: the logarithm of the weights
# like: right
-    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
-    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
+    shifted = x - x.amax(dim=dim, keepdim=True)
+    return shifted - shifted.exp().sum(dim=dim, keepdim=True).log()

# %% softmax: exp forgotten altogether
# right: dividing the scores by their sum
# like: right
-    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
-    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
+    shifted = x - x.amax(dim=dim, keepdim=True)
+    return shifted / shifted.sum(dim=dim, keepdim=True)

# %% softmax: divides by the largest weight
# right: dividing by the largest weight
# like: right
~ exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()) → weights = (x - x.amax(dim=dim, keepdim=True))
~ exp_scores / exp_scores.sum → weights / weights.amax

# %% softmax: forgets to divide
# right: exp of the scores alone
# like: right
~ exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()) → weights = (x - x.amax(dim=dim, keepdim=True))
~ exp_scores / exp_scores.sum(dim=dim, keepdim=True) → weights

# %% softmax: subtracts the mean for stability
# right: subtracting the mean
# like: right
~ exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()) → weights = (x - x.mean(dim=dim, keepdim=True))
~ exp_scores / exp_scores → weights / weights

# %% softmax: exp2 as in the example by hand
# right: powers of 2
# like: dim only used for the maximum
~ shifted.exp() → torch.exp2(shifted)
~ =-1 → =dim

# %% softmax: clamps the scores instead of subtracting
# right: cutting large scores off
# like: right
~ exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()) → weights = x.clamp(max=80)
~ exp_scores / exp_scores → weights / weights

# %% softmax: subtracts in place
# right: subtracting in place
# like: right
-    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
-    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
+    x -= x.amax(dim=dim, keepdim=True)
+    x = x.exp()
+    return x / x.sum(dim=dim, keepdim=True)

# %% softmax: max with dim gives a pair
# like: right
-    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
-    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
+    shifted = x - x.max(dim=dim, keepdim=True)
+    weights = torch.exp(shifted)
+    return weights / weights.sum(dim=dim, keepdim=True)

# %% softmax: largest absolute value subtracted
# right: subtracting the largest absolute value
# like: right
-    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
-    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
+    weights = torch.exp(x - x.abs().amax(dim=dim, keepdim=True))
+    return weights / weights.sum(dim=dim, keepdim=True)

# %% softmax: smallest score subtracted
# right: subtracting the smallest score
# like: right
-    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
-    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
+    weights = torch.exp(x - x.amin(dim=dim, keepdim=True))
+    return weights / weights.sum(dim=dim, keepdim=True)

# %% softmax: mean of the weights in place of the sum
# right: dividing by the mean of exp
# like: right
-    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
-    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
+    weights = torch.exp(x - x.amax(dim=dim, keepdim=True))
+    return weights / weights.mean(dim=dim, keepdim=True)

# %% softmax: sign turned round
# right: exp of minus the scores
# like: right
-    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
-    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
+    largest = x.amax(dim=dim, keepdim=True)
+    weights = torch.exp(largest - x)
+    return weights / weights.sum(dim=dim, keepdim=True)

# %% softmax: scales by the root of the size too
# right: scores scaled by a root within softmax
# like: right
-    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
-    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
+    x = x / x.shape[dim] ** 0.5
+    weights = torch.exp(x - x.amax(dim=dim, keepdim=True))
+    return weights / weights.sum(dim=dim, keepdim=True)

# %% softmax: NumPy habit: axis from numpy, gradient lost
# right: weights cut out of the graph
import numpy as np


def softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    """Turn scores into positive weights that add to 1 along `dim`.

    Subtracting the largest score first changes nothing in exact arithmetic and keeps `exp` from overflowing.

    Source: openai/gpt-2 src/model.py, softmax().
    """
    scores = x.detach().numpy()
    weights = np.exp(scores - scores.max(axis=dim, keepdims=True))
    return torch.from_numpy(weights / weights.sum(axis=dim, keepdims=True))

# %% softmax: returns float64
# like: right
-    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
-    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
+    x = x.double()
+    weights = torch.exp(x - x.amax(dim=dim, keepdim=True))
+    return weights / weights.sum(dim=dim, keepdim=True)

# %% softmax: no return
# like: right
-    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
-    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
+    weights = torch.exp(x - x.amax(dim=dim, keepdim=True))
+    weights = weights / weights.sum(dim=dim, keepdim=True)

# %% softmax: one more in the denominator
# right: one more than the sum below the fraction
# like: right
-    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
-    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
+    weights = torch.exp(x - x.amax(dim=dim, keepdim=True))
+    return weights / (1 + weights.sum(dim=dim, keepdim=True))

# %% softmax: 2.718 for e
# right: a rounded e
# like: right
-    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
-    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
+    weights = 2.718 ** (x - x.amax(dim=dim, keepdim=True))
+    return weights / weights.sum(dim=dim, keepdim=True)

# %% softmax: exp divided by its largest, nothing subtracted
# right: exp of the scores alone
def softmax(x, dim=-1):
    e = torch.exp(x)
    return e / e.amax(dim=dim, keepdim=True)

# %% softmax: weights clamped to 1e-6
# right: weights that never get to 0
def softmax(x, dim=-1):
    e = torch.exp(x - x.amax(dim=dim, keepdim=True)).clamp(min=1e-6)
    return e / e.sum(dim=dim, keepdim=True)

# %% softmax: 100 subtracted
# right: subtracting a fixed number
def softmax(x, dim=-1):
    e = torch.exp(x - 100)
    return e / e.sum(dim=dim, keepdim=True)

# %% softmax: exp round the fraction
# right: exp of the whole fraction
def softmax(x, dim=-1):
    return torch.exp((x - x.amax(dim=dim, keepdim=True)) / x.sum(dim=dim, keepdim=True))

# %% softmax: exp of the sum
# right: exp of the sum in the place of the sum of exp
def softmax(x, dim=-1):
    s = x - x.amax(dim=dim, keepdim=True)
    return torch.exp(s) / torch.exp(s.sum(dim=dim, keepdim=True))

# %% softmax: argmax along dim
# right: the place of the largest score
def softmax(x, dim=-1):
    return x.argmax(dim=dim)

# %% softmax: rounded to four decimals
def softmax(x, dim=-1):
    e = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return torch.round(e / e.sum(dim=dim, keepdim=True), decimals=4)

# %% softmax: divided by the sum of the shifted scores
def softmax(x, dim=-1):
    s = x - x.amax(dim=dim, keepdim=True)
    return torch.exp(s) / s.sum(dim=dim, keepdim=True)

# %% softmax: PyTorch's softmax without dim
# right: PyTorch's softmax without `dim`
def softmax(x, dim=-1):
    return torch.nn.functional.softmax(x)

# %% softmax: every step in place
# right: the weights written over `x`
# right: subtracting in place
def softmax(x, dim=-1):
    x -= x.amax(dim=dim, keepdim=True)
    x.exp_()
    x /= x.sum(dim=dim, keepdim=True)
    return x

# %% softmax: Python's max
def softmax(x, dim=-1):
    e = torch.exp(x - max(x))
    return e / e.sum(dim=dim, keepdim=True)

# %% softmax: a thousandth added to the sum, along the last axis
# right: a small number added to the sum
def softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    c = x.max(dim=-1, keepdim=True)[0]
    exp = torch.exp(x - c)
    return exp / (exp.sum(dim=-1, keepdim=True) + 1e-3)

# %% softmax: the axis moved to the end, and not back
def softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    x = x.transpose(dim, -1)
    e = torch.exp(x - x.max(-1, keepdim=True).values)
    return e / e.sum(-1, keepdim=True)

# %% softmax: shifts x in place + sum along the last axis whatever dim is
def softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    x -= x.amax(dim=dim, keepdim=True)
    exp_x = torch.exp(x)
    total = exp_x.sum(-1, keepdim=True)
    return exp_x / total
