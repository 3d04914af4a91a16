#!/usr/bin/env bash
# Dask takes a function for pure unless it is told otherwise, and gives a call the name of the function and its arguments.
# `client.submit(random.random)` three times is one call, whose number comes three times, and `client.map` over equal
# arguments draws once too: ten repetitions of an experiment agree to the last digit. `pure=False` is the way out.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/draws.py" <<'END'
import random

import distributed


def draw(n):
    return random.random()


if __name__ == "__main__":
    print(f"distributed {distributed.__version__}")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        submitted = client.gather([client.submit(random.random) for _ in range(3)])
        mapped = client.gather(client.map(draw, [1, 1, 1]))
        impure = client.gather(client.map(draw, [1, 1, 1], pure=False))
    for name, drawn in (("submit", submitted), ("map", mapped), ("map, pure=False", impure)):
        print(f"{name:16} {[round(one, 4) for one in drawn]}: {len(set(drawn))} different")
    raise SystemExit([len(set(drawn)) for drawn in (submitted, mapped, impure)] != [1, 1, 3])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet distributed==2026.8.0
if ! "$folder/venv/bin/python" "$folder/draws.py"; then
  echo "This has changed." >&2
  exit 1
fi
