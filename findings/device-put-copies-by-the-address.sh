#!/usr/bin/env bash
# jax.device_put says that it returns a copy. On the CPU it returns the memory of the NumPy array wherever that begins
# at a multiple of 64 bytes, and a copy elsewhere; `may_alias=False` changes nothing. NumPy's own arrays begin at
# multiples of 16, so about one in four is shared: a loader that fills one buffer again and again then changes the
# batches that it handed over before, in JAX arrays, which nothing should change. jnp.array and jnp.asarray copy, if one
# waits until they are ready before one writes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/putting.py" <<'END'
import jax
import jax.numpy as jnp
import numpy as np

room = np.zeros(256, dtype=np.uint8)
aligned = -room.ctypes.data % 64


def after_a_write(put, offset):
    """What a JAX array holds once the NumPy array of zeros that it was made of has had a 5 written."""
    source = room[aligned + offset :][:64].view(np.float32)
    source[:] = 0
    made = jax.block_until_ready(put(source))
    source[0] = 5
    return made[0].item()


ways = {
    "device_put(x)": jax.device_put,
    "device_put(x, may_alias=False)": lambda x: jax.device_put(x, may_alias=False),
    "jnp.array(x)": jnp.array,
    "jnp.asarray(x)": jnp.asarray,
}
print(f"jax {jax.__version__}, numpy {np.__version__}, on the {jax.default_backend()}")
found = []
for name, put in ways.items():
    held = [after_a_write(put, offset) for offset in (0, 16, 32, 48)]
    print(f"{name}: after a 5 was written in x, at 0, 16, 32 and 48 bytes past a multiple of 64: {held}")
    found.append(held)
raise SystemExit(found != [[5, 0, 0, 0], [5, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet jax==0.10.2 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/putting.py"; then
  echo "This has changed." >&2
  exit 1
fi
