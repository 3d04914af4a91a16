"""The residual stream as a strip: its numbers against torch, and what is seen and said of them in a browser."""

from dataclasses import replace

import pytest
import torch

from solutions.ch03_layernorm import LayerNorm
from solutions.ch06_unembed import Unembed
from tests.pictures import in_the_browser, on_every_page
from tests.serving import serious
from utils.config import Config
from utils.pictures.picture import Picture
from utils.pictures.stream import Reader, stream_strip

NAMES = ["embed", "pos_embed", "0_attn_out", "0_mlp_out", "1_attn_out", "1_mlp_out"]
WORDS = ["<|endoftext|>", "\n", "Once", " upon", " a"]


@pytest.fixture(scope="module")
def parts():
    """Of a model of two blocks; position 0 is far larger than the others."""
    dice = torch.Generator().manual_seed(0)
    parts = torch.randn(6, 5, 12, generator=dice) * torch.tensor([0.3, 0.1, 1, 4, 3, 5])[:, None, None]
    return parts * torch.tensor([9.0, 1, 1, 1, 1])[:, None] + 2


@pytest.fixture(scope="module")
def reader():
    """With a `w`, a `b`, a `b_U` and an eps that are not the usual ones."""
    torch.manual_seed(1)
    cfg = replace(Config(), d_model=12, d_vocab=40, layer_norm_eps=0.1)
    ln_final, unembed = LayerNorm(cfg), Unembed(cfg)
    for parameter in (ln_final.w, ln_final.b, unembed.W_U, unembed.b_U):
        torch.nn.init.normal_(parameter, mean=0.5)
    return Reader(ln_final, unembed, lambda tokens: [f" t{token}" for token in tokens.tolist()])


def test_without_a_reader_the_shares_add_up_to_the_norm_at_the_end(parts):
    data = stream_strip(parts, NAMES, WORDS).data
    assert data["position"] == 4
    for at, record in enumerate(data["at"]):
        torch.testing.assert_close(torch.tensor(record["norms"]), parts[:, at].norm(dim=-1), atol=0.051, rtol=0)
        whole = [parts[:2, at].sum(0).norm(), parts[:4, at].sum(0).norm(), parts[:, at].sum(0).norm()]
        torch.testing.assert_close(torch.tensor(record["stream"]), torch.stack(whole), atol=0.051, rtol=0)
        assert sum(record["shares"]) == pytest.approx(float(whole[-1]), abs=0.031)
        assert set(record) == {"norms", "stream", "shares"}
    assert data["scale"] == max(max(each["norms"] + each["stream"]) for each in data["at"][1:])


def test_with_one_they_add_up_to_the_logit_of_the_final_guess(parts, reader):
    with torch.no_grad():
        logits = reader.unembed(reader.ln_final(parts.sum(0)[None]))[0]
    for record, row in zip(stream_strip(parts, NAMES, WORDS, reader=reader).data["at"], logits, strict=True):
        assert sum(record["shares"]) + record["rest"] == pytest.approx(record["above"], abs=0.04)
        assert record["above"] + record["mean"] == pytest.approx(float(row.max()), abs=0.011)
        assert record["mean"] == pytest.approx(float(row.mean()), abs=0.0051)


def test_a_share_is_what_the_logit_loses_without_the_write(parts, reader):
    """With the scale held where it is, and over the mean of all logits."""
    end = parts.sum(0)
    centred = end - end.mean(-1, keepdim=True)
    scale = (centred.pow(2).mean(-1, keepdim=True) + 0.1).sqrt()

    def above(vectors):
        logits = vectors / scale * reader.ln_final.w @ reader.unembed.W_U
        return logits - logits.mean(-1, keepdim=True)

    with torch.no_grad():
        guess = reader.unembed(reader.ln_final(end[None]))[0].argmax(-1)
        without = above((end - parts[3]) - (end - parts[3]).mean(-1, keepdim=True))
        lost = (above(centred) - without).gather(-1, guess[:, None])[:, 0]
    got = [record["shares"][3] for record in stream_strip(parts, NAMES, WORDS, reader=reader).data["at"]]
    torch.testing.assert_close(torch.tensor(got), lost, atol=0.0051, rtol=0)


def test_the_guesses_are_read_through_the_learners_parts(parts, reader):
    with torch.no_grad():
        chances = reader.unembed(reader.ln_final(parts[:4].sum(0)[None]))[0].softmax(-1)
    for record, row in zip(stream_strip(parts, NAMES, WORDS, reader=reader).data["at"], chances, strict=True):
        best = row.topk(3)
        assert [word for word, _ in record["guesses"][1]] == reader.name(best.indices)
        assert [chance for _, chance in record["guesses"][1]] == pytest.approx(best.values.tolist(), abs=5.1e-4)


def test_it_is_the_same_each_time_small_and_says_what_would_be_seen(parts, reader):
    picture = stream_strip(parts, NAMES, WORDS, reader=reader, position=3)
    assert picture._repr_html_() == stream_strip(parts, NAMES, WORDS, reader=reader, position=3)._repr_html_()
    assert len(picture._repr_html_()) < 40_000
    guesses = picture.data["at"][3]["guesses"]
    said = ", ".join(f"{stop[0][0]!r} {stop[0][1]:.2f}" for stop in guesses)
    assert repr(picture).endswith(f"after the embeddings and after each block: {said}.")
    assert f"At ' upon', position 3, these norms were written: embed {parts[0, 3].norm():.1f}, pos_" in repr(picture)


def test_errors_say_what_does_not_fit(parts):
    with pytest.raises(ValueError, match=r"parts has the shape \[6, 5, 12\]; .* for each of 4 tokens"):
        stream_strip(parts, NAMES, WORDS[1:])
    with pytest.raises(ValueError, match="position 5 is not in a text of 5 tokens"):
        stream_strip(parts, NAMES, WORDS, position=5)


@in_the_browser
@pytest.mark.parametrize("lens", [False, True])
def test_what_is_drawn_and_said_are_the_numbers(show, parts, reader, lens):
    picture = stream_strip(parts, NAMES, WORDS, reader=reader if lens else None)
    place = show(picture)
    record = picture.data["at"][4]
    norms = place.locator(".cp-stream-row:not(.cp-stream-stop) .cp-stream-norm > span:last-child").all_inner_texts()
    assert [float(norm) for norm in norms] == record["norms"]
    said = place.locator(".cp-says").inner_text()
    assert f"At “·a”, position 4: {NAMES[record['norms'].index(max(record['norms']))]} writes most" in said
    total = record["above"] if lens else record["stream"][-1]
    assert f"{total:.2f}" in place.locator(".cp-stream-rest").last.inner_text()
    if lens:
        word, chance = record["guesses"][-1][0]
        assert f"The guess is “·{word.strip()}” ({chance:.2f})" in said
        assert f"is {record['above']:.2f} above the mean of all" in said
    else:
        assert place.locator(".cp-stream-guess").count() == 0
        assert f"ends with a norm of {record['stream'][-1]:.1f}" in said


@in_the_browser
def test_it_is_heard_as_a_table(show, parts, reader):
    picture = stream_strip(parts, NAMES, WORDS, reader=reader)
    table = show(picture).get_by_role("table")
    record = picture.data["at"][4]
    guess, chance = (f"{found}" for found in record["guesses"][-1][0])
    titles = table.get_by_role("columnheader").all_inner_texts()
    assert titles == ["written by", "norm of the write", f"lifts “{guess.replace(' ', '·')}” by"]
    row = table.get_by_role("row", name="+ 1_mlp_out")
    cells = [f"{record['norms'][5]:.1f}", f"{record['shares'][5]:.2f}".replace("-", "−")]
    assert row.get_by_role("cell").all_inner_texts() == cells
    last = table.get_by_role("row", name="after block 1").get_by_role("cell").last.inner_text()
    assert guess.strip() in last and f"{float(chance):.2f}" in last


@in_the_browser
def test_the_keyboard_alone_chooses_a_position(show, parts, reader):
    place = show(stream_strip(parts, NAMES, WORDS, reader=reader))
    show.page.keyboard.press("Tab")
    at = ["ArrowLeft", "ArrowUp", "Home", "ArrowLeft", "ArrowRight", "ArrowDown", "End", "ArrowRight"]
    for key, position in zip(at, [3, 2, 0, 0, 1, 2, 4, 4], strict=True):
        show.page.keyboard.press(key)
        chosen = place.get_by_role("radio", checked=True)
        assert chosen.evaluate("one => one === document.activeElement")
        assert f", position {position}: " in place.locator(".cp-says").inner_text()
    show.page.keyboard.press("Alt+Home")  # for the browser
    assert ", position 4: " in place.locator(".cp-says").inner_text()
    assert place.locator("button:not([data-lm-suppress-shortcuts])").count() == 0
    place.get_by_role("radio").first.click()
    assert "At “<eot>”, position 0" in place.locator(".cp-says").inner_text()
    assert place.locator(".cp-stream-over").count() > 0  # far longer there than anywhere else


LIVE = """(data) => import("/pictures/stream.mjs").then(({ draw }) => {
  const place = document.createElement("div");
  place.className = "cp";
  document.querySelector("main").append(place);
  draw(place, { ...data, at: (position) => data.at[position] });
  draw(place, { ...data, at: (position) => data.at[position], position: 1 });
})"""


@in_the_browser
def test_records_may_come_from_a_function_and_it_may_be_drawn_anew(show, parts, reader):
    data = stream_strip(parts, NAMES, WORDS, reader=reader).data
    show.blank().evaluate(LIVE, data)
    assert show.page.get_by_role("radio", checked=True).all_inner_texts() == ["⏎"]
    show.page.get_by_role("radio").first.click()
    assert show.page.get_by_role("radio", checked=True).all_inner_texts() == ["<eot>"]


@in_the_browser
@on_every_page
@pytest.mark.parametrize("lens", [False, True])
def test_it_fits_and_can_be_read(show, parts, reader, theme, width, lens):
    show(stream_strip(parts, NAMES, WORDS, reader=reader if lens else None), theme=theme, width=width)
    assert show.too_wide() == 0
    assert serious(show.page) == []


@in_the_browser
def test_still_under_reduced_motion_and_words_where_nothing_can_be_drawn(show, parts):
    picture = stream_strip(parts, NAMES, WORDS)
    place = show(picture, motion="reduce")
    assert place.locator("i").first.evaluate("e => getComputedStyle(e).transitionDuration") == "0s"
    assert show(picture, host="untrusted").inner_text() == repr(picture)
    assert show(Picture("stream", picture.data | {"at": []}, "Words.")).inner_text() == "Words."
    show.complaints.clear()
