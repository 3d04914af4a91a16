"""Wrong answers to chapter 9's `train`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, in one piece
def train(model, data, args):
    model.train()
    generator = torch.Generator().manual_seed(args.seed)
    optimisers = optimisers_for(model, args)
    peaks = [optimiser.lr for optimiser in optimisers]
    start, history = resume(args, model, optimisers, generator)
    for step in range(start, args.steps):
        for i, opt in enumerate(optimisers):
            opt.lr = cosine_lr(step, args.warmup, args.steps, peaks[i], peaks[i] * args.lr_end)
        batch = next_batch(model, data, args, generator)
        loss = lm_loss(model, batch)
        for opt in optimisers:
            opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        for opt in optimisers:
            opt.step()
        if (step + 1) % args.eval_every == 0 or step + 1 == args.steps:
            info = {"step": step + 1, "loss": loss.item()}
            if args.held_out is not None:
                model.eval()
                rng = torch.Generator().manual_seed(args.seed)
                total = 0.0
                with torch.no_grad():
                    for _ in range(args.eval_batches):
                        x = get_batch(args.held_out, model.cfg.n_ctx, args.batch_size, rng)
                        total += lm_loss(model, x).item()
                model.train()
                info["held_out"] = total / args.eval_batches
            history.append(info)
            if args.report:
                args.report(info)
        if (step + 1) % args.checkpoint_every == 0:
            save_checkpoint(args, step + 1, model, optimisers, generator, history)
    return history

# %% base: right, with `estimate`
def train(model, data, args):
    model.train()
    generator = torch.Generator().manual_seed(args.seed)
    optimisers = optimisers_for(model, args)
    peaks = [optimiser.lr for optimiser in optimisers]
    start, history = resume(args, model, optimisers, generator)
    for step in range(start, args.steps):
        for opt, peak in zip(optimisers, peaks):
            opt.lr = cosine_lr(step, args.warmup, args.steps, peak, args.lr_end * peak)
        batch = next_batch(model, data, args, generator)
        for opt in optimisers:
            opt.zero_grad()
        loss = lm_loss(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        for opt in optimisers:
            opt.step()
        done = step + 1
        if done % args.eval_every == 0 or done == args.steps:
            entry = {"step": done, "loss": loss.item()}
            if args.held_out is not None:
                entry["held_out"] = estimate(model, args)
            history.append(entry)
            if args.report is not None:
                args.report(entry)
        if done % args.checkpoint_every == 0:
            save_checkpoint(args, done, model, optimisers, generator, history)
    return history


@torch.no_grad()
def estimate(model, args):
    model.eval()
    gen = torch.Generator().manual_seed(args.seed)
    losses = []
    for _ in range(args.eval_batches):
        b = get_batch(args.held_out, model.cfg.n_ctx, args.batch_size, gen)
        losses.append(lm_loss(model, b).item())
    model.train()
    return sum(losses) / len(losses)

# %% train: zero_grad forgotten
# right: gradients that add up over the steps
# like: right, in one piece
-        for opt in optimisers:
-            opt.zero_grad()

# %% train: zero_grad between backward and step
# right: steps without a gradient
# like: right, in one piece
         loss = lm_loss(model, batch)
+        loss.backward()
...
-        loss.backward()

# %% train: clipped when it is too late
# right: steps along a gradient that is not clipped
# like: right, in one piece
-        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
         for opt in optimisers:
             opt.step()
+        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)

# %% train: each parameter is clipped on its own
# right: clipping each parameter alone
# like: right, in one piece
-        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
+        for p in model.parameters():
+            torch.nn.utils.clip_grad_norm_(p, args.clip)

# %% train: the schedule counts from 1
# right: the learning rate of the step after
# like: right, in one piece
~ step, args → step + 1, args

# %% train: the schedule at the end of the loop's body
# right: the learning rate set after the step
# like: right, in one piece
-        for i, opt in enumerate(optimisers):
-            opt.lr = cosine_lr(step, args.warmup, args.steps, peaks[i], peaks[i] * args.lr_end)
...
             opt.step()
+        for i, opt in enumerate(optimisers):
+            opt.lr = cosine_lr(step, args.warmup, args.steps, peaks[i], peaks[i] * args.lr_end)

# %% train: never back to training mode
# right: eval mode for the rest of the run
# like: right, in one piece
-                model.train()

# %% train: no eval mode
# right: estimating in training mode
# like: right, in one piece
-                model.eval()

# %% train: the run's generator draws the held-out batches
# right: held-out windows drawn by the run's generator
# like: right, in one piece
-                rng = torch.Generator().manual_seed(args.seed)
~ , rng → , generator

# %% train: the held-out loss is of the training data
# right: the held-out loss of the training text
# like: right, in one piece
~ args.held_out, model → data, model

# %% train: the last step has no entry
# right: no entry after the last step
# like: right, in one piece
~ 0 or step + 1 == args.steps → 0

# %% train: starts at 0 after a resume
# right: all steps again after the checkpoint
# like: right, in one piece
~ start, args → args

# %% train: the checkpoint has the index of the step
# right: a checkpoint that counts a step too few
# like: right, in one piece
~ , step + 1 → , step

# %% train: the history keeps the tensor
# right: losses as tensors
# like: right, in one piece
~ loss.item() → loss

# %% train: the sum over the batches
# right: the estimates added up
# like: right, in one piece
~ total / args.eval_batches → total

# %% train: step % eval_every
# right: entries by the number of the step, from 0
# like: right, with `estimate`
~ done % args.eval_every → step % args.eval_every

# %% train: saved before the entry is in
# right: a checkpoint without its own step's entry
# like: right, with `estimate`
         done = step + 1
+        if done % args.checkpoint_every == 0:
+            save_checkpoint(args, done, model, optimisers, generator, history)
...
-        if done % args.checkpoint_every == 0:
-            save_checkpoint(args, done, model, optimisers, generator, history)

# %% train: if args.held_out
# right: asking whether a text is true
# like: right, with `estimate`
~ held_out is not None → held_out

# %% train: get_batch, and args.draw is not asked
# right: `get_batch` in the place of `next_batch`
# like: right, with `estimate`
~ next_batch(model, data, args, generator) → get_batch(data, model.cfg.n_ctx, args.batch_size, generator)

# %% train: steps less the warm-up
# right: a schedule that ends before the run does
# like: right, with `estimate`
~ steps, peak → steps - args.warmup, peak

# %% train: the loss of a new batch
# right: the loss of one more batch
# like: right, with `estimate`
~ : loss → : lm_loss(model, next_batch(model, data, args, generator))

# %% train: asked again after the step, with a graph
# right: the loss after the step
# like: right, with `estimate`
~ : loss → : lm_loss(model, batch)

# %% train: torch.manual_seed in the estimate
# right: an estimate that seeds torch
# like: right, with `estimate`
~ gen = torch.Generator().manual_seed → gen = torch.manual_seed

# %% train: args.report without asking
# right: reporting where nobody listens
# like: right, with `estimate`
-            if args.report is not None:
-                args.report(entry)
+            args.report(entry)

# %% train: return one level too deep
# right: a `return` in the loop
# like: right, with `estimate`
-    return history
+        return history

# %% train: reported before held_out
# right: an entry reported before it is whole
# like: right, with `estimate`
             entry = {"step": done, "loss": loss.item()}
+            if args.report is not None:
+                args.report(entry)
...
-            if args.report is not None:
-                args.report(entry)

# %% train: the generator made in the loop
# right: one held-out batch, again and again
# like: right, with `estimate`
-    gen = torch.Generator().manual_seed(args.seed)
     losses = []
     for _ in range(args.eval_batches):
+        gen = torch.Generator().manual_seed(args.seed)

# %% train: optimisers[0] for the rate and for zero_grad
# right: a learning rate for the first optimiser alone
# like: right, with `estimate`
-        for opt, peak in zip(optimisers, peaks):
-            opt.lr = cosine_lr(step, args.warmup, args.steps, peak, args.lr_end * peak)
+        optimisers[0].lr = cosine_lr(step, args.warmup, args.steps, peaks[0], args.lr_end * peaks[0])
         batch = next_batch(model, data, args, generator)
-        for opt in optimisers:
-            opt.zero_grad()
+        optimisers[0].zero_grad()
