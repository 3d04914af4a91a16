#!/usr/bin/env bash
# ipywidgets' `interact` makes a slider of a number: from minus the number to three times it, in steps of 0.1 if it has a
# fraction. A learning rate of 0.001 gets a slider from -0.001 to 0.003 whose step is 25 times its whole length, so that
# it has no second place to go to; and the range begins below 0, where a rate or a temperature makes no sense.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/sliders.py" <<'END'
import ipywidgets

print(f"ipywidgets {ipywidgets.__version__}")
found = {}
for number in (3, 0.5, 0.001):
    slider = ipywidgets.interactive(lambda x: None, x=number).children[0]
    found[number] = slider.min, slider.max, slider.step
    print("x={}: a slider from {} to {} in steps of {}".format(number, *found[number]))
low, high, step = found[0.001]
raise SystemExit(found[3] != (-3, 9, 1) or not (low < 0 and step > 20 * (high - low)))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet ipywidgets==8.1.9
if ! "$folder/venv/bin/python" "$folder/sliders.py"; then
  echo "This has changed." >&2
  exit 1
fi
