"""A GPT as a function of JAX arrays: its parameters come as a tree of NamedTuples, and it may be compiled first."""

from typing import Any

from judge.running.calling import OWN_OPTIONS, Code, Observed
from judge.running.kinds.jax_arrays import JaxArrays
from judge.running.kinds.kind import Call
from judge.running.records import Question
from utils.gpt.trees import gpt_params

N_HEADS = 2  # the place of the number of heads among the inputs: a shape depends on it, so it is no traced number
PLAIN, COMPILED = "{}({})", "jax.jit({}, static_argnums=2)({})"


class JaxGPT(JaxArrays):
    """The question's arguments are the tokens, the parameters as dicts of tensors (see `gpt_params`), and n_heads."""

    name = "jax_gpt"
    call = PLAIN

    def drive(self, f: Code, *inputs: Any, jitted: bool = False, **options: Any) -> Observed:
        """Call f(input_ids, params, n_heads), compiled by `jax.jit` where the question says so."""
        import jax  # which a course of other libraries need not have

        whole = jax.jit(f, static_argnums=N_HEADS) if jitted else f
        return super().drive(whole, *inputs, **options)

    def arrays(self, nest: Any) -> Any:
        """JAX arrays, and NamedTuples for the dicts: nobody can change these in place."""
        tokens, tree, n_heads = super().arrays(nest)
        return [tokens, gpt_params(tree), n_heads]

    def calls(self, question: Question) -> list[Call]:
        options = {name: value for name, value in question.options.items() if name not in {*OWN_OPTIONS, "jitted"}}
        return [Call(COMPILED if question.options.get("jitted") else PLAIN, self.handed(question), options)]
