"""What a terminal shows of a story: lines broken between words, whole characters, and nothing that the parts print."""

import io
import re
import sys

import pytest

from utils.own_gpt.loading import module


def test_what_the_parts_print_is_no_part_of_the_story(gpt, monkeypatch, capsys):
    command, parts = module("course.command"), module("parts.generate_with_cache")
    choose = parts.sample_next_token
    assert command.main(["Once", "--tokens", "5", "--seed", "1"]) == 0
    quiet = capsys.readouterr()

    def loud_one(*seen, **named):
        print("here", end="\n" if sys.stdout.writable() and not sys.stdout.isatty() else "")
        return choose(*seen, **named)

    monkeypatch.setattr(parts, "sample_next_token", loud_one)
    assert command.main(["Once", "--tokens", "5", "--seed", "1"]) == 0
    loud = capsys.readouterr()
    assert (loud.out, quiet.err) == (quiet.out, "")
    assert loud.err == "(Your parts printed 5 lines meanwhile, not shown here. The first: here)\n"


def on_a_screen(written):
    """What a terminal shows of a text with backspaces."""
    lines, at = [""], 0
    for character in written:
        if character == "\b":
            at -= 1
        elif character == "\n":
            lines.append("")
            at = 0
        else:
            lines[-1] = lines[-1][:at] + character + lines[-1][at + 1 :]
            at += 1
    return [line.rstrip() for line in lines]


STORY = ["Once", " upon", " a", " time", " there was a great par", "rot", "-", "dish", ",\n", "and ", "so on"]


@pytest.mark.parametrize("columns", [8, 9, 12, 16, 20, 40, 200])
def test_on_a_terminal_lines_break_between_words(gpt, columns):
    screen = io.StringIO()
    lines = module("course.terminal").Lines(screen, lambda: columns)
    for piece in STORY:
        before = len(screen.getvalue())
        lines.write(piece)
        assert squeezed(piece) in squeezed(screen.getvalue()[before:]), "each piece is seen at once"
    shown = on_a_screen(screen.getvalue())
    if columns >= len("parrot-dish,") + 1:
        assert max(map(len, shown)) < columns
        assert " ".join(shown).split() == "".join(STORY).split()
    assert squeezed("".join(shown)) == squeezed("".join(STORY))


def squeezed(text):
    return re.sub(r"[\s\b]", "", text)


def test_on_a_terminal_nothing_steers_it_and_wide_characters_count_twice(gpt):
    screen = io.StringIO()
    lines = module("course.terminal").Lines(screen, lambda: 9)
    lines.write("a\x1b[2J\x07b 狐は月")
    assert screen.getvalue() == "a\ufffd[2J\ufffdb \n狐は月"
