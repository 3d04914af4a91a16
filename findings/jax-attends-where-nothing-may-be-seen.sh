#!/usr/bin/env bash
# A query that may see no key gets the mean of all values from jax.nn.dot_product_attention, those values included that
# the mask hides; torch's scaled_dot_product_attention gives it zeros for the same mask. JAX puts the smallest finite
# number in the place of masked scores, and a softmax of equal scores is even.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/attending.py" <<'END'
import jax
import jax.numpy as jnp
import torch

print(f"jax {jax.__version__}, torch {torch.__version__}")
values = [[1.0, 10.0], [3.0, 30.0]]  # of two keys
sees = [[True, False], [False, False]]  # by two queries, of which the second sees nothing
zeros = jnp.zeros((1, 2, 1, 2))  # batch, position, head, d_head
of_jax = jax.nn.dot_product_attention(zeros, zeros, jnp.array(values)[None, :, None], mask=jnp.array(sees)[None, None])
of_jax = of_jax[0, :, 0].tolist()
zeros = torch.zeros(1, 1, 2, 2)  # batch, head, position, d_head
of_torch = torch.nn.functional.scaled_dot_product_attention(
    zeros, zeros, torch.tensor(values)[None, None], attn_mask=torch.tensor(sees)
)[0, 0].tolist()
print(f"values {values}")
print(f"the query that sees the first key gets {of_jax[0]} from jax, {of_torch[0]} from torch")
print(f"the query that sees none gets          {of_jax[1]} from jax, {of_torch[1]} from torch")
raise SystemExit((of_jax, of_torch) != ([[1.0, 10.0], [2.0, 20.0]], [[1.0, 10.0], [0.0, 0.0]]))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy jax==0.10.2
if ! "$folder/venv/bin/python" "$folder/attending.py"; then
  echo "This has changed." >&2
  exit 1
fi
