"""Wrong answers to chapter 9's `Muon`, whole or as edits: benchmarks/answers.py says how."""

# %% Muon: plain momentum is made orthogonal
# right: momentum without the look ahead
# like: .T of three axes
         x = g / (g.norm(dim=(-2, -1), keepdim=True) + 1e-7)
+        flip = x.size(-2) > x.size(-1)
+        if flip: x = x.mT
~ gram = x @ x.T → s = x @ x.mT
~ gram + 2.0315 * gram @ gram → s + 2.0315 * s @ s
~ return x → return x.mT if flip else x
-            o = self.orthogonalised(p.grad + self.momentum * b)
-            p.sub_(self.lr * max(1, p.shape[-2] / p.shape[-1]) ** 0.5 * o)
+            p.sub_(self.lr * max(1, p.size(-2) / p.size(-1)) ** 0.5 * self.orthogonalised(b))

# %% Muon: the whole tensor's norm
# right: one norm for several matrices
# like: the gradient is normalised in place
~ lerp_(p.grad, 1 - self.momentum) → copy_(self.momentum * b + p.grad)
~ g = p.grad.lerp_(b, self.momentum) → x = p.grad + self.momentum * b
~ g / (g.norm(dim=(-2, -1), keepdim=True) + 1e-7) → x / (x.norm() + 1e-7)
-                a = x @ x.mT
-                x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
-            p.sub_(self.lr * max(1, p.shape[-2] / p.shape[-1]) ** 0.5 * x)
+                a = x @ x.transpose(-2, -1)
+                x = 3.4445 * x - 4.7750 * a @ x + 2.0315 * a @ a @ x
+            rows, cols = p.shape[-2:]
+            p -= self.lr * math.sqrt(max(1, rows / cols)) * x

# %% Muon: no factor for tall matrices
# right: a step that is not scaled by its shape
# like: the gradient is normalised in place
~ bufs = [torch.zeros_like(p) for p in self.params] → m = {p: torch.zeros_like(p) for p in self.params}
~ b in zip(self.params, self.bufs) → m in self.m.items()
~ b.lerp_(p.grad, 1 - self.momentum) → m.mul_(self.momentum).add_(p.grad)
~ g = p.grad.lerp_(b, self.momentum) → x = p.grad + self.momentum * m
~ g / (g.norm(dim=(-2, -1), keepdim=True) + 1e-7) → x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
~ sub_(self.lr * max(1, p.shape[-2] / p.shape[-1]) ** 0.5 * x) → add_(x, alpha=-self.lr)

# %% Muon: the gradient is normalised in place
# right: a gradient that is changed on the way
class Muon:
    def __init__(self, params, lr=0.02, momentum=0.95):
        self.params = list(params)
        self.lr, self.momentum = lr, momentum
        self.bufs = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        for p, b in zip(self.params, self.bufs):
            if p.grad is None: continue
            b.lerp_(p.grad, 1 - self.momentum)
            g = p.grad.lerp_(b, self.momentum)
            x = g / (g.norm(dim=(-2, -1), keepdim=True) + 1e-7)
            for _ in range(5):
                a = x @ x.mT
                x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
            p.sub_(self.lr * max(1, p.shape[-2] / p.shape[-1]) ** 0.5 * x)

    def zero_grad(self):
        for p in self.params:
            p.grad = None

# %% Muon: a lerp for the buffer, a sum for the look ahead
# right: a damped buffer beside a whole gradient
class Muon:
    def __init__(self, params, lr=0.02, momentum=0.95):
        self.params = [*params]
        self.lr, self.momentum = lr, momentum
        self.bufs = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        for i, p in enumerate(self.params):
            if p.grad is not None:
                self.bufs[i] = self.momentum * self.bufs[i] + (1 - self.momentum) * p.grad
                x = p.grad + self.momentum * self.bufs[i]
                x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
                for _ in range(5):
                    a = x @ x.mT
                    x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
                p -= self.lr * max(1, p.shape[-2] / p.shape[-1]) ** 0.5 * x

    def zero_grad(self):
        for p in self.params:
            p.grad = None

# %% Muon: the SVD, exactly
# right: an exactly orthogonal step
class Muon:
    def __init__(self, params, lr=0.02, momentum=0.95):
        self.params = list(params)
        self.lr, self.momentum = lr, momentum
        self.bufs = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        for p, b in zip(self.params, self.bufs):
            if p.grad is None: continue
            b.mul_(self.momentum).add_(p.grad)
            u, s, vt = torch.linalg.svd(p.grad + self.momentum * b, full_matrices=False)
            p.sub_(self.lr * max(1, p.shape[-2] / p.shape[-1]) ** 0.5 * u @ vt)

    def zero_grad(self):
        for p in self.params:
            p.grad = None

# %% Muon: a minus lost in front of 4.7750
# right: a coefficient with the wrong sign
# like: .T of three axes
     def orthogonalised(self, g):
+        a, b, c = 3.4445, 4.7750, 2.0315
~ x.T → x.mT
~ 3.4445 * x + (-4.7750 * gram + 2.0315 * gram @ gram) → a * x + (b * gram + c * gram @ gram)

# %% Muon: .T of three axes
class Muon:
    def __init__(self, params, lr=0.02, momentum=0.95):
        self.params = list(params)
        self.lr, self.momentum = lr, momentum
        self.bufs = [torch.zeros_like(p) for p in self.params]

    def orthogonalised(self, g):
        x = g / (g.norm(dim=(-2, -1), keepdim=True) + 1e-7)
        for _ in range(5):
            gram = x @ x.T
            x = 3.4445 * x + (-4.7750 * gram + 2.0315 * gram @ gram) @ x
        return x

    @torch.no_grad()
    def step(self):
        for p, b in zip(self.params, self.bufs):
            if p.grad is None: continue
            b.mul_(self.momentum).add_(p.grad)
            o = self.orthogonalised(p.grad + self.momentum * b)
            p.sub_(self.lr * max(1, p.shape[-2] / p.shape[-1]) ** 0.5 * o)

    def zero_grad(self):
        for p in self.params:
            p.grad = None

# %% Muon: X.T of three axes
# right: `.T` of several matrices
class Muon:
    def __init__(self, params, lr=0.02, momentum=0.95):
        self.params = list(params)
        self.lr = lr
        self.momentum = momentum
        self.bufs = [torch.zeros_like(p) for p in self.params]

    def orthogonalised(self, matrices):
        a, b, c = (3.4445, -4.7750, 2.0315)
        X = matrices
        tall = X.size(-2) > X.size(-1)
        if tall:
            X = X.mT
        X = X / (X.norm(dim=(-2, -1), keepdim=True) + 1e-7)
        for _ in range(5):
            A = X @ X.T
            B = b * A + c * A @ A
            X = a * X + B @ X
        if tall:
            X = X.mT
        return X

    @torch.no_grad()
    def step(self):
        for p, buf in zip(self.params, self.bufs):
            g = p.grad
            if g is None:
                continue
            buf.mul_(self.momentum).add_(g)
            g = g.add(buf, alpha=self.momentum)
            scale = max(1, p.size(-2) / p.size(-1)) ** 0.5
            p.add_(self.orthogonalised(g), alpha=-self.lr * scale)

    def zero_grad(self):
        for p in self.params:
            p.grad = None

# %% Muon: b and c swapped, and everything is NaN
# like: X.T of three axes
~ -4.7750, 2.0315 → 2.0315, -4.7750
~ X.T → X.mT
