#!/usr/bin/env bash
# jax.random draws its noise in the type of the probabilities it is given. In bfloat16 that leaves 128 different
# uniform numbers: `categorical` of equal logits takes the first half of 512 tokens nearly nine times in ten (their
# noise ties, and a tie goes to the first), `choice` never draws three quarters of them, and `bernoulli` with p = 0.001
# says yes seven times too often. A model in bfloat16 is sampled from like that unless its logits are made float32
# first, or `categorical` is told mode="high". torch's `multinomial` and `bernoulli` have no such bias on a CPU.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/draws.py" <<'END'
import jax
import jax.numpy as jnp
import numpy as np
import torch

TOKENS, DRAWS = 512, 20_000
key = jax.random.key(0)


def by_categorical(kind, **how):
    return np.asarray(jax.random.categorical(key, jnp.zeros((DRAWS, TOKENS), kind), **how))


def by_torch(kind):
    torch.manual_seed(0)
    return torch.full((DRAWS, TOKENS), 1 / TOKENS, dtype=kind).multinomial(1).flatten().numpy()


print(f"jax {jax.__version__}, torch {torch.__version__}")
first_half = {
    "jax, float32": by_categorical(jnp.float32),
    "jax, float16": by_categorical(jnp.float16),
    "jax, bfloat16": by_categorical(jnp.bfloat16),
    'jax, bfloat16, mode="high"': by_categorical(jnp.bfloat16, mode="high"),
    "torch, bfloat16": by_torch(torch.bfloat16),
}
shares = {name: float((drawn < TOKENS // 2).mean()) for name, drawn in first_half.items()}
for name, share in shares.items():
    print(f"of {TOKENS} equally likely tokens the first half is drawn {share:.1%} of the time: {name}")
reached = {}
for kind in (jnp.float32, jnp.bfloat16):
    drawn = jax.random.choice(key, TOKENS, (DRAWS,), p=jnp.full((TOKENS,), 1 / TOKENS, kind))
    reached[kind] = len(np.unique(np.asarray(drawn)))
    print(f"choice reaches {reached[kind]} of {TOKENS} in {DRAWS} draws: {kind.__name__}")
often = {}
for kind in (jnp.float32, jnp.bfloat16):
    often[kind] = float(jax.random.bernoulli(key, jnp.asarray(0.001, kind), (1_000_000,)).mean())
    print(f"bernoulli with p = 0.001 is true in {often[kind]:.2%}: {kind.__name__}")
biased = shares["jax, bfloat16"] > 0.85 and 0.55 < shares["jax, float16"] < 0.6
fair = all(abs(shares[name] - 0.5) < 0.02 for name in shares if name not in ("jax, bfloat16", "jax, float16"))
narrow = reached == {jnp.float32: TOKENS, jnp.bfloat16: 128}
raised = often[jnp.bfloat16] > 0.007 and often[jnp.float32] < 0.0012
raise SystemExit(not (biased and fair and narrow and raised))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6 torch==2.13.0
if ! "$folder/venv/bin/python" "$folder/draws.py"; then
  echo "This has changed." >&2
  exit 1
fi
