"""A function of NumPy arrays, in a dict too, that answers an array."""

import numpy as np
import torch
import torch.nn.functional as F

from judge.checking import (
    Exercise,
    check_agrees,
    check_alone,
    check_inputs_unchanged,
    check_repeatable,
    check_shape,
    line,
    random_tensor,
    random_tree,
)


def mlp_numpy(x, params):
    """The reference solution: GPT-2's MLP."""
    wide = x @ params["c_fc.weight"] + params["c_fc.bias"]
    active = 0.5 * wide * (1 + np.tanh(np.float32(np.sqrt(2 / np.pi)) * (wide + np.float32(0.044715) * wide**3)))
    return active @ params["c_proj.weight"] + params["c_proj.bias"]


exercise = Exercise(
    inputs={"x": "pos d_model", "params": ""},
    output="pos d_model",
    drive="numpy_arrays",
    solution="tests.judge.checking.kinds.numpy_mlp",
)


@exercise.test
def test_mlp_numpy(mlp_numpy):
    shapes = {"c_fc.weight": (6, 10), "c_fc.bias": (10,), "c_proj.weight": (10, 6), "c_proj.bias": (6,)}
    params = random_tree(shapes)
    vectors = random_tensor(5, 6)
    with line("answers float32 numbers [pos d_model]"):
        check_shape(mlp_numpy, vectors, params)
        check_shape(mlp_numpy, vectors[:1], params)
    with line("agrees with the reference solution"):
        check_agrees(mlp_numpy, vectors, params)
    with line("reads each position alone"):
        check_alone(mlp_numpy, vectors, params, axis="pos")
    with line("leaves `x` and `params` as they were"):
        check_inputs_unchanged(mlp_numpy, vectors, params)
        check_repeatable(mlp_numpy, vectors, params)


@exercise.correct
def by_way_of_torch(x, params):
    weights = {name: torch.from_numpy(value) for name, value in params.items()}
    wide = F.linear(torch.from_numpy(x), weights["c_fc.weight"].T, weights["c_fc.bias"])
    narrow = F.linear(F.gelu(wide, approximate="tanh"), weights["c_proj.weight"].T, weights["c_proj.bias"])
    return narrow.numpy()


@exercise.correct
def vector_by_vector(x, params):
    rows = []
    for vector in x.astype(np.float64):
        wide = np.einsum("i,ij->j", vector, params["c_fc.weight"]) + params["c_fc.bias"]
        gate = 1 / (1 + np.exp(-np.sqrt(8 / np.pi) * (wide + 0.044715 * np.power(wide, 3))))
        rows.append(np.dot(wide * gate, params["c_proj.weight"]) + params["c_proj.bias"])
    return np.array(rows, dtype=np.float32)


@exercise.misconception("float64 numbers", "Stay in float32: make constants `np.float32(...)`.")
def doubles(x, params):
    return mlp_numpy(x.astype(np.float64), params)


@exercise.misconception("a torch tensor", "Answer a NumPy array: `.numpy()`.")
def a_tensor(x, params):
    return torch.from_numpy(mlp_numpy(x, params))


@exercise.misconception("ReLU for GELU", "GPT-2 uses the tanh form of GELU.")
def relu(x, params):
    wide = np.maximum(x @ params["c_fc.weight"] + params["c_fc.bias"], 0)
    return wide @ params["c_proj.weight"] + params["c_proj.bias"]


@exercise.misconception("weights [out in], as nn.Linear has them", "GPT-2's Conv1D keeps [in out]: no transpose.")
def transposed(x, params):
    turned = {name: value.reshape(value.shape[::-1]).T for name, value in params.items()}
    return mlp_numpy(x, turned)


@exercise.misconception("the second bias left out", "Add `c_proj.bias`.")
def no_bias(x, params):
    return mlp_numpy(x, params) - params["c_proj.bias"]


@exercise.misconception("adding into the parameters", "`+=` on an array changes the caller's: assign to a new name.")
def in_place(x, params):
    wide = x @ params["c_fc.weight"] + params["c_fc.bias"]
    answer = mlp_numpy(x, params)
    params["c_fc.bias"] += wide[0]
    return answer
