#!/usr/bin/env bash
# `jnp.asarray` of a NumPy array, like `jnp.array`, has XLA compile a program for each new shape, though there is nothing
# to compute. `jax.device_put` gives the same array and compiles nothing. Where arrays of many sizes come in, as texts of
# different lengths do, the line that only converts may take longer than the work that follows it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/arrays.py" <<'END'
import jax
import jax.numpy as jnp
import numpy as np

print(f"jax {jax.__version__}, NumPy {np.__version__}")
compiled = []


def heard(event, duration, **more):
    if event == "/jax/core/compile/backend_compile_duration":
        compiled.append(event)


jax.monitoring.register_event_duration_secs_listener(heard)


def programs(convert, first):
    """How many are compiled while arrays of twenty sizes are converted, from this size on."""
    compiled.clear()
    for size in range(first, first + 20):
        made = convert(np.arange(size, dtype=np.float32))
        assert isinstance(made, jax.Array) and made.tolist() == list(range(size)) and made.dtype == jnp.float32
    return len(compiled)


found = {
    "jnp.asarray": programs(jnp.asarray, 100),
    "jnp.asarray, the same sizes again": programs(jnp.asarray, 100),
    "jnp.array": programs(jnp.array, 200),
    "jax.device_put": programs(jax.device_put, 300),
}
for name, count in found.items():
    print(f"{name}: {count} programs compiled for 20 sizes")
raise SystemExit(list(found.values()) != [20, 0, 20, 0])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet jax==0.10.2 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/arrays.py"; then
  echo "This has changed." >&2
  exit 1
fi
