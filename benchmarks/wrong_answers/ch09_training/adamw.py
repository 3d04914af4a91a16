"""Wrong answers to chapter 9's `AdamW`, whole or as edits: benchmarks/answers.py says how."""

# %% AdamW: L2 into the gradient, as torch.optim.Adam does it
# right: decay added to the gradient (that is Adam with L2)
class AdamW:
    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        self.params = list(params)
        self.lr = lr
        self.beta1, self.beta2 = betas
        self.eps = eps
        self.wd = weight_decay
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]
        self.t = 0

    @torch.no_grad()
    def step(self):
        self.t += 1
        for i, p in enumerate(self.params):
            if p.grad is None:
                continue
            g = p.grad + self.wd * p
            self.m[i] = self.beta1 * self.m[i] + (1 - self.beta1) * g
            self.v[i] = self.beta2 * self.v[i] + (1 - self.beta2) * g ** 2
            m_hat = self.m[i] / (1 - self.beta1 ** self.t)
            v_hat = self.v[i] / (1 - self.beta2 ** self.t)
            p -= self.lr * m_hat / (v_hat.sqrt() + self.eps)

    def zero_grad(self):
        for p in self.params:
            p.grad = None

# %% AdamW: eps under the root
# right: eps inside the square root
class AdamW:
    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        self.params, self.lr, self.betas, self.eps, self.weight_decay = list(params), lr, betas, eps, weight_decay
        self.state = {p: [torch.zeros_like(p), torch.zeros_like(p)] for p in self.params}
        self.n = 0

    @torch.no_grad()
    def step(self):
        self.n += 1
        b1, b2 = self.betas
        for p, (m, v) in self.state.items():
            if p.grad is None:
                continue
            m.mul_(b1).add_(p.grad, alpha=1 - b1)
            v.mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
            step = (m / (1 - b1 ** self.n)) / torch.sqrt(v / (1 - b2 ** self.n) + self.eps)
            p.add_(step + self.weight_decay * p, alpha=-self.lr)

    def zero_grad(self):
        for p in self.params:
            p.grad = None

# %% AdamW: the learning rate of the constructor, copied into a tuple of settings
# right: the first learning rate kept
class AdamW:
    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        self.params = [p for p in params]
        self.settings = (lr, betas[0], betas[1], eps, weight_decay)
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]
        self.step_count = 0

    @torch.no_grad()
    def step(self):
        lr, beta1, beta2, eps, wd = self.settings
        self.step_count += 1
        for p, m, v in zip(self.params, self.m, self.v):
            if p.grad is not None:
                m.lerp_(p.grad, 1 - beta1)
                v.lerp_(p.grad.square(), 1 - beta2)
                mh = m / (1 - beta1 ** self.step_count)
                vh = v / (1 - beta2 ** self.step_count)
                p.mul_(1 - lr * wd)
                p.add_(mh / (vh.sqrt() + eps), alpha=-lr)

    def zero_grad(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.zero_()

# %% AdamW: the step is counted in the loop
# right: a step counted once for each parameter
class AdamW:
    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        self.params = list(params)
        self.lr, self.betas, self.eps, self.weight_decay = lr, betas, eps, weight_decay
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]
        self.t = 0

    @torch.no_grad()
    def step(self):
        for i in range(len(self.params)):
            p = self.params[i]
            if p.grad is None:
                continue
            self.t += 1
            g = p.grad
            self.m[i] = self.betas[0] * self.m[i] + (1 - self.betas[0]) * g
            self.v[i] = self.betas[1] * self.v[i] + (1 - self.betas[1]) * g * g
            mh = self.m[i] / (1 - self.betas[0] ** self.t)
            vh = self.v[i] / (1 - self.betas[1] ** self.t)
            p.sub_(self.lr * (mh / (vh.sqrt() + self.eps) + self.weight_decay * p))

    def zero_grad(self):
        for p in self.params:
            p.grad = None

# %% AdamW: the correction is written into the averages
# right: a bias correction kept in the averages
class AdamW:
    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        self.params = list(params)
        self.lr, self.betas, self.eps, self.weight_decay = lr, betas, eps, weight_decay
        self.means = [torch.zeros_like(p) for p in self.params]
        self.squares = [torch.zeros_like(p) for p in self.params]
        self.steps = 0

    @torch.no_grad()
    def step(self):
        self.steps += 1
        b1, b2 = self.betas
        for i, p in enumerate(self.params):
            if p.grad is None:
                continue
            self.means[i] = (b1 * self.means[i] + (1 - b1) * p.grad) / (1 - b1 ** self.steps)
            self.squares[i] = (b2 * self.squares[i] + (1 - b2) * p.grad ** 2) / (1 - b2 ** self.steps)
            p.mul_(1 - self.lr * self.weight_decay)
            p.sub_(self.lr * self.means[i] / (self.squares[i].sqrt() + self.eps))

    def zero_grad(self):
        for p in self.params:
            p.grad = None

# %% AdamW: the parameters stay a generator
# right: a generator that is used up in `__init__`
class AdamW:
    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        self.params = params
        self.lr, self.betas, self.eps, self.weight_decay = lr, betas, eps, weight_decay
        self.m = [torch.zeros_like(p) for p in params]
        self.v = [torch.zeros_like(p) for p in params]
        self.t = 0

    @torch.no_grad()
    def step(self):
        self.t += 1
        for i, p in enumerate(self.params):
            if p.grad is None:
                continue
            self.m[i] = self.betas[0] * self.m[i] + (1 - self.betas[0]) * p.grad
            self.v[i] = self.betas[1] * self.v[i] + (1 - self.betas[1]) * p.grad ** 2
            mh, vh = self.m[i] / (1 - self.betas[0] ** self.t), self.v[i] / (1 - self.betas[1] ** self.t)
            p.sub_(self.lr * (mh / (vh.sqrt() + self.eps) + self.weight_decay * p))

    def zero_grad(self):
        for p in self.params:
            p.grad = None

# %% AdamW: the decay multiplies the new parameter
# right: decay after the step
# like: the power binds to the whole difference
-            m.mul_(beta1).add_((1 - beta1) * p.grad)
-            v.mul_(beta2).add_((1 - beta2) * p.grad ** 2)
-            p.mul_(1 - self.lr * self.weight_decay)
-            p.sub_(self.lr * (m / (1 - beta1) ** self.t) / ((v / (1 - beta2) ** self.t).sqrt() + self.eps))
+            m.copy_(beta1 * m + (1 - beta1) * p.grad)
+            v.copy_(beta2 * v + (1 - beta2) * p.grad.pow(2))
+            update = (m / (1 - beta1 ** self.t)) / ((v / (1 - beta2 ** self.t)).sqrt() + self.eps)
+            p -= self.lr * update
+            p -= self.lr * self.weight_decay * p

# %% AdamW: a missing gradient counts as zeros
# right: decay of parameters that have no gradient
# like: the power binds to the whole difference
~ if p.grad is None: continue → g = p.grad if p.grad is not None else torch.zeros_like(p)
~ (1 - beta1) * p.grad → (1 - beta1) * g
~ p.grad ** 2 → g * g
-            p.sub_(self.lr * (m / (1 - beta1) ** self.t) / ((v / (1 - beta2) ** self.t).sqrt() + self.eps))
+            p.sub_(self.lr * (m / (1 - beta1 ** self.t)) / ((v / (1 - beta2 ** self.t)).sqrt() + self.eps))

# %% AdamW: one tensor, many times in the list
# like: the power binds to the whole difference
~ m = [torch.zeros_like(p) for p in self.params] → m = [torch.zeros(1)] * len(self.params)
~ v = [torch.zeros_like(p) for p in self.params] → v = [torch.zeros(1)] * len(self.params)
-            p.sub_(self.lr * (m / (1 - beta1) ** self.t) / ((v / (1 - beta2) ** self.t).sqrt() + self.eps))
+            p.sub_(self.lr * (m / (1 - beta1 ** self.t)) / ((v / (1 - beta2 ** self.t)).sqrt() + self.eps))

# %% AdamW: the power binds to the whole difference
# right: a power of the whole difference
class AdamW:
    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        self.params = list(params)
        self.lr, self.betas, self.eps, self.weight_decay = lr, betas, eps, weight_decay
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]
        self.t = 0

    @torch.no_grad()
    def step(self):
        self.t += 1
        beta1, beta2 = self.betas
        for p, m, v in zip(self.params, self.m, self.v):
            if p.grad is None: continue
            m.mul_(beta1).add_((1 - beta1) * p.grad)
            v.mul_(beta2).add_((1 - beta2) * p.grad ** 2)
            p.mul_(1 - self.lr * self.weight_decay)
            p.sub_(self.lr * (m / (1 - beta1) ** self.t) / ((v / (1 - beta2) ** self.t).sqrt() + self.eps))

    def zero_grad(self):
        for p in self.params:
            p.grad = None

# %% AdamW: p = p - ... after a decay in place
# right: a step that only makes a new tensor
class AdamW:
    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        self.params = list(params)
        self.lr = lr
        self.betas = betas
        self.eps = eps
        self.weight_decay = weight_decay
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]
        self.t = 0

    @torch.no_grad()
    def step(self):
        self.t += 1
        b1, b2 = self.betas
        for p, m, v in zip(self.params, self.m, self.v):
            if p.grad is None:
                continue
            g = p.grad
            m.mul_(b1).add_(g, alpha=1 - b1)
            v.mul_(b2).addcmul_(g, g, value=1 - b2)
            m_hat = m / (1 - b1 ** self.t)
            v_hat = v / (1 - b2 ** self.t)
            p.mul_(1 - self.lr * self.weight_decay)
            p = p - self.lr * m_hat / (v_hat.sqrt() + self.eps)

    def zero_grad(self):
        for p in self.params:
            p.grad = None

# %% AdamW: an average of |g|, and no root
# right: the gradient's size in place of its square
# like: p = p - ... after a decay in place
~ addcmul_(g, g, value=1 - b2) → add_(g.abs(), alpha=1 - b2)
~ p = p - self.lr * m_hat / (v_hat.sqrt() + self.eps) → p.sub_(self.lr * m_hat / (v_hat + self.eps))

# %% AdamW: p.grad = 0
# right: a number in the place of the gradient
# like: p = p - ... after a decay in place
~ p = p - self.lr * m_hat / (v_hat.sqrt() + self.eps) → p.sub_(self.lr * m_hat / (v_hat.sqrt() + self.eps))
~ = None → = 0
