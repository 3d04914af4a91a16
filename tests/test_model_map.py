"""utils.model_map: one drawing, the same each time, that says in words what it shows and where you are."""

import re
from base64 import b64decode
from xml.etree import ElementTree

import pytest

from utils.model_map import BOXES, HERE, HERE_LINE, NAMES, WIDTH, model_map

SVG = "{http://www.w3.org/2000/svg}"


def marked(*here: str) -> list[str]:
    """What is written in each box that is coloured as "you are here", the legend's square left out."""
    root = ElementTree.fromstring(model_map(*here).svg)
    bold = [str(text.text) for text in root.iter(f"{SVG}text") if text.get("font-weight") == "bold"]
    return bold[1:]


@pytest.mark.parametrize(
    ("here", "labels"),
    [
        (("embed", "pos_embed"), ["Embed", "PosEmbed"]),
        (("ln", "ln_final"), ["ln1", "ln2", "ln_final"]),
        (("block",), ["block, n_layers times (ch. 7)"]),
        (("sampling",), ["sampling"]),
        (("stream",), ["the residual stream [batch pos d_model]"]),
    ],
)
def test_the_parts_named_are_marked_and_no_others(here, labels):
    assert marked(*here) == labels


@pytest.mark.parametrize("name", NAMES)
def test_every_part_can_be_marked_and_is_said_in_words(name):
    drawing = model_map(name)
    assert drawing.words.startswith(f"You are here: {NAMES[name]}. The model, from left to right: tokens")
    marks = drawing.svg.count(HERE) + drawing.svg.count(HERE_LINE)
    assert marks > 2, "only the legend has the colour"
    assert {box.name for box in BOXES} <= set(NAMES)


def test_several_parts_are_listed():
    assert model_map("ln", "ln_final").words.startswith("You are here: ln1, ln2 and ln_final. ")


def test_a_notebook_gets_an_image_with_its_words_and_a_terminal_the_words():
    drawing = model_map("attn")
    html = drawing._repr_html_()
    source, alt = re.fullmatch(
        r'<img src="data:image/svg\+xml;base64,(.+?)" alt="(.+?)" width="1000".*>', html
    ).groups()
    assert b64decode(source).decode() == drawing.svg
    assert alt == repr(drawing) == drawing.words
    assert ElementTree.fromstring(drawing.svg).find(f"{SVG}title").text == drawing.words
    assert "script" not in drawing.svg


def test_the_drawing_brings_its_own_ground_and_is_the_same_every_time():
    assert model_map("mlp") == model_map("mlp")
    first = ElementTree.fromstring(model_map("mlp").svg).find(f"{SVG}rect")
    assert (first.get("x"), first.get("width"), first.get("fill")) == ("0", "1000", "white")


@pytest.mark.parametrize(("here", "got"), [(("embedding",), "embedding"), ((), "none")])
def test_a_part_that_is_not_on_the_map_is_refused_with_those_that_are(here, got):
    with pytest.raises(ValueError, match=rf"\(tokens, embed, pos_embed, .* model\), got {got}$"):
        model_map(*here)


def test_the_loop_through_sampling_is_drawn_where_it_is_wanted():
    plain, looped = model_map("mlp"), model_map("mlp", loop=True)
    assert "sampling" not in plain.svg and "Sampling chooses one token" in looped.words
    assert 'viewBox="0 0 1000 396"' in looped.svg and ">ch. 8</text>" in looped.svg
    assert model_map(done=["sampling"]).words.endswith(looped.words.partition("d_vocab].")[2])


@pytest.mark.parametrize("done", [["mlp"], list(NAMES)])
def test_the_list_of_what_is_done_ends_on_the_map(done):
    root = ElementTree.fromstring(model_map(done=done).svg)
    legend = next(text for text in root.iter(f"{SVG}text") if str(text.text).startswith("Done: "))
    wide = int(legend.attrib["x"]) + 0.6 * int(legend.attrib["font-size"]) * len(str(legend.text))
    assert wide < WIDTH
