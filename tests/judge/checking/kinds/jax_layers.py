"""A function of JAX arrays, whose parameters are a list of dicts of them."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import torch

from judge.checking import (
    Exercise,
    check_agrees,
    check_inputs_unchanged,
    check_repeatable,
    check_shape,
    line,
    random_tensor,
    random_tree,
)


def layers_jax(x, params):
    """The reference solution: layer after layer, each a product, a bias and a tanh."""
    for layer in params:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return x


exercise = Exercise(
    inputs={"x": "pos d_model", "params": ""},
    output="pos d_model",
    library="jax",
    solution="tests.judge.checking.kinds.jax_layers",
)


@exercise.test
def test_layers_jax(layers_jax):
    params = random_tree([{"w": (6, 6), "b": (6,)}] * 3)
    vectors = random_tensor(5, 6)
    with line("answers float32 numbers [pos d_model]"):
        check_shape(layers_jax, vectors, params)
    with line("agrees with the reference solution"):
        check_agrees(layers_jax, vectors, params)
        check_agrees(layers_jax, vectors[:1], params[:2])
    with line("leaves `x` and `params` as they were"):
        check_inputs_unchanged(layers_jax, vectors, params)
        check_repeatable(layers_jax, vectors, params)


@exercise.correct
def compiled(x, params):
    return jax.jit(layers_jax)(x, params)


@exercise.correct
def one_vector_at_a_time(x, params):
    return jax.vmap(functools.partial(layers_jax, params=params))(x)


@exercise.misconception("a NumPy array", "Stay in JAX: `jnp` where `np` stands.")
def of_numpy(x, params):
    return np.asarray(layers_jax(x, params))


@exercise.misconception("a torch tensor", "Answer a JAX array.")
def of_torch(x, params):
    return torch.from_numpy(np.array(layers_jax(x, params)))


@exercise.misconception("half precision", "Stay in float32.")
def in_half(x, params):
    return layers_jax(x, params).astype(jnp.bfloat16)


@exercise.misconception("the last layer without its tanh", "Every layer has one.")
def open_at_the_end(x, params):
    x = layers_jax(x, params[:-1])
    return x @ params[-1]["w"] + params[-1]["b"]


@exercise.misconception("layers taken out of `params`", "Go over `params`, and leave it whole.")
def popping(x, params):
    while params:
        layer = params.pop(0)
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return x
