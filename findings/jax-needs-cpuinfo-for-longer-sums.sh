#!/usr/bin/env bash
# Where /proc is hidden, as in a sandbox, JAX on a CPU adds up short axes and fails with longer ones: jaxlib 0.10 hands
# these to YNNPACK, which reads /proc/cpuinfo and says "unsupported parameter" where it finds nothing. So a softmax over
# 8 numbers passes its tests there, and one over 64 raises JaxRuntimeError; products of matrices of both sizes are right.
# With that one file in an empty /proc all is well. Needs Linux with user namespaces, and util-linux.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/adding.py" <<'END'
import jax

jax.config.update("jax_platforms", "cpu")
for size in (8, 64):
    x = jax.numpy.ones((size, size))
    for name, operation in {"product": lambda: (x @ x)[0, 0], "sum": lambda: x.sum(-1)[0]}.items():
        try:
            print(f"{name} over {size}: {float(operation()):g}")
        except Exception as error:
            print(f"{name} over {size}: {type(error).__name__}: {error}")
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet jax==0.10.2 jaxlib==0.10.2 numpy
"$folder/venv/bin/python" -c 'import jax, jaxlib; print("jax", jax.__version__, "jaxlib", jaxlib.__version__)'
cp /proc/cpuinfo "$folder/cpuinfo"
without='mount -t tmpfs none /proc'
with="$without && cp '$folder/cpuinfo' /proc/cpuinfo"
for hiding in true "$without" "$with"; do
  echo "after: ${hiding//$folder\//}"
  unshare --user --map-root-user --mount --pid --fork sh -c "$hiding && exec '$folder/venv/bin/python' '$folder/adding.py'" |
    tee -a "$folder/said"
done
right() { grep -c "^$1 over $2: $2\$" "$folder/said"; }
failed=$(grep -c '^sum over 64: .*unsupported parameter' "$folder/said" || true)
if [ "$(right product 8) $(right product 64) $(right sum 8) $(right sum 64) $failed" != "3 3 3 2 1" ]; then
  echo "This has changed." >&2
  exit 1
fi
