"""The map whose boxes open: its numbers, the keyboard, the sentence, and what stands where no script runs."""

import json
import re
from base64 import b64decode

import pytest
import torch

from tests.house.fresh_python import fresh_python
from tests.pictures import in_the_browser
from tests.serving import serious
from utils.gpt.model import GPT
from utils.model_map import model_map
from utils.model_map.drawing import LABELS, WIDTH, boxes
from utils.pictures.map_picture import ONE_PROMPT, map_of_one_prompt
from utils.pictures.opened_map import COLUMNS, STRONGEST, numbers_of, one_prompt, opened_map, seen_in
from utils.reference import reference

slow = pytest.mark.slow
MAP = model_map("block", done=["attn"], loop=True)


@pytest.fixture(scope="module")
def stored():
    return json.loads(ONE_PROMPT.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def model():
    found = GPT(reference().cfg)
    found.load_state_dict(dict(reference().weights))
    return found


def levels(part, words):
    pairs = [(byte >> 4, byte & 15) for byte in b64decode(part["strip"])]
    return torch.tensor(pairs).view(len(words), -1) - 8


def same(got, want, words):
    """Within a step: of the third digit, or of a level."""
    for name in ("norms", "range", "middle", "full"):
        assert torch.allclose(torch.tensor(got[name]), torch.tensor(want[name]), rtol=0.011), name
    assert (levels(got, words) - levels(want, words)).abs().max() <= 1


def test_what_is_stored_is_what_the_model_has(stored):
    """`python -m utils.pictures.opened_map` writes it anew."""
    made = json.loads(json.dumps(one_prompt()))
    assert {**made, "parts": 0, "guesses": 0} == {**stored, "parts": 0, "guesses": 0}
    assert made["parts"].keys() == stored["parts"].keys()
    for label, want in stored["parts"].items():
        got = made["parts"][label]
        for one, other in zip(*([x] if isinstance(x, dict) else x for x in (got, want)), strict=True):
            same(one, other, stored["words"])
    for got, want in zip(made["guesses"], stored["guesses"], strict=True):
        assert got[0][0] == want[0][0] and [p for _, p in got] == pytest.approx([p for _, p in want], abs=1e-3)


def test_what_is_seen_is_what_transformerlens_saw(model):
    seen, record = seen_in(model, reference().tokens), reference().activations
    assert len(seen) == 5 + 6 * 6
    for name, values in seen.items():
        assert torch.allclose(values, record[name], atol=2e-4), name


def test_a_strip_holds_every_so_many_th_number(model):
    tokens = reference().tokens[:1]
    seen = seen_in(model, tokens)
    found = numbers_of(seen, tokens)
    values = seen["blocks.4.hook_mlp_out"][0]
    part = found["parts"]["MLP"][4]
    assert part["norms"] == pytest.approx(values.norm(dim=-1).tolist(), rel=0.006)
    step = values.shape[-1] // COLUMNS
    want = (values[:, ::step] / part["full"] * STRONGEST).clamp(-STRONGEST, STRONGEST)
    assert (levels(part, found["words"]) - want).abs().max() < 0.6
    assert [len(guesses) for guesses in found["guesses"]] == [3] * 10 + [8]


class ReadingTables(GPT):
    """A right `forward` that calls neither the embeddings nor the unembedding."""

    def forward(self, tokens):
        resid = self.embed.W_E[tokens] + self.pos_embed.W_pos[: tokens.shape[1]]
        for block in self.blocks:
            resid = block(resid)
        return self.ln_final(resid) @ self.unembed.W_U + self.unembed.b_U


def test_a_model_that_does_not_call_its_parts_is_seen_too(model):
    tokens, reading = reference().tokens, ReadingTables(reference().cfg)
    reading.load_state_dict(model.state_dict())
    assert torch.allclose(reading(tokens), model(tokens), atol=1e-4)
    want, got = seen_in(model, tokens), seen_in(reading, tokens)
    assert got.keys() == want.keys() and all(torch.equal(got[name], want[name]) for name in want)


def test_a_part_that_is_not_there_is_named():
    with pytest.raises(KeyError, match="embed"):
        seen_in(torch.nn.Identity(), reference().tokens[:1])


def test_the_picture_of_a_model_is_the_same_each_time(model, stored):
    tokens = torch.tensor([stored["ids"]])
    html = opened_map(model, tokens, MAP)._repr_html_()
    assert html == opened_map(model, tokens, MAP)._repr_html_() and len(html) < 75_000


@slow
def test_the_start_pages_picture_needs_no_torch():
    code = "import sys, utils.pictures.map_picture; print('torch' in sys.modules)"
    assert fresh_python(code).stdout == "False\n"


@in_the_browser
@pytest.mark.parametrize("host", ["untrusted"])
def test_without_scripts_it_is_the_map_with_its_links(show, host):
    place = show(map_of_one_prompt(MAP), host=host)
    assert place.locator("img").get_attribute("alt") == MAP.words
    links = place.locator("a")
    assert links.count() == len(boxes(loop=True)) + 2 and links.last.inner_text() == "the block (7)"
    assert "the norm of the stream, for one, is 1.14 before block 0 and 35.5 after block 5" in place.inner_text()
    assert place.locator("button").count() == 0


@in_the_browser
@pytest.mark.parametrize("host", ["jupyterlab", "vscode", "colab"])
def test_a_box_opens_its_numbers_and_the_way_to_its_chapter(show, stored, host):
    place = show(map_of_one_prompt(MAP), host=host)
    assert place.locator("a:visible").count() == 0
    place.get_by_role("button", name="Attention, chapter 4").click()
    panel = place.get_by_role("region", name="Attention of block 0")
    assert "blocks.0.hook_attn_out [batch 1, pos 10, d_model 192]" in panel.inner_text()
    norms = [float(one) for one in panel.locator(".cp-map-norm").all_inner_texts()]
    assert norms == pytest.approx(stored["parts"]["Attention"][0]["norms"], rel=1e-6)
    strip = panel.get_by_role("img").get_attribute("aria-label")
    assert strip.endswith(f"·little {norms[-1]:.3f}.")
    assert panel.get_by_role("link", name="To chapter 4").get_attribute("href") == "ch04_attention.ipynb"
    place.get_by_role("button", name="Close").click()
    assert place.locator("a:visible").count() == 0


@in_the_browser
def test_the_keyboard_alone_gets_everywhere(show, stored):
    place = show(map_of_one_prompt(MAP))
    press = show.page.keyboard.press
    at = "document.activeElement.dataset.label"
    assert "go to it with arrows and press Enter" in place.locator(".cp-says").inner_text()
    press("Tab")
    seen = [show.page.evaluate(at)]
    for _ in range(12):
        press("ArrowRight")
        seen.append(show.page.evaluate(at))
    assert seen == [
        *("tokens", "Embed", "PosEmbed", "resid_pre", "ln1", "Attention", "resid_mid", "ln2", "MLP", "resid_post"),
        *("ln_final", "Unembed", "sampling"),
    ]
    press("Enter")
    assert place.get_by_role("region", name="sampling").is_visible()
    likeliest = place.get_by_role("listitem").first.inner_text().split()
    assert likeliest == ["·girl", f"{stored['guesses'][-1][0][1]:.3f}"]
    press("Home")
    assert place.get_by_role("region", name="tokens").is_visible()
    show.page.evaluate("heard = []; addEventListener('keydown', (event) => heard.push(event.key))")
    press("ArrowDown")  # there is no other block to go to: it scrolls, as everywhere
    assert show.page.evaluate("heard") == ["ArrowDown"]
    for _ in range(3):
        press("ArrowRight")
    for _ in range(7):
        press("ArrowDown")
    assert place.get_by_role("region", name="resid_pre of block 5").is_visible()
    press("ArrowUp")
    told = place.locator(".cp-says").inner_text()
    norms = stored["parts"]["stream"][8]["norms"]
    assert told.startswith(f"resid_pre of block 4: norms from {min(norms):.1f} at ")
    press("Tab")
    press("Tab")
    press("ArrowRight")  # of the row of blocks
    assert place.get_by_role("region", name="resid_pre of block 5").is_visible()
    assert show.page.evaluate("document.activeElement.type") == "radio"
    press("Home")
    assert place.get_by_role("region", name="resid_pre of block 0").is_visible()
    press("End")
    assert place.get_by_role("region", name="resid_pre of block 5").is_visible()
    press("Escape")
    assert place.get_by_role("region").count() == 0 and show.page.evaluate(at) == "resid_pre"
    keys = "[...document.querySelectorAll('.cp :is(button, a, input)')].every((e) => e.dataset.lmSuppressShortcuts)"
    assert show.page.evaluate(keys)


@in_the_browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_can_be_read(show, theme):
    for width in (390, 700, 1400):
        place = show(map_of_one_prompt(MAP), width=width, theme=theme, motion="reduce")
        for name in ("tokens", "MLP", "Unembed", "sampling"):
            place.locator(f'button[data-label="{name}"]').click()
            assert show.too_wide() <= 0
            assert serious(show.page) == []


@in_the_browser
def test_the_box_with_the_focus_is_in_sight_on_a_narrow_page(show):
    place = show(map_of_one_prompt(MAP), width=540)
    show.page.keyboard.press("Tab")
    scrolled = place.locator(".cp-map > div").first.bounding_box()
    for key in ("End", "Home"):
        show.page.keyboard.press(key)
        box = show.page.evaluate("(({ left, right }) => [left, right])(document.activeElement.getBoundingClientRect())")
        assert scrolled["x"] + 5 <= box[0] and box[1] <= scrolled["x"] + scrolled["width"] - 5


def test_the_streams_names_are_where_the_map_has_them():
    script = (ONE_PROMPT.parent / "opened_map.mjs").read_text(encoding="utf-8")
    assert f"const WIDTH = {WIDTH};" in script
    for x, y, name in LABELS:
        if name.startswith("resid_"):
            assert f"{name}: [{x}, {y - 5}]" in script  # a baseline there, the middle here


@in_the_browser
def test_an_error_brings_the_map_back(show):
    html = map_of_one_prompt(MAP)._repr_html_()
    place = show(re.sub(r'"words":\[.*?\]', '"words":null', html))
    assert place.locator("img").count() == 1 and place.locator("a:visible").count() > 8
    assert len(show.complaints) == 1
    show.complaints.clear()


@in_the_browser
def test_the_page_makes_the_same_of_a_models_numbers(show, model):
    tokens = reference().tokens[:1]
    values = seen_in(model, tokens)["blocks.3.hook_resid_mid"][0]
    want = numbers_of(seen_in(model, tokens), tokens)["parts"]["stream"][7]
    show.blank()
    got = show.page.evaluate(
        """async (rows) => {
            const { partOf } = await import("/pictures/strips.mjs");
            return partOf(rows.map((row) => Float32Array.from(row)));
        }""",
        values.tolist(),
    )
    for name in ("norms", "range", "middle", "full"):
        assert got[name] == pytest.approx(want[name], rel=0.006), name
    assert (torch.tensor(got["levels"]).view(len(values), -1) - levels(want, tokens[0])).abs().max() <= 1
