"""Wrong answers to chapter 12's `apply_rotary`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, in halves
def apply_rotary(x, tables, positions):
    cos, sin = tables
    cos = cos[positions].unsqueeze(1)
    sin = sin[positions].unsqueeze(1)
    half = x.shape[-1] // 2
    x1 = x[..., :half]
    x2 = x[..., half:]
    return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1)

# %% base: right, as transformers has it
def apply_rotary(x, tables, positions):
    def rotate_half(x):
        x1 = x[..., : x.shape[-1] // 2]
        x2 = x[..., x.shape[-1] // 2 :]
        return torch.cat((-x2, x1), dim=-1)

    cos, sin = tables
    cos = torch.cat((cos, cos), dim=-1)[positions]
    sin = torch.cat((sin, sin), dim=-1)[positions]
    cos = cos.unsqueeze(1)
    sin = sin.unsqueeze(1)
    return (x * cos) + (rotate_half(x) * sin)

# %% base: right, with complex numbers
def apply_rotary(x, tables, positions):
    freqs_cis = torch.complex(*tables)[positions][None, :, None, :]
    x1, x2 = x.chunk(2, dim=-1)
    x_ = torch.complex(x1.contiguous(), x2.contiguous())
    out = x_ * freqs_cis
    return torch.cat([out.real, out.imag], dim=-1)

# %% apply_rotary: as Meta has it, neighbouring pairs as complex numbers
# right: neighbouring numbers as pairs
def apply_rotary(x, tables, positions):
    freqs_cis = torch.complex(*tables)[positions][None, :, None, :]
    x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x_ * freqs_cis).flatten(3).type_as(x)

# %% apply_rotary: neighbouring pairs, with strides
# right: neighbouring numbers as pairs
# like: right, in halves
-    x1 = x[..., :half]
-    x2 = x[..., half:]
-    return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1)
+    x1 = x[..., ::2]
+    x2 = x[..., 1::2]
+    out = torch.empty_like(x)
+    out[..., ::2] = x1 * cos - x2 * sin
+    out[..., 1::2] = x1 * sin + x2 * cos
+    return out

# %% apply_rotary: takes neighbours, joins halves
# right: pairs of neighbours, answered in halves
# like: right, in halves
-    x1 = x[..., :half]
-    x2 = x[..., half:]
+    x1 = x[..., 0::2]
+    x2 = x[..., 1::2]

# %% apply_rotary: takes halves, answers neighbours
# right: halves, answered as pairs of neighbours
# like: right, in halves
~ return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1) → return torch.stack((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1).flatten(-2)

# %% apply_rotary: rotate_half with tables repeated in turn
# right: tables for neighbours, and numbers turned in halves
# like: right, as transformers has it
-    cos = torch.cat((cos, cos), dim=-1)[positions]
-    sin = torch.cat((sin, sin), dim=-1)[positions]
+    cos = cos.repeat_interleave(2, dim=-1)[positions]
+    sin = sin.repeat_interleave(2, dim=-1)[positions]

# %% apply_rotary: rotate_half without its minus
# right: a first half without its minus
# like: right, as transformers has it
~ torch.cat((-x2, x1), dim=-1) → torch.cat((x2, x1), dim=-1)

# %% apply_rotary: the minus at the wrong half
# right: a turn the other way
# like: right, as transformers has it
~ torch.cat((-x2, x1), dim=-1) → torch.cat((x2, -x1), dim=-1)

# %% apply_rotary: rotate_half that swaps nothing
# right: a half that is multiplied by its own sine
# like: right, as transformers has it
~ torch.cat((-x2, x1), dim=-1) → torch.cat((-x1, x2), dim=-1)

# %% apply_rotary: the turn the other way
# right: a turn the other way
# like: right, in halves
~ (x1 * cos - x2 * sin, x1 * sin + x2 * cos) → (x1 * cos + x2 * sin, -x1 * sin + x2 * cos)

# %% apply_rotary: the turn the other way, by the conjugate
# right: a turn the other way
# like: right, with complex numbers
~ out = x_ * freqs_cis → out = x_ * freqs_cis.conj()

# %% apply_rotary: ignores positions
# right: the first rows of the tables, whatever `positions` says
# like: right, in halves
-    cos = cos[positions].unsqueeze(1)
-    sin = sin[positions].unsqueeze(1)
+    cos = cos[: x.shape[1]].unsqueeze(1)
+    sin = sin[: x.shape[1]].unsqueeze(1)

# %% apply_rotary: a stretch of the tables from the first position
# right: positions taken for a run without gaps
# like: right, in halves
-    cos = cos[positions].unsqueeze(1)
-    sin = sin[positions].unsqueeze(1)
+    start = positions[0]
+    cos = cos[start : start + x.shape[1]].unsqueeze(1)
+    sin = sin[start : start + x.shape[1]].unsqueeze(1)

# %% apply_rotary: only the cosines by position
# right: `positions` for one of the two tables alone
# like: right, in halves
~ sin = sin[positions].unsqueeze(1) → sin = sin[: x.shape[1]].unsqueeze(1)

# %% apply_rotary: no axis for the heads
# right: rows of the tables laid along the heads
# like: right, in halves
-    cos = cos[positions].unsqueeze(1)
-    sin = sin[positions].unsqueeze(1)
+    cos = cos[positions]
+    sin = sin[positions]

# %% apply_rotary: axes as if the heads came before the positions
# right: rows of the tables laid along the heads
# like: right, in halves
-    cos = cos[positions].unsqueeze(1)
-    sin = sin[positions].unsqueeze(1)
+    cos = cos[positions][None, None, :, :]
+    sin = sin[positions][None, None, :, :]

# %% apply_rotary: tables along the batch
# right: rows of the tables laid along the batch
# like: right, in halves
-    cos = cos[positions].unsqueeze(1)
-    sin = sin[positions].unsqueeze(1)
+    cos = cos[positions][:, None, None, :]
+    sin = sin[positions][:, None, None, :]

# %% apply_rotary: sin and cos swapped
# right: sines and cosines swapped
# like: right, in halves
~ cos, sin = tables → sin, cos = tables

# %% apply_rotary: adds the tables
# right: tables that are added
# like: right, in halves
~ (x1 * cos - x2 * sin, x1 * sin + x2 * cos) → (x1 + cos, x2 + sin)

# %% apply_rotary: no second term
# right: the cosine on both halves, and no sine
# like: right, in halves
~ (x1 * cos - x2 * sin, x1 * sin + x2 * cos) → (x1 * cos, x2 * cos)

# %% apply_rotary: each half with one table
# right: cosines for the first half, and sines for the second
# like: right, in halves
~ (x1 * cos - x2 * sin, x1 * sin + x2 * cos) → (x1 * cos, x2 * sin)

# %% apply_rotary: x1 overwritten before x2 is made
# right: a second half made of the new first half
# like: right, in halves
-    return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1)
+    x1 = x1 * cos - x2 * sin
+    x2 = x1 * sin + x2 * cos
+    return torch.cat((x1, x2), dim=-1)

# %% apply_rotary: written into x, through views
# right: a second half made of the new first half
# like: right, in halves
-    return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1)
+    x[..., :half] = x1 * cos - x2 * sin
+    x[..., half:] = x1 * sin + x2 * cos
+    return x

# %% apply_rotary: written into x, both halves made before
# right: a turn written into `x`
# like: right, in halves
-    return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1)
+    new1, new2 = x1 * cos - x2 * sin, x1 * sin + x2 * cos
+    x[..., :half] = new1
+    x[..., half:] = new2
+    return x

# %% apply_rotary: half of the head left alone, as in GPT-NeoX
# right: half of the head left as it was
# like: right, in halves
-    half = x.shape[-1] // 2
+    x, rest = x.chunk(2, dim=-1)
+    half = x.shape[-1] // 2
+    cos, sin = cos[..., :half], sin[..., :half]
     x1 = x[..., :half]
-    x2 = x[..., half:]
-    return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1)
+    x2 = x[..., half : 2 * half]
+    return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos, x[..., 2 * half :], rest), dim=-1)

# %% apply_rotary: the halves joined the wrong way round
# right: the halves in the other order
# like: right, in halves
~ (x1 * cos - x2 * sin, x1 * sin + x2 * cos) → (x1 * sin + x2 * cos, x1 * cos - x2 * sin)

# %% apply_rotary: the halves stacked
# right: halves that are stacked
# like: right, in halves
~ return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1) → return torch.stack((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1)

# %% apply_rotary: cat without dim
# right: halves joined along another axis
# like: right, in halves
~ return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1) → return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos))

# %% apply_rotary: returns the pair of halves
# right: two halves that are not joined
# like: right, in halves
~ return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1) → return x1 * cos - x2 * sin, x1 * sin + x2 * cos

# %% apply_rotary: turned twice
# right: a turn by twice the angle
# like: right, with complex numbers
~ out = x_ * freqs_cis → out = x_ * freqs_cis * freqs_cis

# %% apply_rotary: a plus in the first half
# right: a first half without its minus
# like: right, in halves
~ (x1 * cos - x2 * sin, → (x1 * cos + x2 * sin,

# %% apply_rotary: two minuses
# right: a minus in both halves
# like: right, in halves
~ x1 * sin + x2 * cos) → x1 * sin - x2 * cos)

# %% apply_rotary: cosine of the first half on both, sine left out of one
# right: the first half turned, and the second left as it was
# like: right, in halves
~ x1 * sin + x2 * cos) → x2)

# %% apply_rotary: the query's positions from 0 again
# right: positions that count from the first one
# like: right, in halves
-    cos = cos[positions].unsqueeze(1)
+    positions = positions - positions[0]
+    cos = cos[positions].unsqueeze(1)

# %% apply_rotary: the first half minus its own sine
# right: a half that is multiplied by its own sine
# like: right, in halves
~ x1 * cos - x2 * sin, → x1 * cos - x1 * sin,

# %% apply_rotary: the second half uses its own sine
# right: cosine and sine swapped in one half
# like: right, in halves
~ x1 * sin + x2 * cos) → x2 * sin + x1 * cos)

# %% apply_rotary: indexes the tuple with the positions
# right: the tuple of tables indexed with the positions
# like: right, in halves
-    cos = cos[positions].unsqueeze(1)
-    sin = sin[positions].unsqueeze(1)
+    cos, sin = tables[positions]

# %% apply_rotary: the tables repeated, with halves already taken
# right: tables repeated to d_head against half of the numbers
# like: right, in halves
~ cos, sin = tables → cos, sin = (torch.cat((table, table), dim=-1) for table in tables)

# %% apply_rotary: multiplies the tables by the positions
# right: cosines and sines times the position
# like: right, in halves
~ cos[positions].unsqueeze(1) → cos[: len(positions)].unsqueeze(1) * positions[:, None, None]
~ sin[positions].unsqueeze(1) → sin[: len(positions)].unsqueeze(1) * positions[:, None, None]

# %% apply_rotary: heads first by view
# right: axes that are cut anew instead of swapped
def apply_rotary(x, tables, positions):
    cos, sin = (t[positions] for t in tables)
    b, p, h, d = x.shape
    y = x.view(b, h, p, d)
    first, second = y.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).view(b, p, h, d)

# %% apply_rotary: heads first, and left there
# right: an answer with the heads before the positions
def apply_rotary(x, tables, positions):
    cos, sin = (t[positions] for t in tables)
    first, second = x.transpose(1, 2).chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)

# %% apply_rotary: the tables not repeated for rotate_half
# right: tables of one column a pair against all d_head numbers
# like: right, as transformers has it
-    cos = torch.cat((cos, cos), dim=-1)[positions]
-    sin = torch.cat((sin, sin), dim=-1)[positions]
+    cos = cos[positions]
+    sin = sin[positions]

# %% apply_rotary: the tables not repeated, and the halves swapped in the same line
# right: tables of one column a pair against all d_head numbers
def apply_rotary(x, tables, positions):
    cos, sin = tables
    cos = cos[positions].unsqueeze(1)
    sin = sin[positions].unsqueeze(1)
    x1, x2 = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-x2, x1), dim=-1) * sin

# %% apply_rotary: float64 by complex128
# right: float64
# like: right, with complex numbers
~ torch.complex(*tables)[positions] → torch.complex(*tables).to(torch.complex128)[positions]

# %% apply_rotary: no gradient
# right: a turn that lets no gradient through
# like: right, in halves
-    half = x.shape[-1] // 2
+    x = x.detach()
+    half = x.shape[-1] // 2

# %% apply_rotary: minus x2 in the wrong place of rotate_half, with tables subtracted
# right: a turn the other way
# like: right, as transformers has it
~ (x * cos) + (rotate_half(x) * sin) → (x * cos) - (rotate_half(x) * sin)

# %% apply_rotary: multiplies the cosines and the swapped halves, no sine
# right: the cosine in the place of the sine
# like: right, as transformers has it
~ (rotate_half(x) * sin) → (rotate_half(x) * cos)

# %% apply_rotary: the last position for all
# right: one row for all positions
# like: right, in halves
-    cos = cos[positions].unsqueeze(1)
-    sin = sin[positions].unsqueeze(1)
+    cos = cos[positions[-1]]
+    sin = sin[positions[-1]]

# %% apply_rotary: nothing done at all
def apply_rotary(x, tables, positions):
    return x

# %% apply_rotary: the axes of x in the order of transformers
# like: right, in halves
-    half = x.shape[-1] // 2
+    x = x.transpose(1, 2)
+    half = x.shape[-1] // 2

# %% apply_rotary: the second half made by a turn of the first
# right: the second half turned, and the first left as it was
# like: right, in halves
~ (x1 * cos - x2 * sin, x1 * sin + x2 * cos) → (x1, x1 * sin + x2 * cos)

# %% apply_rotary: the halves named the wrong way round
# right: the second half taken for the first
# like: right, in halves
~ x1 = x[..., :half] → x2 = x[..., :half]
~ x2 = x[..., half:] → x1 = x[..., half:]
