"""What `python -m tests.colab` takes for a problem when it runs the chapters in an imitation of Google Colab."""

import pytest

from tests.colab.chapters import Walk
from tests.colab.runtime import Ran


def message(kind, **content):
    return {"msg_type": kind, "content": content}


def test_what_a_cell_shows_is_told_apart():
    ran = Ran(0.0)
    ran.take(message("stream", name="stdout", text="out"))
    ran.take(message("stream", name="stderr", text="a warning"))
    ran.take(message("display_data", data={"text/plain": "not yet", "text/html": "<p>"}))
    ran.take(message("error", ename="E", evalue="why", traceback=["\x1b[31mline\x1b[0m"]))
    ran.take(message("status", execution_state="idle"))
    assert (ran.text, ran.stderr, ran.pages, ran.errors) == ("outnot yet\n", "a warning", ["<p>"], ["E: why\nline"])


class Scripted:
    """A notebook whose cells do what their code names."""

    def run(self, code):
        shows = {"good": {}, "warns": {"stderr": "careful"}, "fails": {"errors": ["E: why"]}}
        return Ran(0.0, **shows.get(code, {}))


def test_what_a_learner_would_meet_is_a_problem():
    walk = Walk("ch", Scripted())
    for code in ("good", "warns", "fails"):
        walk.fine(code, code)
    assert walk.problems == ["ch, warns writes to stderr: careful", "ch, fails stops with E: why"]


@pytest.mark.parametrize("code", ["good", "fails"])
def test_an_open_exercise_must_say_so(code):
    walk = Walk("ch", Scripted())
    walk.not_yet("test", code)
    assert walk.problems[0].startswith("ch, test: an open exercise should be 'not yet'")
