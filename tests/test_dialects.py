"""Weights in the trees of other dialects, and the programs of chapter 11 that read them."""

import inspect

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from solutions import ch11_dialects
from solutions.ch11_dialects import CausalSelfAttention, generate_greedy_numpy, gpt2_numpy
from tests.house.fresh_python import fresh_python
from utils.course import exercises
from utils.dialects import dict_tree, fused_attention, named_tree, numpy_params
from utils.gpt.trees import GPTParams, TransformerBlockParams, gpt_params
from utils.reference import BUNDLED, reference


def arrays_in(tree):
    """Every leaf."""
    if isinstance(tree, dict):
        return [leaf for inner in tree.values() for leaf in arrays_in(inner)]
    return [leaf for inner in tree for leaf in arrays_in(inner)] if isinstance(tree, list) else [tree]


def test_the_tree_of_dicts_is_picogpts():
    params, cfg = numpy_params()
    assert list(params) == ["wte", "wpe", "blocks", "ln_f"] and len(params["blocks"]) == cfg.n_layers
    block = params["blocks"][0]
    assert {part: {name: list(inner) for name, inner in block[part].items()} for part in ("attn", "mlp")} == {
        "attn": {"c_attn": ["w", "b"], "c_proj": ["w", "b"]},
        "mlp": {"c_fc": ["w", "b"], "c_proj": ["w", "b"]},
    }
    assert list(block["ln_1"]) == list(block["ln_2"]) == list(params["ln_f"]) == ["g", "b"]
    assert block["attn"]["c_attn"]["w"].shape == (cfg.d_model, 3 * cfg.n_heads * cfg.d_head)
    assert {array.dtype for array in arrays_in(params)} == {np.dtype(np.float32)}


def test_its_matrices_are_those_of_the_file():
    params, cfg = numpy_params(BUNDLED)
    state = load_file(BUNDLED / "model.safetensors")
    for layer, block in enumerate(params["blocks"]):
        for part in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"):
            outer, inner = part.split(".")
            for ours, theirs in (("w", "weight"), ("b", "bias")):
                there = state[f"transformer.h.{layer}.{part}.{theirs}"].float().numpy()
                assert np.array_equal(block[outer][inner][ours], there), part
    assert cfg.n_layers == len(params["blocks"])


def test_changing_it_changes_no_weight_of_the_reference_model():
    params, _ = numpy_params()
    before = reference().weights["embed.W_E"].clone()
    params["wte"] += 1.0
    assert torch.equal(reference().weights["embed.W_E"], before)


def test_the_tree_of_tuples_holds_the_same():
    weights, cfg = reference().weights, reference().cfg
    tuples, dicts = gpt_params(named_tree(weights, cfg)), dict_tree(weights, cfg)
    assert GPTParams._fields == ("W_e", "W_p", "blocks", "ln_f")
    assert isinstance(tuples.blocks[0], TransformerBlockParams)
    assert torch.equal(tuples.blocks[2].mha_params.W_qkv, dicts["blocks"][2]["attn"]["c_attn"]["w"])
    assert torch.equal(tuples.blocks[2].ffn_params.b1, dicts["blocks"][2]["mlp"]["c_fc"]["b"])
    assert torch.equal(tuples.ln_f.gamma, dicts["ln_f"]["g"])


def test_fused_weights_are_the_transposes_of_conv1ds():
    state = load_file(BUNDLED / "model.safetensors")
    layer = fused_attention(reference().weights, "blocks.1.attn")
    for part in ("c_attn", "c_proj"):
        assert torch.equal(layer[f"{part}.weight"].T, state[f"transformer.h.1.attn.{part}.weight"].float())
    CausalSelfAttention(reference().cfg).load_state_dict(layer, strict=True)


def test_numpy_takes_sixty_lines_or_fewer_and_no_torch():
    lines = [line for one in (gpt2_numpy, generate_greedy_numpy) for line in inspect.getsource(one).splitlines()]
    assert len([line for line in lines if line.strip()]) <= 60
    assert not any("torch" in line for line in lines)


def test_numpy_answers_float32_for_float32():
    params, cfg = numpy_params()
    assert gpt2_numpy(np.array([0, 5, 7]), params, cfg.n_heads).dtype == np.float32


@pytest.mark.slow
def test_jax_writes_what_numpy_writes():
    """In a process of its own: JAX has threads."""
    pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    code = """
from solutions.ch11_dialects import generate_greedy_jax, generate_greedy_numpy
from utils.dialects import jax_params, numpy_params
params, cfg = jax_params()
dicts, _ = numpy_params()
params = params._replace(W_p=params.W_p[:24])
told = generate_greedy_jax([0, 5, 7], params, cfg.n_heads, 20)
print(told == generate_greedy_numpy([0, 5, 7], dicts, cfg.n_heads, 20))
"""
    assert fresh_python(code).stdout.split()[-1] == "True"


@pytest.mark.slow
def test_known_mistakes_answer_alike_in_numpy_and_in_jax():
    """A cause in JAX is looked for by NumPy's answers. In a process of its own, for JAX has threads."""
    pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    code = """
from judge.checking.asking import ask_own
from judge.checking.likeness import REORDERED, near
from judge.checking.oracle import solution_of
from tests.ch11_dialects import as_asked_in_numpy, by_numpy, in_numpy, jax_gpt
asked = [question for question in jax_gpt.questions() if not question.options.get("jitted")][::3]
known = [solution_of(jax_gpt), *(one.component for one in jax_gpt.misconceptions)]
for component in filter(in_numpy, known):
    for question in asked:
        if not ask_own(in_numpy(component), as_asked_in_numpy(question)).error:
            ours, of_jax = by_numpy(component, question), ask_own(component, question)
            assert near(ours.outputs, of_jax.outputs, REORDERED) and ours.inputs_after == of_jax.inputs_after, component
print(len(list(filter(in_numpy, known))))
"""
    assert int(fresh_python(code).stdout.split()[-1]) > 70


@pytest.mark.slow
def test_without_jax_the_exercise_is_skipped_and_says_how_to_get_it():
    """As on a machine where nobody has installed it."""
    code = """
import importlib.util, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("jax", "jaxlib"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "jax" else real(name, package)
from solutions.ch11_dialects import gpt2_jax
from tests.ch11_dialects import test_gpt2_jax
test_gpt2_jax(gpt2_jax)
from utils.course import ROOT, exercises
from author.verifying import verify_exercise
from utils.learner.progress import next_open, progress_bar, progress_line
from utils.learner.welcome import Standing
one = next(one for one in exercises("ch11_dialects") if one.symbol == "gpt2_jax")
print(one.symbol, one.needs, one.is_missing_its_package)
print(progress_line("ch11_dialects"))
[shown] = [chapter for chapter in Standing().chapters if chapter.stem == "ch11_dialects"]
print(shown.left_out, list(shown.exercises))
print(verify_exercise(one).notes)
"""
    said = fresh_python(code, warm=True).stdout
    assert said.startswith("○ gpt2_jax: skipped\n      JAX is not installed, and the course goes on without it.")
    assert "`%pip install jax` in a cell, restart the kernel" in said
    assert "gpt2_jax jax True" in said and "gpt2_jax (needs jax)" in said.replace("\xa0", " ")
    others = [one.symbol for one in exercises("ch11_dialects") if not one.needs]
    assert f"('gpt2_jax (needs jax)',) {others}" in said
    assert "not proved here: jax is not installed (pip install jax)" in said


def test_the_chapter_knows_whether_jax_is_there():
    assert (ch11_dialects.jax is None) == (ch11_dialects.jnp is None)
