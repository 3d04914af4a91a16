#!/usr/bin/env bash
# onnxruntime's ReduceMax and ReduceMin on the CPU give NaN where the first of the numbers is NaN, and pass over one in
# any other place; ArgMax does the same. A model that reports its largest activation, exported, reports an ordinary number
# when half of them are NaN. NumPy, torch and ONNX's own reference evaluator give NaN wherever it stands. Sums and means
# are NaN in onnxruntime too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/largest.py" <<'END'
from importlib.metadata import version

import numpy as np
import onnxruntime
from onnx import TensorProto, ValueInfoProto, helper
from onnx.reference import ReferenceEvaluator


def model_of(operator):
    node = helper.make_node(operator, ["x"], ["y"], keepdims=0)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [5])
    graph = helper.make_graph([node], "one", [x], [ValueInfoProto(name="y")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


print(", ".join(f"{name} {version(name)}" for name in ("onnx", "onnxruntime", "numpy")))
found = {}
for operator in ("ReduceMax", "ReduceMin", "ReduceSum"):
    model = model_of(operator)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    reference = ReferenceEvaluator(model)
    answers, right = [], []
    for place in range(5):
        x = np.arange(5, dtype=np.float32)
        x[place] = np.nan
        answers.append(float(session.run(None, {"x": x})[0]))
        right.append(float(reference.run(None, {"x": x})[0]))
    print(f"{operator} of 0 to 4 with a NaN in place 0, 1, 2, 3, 4: {answers}, and by the reference {right}")
    found[operator] = str(answers), str(right)
nans = str([np.nan] * 5)
as_told = {
    "ReduceMax": ("[nan, 4.0, 4.0, 4.0, 3.0]", nans),
    "ReduceMin": ("[nan, 0.0, 0.0, 0.0, 0.0]", nans),
    "ReduceSum": (nans, nans),
}
raise SystemExit(found != as_told)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6
if ! "$folder/venv/bin/python" "$folder/largest.py"; then
  echo "This has changed." >&2
  exit 1
fi
