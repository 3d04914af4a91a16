"""What passed on the chapters' pages at work on "Meet the model": the reader's tokenizer, and the reader's counts."""

import inspect
import re

import pytest

from solutions import ch00_tokens, ch10_cost
from tests.serving import serious
from utils.reference import encode, reference, tokenizer

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TEXT = "Once upon a time a naïve fox"
SINGLE = "def bpe_encode(text, merges):\n    return single_bytes(text)\n"  # right only where nothing is merged
KEEP = """async (answers) => {
  const { keep } = await import("./_static/kept.mjs");
  for (const [name, passed] of Object.entries(answers)) await keep(name, { source: passed, passed });
}"""
COUNTS = ("count_parameters", "kv_cache_bytes", "forward_flops")


@pytest.fixture
def meet(browser, address):
    """Opens the page where these answers are kept, by "stem/name"; what it complains of fails the test."""
    context = browser.new_context(reduced_motion="reduce")
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def opened(answers, script=""):
        page.add_init_script(script)
        page.goto(f"{address}/meet.html")
        page.evaluate(KEEP, answers)
        page.reload()
        page.locator("[data-meet][data-redraws]").wait_for()
        return page

    yield opened
    assert complaints == []
    context.close()


def source(function):
    return inspect.getsource(function)


def cut(page, says):
    """The tokens of TEXT once the box is ticked and the page says this."""
    page.get_by_label("Your text").fill(TEXT)
    own = page.get_by_label("cut by your own bpe_encode")
    own.check()
    page.get_by_role("status").filter(has_text=re.compile(says)).wait_for(timeout=60_000)
    return [int(number) for number in page.locator("[data-part=tokens] small").all_inner_texts()]


def test_the_text_is_cut_by_the_readers_function(meet):
    page = meet({"ch00_tokens/bpe_encode": source(ch00_tokens.bpe_encode)})
    assert cut(page, "Your bpe_encode has cut the text, as the model's own") == encode(f"\n{TEXT}")[0].tolist()
    assert serious(page) == []


def test_another_cut_is_what_the_model_reads(meet):
    page = meet({"ch00_tokens/bpe_encode": SINGLE})
    usual = encode(f"\n{TEXT}").shape[1]
    found = cut(page, f"Your bpe_encode has cut the text; the model's own tokenizer gives {usual} tokens")
    assert len(found) == len(f"\n{TEXT}".encode()) + 1 > usual
    assert [tokenizer().id_to_token(token) for token in found[2:5]] == ["O", "n", "c"]


@pytest.mark.parametrize(
    ("body", "said"), [("1 / 0", "yours fails (ZeroDivisionError"), ("[b'xyzzy']", "yours gives xyzzy, which")]
)
def test_where_it_does_not_work_the_models_own_cuts(meet, body, said):
    page = meet({"ch00_tokens/bpe_encode": f"def bpe_encode(text, merges):\n    return {body}\n"})
    assert cut(page, re.escape(said)) == encode(f"\n{TEXT}")[0].tolist()


def test_counts_stand_beside_what_the_page_finds(meet):
    page = meet({f"ch10_cost/{name}": source(getattr(ch10_cost, name)) for name in COUNTS})
    page.get_by_role("button", name="Count this model with your functions").click()
    page.get_by_role("row", name="forward_flops").wait_for(timeout=60_000)
    parameters, cache, operations = page.locator(".meet-costs tbody tr").all_inner_texts()
    cfg = reference().cfg
    count = f"{ch10_cost.count_parameters(cfg):,}"
    assert f"{count} parameters" in parameters and f"{count} numbers in the model's file" in parameters
    size = f"{ch10_cost.kv_cache_bytes(cfg, cfg.n_ctx, bytes_per_value=4):,}"
    assert f"{size} bytes for {cfg.n_ctx} tokens" in cache and f"{size} bytes are set apart" in cache
    n_tokens = page.locator("[data-part=tokens] li").count()
    each = ch10_cost.forward_flops(cfg, n_tokens) / n_tokens
    assert f"{each / 1e6:.2f} million operations for token {n_tokens}" in operations
    assert re.search(r"\d ms, so \d+\.\d billion operations a second", operations)
    assert serious(page) == []


def test_only_what_passed_is_counted_and_a_mistake_is_said(meet):
    page = meet({"ch10_cost/count_parameters": "def count_parameters(cfg):\n    return cfg.nothing\n"})
    page.get_by_role("button", name="Count this model").click()
    page.get_by_text("AttributeError: 'Config' object has no attribute 'nothing'.").wait_for(timeout=60_000)
    assert page.locator(".meet-costs table").count() == 0


CRASHES = "def bpe_encode(text, merges):\n    import ctypes\n    return ctypes.string_at(2**32 - 8, 4)\n"


def test_both_are_called_by_one_python(meet):
    page = meet({"ch00_tokens/bpe_encode": SINGLE, "ch10_cost/count_parameters": source(ch10_cost.count_parameters)})
    cut(page, "Your bpe_encode has cut the text")
    page.get_by_role("button", name="Count this model").click()
    page.get_by_role("row", name="count_parameters").wait_for(timeout=60_000)
    assert len(page.workers) == 1


def test_what_breaks_python_itself_leaves_the_other_its_answer(meet):
    page = meet({"ch00_tokens/bpe_encode": CRASHES, "ch10_cost/count_parameters": source(ch10_cost.count_parameters)})
    page.get_by_label("cut by your own bpe_encode").check()
    page.get_by_text("Your bpe_encode is cutting the text").wait_for()
    page.get_by_role("button", name="Count this model").click()
    page.get_by_text("yours fails").wait_for(timeout=60_000)
    page.get_by_role("row", name="count_parameters").wait_for(timeout=60_000)


def test_who_cuts_is_the_same_after_a_reload(meet):
    page = meet({"ch00_tokens/bpe_encode": SINGLE})
    own = page.get_by_label("cut by your own bpe_encode")
    own.check()
    for is_own in (True, False):
        own.set_checked(is_own)
        page.reload()
        page.locator("[data-meet][data-redraws]").wait_for(timeout=60_000)
        assert own.is_checked() == is_own
        assert page.get_by_text("Your bpe_encode has cut the text").is_visible() == is_own


def test_where_the_choice_is_not_kept_it_cuts_all_the_same(meet):
    refuses = "Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('private') } })"
    page = meet({"ch00_tokens/bpe_encode": SINGLE}, refuses)
    cut(page, "Your bpe_encode has cut the text")


def test_before_the_model_has_read_a_text_there_is_nothing_to_count(meet):
    page = meet({"ch10_cost/count_parameters": source(ch10_cost.count_parameters)})
    page.route("**/model.safetensors", lambda route: route.abort())
    page.reload()
    page.get_by_role("button", name="Count this model").click()
    page.get_by_text("The model has not read a text yet.").wait_for()
    assert len(page.workers) == 0


def test_where_nothing_passed_nothing_is_offered(meet):
    page = meet({})
    assert not page.get_by_label("cut by your own bpe_encode").is_visible()
    assert page.get_by_role("button", name="Count this model").count() == 0
