"""The page "Meet the model": what is typed is read by the model in the page, and shown in the chapters' pictures."""

import json

import pytest
import torch

from tests.serving import serious
from utils.gpt.model import GPT
from utils.pictures.opened_map import numbers_of, seen_in
from utils.reference import encode, reference, str_tokens
from utils.site.means import MEANS, mean_blends

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TEXT = "Once upon a time a naïve fox found a golden key. The golden"
BEGUN = "[data-meet][data-redraws]"


@pytest.fixture(scope="module")
def model():
    found = GPT(reference().cfg)
    found.load_state_dict(dict(reference().weights))
    return found


@pytest.fixture(scope="module")
def context(browser):
    """Of all pages here: what one has fetched the next finds at hand."""
    opened = browser.new_context(reduced_motion="reduce")
    yield opened
    opened.close()


@pytest.fixture
def page(context, address):
    opened = context.new_page()
    complaints = []
    opened.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(f"{address}/meet.html")
    opened.locator(BEGUN).wait_for()
    yield opened
    assert complaints == []
    opened.close()


def redraws(page):
    return int(page.locator(BEGUN).get_attribute("data-redraws"))


def typed(page, text):
    """Type it, and wait until the pictures are drawn; what is said of it."""
    before = redraws(page)
    page.get_by_label("Your text").fill(text)
    page.wait_for_function(f"document.querySelector('{BEGUN}').dataset.redraws > {before}")
    return page.locator("[data-part=says]").inner_text()


def tokens_shown(page):
    return [int(number) for number in page.locator("[data-part=tokens] small").all_inner_texts()]


def test_its_tokens_and_its_guess_are_the_reference_models(page, model):
    said = typed(page, TEXT)
    tokens = encode(f"\n{TEXT}")
    assert tokens_shown(page) == tokens[0].tolist()
    with torch.no_grad():
        chances = model(tokens)[0, -1].softmax(-1)
    guess = str_tokens(chances.argmax()[None])[0].replace(" ", "·")
    assert f"{tokens.shape[1]} tokens" in said and f"“{guess}” ({chances.max():.2f})" in said
    page.get_by_label("a line break first").uncheck()
    page.wait_for_function(f"document.querySelectorAll('[data-part=tokens] li').length < {tokens.shape[1]}")
    assert tokens_shown(page) == encode(TEXT)[0].tolist()


def test_a_box_of_the_map_has_the_numbers_of_the_text_and_stays_open(page, model):
    page.get_by_role("button", name="MLP, chapter 5").click()
    for text in (TEXT, f"{TEXT} key"):
        typed(page, text)
        tokens = encode(f"\n{text}")
        want = numbers_of(seen_in(model, tokens), tokens)["parts"]["MLP"][0]["norms"]
        region = page.get_by_role("region", name="MLP of block 0")
        norms = [float(norm) for norm in region.locator(".cp-map-norm").all_inner_texts()]
        assert norms == pytest.approx(want, rel=0.006)
    link = page.get_by_role("link", name="To chapter 5")
    assert link.get_attribute("href") == "ch05_mlp.html"


def test_what_a_head_brings_on_average_is_what_is_stored():
    """`python -m utils.site.means` writes it anew."""
    stored = torch.tensor(json.loads(MEANS.read_text(encoding="utf-8")))
    assert torch.allclose(stored, mean_blends(), rtol=0.011, atol=1e-5)


def test_a_head_is_switched_off_as_in_chapter_4(page, model):
    """Its z becomes its mean, from position 1 on: what it adds to the stream there is the mean times its W_O."""
    typed(page, TEXT)
    page.get_by_role("button", name="5.2 off").click()
    found = page.get_by_role("list", name="Without 5.2").get_by_role("listitem").first
    found.wait_for()
    changed = mean_blends()[5, 2] @ model.blocks[5].attn.W_O[2]

    def without(attn, inputs, answer):
        kept = attn.W_O.data[2].clone()
        attn.W_O.data[2] = 0
        others = attn.forward(*inputs)
        attn.W_O.data[2] = kept
        return torch.cat([answer[:, :1], others[:, 1:] + changed], dim=1)

    hook = model.blocks[5].attn.register_forward_hook(without)
    with torch.no_grad():
        chances = model(encode(f"\n{TEXT}"))[0, -1].softmax(-1)
    hook.remove()
    guess = str_tokens(chances.argmax()[None])[0].replace(" ", "·")
    name, chance = found.inner_text().split()
    assert name == guess and float(chance) == pytest.approx(float(chances.max()), abs=2e-3)


def test_the_stream_is_the_learners(page, model):
    """Its norms after each block, and the guess that the lens reads after block 2."""
    typed(page, TEXT)
    seen = seen_in(model, encode(f"\n{TEXT}"))
    stops = [seen[f"blocks.{layer}.hook_resid_pre"][0, -1] for layer in range(6)] + [seen["ln_final.hook_in"][0, -1]]
    shown = page.locator(".cp-stream-stop .cp-stream-norm > span:last-child").all_inner_texts()
    assert [float(norm) for norm in shown] == pytest.approx([float(stop.norm()) for stop in stops], abs=0.06)
    with torch.no_grad():
        guess = model.unembed(model.ln_final(stops[3][None, None]))[0, 0].argmax()
    lens = page.locator(".cp-stream-stop").nth(3).locator("b").first.inner_text()
    assert lens.removeprefix("✓ ") == str_tokens(guess[None])[0].replace(" ", "·")


def test_the_shares_of_all_writes_are_the_logit_above_the_mean(page, model):
    typed(page, TEXT)
    with torch.no_grad():
        logits = model(encode(f"\n{TEXT}"))[0, -1]
    last = page.locator(".cp-stream-rest").last.inner_text().split()[-1]
    assert float(last) == pytest.approx(float(logits.max() - logits.mean()), abs=0.011)
    shares = page.locator(".cp-stream-row:not(.cp-stream-stop, .cp-stream-head) .cp-stream-share").all_inner_texts()
    numbers = [float(share.replace("−", "-")) for share in shares]
    assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=0.1)


def test_nothing_typed_and_too_much(page):
    assert typed(page, "").startswith("Nothing is typed yet. ")
    assert tokens_shown(page) == encode("\n")[0].tolist()
    said = typed(page, "word " * 300)
    assert "tokens, and the first 64 are read." in said and len(tokens_shown(page)) == 64
    typed(page, "")
    page.get_by_label("a line break first").uncheck()
    page.wait_for_function("document.querySelectorAll('[data-part=tokens] li').length === 1")
    assert tokens_shown(page) == [0]


def test_quick_typing_is_drawn_once_and_the_layer_stays(page):
    typed(page, "Once")
    page.get_by_role("group", name="Layer").get_by_label("2", exact=True).check()
    before = redraws(page)
    page.get_by_label("Your text").press_sequentially(" upon a time there was a king")
    page.wait_for_function("document.querySelectorAll('[data-part=tokens] li').length > 9")
    assert redraws(page) - before <= 3
    assert page.get_by_role("group", name="Layer").get_by_label("2", exact=True).is_checked()
    assert page.evaluate("document.activeElement.dataset.part") == "text"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_with_boxes_open_it_fits_and_can_be_read(page, theme):
    page.emulate_media(color_scheme=theme)
    for name in ("Attention, chapter 4", "Unembed, chapter 6"):
        page.get_by_role("button", name=name).click()
        for width in (390, 700, 1400):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert serious(page) == []


def test_what_goes_wrong_is_said(browser, address):
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.route("**/config.json", lambda route: route.fulfill(status=500))
    page.goto(f"{address}/meet.html")
    page.get_by_text("config.json could not be loaded (500). Reload the page to try again.").wait_for()
    assert page.locator("[data-part=map] img").is_visible()
    context.close()


def test_what_was_chosen_is_kept_for_another_text(page):
    """A head, a head that is off, and a position: to compare what they do there."""
    typed(page, TEXT)
    page.get_by_role("group", name="Head").get_by_label("1", exact=True).check()
    page.get_by_role("button", name="4.1 off").click()
    page.get_by_role("radio", name="·upon").first.click()
    typed(page, f"{TEXT} key")
    assert page.get_by_role("group", name="Head").get_by_label("1", exact=True).is_checked()
    assert page.get_by_role("button", name="4.1 off").get_attribute("aria-pressed") == "true"
    page.get_by_role("list", name="Without 4.1").get_by_role("listitem").first.wait_for()
    assert page.get_by_role("radio", name="·upon").first.get_attribute("aria-checked") == "true"


def test_half_a_character_is_named_by_its_bytes(page):
    typed(page, "naïve")
    shown = page.locator("[data-part=tokens] li").all_inner_texts()
    assert any(one.startswith("C3") for one in shown) and not any("\ufffd" in one for one in shown)
    assert "“naïve”" in page.locator("[data-part=map] .cp-says").inner_text()
