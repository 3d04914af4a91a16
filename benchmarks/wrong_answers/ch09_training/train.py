"""Wrong answers to chapter 9's `train` as learners write them, one whole cell each, titled with what went wrong.

Under a title, `# right:` names a misconception that is a true cause; benchmarks/diagnosis.py counts any other as misled.
"""
# fmt: off
# ruff: noqa

# %% train: zero_grad forgotten
# right: gradients that add up over the steps
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

# %% train: zero_grad between backward and step
# right: steps without a gradient
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
        loss.backward()
        for opt in optimisers:
            opt.zero_grad()
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

# %% train: clipped when it is too late
# right: steps along a gradient that is not clipped
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
        for opt in optimisers:
            opt.step()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
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

# %% train: each parameter is clipped on its own
# right: clipping each parameter alone
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
        for p in model.parameters():
            torch.nn.utils.clip_grad_norm_(p, args.clip)
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

# %% train: the schedule counts from 1
# right: the learning rate of the step after
def train(model, data, args):
    model.train()
    generator = torch.Generator().manual_seed(args.seed)
    optimisers = optimisers_for(model, args)
    peaks = [optimiser.lr for optimiser in optimisers]
    start, history = resume(args, model, optimisers, generator)
    for step in range(start, args.steps):
        for i, opt in enumerate(optimisers):
            opt.lr = cosine_lr(step + 1, args.warmup, args.steps, peaks[i], peaks[i] * args.lr_end)
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

# %% train: the schedule at the end of the loop's body
# right: the learning rate set after the step
def train(model, data, args):
    model.train()
    generator = torch.Generator().manual_seed(args.seed)
    optimisers = optimisers_for(model, args)
    peaks = [optimiser.lr for optimiser in optimisers]
    start, history = resume(args, model, optimisers, generator)
    for step in range(start, args.steps):
        batch = next_batch(model, data, args, generator)
        loss = lm_loss(model, batch)
        for opt in optimisers:
            opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        for opt in optimisers:
            opt.step()
        for i, opt in enumerate(optimisers):
            opt.lr = cosine_lr(step, args.warmup, args.steps, peaks[i], peaks[i] * args.lr_end)
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

# %% train: never back to training mode
# right: eval mode for the rest of the run
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
                info["held_out"] = total / args.eval_batches
            history.append(info)
            if args.report:
                args.report(info)
        if (step + 1) % args.checkpoint_every == 0:
            save_checkpoint(args, step + 1, model, optimisers, generator, history)
    return history

# %% train: no eval mode
# right: estimating in training mode
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

# %% train: the run's generator draws the held-out batches
# right: held-out windows drawn by the run's generator
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
                total = 0.0
                with torch.no_grad():
                    for _ in range(args.eval_batches):
                        x = get_batch(args.held_out, model.cfg.n_ctx, args.batch_size, generator)
                        total += lm_loss(model, x).item()
                model.train()
                info["held_out"] = total / args.eval_batches
            history.append(info)
            if args.report:
                args.report(info)
        if (step + 1) % args.checkpoint_every == 0:
            save_checkpoint(args, step + 1, model, optimisers, generator, history)
    return history

# %% train: the held-out loss is of the training data
# right: the held-out loss of the training text
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
                        x = get_batch(data, model.cfg.n_ctx, args.batch_size, rng)
                        total += lm_loss(model, x).item()
                model.train()
                info["held_out"] = total / args.eval_batches
            history.append(info)
            if args.report:
                args.report(info)
        if (step + 1) % args.checkpoint_every == 0:
            save_checkpoint(args, step + 1, model, optimisers, generator, history)
    return history

# %% train: the last step has no entry
# right: no entry after the last step
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
        if (step + 1) % args.eval_every == 0:
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

# %% train: starts at 0 after a resume
# right: all steps again after the checkpoint
def train(model, data, args):
    model.train()
    generator = torch.Generator().manual_seed(args.seed)
    optimisers = optimisers_for(model, args)
    peaks = [optimiser.lr for optimiser in optimisers]
    start, history = resume(args, model, optimisers, generator)
    for step in range(args.steps):
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

# %% train: the checkpoint has the index of the step
# right: a checkpoint that counts a step too few
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
            save_checkpoint(args, step, model, optimisers, generator, history)
    return history

# %% train: the history keeps the tensor
# right: losses as tensors
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
            info = {"step": step + 1, "loss": loss}
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

# %% train: the sum over the batches
# right: the estimates added up
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
                info["held_out"] = total
            history.append(info)
            if args.report:
                args.report(info)
        if (step + 1) % args.checkpoint_every == 0:
            save_checkpoint(args, step + 1, model, optimisers, generator, history)
    return history

# %% train: step % eval_every
# right: entries by the number of the step, from 0
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
        if step % args.eval_every == 0 or done == args.steps:
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

# %% train: saved before the entry is in
# right: a checkpoint without its own step's entry
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
        if done % args.checkpoint_every == 0:
            save_checkpoint(args, done, model, optimisers, generator, history)
        if done % args.eval_every == 0 or done == args.steps:
            entry = {"step": done, "loss": loss.item()}
            if args.held_out is not None:
                entry["held_out"] = estimate(model, args)
            history.append(entry)
            if args.report is not None:
                args.report(entry)
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

# %% train: if args.held_out
# right: asking whether a text is true
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
            if args.held_out:
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

# %% train: get_batch, and args.draw is not asked
# right: `get_batch` in the place of `next_batch`
def train(model, data, args):
    model.train()
    generator = torch.Generator().manual_seed(args.seed)
    optimisers = optimisers_for(model, args)
    peaks = [optimiser.lr for optimiser in optimisers]
    start, history = resume(args, model, optimisers, generator)
    for step in range(start, args.steps):
        for opt, peak in zip(optimisers, peaks):
            opt.lr = cosine_lr(step, args.warmup, args.steps, peak, args.lr_end * peak)
        batch = get_batch(data, model.cfg.n_ctx, args.batch_size, generator)
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

# %% train: steps less the warm-up
# right: a schedule that ends before the run does
def train(model, data, args):
    model.train()
    generator = torch.Generator().manual_seed(args.seed)
    optimisers = optimisers_for(model, args)
    peaks = [optimiser.lr for optimiser in optimisers]
    start, history = resume(args, model, optimisers, generator)
    for step in range(start, args.steps):
        for opt, peak in zip(optimisers, peaks):
            opt.lr = cosine_lr(step, args.warmup, args.steps - args.warmup, peak, args.lr_end * peak)
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

# %% train: the loss of a new batch
# right: the loss of a batch more
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
            entry = {"step": done, "loss": lm_loss(model, next_batch(model, data, args, generator)).item()}
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

# %% train: asked again after the step, with a graph
# right: the loss after the step
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
            entry = {"step": done, "loss": lm_loss(model, batch).item()}
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

# %% train: torch.manual_seed in the estimate
# right: an estimate that seeds torch
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
    gen = torch.manual_seed(args.seed)
    losses = []
    for _ in range(args.eval_batches):
        b = get_batch(args.held_out, model.cfg.n_ctx, args.batch_size, gen)
        losses.append(lm_loss(model, b).item())
    model.train()
    return sum(losses) / len(losses)

# %% train: args.report without asking
# right: reporting where nobody listens
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

# %% train: return one level too deep
# right: a `return` in the loop
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

# %% train: reported before held_out
# right: an entry reported before it is whole
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
            if args.report is not None:
                args.report(entry)
            if args.held_out is not None:
                entry["held_out"] = estimate(model, args)
            history.append(entry)
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

# %% train: the generator made in the loop
# right: one held-out batch, again and again
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
    losses = []
    for _ in range(args.eval_batches):
        gen = torch.Generator().manual_seed(args.seed)
        b = get_batch(args.held_out, model.cfg.n_ctx, args.batch_size, gen)
        losses.append(lm_loss(model, b).item())
    model.train()
    return sum(losses) / len(losses)

# %% train: optimisers[0] for the rate and for zero_grad
# right: a learning rate for the first optimiser alone
def train(model, data, args):
    model.train()
    generator = torch.Generator().manual_seed(args.seed)
    optimisers = optimisers_for(model, args)
    peaks = [optimiser.lr for optimiser in optimisers]
    start, history = resume(args, model, optimisers, generator)
    for step in range(start, args.steps):
        optimisers[0].lr = cosine_lr(step, args.warmup, args.steps, peaks[0], args.lr_end * peaks[0])
        batch = next_batch(model, data, args, generator)
        optimisers[0].zero_grad()
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
