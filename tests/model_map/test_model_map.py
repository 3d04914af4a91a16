"""utils.model_map: one drawing, the same each time, that says in words what it shows and where you are."""

import re
import sys
from base64 import b64decode
from xml.etree import ElementTree

import pytest

from utils.course import stems
from utils.drawing.colours import contrast, rgb
from utils.model_map import NAMES, model_map, modern_map
from utils.model_map.drawing import BOXES, DONE, HERE, INK, LINE, MODERN, NARROWEST, PLAIN, SMALL, STREAM, WIDTH

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
        (("stream",), ["residual stream [batch pos d_model]"]),
    ],
)
def test_the_parts_named_are_marked_and_no_others(here, labels):
    assert marked(*here) == labels


@pytest.mark.parametrize("name", NAMES)
def test_every_part_can_be_marked_and_is_said_in_words(name):
    drawing = model_map(name)
    assert drawing.words.startswith(f"You are here: {NAMES[name]}. The model, from left to right: tokens")
    assert drawing.svg.count(HERE.sign) > 1, "only the legend has the sign"
    assert {box.name for box in BOXES} <= set(NAMES)


def test_several_parts_are_listed():
    assert model_map("ln", "ln_final").words.startswith("You are here: ln1, ln2 and ln_final. ")


def test_a_notebook_gets_an_image_with_its_words_and_a_terminal_the_words():
    drawing = model_map("attn")
    image = re.search(r'<img src="data:image/svg\+xml;base64,(.+?)" alt="(.+?)" width="720"', drawing._repr_html_())
    assert image
    source, alt = image.groups()
    assert b64decode(source).decode() == drawing.svg
    assert alt == repr(drawing) == drawing.words
    assert ElementTree.fromstring(drawing.svg).find(f"{SVG}title").text == drawing.words
    assert "script" not in drawing.svg


def test_the_drawing_leaves_the_ground_to_the_page_and_is_the_same_every_time():
    assert model_map("mlp") == model_map("mlp")
    wide = [
        one for one in ElementTree.fromstring(model_map("model").svg).iter(f"{SVG}rect") if int(one.get("width")) > 300
    ]
    assert [one.get("fill") for one in wide] == ["none", "none"]  # the frames of the model and of the block


@pytest.mark.parametrize("paper", ["#ffffff", "#111111"])
def test_lines_and_letters_stand_out_on_light_and_dark_pages(paper):
    for colour in (INK, LINE, STREAM, HERE.line, DONE.line):
        assert contrast(rgb(colour), rgb(paper)) > 4
    for fill in (PLAIN, HERE.fill, DONE.fill):
        assert contrast(rgb("#ffffff"), rgb(fill)) > 4.5, "the letters of a box"


def test_letters_are_11_pixels_high_where_the_map_is_smallest():
    assert SMALL * NARROWEST / WIDTH > 11
    sizes = [int(text.attrib["font-size"]) for text in ElementTree.fromstring(model_map("mlp").svg).iter(f"{SVG}text")]
    assert min(sizes) == SMALL and f"min-width:{NARROWEST}px" in model_map("mlp")._repr_html_()


def test_no_mark_is_told_by_its_colour_alone():
    svg = model_map("mlp", done=["attn"]).svg
    assert svg.count(HERE.sign) == svg.count(DONE.sign) == 2 and HERE.sign != DONE.sign  # in the legend, at the box


def test_nothing_stands_outside_the_drawing_or_on_the_frame_of_a_marked_model():
    root = ElementTree.fromstring(model_map(done=list(NAMES)).svg)
    frame = next(iter(root.iter(f"{SVG}rect")))
    left, top = int(frame.attrib["x"]), int(frame.attrib["y"])
    right, bottom = left + int(frame.attrib["width"]), top + int(frame.attrib["height"])
    for box in list(root.iter(f"{SVG}rect"))[1:]:
        x, y = int(box.attrib["x"]), int(box.attrib["y"])
        assert left + 8 <= x and x + int(box.attrib["width"]) <= right - 8
        assert top + 8 <= y and y + int(box.attrib["height"]) <= bottom - 8


def test_each_box_is_a_link_with_a_name_and_lies_where_it_is_drawn():
    links = re.findall(r'<a href="(.+?)" title="(.+?)" style="(.+?)"></a>', model_map("mlp")._repr_html_())
    assert [(link, title) for link, title, _ in links] == [
        (f"{stems()[box.chapter]}.ipynb", f"{box.label}: chapter {box.chapter}") for box in BOXES
    ]
    tokens = links[0][2]  # 48 - 35 from the left, 214 - 21 from the top, of 720
    assert "margin:26.81% 0px 0px 1.81%;width:9.72%;" in tokens


def test_in_colab_a_box_leads_to_colab(monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", sys)
    monkeypatch.setattr("utils.course.links.repository", lambda: "owner/name")
    page = model_map("mlp")._repr_html_()
    assert 'href="https://colab.research.google.com/github/owner/name/blob/main/chapters/ch05_mlp.ipynb"' in page


def test_a_part_that_is_not_on_the_map_is_refused_with_those_that_are():
    with pytest.raises(ValueError, match=r"\(tokens, embed, pos_embed, .* model\), got embedding$"):
        model_map("embedding")


def test_a_map_without_a_mark_says_what_is_there():
    assert model_map().words.startswith("The model, from left to right") and HERE.sign not in model_map().svg


def test_the_loop_through_sampling_is_drawn_where_it_is_wanted():
    plain, looped = model_map("mlp"), model_map("mlp", loop=True)
    assert "sampling" not in plain.svg and "Sampling chooses one token" in looped.words
    assert 'viewBox="0 0 720 446"' in looped.svg and ">ch. 8</text>" in looped.svg
    assert model_map(done=["sampling"]).words.endswith(looped.words.partition("d_vocab].")[2])


def test_the_modern_map_has_the_same_parts_in_the_same_places_but_for_the_table_of_positions():
    drawing = modern_map("ln", "attn", "mlp", "ln_final", here_means="Built in another way")
    assert drawing.words.startswith("Built in another way: ln1, ln2, Attention, the MLP and ln_final. A model since")
    left_out = {box.name for box in BOXES} - {box.name for box in MODERN.boxes}
    assert left_out == {"pos_embed"}
    places = {(box.x, box.y): box for box in BOXES}
    changed = [box.label for box in MODERN.boxes if box != places[box.x, box.y]]
    assert changed == ["RMSNorm", "Attention", "RMSNorm", "SwiGLU", "ln_final"]
    assert "PosEmbed" not in drawing.svg.split("</title>")[1]
    assert drawing.svg.count("marker-end") == model_map("attn").svg.count("marker-end") - 2, "one arrow in, one out"
    assert drawing._repr_html_().count("<a ") == len(MODERN.boxes)
