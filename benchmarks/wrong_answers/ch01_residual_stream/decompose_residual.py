"""Wrong answers to chapter 1's `decompose_residual`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, typed
def decompose_residual(cache: dict[str, Tensor]) -> tuple[Float[Tensor, "component batch pos d_model"], list[str]]:
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    n_layers = sum(name.endswith("hook_attn_out") for name in cache)
    for layer in range(n_layers):
        parts += [cache[f"blocks.{layer}.hook_attn_out"], cache[f"blocks.{layer}.hook_mlp_out"]]
        names += [f"{layer}_attn_out", f"{layer}_mlp_out"]
    return torch.stack(parts), names

# %% base: right, in short
def decompose_residual(cache):
    n = sum(k.endswith("hook_attn_out") for k in cache)
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    for i in range(n):
        parts += [cache[f"blocks.{i}.hook_attn_out"], cache[f"blocks.{i}.hook_mlp_out"]]
        names += [f"{i}_attn_out", f"{i}_mlp_out"]
    return torch.stack(parts), names

# %% decompose_residual: concatenated along the batch
# right: components joined along an axis that is there already
# like: right, typed
~ stack → cat

# %% decompose_residual: stacked on axis 1
# right: a new axis that is not the first
# like: right, typed
~ (parts) → (parts, dim=1)

# %% decompose_residual: stacked on the last axis
# right: a new axis that is not the first
# like: right, typed
~ (parts) → (parts, dim=-1)

# %% decompose_residual: hook_ is left in the names of the embeddings
# right: hook in the names
# like: right, typed
~ embed", "pos_embed → hook_embed", "hook_pos_embed

# %% decompose_residual: the cache's own names
# right: TransformerLens's hook names
# like: right, typed
~ embed", "pos_embed → hook_embed", "hook_pos_embed
~ {layer}_attn_out", f"{layer}_mlp_out → blocks.{layer}.hook_attn_out", f"blocks.{layer}.hook_mlp_out

# %% decompose_residual: the layer's number comes last
# right: the block's number after its kind
# like: right, typed
~ {layer}_attn_out", f"{layer}_mlp_out → attn_out_{layer}", f"mlp_out_{layer}

# %% decompose_residual: short names
# right: names that end before `_out`
# like: right, typed
~ _attn_out", f"{layer}_mlp_out → _attn", f"{layer}_mlp

# %% decompose_residual: the f is missing before a name
# right: braces that stand in the names as they are
# like: right, typed
~ f"{layer}_attn_out", f"{layer}_mlp_out" → "{layer}_attn_out", "{layer}_mlp_out"

# %% decompose_residual: names count from 1
# right: blocks counted from 1
# like: right, typed
~ {layer}_attn_out", f"{layer} → {layer + 1}_attn_out", f"{layer + 1}

# %% decompose_residual: the MLP before attention
# right: attention and MLP swapped
def decompose_residual(cache: dict[str, Tensor]) -> tuple[Float[Tensor, "component batch pos d_model"], list[str]]:
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    n_layers = sum(name.endswith("hook_attn_out") for name in cache)
    for layer in range(n_layers):
        parts += [cache[f"blocks.{layer}.hook_mlp_out"], cache[f"blocks.{layer}.hook_attn_out"]]
        names += [f"{layer}_mlp_out", f"{layer}_attn_out"]
    return torch.stack(parts), names

# %% decompose_residual: names in another order than the parts
# right: attention's writes under the MLP's names, and the other way round
# like: right, typed
~ _attn_out", f"{layer}_mlp_out → _mlp_out", f"{layer}_attn_out

# %% decompose_residual: pos_embed is forgotten
# right: leaving `pos_embed` out
# like: right, typed
~ [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"] → [cache["hook_embed"]], ["embed"]

# %% decompose_residual: the two embeddings as one part
# right: token and position as one component
# like: right, typed
-    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
+    parts, names = [cache["hook_embed"] + cache["hook_pos_embed"]], ["embed"]

# %% decompose_residual: pos_embed first
# right: position before token
# like: right, typed
-    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
+    parts, names = [cache["hook_pos_embed"], cache["hook_embed"]], ["pos_embed", "embed"]

# %% decompose_residual: all attentions, then all MLPs
# right: all attention first, then all MLPs
def decompose_residual(cache: dict[str, Tensor]) -> tuple[Float[Tensor, "component batch pos d_model"], list[str]]:
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    n_layers = sum(name.endswith("hook_attn_out") for name in cache)
    for layer in range(n_layers):
        parts.append(cache[f"blocks.{layer}.hook_attn_out"])
        names.append(f"{layer}_attn_out")
    for layer in range(n_layers):
        parts.append(cache[f"blocks.{layer}.hook_mlp_out"])
        names.append(f"{layer}_mlp_out")
    return torch.stack(parts), names

# %% decompose_residual: sorted as text
# right: blocks in the order of their names as text
def decompose_residual(cache: dict[str, Tensor]) -> tuple[Float[Tensor, "component batch pos d_model"], list[str]]:
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    for key in sorted(cache):
        if key.endswith("hook_attn_out") or key.endswith("hook_mlp_out"):
            _, layer, hook = key.split(".")
            parts.append(cache[key])
            names.append(f"{layer}_{hook.removeprefix('hook_')}")
    return torch.stack(parts), names

# %% decompose_residual: six layers are written out
# right: a block that the cache does not have
# like: right, typed
~ sum(name.endswith("hook_attn_out") for name in cache) → 6

# %% decompose_residual: twelve layers, as in GPT-2 small
# right: a block that the cache does not have
# like: right, typed
~ sum(name.endswith("hook_attn_out") for name in cache) → 12

# %% decompose_residual: the last layer is left out
# right: leaving the last block out
# like: right, typed
~ (n_layers) → (n_layers - 1)

# %% decompose_residual: the first layer is left out
# right: leaving block 0 out
# like: right, typed
~ (n_layers) → (1, n_layers)

# %% decompose_residual: the largest layer number is taken for the count
# right: leaving the last block out
# like: right, typed
-    n_layers = sum(name.endswith("hook_attn_out") for name in cache)
+    n_layers = max(int(name.split(".")[1]) for name in cache if name.startswith("blocks."))

# %% decompose_residual: only one digit of the layer is read
# right: the first ten blocks alone
# like: right, typed
-    n_layers = sum(name.endswith("hook_attn_out") for name in cache)
+    n_layers = max(int(name[7]) for name in cache if name.startswith("blocks.")) + 1

# %% decompose_residual: every name with blocks is counted
# right: a block that the cache does not have
# like: right, typed
~ name.endswith("hook_attn_out") → "blocks" in name

# %% decompose_residual: a list of tensors, not stacked
# right: a list of tensors
# like: right, typed
~ torch.stack(parts) → parts

# %% decompose_residual: names first
# right: the names first
# like: right, typed
~ torch.stack(parts), names → names, torch.stack(parts)

# %% decompose_residual: no names
# right: the components without their names
# like: right, typed
~ (parts), names → (parts)

# %% decompose_residual: a dict
# right: a dict
# like: right, typed
~ torch.stack(parts), names → dict(zip(names, parts))

# %% decompose_residual: the stream so far, not what was written
# right: running sums
# like: right, typed
~ (parts) → (parts).cumsum(dim=0)

# %% decompose_residual: the sum of the parts
# right: the sum of the components
# like: right, typed
~ (parts) → (parts).sum(dim=0)

# %% decompose_residual: the last stream is added as a part
# right: the whole stream as one more component
# like: right, typed
         names += [f"{layer}_attn_out", f"{layer}_mlp_out"]
+    parts.append(torch.stack(parts).sum(dim=0))
+    names.append("resid_post")

# %% decompose_residual: parts are taken out of the cache
# right: taking entries out of the cache
# like: right, typed
~ ["hook_embed"], cache["hook_pos_embed"] → .pop("hook_embed"), cache.pop("hook_pos_embed")

# %% decompose_residual: the embedding in the cache is changed
def decompose_residual(cache: dict[str, Tensor]) -> tuple[Float[Tensor, "component batch pos d_model"], list[str]]:
    total = cache["hook_embed"]
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    n_layers = sum(name.endswith("hook_attn_out") for name in cache)
    for layer in range(n_layers):
        parts += [cache[f"blocks.{layer}.hook_attn_out"], cache[f"blocks.{layer}.hook_mlp_out"]]
        names += [f"{layer}_attn_out", f"{layer}_mlp_out"]
    for part in parts[1:]:
        total += part
    return torch.stack(parts), names

# %% decompose_residual: the mean over the batch
# like: right, typed
~ (parts) → (parts).mean(dim=1)

# %% decompose_residual: names in one string
# right: names that are not a list
# like: right, typed
~ (parts), names → (parts), ", ".join(names)

# %% decompose_residual: only the first text of the batch
# right: one sentence of the batch
# like: right, typed
~ (parts) → (parts)[:, 0]

# %% decompose_residual: names right, tensors of mlp and attn swapped
# right: attention's writes under the MLP's names, and the other way round
# like: right, in short
-        parts += [cache[f"blocks.{i}.hook_attn_out"], cache[f"blocks.{i}.hook_mlp_out"]]
+        parts += [cache[f"blocks.{i}.hook_mlp_out"], cache[f"blocks.{i}.hook_attn_out"]]

# %% decompose_residual: counts attention's scores as blocks
# right: a block that the cache does not have
# like: right, in short
~ k.endswith("hook_attn_out") → "hook_attn" in k

# %% decompose_residual: resid_mid and resid_post in place of the writes
# right: the stream itself in place of what was written
# like: right, in short
-        parts += [cache[f"blocks.{i}.hook_attn_out"], cache[f"blocks.{i}.hook_mlp_out"]]
+        parts += [cache[f"blocks.{i}.hook_resid_mid"], cache[f"blocks.{i}.hook_resid_post"]]

# %% decompose_residual: the last stream as one more part
# right: the whole stream as one more component
# like: right, in short
         names += [f"{i}_attn_out", f"{i}_mlp_out"]
+    parts.append(cache[f"blocks.{n - 1}.hook_resid_post"])
+    names.append("resid_post")

# %% decompose_residual: the names joined to one text
# right: names that are not a list
# like: right, in short
~ (parts), names → (parts), " ".join(names)

# %% decompose_residual: one name for each block
# right: a single name for both writes of a block
# like: right, in short
~ _attn_out", f"{i}_mlp_out →

# %% decompose_residual: attn.hook_out and mlp.hook_out
# right: a name that the cache does not have
# like: right, in short
-        parts += [cache[f"blocks.{i}.hook_attn_out"], cache[f"blocks.{i}.hook_mlp_out"]]
+        parts += [cache[f"blocks.{i}.attn.hook_out"], cache[f"blocks.{i}.mlp.hook_out"]]

# %% decompose_residual: all hook names that end in _out
# right: everything whose name ends in `_out`
def decompose_residual(cache):
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    for k in cache:
        if k.endswith("_out"):
            parts.append(cache[k])
            names.append(k.split(".")[1] + "_" + k.split("hook_")[1])
    return torch.stack(parts), names

# %% decompose_residual: each block's attn and mlp added together
# right: one component for each block
def decompose_residual(cache):
    n = sum(k.endswith("hook_attn_out") for k in cache)
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    for i in range(n):
        parts.append(cache[f"blocks.{i}.hook_attn_out"] + cache[f"blocks.{i}.hook_mlp_out"])
        names.append(f"{i}_out")
    return torch.stack(parts), names

# %% decompose_residual: embed replaced by resid_pre of block 0
# right: both embeddings added in the place of the token's vector
# like: right, in short
~ hook_embed → blocks.0.hook_resid_pre

# %% decompose_residual: only resid_pre as first, no embeddings
# right: token and position as one component
# like: right, in short
-    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
+    parts, names = [cache["blocks.0.hook_resid_pre"]], ["resid_pre"]

# %% decompose_residual: post minus pre for the MLP
# right: attention and MLP together under the MLP's name
def decompose_residual(cache):
    n = sum(k.endswith("hook_attn_out") for k in cache)
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    for i in range(n):
        parts += [cache[f"blocks.{i}.hook_resid_mid"] - cache[f"blocks.{i}.hook_resid_pre"]]
        names += [f"{i}_attn_out"]
        parts += [cache[f"blocks.{i}.hook_resid_post"] - cache[f"blocks.{i}.hook_resid_pre"]]
        names += [f"{i}_mlp_out"]
    return torch.stack(parts), names

# %% decompose_residual: ln_final as last component
# right: the whole stream as one more component
# like: right, in short
~ (parts), names → (parts + [cache["ln_final.hook_out"]]), names + ["ln_final"]

# %% decompose_residual: names default only
# like: right, in short
~ (cache) → (cache, names=["embed", "pos_embed"])
-    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
+    parts = [cache["hook_embed"], cache["hook_pos_embed"]]

# %% decompose_residual: names zero padded
# like: right, in short
~ {i}_attn_out", f"{i} → {i:02d}_attn_out", f"{i:02d}

# %% decompose_residual: names "0_attention"
# like: right, in short
~ {i}_attn_out → {i}_attention_out

# %% decompose_residual: through the dict in its own order
# right: the order of the dict
def decompose_residual(cache):
    comps, names = [], []
    for key, value in cache.items():
        if key in ("hook_embed", "hook_pos_embed"):
            comps.append(value)
            names.append(key.replace("hook_", ""))
        elif key.endswith("hook_attn_out") or key.endswith("hook_mlp_out"):
            _, layer, hook = key.split(".")
            comps.append(value)
            names.append(layer + "_" + hook.replace("hook_", ""))
    return torch.stack(comps, dim=0), names

# %% decompose_residual: the MLP first, and blocks named from 1
# right: blocks counted from 1
def decompose_residual(cache):
    n_layers = len([name for name in cache if name.endswith("attn_out")])
    parts = [cache["hook_embed"], cache["hook_pos_embed"]]
    names = ["embed", "pos_embed"]
    for layer in range(n_layers):
        parts += [cache[f"blocks.{layer}.hook_mlp_out"], cache[f"blocks.{layer}.hook_attn_out"]]
        names += [f"{layer + 1}_mlp_out", f"{layer + 1}_attn_out"]
    return torch.stack(parts), names
