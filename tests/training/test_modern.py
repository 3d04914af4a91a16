"""How the small modern model is made: what trains is chapter 12's, the folder is the model, both runs are alike."""

import json
import sys
from dataclasses import replace
from fractions import Fraction

import pytest
import torch
from torch.testing import assert_close

from solutions.ch12_since_gpt2 import ModernTransformer
from tests.training.test_training import QUICK, TEXT
from training import loop, modern
from training.data import train_tokenizer, training_batch
from training.evaluate import alike, attention_to_the_first
from training.export import boot_modern, export_modern, prompt_tokens, save_modern_record
from training.loop import read_checkpoint, train
from training.tied import TiedTransformer, make_optimisers
from training.tied_modern import TiedModernTransformer
from utils.config import Config, ModernConfig
from utils.huggingface_llama import llama_weights

TINY = ModernConfig(
    d_model=12, d_vocab=300, n_ctx=32, d_head=4, d_mlp=17, n_heads=6, n_kv_heads=2, n_layers=3, rotary_base=100.0
)
KINDS = [TINY, replace(TINY, qk_norm=True), replace(TINY, tied=False)]
named = pytest.mark.parametrize("cfg", KINDS, ids=["Llama", "Qwen 3", "untied"])


@pytest.fixture(autouse=True)
def _one_thread():
    """Models this small are slower on two, and `train` sets the number of threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def with_random_weights(model):
    """Weights that float16 holds exactly."""
    torch.manual_seed(2)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_((parameter + 0.3 * torch.randn_like(parameter)).half())
    return model


@named
def test_what_trains_is_chapter_12s_model(cfg):
    tied = with_random_weights(TiedModernTransformer(cfg))
    plain = ModernTransformer(cfg)
    plain.load_state_dict(tied.model.state_dict(), strict=True)
    tokens = torch.randint(cfg.d_vocab, (3, 20))
    ours, theirs = tied(tokens), plain(tokens)
    assert_close(ours, theirs)
    chosen = torch.randn_like(ours)
    (ours * chosen).sum().backward()
    (theirs * chosen).sum().backward()
    gradients = {name: parameter.grad for name, parameter in plain.named_parameters()}
    assert gradients.keys() == tied.trained_parameters().keys()
    for name, parameter in tied.trained_parameters().items():
        assert (parameter.grad - gradients[name]).norm() < 1e-4 * gradients[name].norm(), name


def test_what_is_added_to_the_stream_begins_smaller():
    cfg = replace(TINY, d_model=64, d_mlp=200)
    blocks = TiedModernTransformer(cfg).model.blocks
    of_a_block = [blocks[0].mlp.W_in, blocks[0].attn.W_Q, blocks[2].mlp.W_out, blocks[2].attn.W_O]
    stds = [weight.std().item() / cfg.init_range for weight in of_a_block]
    assert stds == pytest.approx([1, 1, 6**-0.5, 6**-0.5], rel=0.1)


def test_the_norms_are_not_decayed():
    tied = TiedModernTransformer(KINDS[1])
    matrices, vectors = make_optimisers(tied, QUICK)
    undecayed = {name for name, one in tied.trained_parameters().items() if any(one is kept for kept in vectors.params)}
    assert {name.rpartition(".")[2] for name in undecayed} == {"w"} and len(undecayed) == 3 * 4 + 1
    assert len(matrices.params) + len(vectors.params) == len(tied.trained_parameters())


@named
def test_the_folder_is_our_model(tmp_path, cfg):
    from transformers.models.auto import AutoModelForCausalLM, AutoTokenizer

    model = with_random_weights(ModernTransformer(cfg))
    tokenizer = train_tokenizer(TEXT, 300)
    export_modern(cfg, model.state_dict(), tokenizer, tmp_path)
    tokens = torch.randint(cfg.d_vocab, (3, cfg.n_ctx))
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32, attn_implementation="eager")
    assert type(theirs).__name__ == ("Qwen3ForCausalLM" if cfg.qk_norm else "LlamaForCausalLM")
    with torch.no_grad():
        ours = model(tokens)
        assert_close(theirs(tokens).logits, ours, atol=1e-4, rtol=1e-4)
        assert_close(boot_modern(tmp_path)(tokens), ours, atol=1e-4, rtol=1e-4)
    read = AutoTokenizer.from_pretrained(tmp_path)
    assert read("Once upon a time").input_ids == tokenizer.encode("Once upon a time").ids
    assert (read.bos_token_id, read.model_max_length) == (0, cfg.n_ctx)
    said = json.loads((tmp_path / "generation_config.json").read_text(encoding="utf-8"))
    assert (said["bos_token_id"], said["eos_token_id"]) == (0, 0)


def test_a_weight_that_is_missing_is_named():
    weights = dict(ModernTransformer(TINY).state_dict())
    del weights["blocks.1.mlp.W_gate"]
    with pytest.raises(ValueError, match=r"no parameter 'blocks.1.mlp.W_gate': give a ModernTransformer"):
        llama_weights(weights, TINY)


def test_the_record_is_what_the_model_computes(tmp_path):
    from safetensors.torch import load_file

    model = with_random_weights(ModernTransformer(TINY))
    tokenizer = train_tokenizer(TEXT, 300)
    export_modern(TINY, model.state_dict(), tokenizer, tmp_path)
    save_modern_record(tmp_path)
    record = load_file(tmp_path / "activations.safetensors")
    tokens = record["tokens"]
    assert tokens.equal(prompt_tokens(tokenizer, TINY.n_ctx)) and tokens.shape == (2, 11)
    with torch.no_grad():
        assert_close(record["unembed.hook_out"], model(tokens), atol=1e-4, rtol=1e-4)
        block, resid_pre = model.blocks[1], record["blocks.1.hook_resid_pre"]
        q, k, v = block.attn.project(block.ln1(resid_pre), torch.arange(11))
    for name, ours in {"rot_q": q, "rot_k": k, "v": v}.items():
        assert_close(record[f"blocks.1.attn.hook_{name}"], ours, atol=1e-4, rtol=1e-4)
    read = record["blocks.1.ln2.hook_out"]
    assert_close(record["blocks.1.mlp.hook_pre"], read @ block.mlp.W_gate, atol=1e-4, rtol=1e-4)
    assert_close(record["blocks.1.mlp.hook_pre_linear"], read @ block.mlp.W_in, atol=1e-4, rtol=1e-4)
    assert_close(record["blocks.1.ln2.hook_normalized"] * block.ln2.w, read, atol=1e-4, rtol=1e-4)


def test_heads_that_look_at_all_alike_have_what_alike_says(tmp_path):
    model = with_random_weights(ModernTransformer(TINY))
    with torch.no_grad():
        for block in model.blocks:
            block.attn.W_Q.zero_()
    export_modern(TINY, model.state_dict(), train_tokenizer(TEXT, 300), tmp_path)
    shares = attention_to_the_first(boot_modern(tmp_path), torch.randint(300, (10, 30)))
    assert shares.shape == (3, 6, 10)
    assert_close(shares, torch.full_like(shares, alike(30)), atol=1e-5, rtol=0)
    assert alike(3) == pytest.approx((1 / 2 + 1 / 3) / 2)


@pytest.mark.slow
def test_an_interrupted_run_resumes_exactly(tmp_path):
    class Pulled(BaseException):
        pass

    data = torch.randint(TINY.d_vocab, (500,), generator=torch.Generator().manual_seed(1), dtype=torch.int16)

    def pull(progress):
        if progress.step == 3:
            raise Pulled

    train(TINY, data, QUICK, tmp_path / "straight", lambda progress: None)
    with pytest.raises(Pulled):
        train(TINY, data, QUICK, tmp_path / "resumed", pull)
    train(TINY, data, QUICK, tmp_path / "resumed", lambda progress: None)
    straight, resumed = (read_checkpoint(tmp_path / run) for run in ("straight", "resumed"))
    assert straight.cfg == resumed.cfg == TINY and straight.step == resumed.step == len(straight.losses) == 6
    assert straight.losses == resumed.losses and resumed.processor_seconds > 0
    assert all(weight.equal(resumed.weights[name]) for name, weight in straight.weights.items())


def test_both_models_read_the_very_same_batches(tmp_path, monkeypatch):
    data = torch.randint(TINY.d_vocab, (500,), dtype=torch.int16)
    read = []

    def noted(*given):
        read.append(training_batch(*given))
        return read[-1]

    monkeypatch.setattr(loop, "training_batch", noted)
    for cfg in (TINY, Config(d_model=12, d_vocab=300, n_ctx=32, d_head=4, d_mlp=28, n_heads=3, n_layers=2)):
        train(cfg, data, QUICK, tmp_path / type(cfg).__name__, lambda progress: None)
    assert len(read) == 12 and all(map(torch.equal, read[:6], read[6:]))


def test_the_two_models_are_of_one_size():
    def count(model):
        return sum(parameter.numel() for parameter in model.trained_parameters().values())

    with torch.device("meta"):
        gpt2, other = count(TiedTransformer(modern.SIZES["gpt2"])), count(TiedModernTransformer(modern.SIZES["modern"]))
    assert abs(gpt2 - other) < 200 and 2 * other < 8_000_000


@pytest.mark.parametrize(
    ("fraction", "steps"), [("1/4", (2000, 625, 50)), ("0.125", (1000, 312, 25)), ("1", (8000, 2500, 200))]
)
def test_a_fraction_shortens_stages_and_warm_up(fraction, steps):
    recipe = modern.shortened(Fraction(fraction), 2)
    assert (recipe.steps, recipe.phrase_steps, recipe.warmup) == steps
    assert replace(recipe, steps=8000, phrase_steps=2500, warmup=200) == modern.WHOLE


@pytest.mark.parametrize("fraction", ["0", "-1/4", "1/20000", "2"])
def test_a_fraction_that_leaves_no_steps_is_refused(monkeypatch, tmp_path, fraction):
    with pytest.raises(ValueError, match=f"--fraction {fraction} leaves -?[0-9]+ of 8000 steps"):
        modern.shortened(Fraction(fraction), 2)


@pytest.mark.slow
def test_one_command_trains_both_and_writes_the_card(tmp_path, monkeypatch, capsys):
    (tmp_path / "tales.txt").write_text(TEXT * 40, encoding="utf-8")
    gpt2 = Config(d_model=12, d_vocab=4096, n_ctx=101, d_head=4, d_mlp=28, n_heads=3, n_layers=2)
    monkeypatch.setattr(modern, "SIZES", {"gpt2": gpt2, "modern": replace(TINY, d_vocab=4096, n_ctx=101)})
    monkeypatch.setattr(modern, "WHOLE", replace(QUICK, steps=8, phrase_steps=4))
    run, out = tmp_path / "run", tmp_path / "out"
    arguments = {"--corpus": tmp_path / "tales.txt", "--run": run, "--out": out, "--fraction": "1/2", "--threads": 1}
    given = [str(word) for pair in {**arguments, "--machine": "an abacus"}.items() for word in pair]
    monkeypatch.setattr(sys, "argv", ["modern", *given])
    modern.main()
    assert capsys.readouterr().out.count("step      6 of 6  loss ") == 2
    card = (out / "README.md").read_text(encoding="utf-8")
    for wanted in (
        "| bits per byte, held out | **",
        "for 1/2 of its steps",
        "on\nan abacus.\n",
        "The text `tales.txt`",
    ):
        assert wanted in card
    assert "python -m training.modern --corpus PATH --fraction 1/2 --threads 1\n" in card
    assert "Unfinished" not in card and "$" not in card
    runs = json.loads((out / "runs.json").read_text(encoding="utf-8"))
    assert runs["gpt2"]["steps"] == runs["modern"]["steps"] == 6 and runs["modern"]["processor_seconds"] > 0
    assert len(runs["modern"]["to_the_first"]) == 3 and len(runs["gpt2"]["to_the_first"][0]) == 3
    files = {"README.md", "activations.safetensors", "config.json", "generation_config.json", "model.safetensors"}
    assert {file.name for file in out.iterdir()} == files | {"runs.json", "tokenizer.json", "tokenizer_config.json"}
    first = (out / "model.safetensors").read_bytes()
    modern.main()
    assert "of 6  loss " not in capsys.readouterr().out
    assert (out / "model.safetensors").read_bytes() == first and (out / "README.md").read_text(encoding="utf-8") == card
