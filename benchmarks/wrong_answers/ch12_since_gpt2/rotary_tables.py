"""Wrong answers to chapter 12's `rotary_tables`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, as Llama has it
def rotary_tables(n_ctx, d_head, base):
    inv_freq = 1.0 / (base ** (torch.arange(0, d_head, 2).float() / d_head))
    t = torch.arange(n_ctx).float()
    freqs = torch.outer(t, inv_freq)
    return freqs.cos(), freqs.sin()

# %% base: right, with a loop
def rotary_tables(n_ctx, d_head, base):
    half = d_head // 2
    cos = torch.zeros(n_ctx, half)
    sin = torch.zeros(n_ctx, half)
    for pos in range(n_ctx):
        for i in range(half):
            angle = pos * base ** (-2 * i / d_head)
            cos[pos, i] = math.cos(angle)
            sin[pos, i] = math.sin(angle)
    return cos, sin

# %% base: right, by the exponential
def rotary_tables(n_ctx, d_head, base):
    i = torch.arange(d_head // 2)
    speeds = torch.exp(-2 * i / d_head * math.log(base))
    angles = torch.arange(n_ctx)[:, None] * speeds[None, :]
    return torch.cos(angles), torch.sin(angles)

# %% rotary_tables: as transformers has it, repeated to d_head
# right: tables repeated to d_head
# like: right, as Llama has it
-    return freqs.cos(), freqs.sin()
+    emb = torch.cat((freqs, freqs), dim=-1)
+    return emb.cos(), emb.sin()

# %% rotary_tables: as lucidrains has it, each column twice in a row
# right: each column of the tables twice in a row
# like: right, as Llama has it
-    return freqs.cos(), freqs.sin()
+    freqs = freqs.repeat_interleave(2, dim=-1)
+    return freqs.cos(), freqs.sin()

# %% rotary_tables: as Meta has it, one complex table
# right: one complex table
# like: right, as Llama has it
-    return freqs.cos(), freqs.sin()
+    freqs_cis = torch.polar(torch.ones_like(freqs), freqs)
+    return freqs_cis

# %% rotary_tables: base times the exponent
# right: `base` as a factor
# like: right, by the exponential
-    speeds = torch.exp(-2 * i / d_head * math.log(base))
+    speeds = base * (-2 * i / d_head)

# %% rotary_tables: an angle for every number of the head
# right: a speed for every number of the head
# like: right, as Llama has it
~ torch.arange(0, d_head, 2).float() → torch.arange(d_head).float()

# %% rotary_tables: the exponent is i / d_head
# right: an exponent without its 2
# like: right, with a loop
~ base ** (-2 * i / d_head) → base ** (-i / d_head)

# %% rotary_tables: forgets the minus in the exponent
# right: pairs that turn faster and faster
# like: right, with a loop
~ base ** (-2 * i / d_head) → base ** (2 * i / d_head)

# %% rotary_tables: forgets 1 / in Llama's line
# right: pairs that turn faster and faster
# like: right, as Llama has it
~ 1.0 / (base ** (torch.arange(0, d_head, 2).float() / d_head)) → base ** (torch.arange(0, d_head, 2).float() / d_head)

# %% rotary_tables: forgets the minus under the exponential
# right: pairs that turn faster and faster
# like: right, by the exponential
~ torch.exp(-2 * i → torch.exp(2 * i

# %% rotary_tables: linspace with its end
# right: an exponent that reaches −1
# like: right, as Llama has it
-    inv_freq = 1.0 / (base ** (torch.arange(0, d_head, 2).float() / d_head))
+    inv_freq = base ** -torch.linspace(0, 1, d_head // 2)

# %% rotary_tables: positions from 1
# right: positions counted from 1
# like: right, as Llama has it
~ torch.arange(n_ctx).float() → torch.arange(1, n_ctx + 1).float()

# %% rotary_tables: positions from 1, in a loop
# right: positions counted from 1
# like: right, with a loop
~ angle = pos * → angle = (pos + 1) *

# %% rotary_tables: degrees
# right: degrees
# like: right, with a loop
~ angle = pos * base ** (-2 * i / d_head) → angle = math.radians(pos * base ** (-2 * i / d_head))

# %% rotary_tables: full turns
# right: full turns in the place of radians
# like: right, by the exponential
-    speeds = torch.exp(-2 * i / d_head * math.log(base))
+    speeds = 2 * math.pi * torch.exp(-2 * i / d_head * math.log(base))

# %% rotary_tables: the base is written out
# right: a base that is written out
# like: right, by the exponential
~ math.log(base) → math.log(10000)

# %% rotary_tables: sin first
# right: sines before cosines
# like: right, as Llama has it
~ freqs.cos(), freqs.sin() → freqs.sin(), freqs.cos()

# %% rotary_tables: whole-number division
# right: a division that drops the fraction
# like: right, with a loop
~ base ** (-2 * i / d_head) → base ** -(2 * i // d_head)

# %% rotary_tables: forgets the base's logarithm
# right: a natural exponential without the base's logarithm
# like: right, by the exponential
~ torch.exp(-2 * i / d_head * math.log(base)) → torch.exp(-2 * i / d_head)

# %% rotary_tables: outer product the other way round
# right: an axis of the pairs before that of the positions
# like: right, as Llama has it
~ torch.outer(t, inv_freq) → torch.outer(inv_freq, t)

# %% rotary_tables: divides by the speed
# right: pairs that turn faster and faster
# like: right, by the exponential
~ torch.arange(n_ctx)[:, None] * speeds[None, :] → torch.arange(n_ctx)[:, None] / speeds[None, :]

# %% rotary_tables: returns the angles
# right: the angles themselves
# like: right, as Llama has it
~ return freqs.cos(), freqs.sin() → return freqs

# %% rotary_tables: stacks the two tables
# right: one tensor in the place of two
# like: right, as Llama has it
~ return freqs.cos(), freqs.sin() → return torch.stack((freqs.cos(), freqs.sin()))

# %% rotary_tables: with the axes that transformers' broadcasting needs
# right: axes of size 1 in the tables
# like: right, as Llama has it
~ return freqs.cos(), freqs.sin() → return freqs.cos()[None, :, None, :], freqs.sin()[None, :, None, :]

# %% rotary_tables: the 2 twice
# right: an exponent with its 2 twice
# like: right, as Llama has it
~ torch.arange(0, d_head, 2).float() / d_head → 2 * torch.arange(0, d_head, 2).float() / d_head

# %% rotary_tables: float64
# like: right, as Llama has it
~ torch.arange(0, d_head, 2).float() → torch.arange(0, d_head, 2).double()
~ torch.arange(n_ctx).float() → torch.arange(n_ctx).double()

# %% rotary_tables: no axis for the positions
# like: right, by the exponential
~ torch.arange(n_ctx)[:, None] * speeds[None, :] → torch.arange(n_ctx) * speeds

# %% rotary_tables: Meta's lines, with bfloat16 positions
# right: tables in half precision on the way
# like: right, as Llama has it
-    t = torch.arange(n_ctx).float()
+    t = torch.arange(n_ctx, dtype=torch.bfloat16).float()

# %% rotary_tables: the angles in bfloat16, returned so
# like: right, as Llama has it
~ return freqs.cos(), freqs.sin() → return freqs.cos().bfloat16(), freqs.sin().bfloat16()

# %% rotary_tables: the position in the exponent
# right: the speed to the power of the position
# like: right, with a loop
~ angle = pos * base ** (-2 * i / d_head) → angle = base ** (-2 * i * pos / d_head)

# %% rotary_tables: 10,000 in Llama's line
# right: a base that is written out
# like: right, as Llama has it
~ 1.0 / (base ** → 1.0 / (10_000 **

# %% rotary_tables: forgets to return the sines
# right: the cosines alone
# like: right, as Llama has it
~ return freqs.cos(), freqs.sin() → return freqs.cos()

# %% rotary_tables: the loop over pairs stops too soon
# like: right, with a loop
~ for i in range(half): → for i in range(half - 1):

# %% rotary_tables: the loop over positions starts at 1
# right: a row of zeros for position 0
# like: right, with a loop
~ for pos in range(n_ctx): → for pos in range(1, n_ctx):

# %% rotary_tables: both tables are one tensor
# right: the sines twice
# like: right, with a loop
-    sin = torch.zeros(n_ctx, half)
+    sin = cos

# %% rotary_tables: positions without the first
# right: a position too few
# like: right, as Llama has it
~ torch.arange(n_ctx).float() → torch.arange(1, n_ctx).float()

# %% rotary_tables: the root of the base
# like: right, as Llama has it
~ 1.0 / (base ** → 1.0 / (math.sqrt(base) **

# %% rotary_tables: Llama's line without its brackets
# right: the power divided by d_head, and not its exponent
# like: right, as Llama has it
~ 1.0 / (base ** (torch.arange(0, d_head, 2).float() / d_head)) → 1.0 / base ** torch.arange(0, d_head, 2).float() / d_head

# %% rotary_tables: a dict
# right: a dict of the two tables
# like: right, as Llama has it
~ return freqs.cos(), freqs.sin() → return {"cos": freqs.cos(), "sin": freqs.sin()}
