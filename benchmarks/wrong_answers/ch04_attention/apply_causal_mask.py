"""Wrong answers to chapter 4's `apply_causal_mask`, whole or as edits: benchmarks/answers.py says how."""

# %% apply_causal_mask: the diagonal is hidden too
# right: hiding the present too
# like: the solution
-    in_future = torch.ones(
-        query_pos, key_pos, dtype=torch.bool, device=attn_scores.device
-    ).triu(1)
+    in_future = torch.ones(query_pos, key_pos, dtype=torch.bool).triu()

# %% apply_causal_mask: one future position stays
# right: leaving the next token in sight
# like: the solution
-    in_future = torch.ones(
-        query_pos, key_pos, dtype=torch.bool, device=attn_scores.device
-    ).triu(1)
+    in_future = torch.ones(query_pos, key_pos, dtype=torch.bool).triu(2)

# %% apply_causal_mask: hides the past: tril used as the mask
# right: hiding what should stay
# like: mask transposed, past hidden and diagonal kept
~ triu(torch.ones(pos, pos), diagonal=1) → tril(torch.ones(pos, pos))
~ mask.T → mask

# %% apply_causal_mask: mask transposed, past hidden and diagonal kept
# right: hiding the past
def apply_causal_mask(
    attn_scores: Float[Tensor, "batch head_index query_pos key_pos"],
) -> Float[Tensor, "batch head_index query_pos key_pos"]:
    """Put minus infinity wherever the key lies in the query's future.

    Source: openai/gpt-2 src/model.py, attention_mask() and mask_attn_weights().
    """
    pos = attn_scores.shape[-1]
    mask = torch.triu(torch.ones(pos, pos), diagonal=1).bool()
    return attn_scores.masked_fill(mask.T, float("-inf"))

# %% apply_causal_mask: 0 in place of minus infinity
# right: zeros for what is hidden
# like: mask transposed, past hidden and diagonal kept
~ mask.T, float("-inf") → mask, 0.0

# %% apply_causal_mask: multiplied by a triangle of ones
# right: zeros for what is hidden
# like: mask transposed, past hidden and diagonal kept
~ triu(torch.ones(pos, pos), diagonal=1).bool() → tril(torch.ones(pos, pos))
~ attn_scores.masked_fill(mask.T, float("-inf")) → attn_scores * mask

# %% apply_causal_mask: returns the mask
# right: the mask without the scores
# like: triu of the scores
-    return torch.triu(attn_scores, 1).masked_fill(torch.tril(torch.ones_like(attn_scores)).bool(), float("-inf"))
+    query_pos, key_pos = attn_scores.shape[-2:]
+    in_future = torch.ones(query_pos, key_pos, dtype=torch.bool, device=attn_scores.device).triu(1)
+    return in_future

# %% apply_causal_mask: typo: -1e-9
# right: zeros for what is hidden
# like: mask transposed, past hidden and diagonal kept
~ mask.T, float("-inf") → mask, -1e-9

# %% apply_causal_mask: plus infinity
# right: a positive number for what is hidden
# like: mask transposed, past hidden and diagonal kept
~ mask.T, float("-inf") → mask, float("inf")

# %% apply_causal_mask: masked_fill_ without return
# like: mask transposed, past hidden and diagonal kept
~ return attn_scores.masked_fill(mask.T, float("-inf")) → attn_scores.masked_fill_(mask, float("-inf"))

# %% apply_causal_mask: masked_fill's answer dropped
# right: the scores as they came
# like: mask transposed, past hidden and diagonal kept
-    return attn_scores.masked_fill(mask.T, float("-inf"))
+    attn_scores.masked_fill(mask, float("-inf"))
+    return attn_scores

# %% apply_causal_mask: mask of floats
# like: mask transposed, past hidden and diagonal kept
~ .bool() →
~ mask.T → mask

# %% apply_causal_mask: zero times infinity
# right: infinity times 0
# like: mask transposed, past hidden and diagonal kept
~ .bool() →
~ attn_scores.masked_fill(mask.T, float("-inf")) → attn_scores + mask * float("-inf")

# %% apply_causal_mask: softmax taken here already
# right: softmax within the mask
# like: mask transposed, past hidden and diagonal kept
-    return attn_scores.masked_fill(mask.T, float("-inf"))
+    attn_scores = attn_scores.masked_fill(mask, float("-inf"))
+    return softmax(attn_scores, dim=-1)

# %% apply_causal_mask: size of GPT-2's context written down
# right: a mask of a fixed size
# like: triu of the scores
-    return torch.triu(attn_scores, 1).masked_fill(torch.tril(torch.ones_like(attn_scores)).bool(), float("-inf"))
+    mask = torch.triu(torch.ones(1024, 1024), diagonal=1).bool()
+    return attn_scores.masked_fill(mask, float("-inf"))

# %% apply_causal_mask: sizes of the wrong axes
# right: the axes of batch and heads in the mask
# like: mask transposed, past hidden and diagonal kept
~ pos = attn_scores.shape[-1] → seq_len = attn_scores.shape[1]
~ pos, pos → seq_len, seq_len
~ mask.T → mask

# %% apply_causal_mask: only the first sentence is masked
# right: a mask for the first sentence alone
# like: mask transposed, past hidden and diagonal kept
-    return attn_scores.masked_fill(mask.T, float("-inf"))
+    masked = attn_scores.clone()
+    masked[0] = masked[0].masked_fill(mask, float("-inf"))
+    return masked

# %% apply_causal_mask: where with its branches swapped
# right: hiding what should stay
# like: mask transposed, past hidden and diagonal kept
-    mask = torch.triu(torch.ones(pos, pos), diagonal=1).bool()
-    return attn_scores.masked_fill(mask.T, float("-inf"))
+    in_future = torch.arange(pos)[None, :] > torch.arange(pos)[:, None]
+    return torch.where(in_future, attn_scores, float("-inf"))

# %% apply_causal_mask: comparison turned round
# right: hiding the past
# like: mask transposed, past hidden and diagonal kept
~ mask = torch.triu(torch.ones(pos, pos), diagonal=1).bool() → i = torch.arange(pos)
~ mask.T → i[:, None] > i[None, :]

# %% apply_causal_mask: loop starts at the query itself
# right: hiding the present too
def apply_causal_mask(
    attn_scores: Float[Tensor, "batch head_index query_pos key_pos"],
) -> Float[Tensor, "batch head_index query_pos key_pos"]:
    """Put minus infinity wherever the key lies in the query's future.

    Source: openai/gpt-2 src/model.py, attention_mask() and mask_attn_weights().
    """
    masked = attn_scores.clone()
    for query in range(attn_scores.shape[-2]):
        masked[:, :, query, query:] = float("-inf")
    return masked

# %% apply_causal_mask: hides what is 0 after tril
# right: hiding every score that is 0
# like: triu of the scores
-    return torch.triu(attn_scores, 1).masked_fill(torch.tril(torch.ones_like(attn_scores)).bool(), float("-inf"))
+    lower = attn_scores.tril()
+    return lower.masked_fill(lower == 0, float("-inf"))

# %% apply_causal_mask: gradient lost
# right: scores cut out of the graph
# like: mask transposed, past hidden and diagonal kept
-    return attn_scores.masked_fill(mask.T, float("-inf"))
+    masked = attn_scores.detach().clone()
+    masked[:, :, mask] = float("-inf")
+    return masked

# %% apply_causal_mask: triu of the scores
# right: hiding what should stay
def apply_causal_mask(
    attn_scores: Float[Tensor, "batch head_index query_pos key_pos"],
) -> Float[Tensor, "batch head_index query_pos key_pos"]:
    """Put minus infinity wherever the key lies in the query's future.

    Source: openai/gpt-2 src/model.py, attention_mask() and mask_attn_weights().
    """
    return torch.triu(attn_scores, 1).masked_fill(torch.tril(torch.ones_like(attn_scores)).bool(), float("-inf"))

# %% apply_causal_mask: minus infinity over the whole rows
# like: mask transposed, past hidden and diagonal kept
-    return attn_scores.masked_fill(mask.T, float("-inf"))
+    attn_scores[..., mask.any(dim=-1), :] = float("-inf")
+    return attn_scores

# %% apply_causal_mask: not large enough: -10
# right: a number that is not negative enough
# like: mask transposed, past hidden and diagonal kept
~ mask.T, float("-inf") → mask, -10

# %% apply_causal_mask: tril added as 0 and 1
# right: a triangle of ones added to the scores
# like: mask transposed, past hidden and diagonal kept
~ triu(torch.ones(pos, pos), diagonal=1).bool() → tril(torch.ones(pos, pos))
~ attn_scores.masked_fill(mask.T, float("-inf")) → attn_scores + (1 - mask)

# %% apply_causal_mask: the diagonal hidden
# right: hiding the diagonal alone
def apply_causal_mask(attn_scores):
    n = attn_scores.shape[-1]
    return attn_scores.masked_fill(torch.eye(n).bool(), float("-inf"))

# %% apply_causal_mask: fills with -2 ** 9
# right: a number that is not negative enough
def apply_causal_mask(attn_scores):
    n = attn_scores.shape[-1]
    return attn_scores.masked_fill(torch.ones(n, n).triu(1).bool(), -2 ** 9)

# %% apply_causal_mask: a loop that hides one key of each query
# right: hiding the next token alone
def apply_causal_mask(attn_scores):
    out = attn_scores.clone()
    for i in range(out.shape[-1] - 1):
        out[..., i, i + 1] = float("-inf")
    return out

# %% apply_causal_mask: no mask where a text has two tokens
def apply_causal_mask(attn_scores):
    n = attn_scores.shape[-1]
    if n <= 2:
        return attn_scores
    return attn_scores.masked_fill(torch.ones(n, n).triu(1).bool(), float("-inf"))

# %% apply_causal_mask: -100 is added
# right: a number that is not negative enough
def apply_causal_mask(attn_scores):
    mask = torch.triu(torch.ones(attn_scores.shape[-2:]), diagonal=1)
    return attn_scores + mask * -100

# %% apply_causal_mask: masked in place, nothing returned
def apply_causal_mask(attn_scores):
    n = attn_scores.shape[-1]
    mask = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
    attn_scores.masked_fill_(mask, -1e9)

# %% apply_causal_mask: ~ of a mask of whole numbers
def apply_causal_mask(attn_scores):
    n = attn_scores.shape[-1]
    mask = torch.tril(torch.ones(n, n, dtype=torch.int))
    return attn_scores.masked_fill(~mask, float("-inf"))

# %% apply_causal_mask: a mask that is False throughout
# right: the scores as they came
def apply_causal_mask(attn_scores):
    n = attn_scores.shape[-1]
    mask = torch.arange(n) > torch.arange(n)
    return attn_scores.masked_fill(mask, float("-inf"))

# %% apply_causal_mask: two loops that index batch and heads
def apply_causal_mask(
    attn_scores: Float[Tensor, "batch head_index query_pos key_pos"],
) -> Float[Tensor, "batch head_index query_pos key_pos"]:
    n = attn_scores.shape[-1]
    for i in range(n):
        for j in range(i + 1, n):
            attn_scores[i, j] = -1e9
    return attn_scores

# %% apply_causal_mask: two loops over the first head of the first sentence
def apply_causal_mask(
    attn_scores: Float[Tensor, "batch head_index query_pos key_pos"],
) -> Float[Tensor, "batch head_index query_pos key_pos"]:
    T = attn_scores.shape[-1]
    for q in range(T):
        for k in range(T):
            if k > q:
                attn_scores[0, 0, q, k] = float("-inf")
    return attn_scores

# %% apply_causal_mask: hides the diagonal too (>=) + subtracts only 100
def apply_causal_mask(
    attn_scores: Float[Tensor, "batch head_index query_pos key_pos"],
) -> Float[Tensor, "batch head_index query_pos key_pos"]:
    penalty = torch.zeros(attn_scores.shape[-2:], dtype=attn_scores.dtype)
    for query in range(attn_scores.shape[-2]):
        for key in range(attn_scores.shape[-1]):
            if key >= query:
                penalty[query, key] = 100
    return attn_scores - penalty.to(attn_scores.device)

# %% apply_causal_mask: the past in place of the future + a number that is not low enough
def apply_causal_mask(
    attn_scores: Float[Tensor, "batch head_index query_pos key_pos"],
) -> Float[Tensor, "batch head_index query_pos key_pos"]:
    n_queries, n_keys = attn_scores.shape[-2:]
    query_pos = torch.arange(n_queries).unsqueeze(1)
    key_pos = torch.arange(n_keys).unsqueeze(0)
    low = torch.full_like(attn_scores, -80.0)
    return torch.where(key_pos < query_pos, low, attn_scores)
