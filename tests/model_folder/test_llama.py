"""utils/model_folder/llama.py: what ModernTransformer makes of a folder is what transformers makes of it."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from solutions.ch12_since_gpt2 import ModernTransformer
from tests.model_folder.llama_folders import KINDS, classes_of, saved, settings_of, write_settings
from utils.config import ModernConfig
from utils.model_folder.llama import read, read_settings
from utils.model_folder.unreadable import Unreadable


def ours(folder):
    cfg, weights = read(folder)
    assert all(weight.is_contiguous() and weight.dtype == torch.float32 for weight in weights.values())
    model = ModernTransformer(cfg)
    model.load_state_dict(weights)
    return model


def same(folder, theirs=None):
    """Whether our logits are transformers' own of the same folder, or of this model."""
    from transformers.models.auto import AutoModelForCausalLM

    theirs = theirs or AutoModelForCausalLM.from_pretrained(folder).float()
    tokens = torch.randint(23, (2, 30), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        torch.testing.assert_close(ours(folder)(tokens), theirs(tokens).logits, rtol=1e-4, atol=1e-4)


SAVED = {
    "as it is": {},
    "tied": {"tie_word_embeddings": True},
    "a head for each": {"num_key_value_heads": 6},
    "one for all": {"num_key_value_heads": 1},
    "another base": {"rope_parameters": {"rope_type": "default", "rope_theta": 500.0}},
    "another epsilon": {"rms_norm_eps": 0.3},
    "sharded": {"shard": "3KB"},
}


@pytest.mark.parametrize("how", SAVED.values(), ids=SAVED)
@pytest.mark.parametrize("kind", KINDS)
def test_the_logits_are_transformers_own(tmp_path, kind, how):
    theirs = saved(tmp_path, kind, **how)
    assert ("shard" in how) == (len(list(tmp_path.glob("*.safetensors"))) > 1)
    same(tmp_path, theirs)


def without(*keys):
    return lambda settings: [settings.pop(key, None) for key in keys]


def older(**more):
    """As transformers 4 wrote it, with rope_theta beside the other settings."""

    def change(settings):
        settings.pop("rope_parameters", None)
        settings |= more

    return change


SAID = {
    "transformers 4": older(rope_theta=700.0, rope_scaling=None),
    "no base": older(),
    "a scaling that is none": older(rope_theta=700.0, rope_scaling={"type": "default"}),
    "an older scaling goes first": lambda settings: settings.update(
        rope_scaling={"rope_type": "default"}, rope_parameters={"rope_theta": 9.0}, rope_theta=700.0
    ),
    "silent": without("rms_norm_eps", "tie_word_embeddings", "hidden_act", "attention_bias", "mlp_bias"),
    "a share of one": lambda settings: settings["rope_parameters"].update(partial_rotary_factor=1.0),
}


@pytest.mark.parametrize("change", SAID.values(), ids=SAID)
@pytest.mark.parametrize("kind", KINDS)
def test_settings_are_read_as_transformers_reads_them(tmp_path, kind, change):
    saved(tmp_path, kind)
    settings = settings_of(tmp_path)
    change(settings)
    write_settings(tmp_path, settings)
    same(tmp_path)


SILENT = [("llama", {}), ("llama", {"head_dim": None, "num_key_value_heads": None}), ("mistral", {"head_dim": None})]
SILENT += [("qwen3", {}), ("qwen3", {"num_key_value_heads": None})]


@pytest.mark.parametrize(("kind", "said"), SILENT)
def test_what_config_json_leaves_out_is_transformers_own(tmp_path, kind, said):
    """Of every size: here no weights are read, which would be a large model's."""
    more = {"sliding_window": None} if kind == "mistral" else {}
    write_settings(tmp_path, {"model_type": kind} | said | more)
    cfg, theirs = read_settings(tmp_path).cfg, classes_of(kind)[0].from_pretrained(tmp_path)
    assert cfg == ModernConfig(
        d_model=theirs.hidden_size,
        d_vocab=theirs.vocab_size,
        n_ctx=theirs.max_position_embeddings,
        d_head=theirs.head_dim,
        d_mlp=theirs.intermediate_size,
        n_heads=theirs.num_attention_heads,
        n_kv_heads=theirs.num_key_value_heads,
        n_layers=theirs.num_hidden_layers,
        rms_norm_eps=theirs.rms_norm_eps,
        rotary_base=theirs.rope_parameters["rope_theta"],
        qk_norm=kind == "qwen3",
        tied=theirs.tie_word_embeddings,
        init_range=theirs.initializer_range,
    )


def changed(folder, how):
    """The folder with other tensors."""
    state = load_file(folder / "model.safetensors")
    how(state)
    save_file(state, folder / "model.safetensors")


@pytest.mark.parametrize("apart", [True, False])
def test_the_way_out_is_the_files_own_where_it_has_one(tmp_path, apart):
    """As transformers reads it, even where config.json calls it tied; where the two are equal there is one table."""
    saved(tmp_path, tie_word_embeddings=True)
    E = load_file(tmp_path / "model.safetensors")["model.embed_tokens.weight"]
    changed(tmp_path, lambda state: state.update({"lm_head.weight": E.roll(1, 0) if apart else E.clone()}))
    same(tmp_path)
    assert read(tmp_path)[0].tied is not apart


def test_names_without_a_prefix_other_kinds_of_numbers_and_what_older_versions_wrote_are_read(tmp_path):
    theirs = saved(tmp_path, tie_word_embeddings=True)
    state = {name.removeprefix("model."): weight for name, weight in theirs.state_dict().items()}
    state["layers.0.self_attn.rotary_emb.inv_freq"] = torch.ones(2)
    (tmp_path / "model.safetensors").unlink()
    torch.save(state, tmp_path / "pytorch_model.bin")
    same(tmp_path, theirs)
    torch.save({name: weight.bfloat16() for name, weight in state.items()}, tmp_path / "pytorch_model.bin")
    same(tmp_path)


def rope(**parameters):
    return {"rope_parameters": {"rope_theta": 10000.0} | parameters}


SCALED = "scales rotary positions ({} has the type {}), and chapter 12's ModernTransformer turns every pair"
SETTINGS = {
    "another kind": ({"model_type": "gemma3"}, 'says model_type is "gemma3"; chapter 12\'s ModernTransformer needs'),
    "llama 3.1": ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, SCALED.format("rope_scaling", '"llama3"')),
    "linear": ({"rope_scaling": {"type": "linear", "factor": 2.0}}, SCALED.format("rope_scaling", '"linear"')),
    "dynamic": (rope(rope_type="dynamic", factor=2.0), SCALED.format("rope_parameters", '"dynamic"')),
    "yarn": (rope(rope_type="yarn", factor=2.0), SCALED.format("rope_parameters", '"yarn"')),
    "a type of null": (rope(rope_type=None), SCALED.format("rope_parameters", "null")),
    "of layers": ({"rope_parameters": {"full_attention": {"rope_theta": 9.0}}}, 'rope_parameters is {"full_attention"'),
    "no object": ({"rope_parameters": "x"}, 'says rope_parameters is "x", which chapter 12\'s'),
    "a share": (rope(partial_rotary_factor=0.5), "says partial_rotary_factor is 0.5, and chapter 12's"),
    "a share apart": ({"partial_rotary_factor": 0.5}, "says partial_rotary_factor is 0.5, and chapter 12's"),
    "a base of 0": (rope(rope_theta=0), "says rope_theta is 0, and it must be a number above 0."),
    "biases": (
        {"attention_bias": True},
        "says attention_bias is true; chapter 12's ModernTransformer needs false: give",
    ),
    "biases of the MLP": (
        {"mlp_bias": True},
        "says mlp_bias is true; chapter 12's ModernTransformer needs false: give",
    ),
    "gelu": ({"hidden_act": "gelu"}, 'says hidden_act is "gelu"; chapter 12\'s ModernTransformer needs "silu" or'),
    "layers that slide": (
        {"layer_types": ["sliding_attention"]},
        'says layer_types has "sliding_attention", and in chapter 12\'s ModernTransformer every position sees all',
    ),
    "quantised": (
        {"quantization_config": {"bits": 4}},
        'says that the weights are quantised (quantization_config: {"bits":4}); give the folder of the model as it was',
    ),
    "an odd head": ({"head_dim": 5}, "gives a head 5 numbers, which can't turn in pairs; give another model's folder."),
    "no share of heads": (
        {"num_key_value_heads": 4},
        "says num_attention_heads is 6, which num_key_value_heads, 4, can't divide.",
    ),
    "no share of numbers": (
        {"head_dim": None, "hidden_size": 13},
        "says hidden_size is 13, which num_attention_heads, 6, can't divide.",
    ),
    "half a layer": ({"num_hidden_layers": 1.5}, "says num_hidden_layers is 1.5, and it must be a whole number from 1"),
    "no key": ({"num_key_value_heads": 0}, "says num_key_value_heads is 0, and it must be a whole number from 1 on."),
    "an epsilon of text": ({"rms_norm_eps": "x"}, 'says rms_norm_eps is "x", and it must be a number from 0 to 1.'),
    "tied perhaps": ({"tie_word_embeddings": 1}, "says tie_word_embeddings is 1, and it must be true or false."),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder that is read."""
    folder = tmp_path_factory.mktemp("llama")
    saved(folder)
    return folder


@pytest.fixture
def folder(whole, tmp_path):
    """The same, to be spoiled."""
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_bytes((whole / name).read_bytes())
    return tmp_path


@pytest.mark.parametrize(("how", "said"), SETTINGS.values(), ids=SETTINGS)
def test_what_changes_the_computation_is_refused(folder, how, said):
    write_settings(folder, settings_of(folder) | how)
    with pytest.raises(Unreadable) as raised:
        read(folder)
    assert str(raised.value).startswith(f"{folder / 'config.json'} ") and said in str(raised.value)


SLIDES = {"use_sliding_window": True, "max_window_layers": 1, "layer_types": None}
WINDOWS = [
    ("mistral", {"sliding_window": 39}, "says sliding_window is 39"),
    ("mistral", {"sliding_window": ...}, "leaves it to transformers that sliding_window is 4096"),
    ("mistral", {"sliding_window": 40}, ""),
    ("llama", {"sliding_window": 3}, ""),
    ("qwen3", SLIDES | {"sliding_window": 3}, "says sliding_window is 3"),
    ("qwen3", SLIDES | {"sliding_window": ...}, "leaves it to transformers that sliding_window is 4096"),
    ("qwen3", SLIDES | {"sliding_window": 40}, ""),
    ("qwen3", SLIDES | {"sliding_window": 3, "max_window_layers": 3}, ""),
    ("qwen3", SLIDES | {"sliding_window": 3, "layer_types": ["full_attention"] * 3}, ""),
    ("qwen3", SLIDES | {"sliding_window": 3, "use_sliding_window": False}, ""),
]


@pytest.mark.parametrize(("kind", "how", "said"), WINDOWS)
def test_a_window_that_is_in_use_is_refused(tmp_path, kind, how, said):
    saved(tmp_path, kind)
    large = {"max_position_embeddings": 5000} if ... in how.values() else {}
    kept = {key: value for key, value in (settings_of(tmp_path) | how | large).items() if value is not ...}
    write_settings(tmp_path, kept)
    if not said:
        return same(tmp_path)
    with pytest.raises(Unreadable) as raised:
        read(tmp_path)
    assert f"{said}, and in chapter 12's ModernTransformer every position sees all before it" in str(raised.value)


Q = "layers.1.self_attn.q_proj"
TENSORS = {
    "missing": (
        lambda state: state.pop(f"model.{Q}.weight"),
        f"lack {Q}.weight; give the folder that LlamaForCausalLM",
    ),
    "a bias": (
        lambda state: state.update({f"model.{Q}.bias": torch.zeros(24)}),
        f"hold {Q}.bias, and chapter 12's ModernTransformer has no biases; give another model's folder.",
    ),
    "a norm": (
        lambda state: state.update({"model.layers.0.self_attn.q_norm.weight": torch.ones(4)}),
        "hold layers.0.self_attn.q_norm.weight, and chapter 12's ModernTransformer has no place for it; give another",
    ),
    "more blocks": (
        lambda state: state.update({"model.layers.3.input_layernorm.weight": torch.ones(12)}),
        "hold more blocks than config.json says, 3; give the folder that LlamaForCausalLM.save_pretrained made.",
    ),
    "another shape": (
        lambda state: state.update({f"model.{Q}.weight": torch.zeros(12, 24)}),
        f"can't be used: {Q}.weight is [12, 24], and by config.json it should be [24, 12]; give the folder that Llama",
    ),
    "not finite": (
        lambda state: state[f"model.{Q}.weight"].fill_(torch.inf),
        f"can't be used: {Q}.weight holds numbers that are not finite; give the folder that LlamaForCausalLM",
    ),
    "quantised": (
        lambda state: state.update({f"model.{Q}.weight": torch.zeros(24, 12, dtype=torch.int8)}),
        f"can't be used: {Q}.weight is int8, and should be numbers such as float32; give the folder that Llama",
    ),
    "an adapter's": (
        lambda state: state.update({f"base_model.model.{Q}.lora_A.weight": torch.zeros(2, 12)}),
        f"are an adapter's, such as base_model.model.{Q}.lora_A.weight; merge it into its model",
    ),
    "no way out": (
        lambda state: state.pop("lm_head.weight"),
        "lack lm_head.weight, and config.json says tie_word_embeddings is false; give the folder that LlamaForCausalLM",
    ),
}


@pytest.mark.parametrize(("how", "said"), TENSORS.values(), ids=TENSORS)
def test_weights_that_do_not_fit_are_refused(folder, how, said):
    changed(folder, how)
    with pytest.raises(Unreadable) as raised:
        read(folder)
    assert str(raised.value).startswith(f"The weights in {folder} {said}")


def test_a_folder_without_weights_or_with_an_adapter_is_refused(folder):
    (folder / "adapter_config.json").write_text(json.dumps({}))
    with pytest.raises(Unreadable, match="holds an adapter"):
        read(folder)
    (folder / "adapter_config.json").unlink()
    (folder / "model.safetensors").unlink()
    with pytest.raises(Unreadable, match=r"holds no weights .*; give the folder that LlamaForCausalLM.save_pretrained"):
        read(folder)


def test_a_size_that_config_json_leaves_out_is_named_where_a_shape_does_not_fit(folder):
    settings = settings_of(folder)
    del settings["vocab_size"]
    write_settings(folder, settings)
    with pytest.raises(Unreadable) as raised:
        read(folder)
    assert "with transformers' own value for vocab_size, which it leaves out" in str(raised.value)
