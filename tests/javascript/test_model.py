"""utils/javascript/model.mjs: the numbers of the reference model, and of GPT-2s of odd sizes.

Both where the browser has WebAssembly's SIMD and where it has no WebAssembly.
"""

import pytest
import torch

from tests.javascript.running import error_of, logits_and_seen, of_the_model
from utils.reference import BUNDLED, encode, reference

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TEXT = "Once upon a time there was a king who had three daughters, naïve and 🦊-like;  and the youngest"
HOOKS = [
    *("hook_resid_pre", "ln1.hook_out", "attn.hook_pattern", "hook_attn_out"),
    *("hook_resid_mid", "ln2.hook_out", "hook_mlp_out", "hook_resid_post"),
]

# Whether all weights lie in one memory, as they do where SIMD multiplies them.
PLACED = "return model.of('wte.weight').buffer === model.of('h.5.mlp.c_proj.weight').buffer;"


@pytest.fixture(scope="module", params=["SIMD", "no WebAssembly"])
def page(request, open_page):
    has_simd = request.param == "SIMD"
    opened = open_page(first="" if has_simd else "delete globalThis.WebAssembly")
    assert of_the_model(opened, PLACED) == has_simd
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def tokens():
    return encode(TEXT)[0].tolist()


@pytest.fixture(scope="module")
def found(page, tokens):
    return logits_and_seen(page, "reference_model", tokens)


def huggingface(folder, tokens, before_c_proj=None):
    """Its logits; `before_c_proj(layer)` is a hook that may change what the heads of a layer bring."""
    from transformers.models.gpt2 import GPT2LMHeadModel  # which needs what Windows lacks

    model = GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32).eval()
    for layer, block in enumerate(model.transformer.h if before_c_proj else ()):
        block.attn.c_proj.register_forward_pre_hook(before_c_proj(layer))
    with torch.no_grad():
        return model(torch.tensor([tokens])).logits[0]


@pytest.fixture(scope="module")
def want(tokens):
    """HuggingFace's logits of the text."""
    return huggingface(BUNDLED, tokens)


def test_logits_are_huggingfaces(found, want):
    assert (found[0] - want).abs().max() < 2e-4
    assert found[0].argmax(-1).tolist() == want.argmax(-1).tolist()


@pytest.mark.parametrize("beginning", ["Once upon a time", "\nThe fox and the", "naïve 🦊"])
def test_it_chooses_as_pytorch_does_to_the_end_of_the_context(page, beginning):
    """Greedily: PyTorch reads what was written here, and would have chosen the same."""
    given = encode(beginning)[0].tolist()
    code = """let logits = model.after(tokens);
        while (tokens.push(logits.indexOf(Math.max(...logits))) < model.cfg.n_ctx) logits = model.step(tokens.at(-1));
        return tokens;"""
    written = of_the_model(page, code, given)
    choices = huggingface(BUNDLED, written).argmax(-1).tolist()
    assert len(written) == 256
    assert written[len(given) :] == choices[len(given) - 1 : -1]


@pytest.fixture(scope="module", params=[0, 1])
def prompt(request, page):
    """One of the reference model's own prompts: the hooks here, and the stored activations."""
    row = reference().tokens[request.param]
    _, seen = logits_and_seen(page, "reference_model", row.tolist())
    return seen, {name: value[request.param] for name, value in reference().activations.items() if value.ndim > 2}


@pytest.mark.parametrize("layer", range(6))
@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_sees_what_transformerlens_saw(prompt, layer, hook):
    seen, activations = prompt
    name = f"blocks.{layer}.{hook}"
    got, want = seen[name], activations[name]
    if hook == "attn.hook_pattern":
        n_heads, pos, _ = want.shape
        got = got.view(pos, n_heads, -1)[..., :pos].transpose(0, 1).tril()  # beyond the query nothing was written
    assert got.shape == want.shape
    assert (got - want).abs().max() < 2e-4


@pytest.mark.parametrize("name", ["hook_embed", "hook_pos_embed", "ln_final.hook_out"])
def test_before_and_after_the_blocks_too(prompt, name):
    seen, activations = prompt
    assert (seen[name] - activations[name]).abs().max() < 2e-4


@pytest.mark.parametrize("instead", [None, [0.25 * i for i in range(48)]])
def test_heads_may_be_left_out(page, tokens, want, instead):
    """As HuggingFace's model without them: what c_proj reads of a head is 0, or what stands in its place."""
    off = [(5, 2), (1, 0), (1, 3)]

    def leave_out(layer):
        def without_them(_, inputs):
            (z,) = inputs
            for head in [head for where, head in off if where == layer]:
                z[..., 48 * head : 48 * (head + 1)] = torch.tensor(instead or [0.0] * 48)
            return (z,)

        return without_them

    changed = huggingface(BUNDLED, tokens, leave_out)
    without = [[*head, instead] if instead else list(head) for head in off]
    got, _ = logits_and_seen(page, "reference_model", tokens, without)
    assert (got - changed).abs().max() < 5e-4
    assert (got - want).abs().max() > 1


def test_a_stream_is_read_as_the_lens_reads_it(page, tokens):
    """And another reader of the same weights does not disturb the first."""
    code = """const other = model.another();
        let last;
        const note = (name, values) => { if (name === "blocks.5.hook_resid_post") last = values.slice(); };
        tokens.slice(0, 5).forEach((token) => model.step(token, { seen: note }));
        const logits = Array.from(model.logits);
        other.after(tokens.slice(2));
        return { logits, lens: Array.from(model.read(last)), length: model.length };"""
    found = of_the_model(page, code, tokens)
    assert found["lens"] == found["logits"] and found["length"] == 5


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("tied", "width", "heads"), [(True, 30, 3), (False, 30, 3), (True, 24, 2), (False, 20, 1)])
def test_any_gpt2_that_fits(page, served, dtype, tied, width, heads):
    """Sizes that nothing divides, or SIMD's four alone; a context filled to its end; an unembedding of its own."""
    from transformers.models.gpt2 import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(3)
    inner = 53 if width == 30 else 52
    sizes = {"n_embd": width, "n_head": heads, "n_inner": inner, "n_layer": 2, "n_positions": 17, "vocab_size": 101}
    tokens = {"bos_token_id": 0, "eos_token_id": 0}
    cfg = GPT2Config(**sizes, **tokens, layer_norm_epsilon=1e-3, tie_word_embeddings=tied)
    model = GPT2LMHeadModel(cfg)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    name = f"odd-{str(dtype).rpartition('.')[2]}-{tied}-{width}"
    model.to(dtype).save_pretrained(served / name)
    tokens = torch.randint(0, cfg.vocab_size, (cfg.n_positions,)).tolist()
    got, _ = logits_and_seen(page, name, tokens)
    assert (got - huggingface(served / name, tokens)).abs().max() < 1e-4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"config": {"activation_function": "relu"}}, 'says activation_function is "relu"; the course'),
        ({"config": {"scale_attn_by_inverse_layer_idx": True}}, "scale_attn_by_inverse_layer_idx is true"),
        ({"config": {"n_layer": 7}, "tokens": [1]}, "The weights lack h.6.ln_1.weight"),
        ({"bytes": 5}, "model.safetensors can't be read: it is damaged, or not whole"),
        ({"bytes": 1_000}, "can't be read: it is damaged, or not whole"),
        ({"bytes": 1_000_000}, "can't be read: it is damaged, or not whole"),
        ({"tokens": [4096]}, "RangeError: there is no token 4096"),
        ({"tokens": [-1]}, "RangeError: there is no token -1"),
        ({"tokens": [0] * 257}, "RangeError: the model reads at most 256 tokens"),
    ],
)
def test_what_is_wrong_is_said(page, given, said):
    assert said in error_of(page, "reference_model", **given)


def test_a_text_is_read_again_from_where_it_was(page, tokens):
    """`rewind` keeps what was read before, `after` begins anew."""
    code = """const whole = Array.from(model.after(tokens));
        model.rewind(3);
        tokens.slice(3).forEach((token) => model.step(token));
        const partly = Array.from(model.logits);
        const anew = Array.from(model.after(tokens));
        return [whole, partly, anew].map((logits) => logits.join());"""
    assert len(set(of_the_model(page, code, tokens))) == 1


def test_nothing_is_no_text(page):
    code = "try { model.after([]) } catch (error) { return error.message }"
    assert "there is no token to read" in of_the_model(page, code)


POLICY = "<!doctype html><title>A page</title><meta http-equiv=Content-Security-Policy content=\"script-src 'self'\">"
MAKE = """import { Model } from "/javascript/model.mjs";
const get = async (name, how) => (await fetch(`/reference_model/${name}`))[how]();
window.model = new Model(await get("config.json", "json"), await get("model.safetensors", "arrayBuffer"));
"""


def test_a_page_whose_policy_forbids_webassembly_has_the_plain_loop(open_page, served, tokens, want):
    (served / "policy.html").write_text(POLICY, encoding="utf-8")
    (served / "make.mjs").write_text(MAKE, encoding="utf-8")
    page = open_page("policy.html")
    page.evaluate("import('/make.mjs').then(() => undefined)")  # under the policy, as a test's own code is not
    assert not page.evaluate(f"() => {{ {PLACED} }}")
    logits = torch.tensor(page.evaluate("(tokens) => Array.from(model.after(tokens))", tokens))
    assert (logits - want[-1]).abs().max() < 2e-4
    page.close()
