"""utils.watching: a run is seen while it trains, Stop keeps what is there, and watching costs next to nothing."""

import re
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from utils.plotting.training import loss_curves
from utils.watching import Kept, Lines, Page, Standing, Stored, Watch, clock, page, read_kept, screen_here, watching


@dataclass(frozen=True)
class Args:
    steps: int = 40
    checkpoint: Path | None = None


class Seen:
    """A screen that remembers."""

    def __init__(self, takes=0.0):
        self.shown, self.words, self.takes = [], None, takes

    def begin(self, standing):
        self.began = standing

    def show(self, standing):
        time.sleep(self.takes)
        self.shown.append(standing.step)

    def end(self, standing, words):
        self.last, self.words = standing, words


def run(watch, steps=40, every=10, **more):
    for step in range(every, steps + 1, every):
        watch({"step": step, "loss": 3.0 - step / 20, "held_out": 3.1 - step / 20, **more})


def test_every_entry_is_kept_and_the_last_standing_is_shown():
    screen = Seen()
    with Watch(Args(), None, screen) as watch:
        run(watch)
    assert [entry["step"] for entry in watch.history] == [10, 20, 30, 40]
    assert (screen.last.step, screen.last.share, screen.words, watch.stopped) == (40, 1.0, "", False)


def test_stop_ends_the_block_and_keeps_what_is_there():
    screen = Seen()
    with Watch(Args(), None, screen) as watch:
        run(watch, steps=20)
        raise KeyboardInterrupt
    assert watch.stopped and [entry["step"] for entry in watch.history] == [10, 20]
    assert screen.last.step == 20
    assert re.search(r" · stopped after \d+:\d\d$", screen.last.line())
    assert screen.words == (
        "Stopped; the last entry is that of step 20 of 40. The model stays as it is now, and the curve is kept. "
        "To go on from here another time, give `args.checkpoint` a path before you start."
    )


def test_stop_before_the_first_entry_is_no_mistake():
    with Watch(Args(), None, Seen()) as watch:
        raise KeyboardInterrupt
    assert watch.stopped and watch.history == []


def test_other_errors_go_on_their_way():
    screen = Seen()
    with pytest.raises(ValueError, match="of the run"), Watch(Args(), None, screen) as watch:
        run(watch, steps=10)
        raise ValueError("of the run")
    assert not watch.stopped and screen.last.step == 10 and screen.words == ""


def checkpoint(path, step):
    history = [{"step": at, "loss": 2.0} for at in range(10, step + 1, 10)]
    torch.save({"step": step, "history": history}, path)
    return Args(checkpoint=path)


def test_after_stop_it_is_said_from_where_the_checkpoint_goes_on(tmp_path):
    screen = Seen()
    args = checkpoint(tmp_path / "run.pt", 20)
    with Watch(args, None, screen):
        raise KeyboardInterrupt
    assert screen.words.endswith(f"the run goes on from step 20: {args.checkpoint}")
    with Watch(Args(checkpoint=tmp_path / "none.pt"), None, screen):
        raise KeyboardInterrupt
    assert screen.words.endswith("none.pt was not written yet, so training again starts anew.")


def test_a_run_that_goes_on_has_its_earlier_entries_and_counts_time_from_there(tmp_path):
    screen = Seen()
    with Watch(checkpoint(tmp_path / "run.pt", 20), None, screen) as watch:
        assert [entry["step"] for entry in watch.history] == [10, 20]
        assert screen.began.start == 20 and screen.began.seconds_left is None
        watch({"step": 30, "loss": 1.0})
    assert screen.last.seconds_left == pytest.approx(screen.last.seconds, rel=1e-6)


@pytest.mark.parametrize("content", [b"", b"no checkpoint", None])
def test_a_file_that_is_no_checkpoint_is_left_to_train(tmp_path, content):
    path = tmp_path / "run.pt"
    if content is None:
        torch.save({"step": 3}, path)
    else:
        path.write_bytes(content)
    assert read_kept(path) == Kept()


def test_the_model_writes_four_times_and_disturbs_no_draw():
    written = []

    def write():
        written.append(torch.rand(1).item())
        assert not torch.is_grad_enabled()
        return "To be"

    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    with Watch(Args(), write, Seen()) as watch:
        run(watch, every=5)
    assert torch.equal(torch.rand(3), expected)
    assert [step for step, _ in watch.samples] == [10, 20, 30, 40]
    assert len(set(written)) == 1  # the same draws each time: what differs is the model


def test_drawing_takes_a_fiftieth_of_the_time_at_most():
    screen = Seen(takes=0.004)
    with Watch(Args(steps=400), None, screen) as watch:
        for step in range(1, 401):
            time.sleep(0.001)
            watch({"step": step, "loss": 2.0})
        took = watch.standing().seconds
    assert len(watch.history) == 400
    assert 1 <= len(screen.shown) <= 2 + took * 0.02 / 0.004


def test_in_a_terminal_it_is_lines_of_text(capsys):
    watch = watching(Args(), lambda: "First Citizen:\nSpeak")
    with watch:
        run(watch)
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("[#####...............] step 10 of 40 · loss 2.500 · held out 2.600 · 0:0")
    assert told[1:3] == ["    First Citizen:", "    Speak"]
    assert "[####################] step 40 of 40 · loss 1.000 · held out 1.100 · took 0:0" in "\n".join(told)


def test_in_a_terminal_lines_come_at_most_once_a_second_and_the_last_one_always(capsys):
    with Watch(Args(steps=1000), None, Lines()) as watch:
        for step in range(1, 151):
            watch({"step": step, "loss": 2.0})
        raise KeyboardInterrupt
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 4 and " 1 of 1000" in told[0] and " 150 of 1000" in told[1] and told[2] == ""
    assert told[3].startswith("Stopped; the last entry is that of step 150 of 1,000.")


def test_without_a_held_out_text_there_is_one_curve():
    standing = Standing(40, 0, 1.0, [{"step": 10, "loss": 2.0}], [])
    assert standing.line() == "step 10 of 40 · loss 2.000 · 0:03 left"
    assert "held out" not in page(standing)


def test_a_notebooks_page_has_bar_curve_sample_and_words_and_no_markup_of_the_text():
    history = [{"step": step, "loss": 4.0 - step / 20, "held_out": 4.0 - step / 25} for step in (10, 20)]
    shown = page(Standing(40, 0, 6.0, history, [(10, "<b>O Romeo"), (20, "<i>Wherefore")]), "Stopped: `args` kept")
    assert '<progress value="50" max="100"' in shown and "0:06 left" in shown
    assert shown.count("<svg") >= 1 and "batch" in shown and "held out" in shown
    assert "after step 20" in shown and "&lt;i&gt;Wherefore" in shown and "O Romeo" not in shown
    assert "Stopped: <code>args</code> kept" in shown


def test_a_page_is_exchanged_in_place(monkeypatch):
    shown = []

    class Handle:
        def update(self, what):
            shown.append(what.data)

    def display(what, display_id):
        assert display_id
        shown.append(what.data)
        return Handle()

    monkeypatch.setattr("IPython.display.display", display)
    with Watch(Args(), None, Page()) as watch:
        run(watch)
    assert "starting" in shown[0] and "<svg" not in shown[0]
    assert "step 40 of 40" in shown[-1] and "<svg" in shown[-1]


def test_where_outputs_are_stored_the_end_alone_is_shown(monkeypatch, capsys):
    shown = []
    monkeypatch.setattr("utils.watching.notebook_shell", object)
    monkeypatch.setattr("IPython.display.display", shown.append)
    screen = screen_here()  # tests run with COURSE_WIDGETS=off, as builds do
    assert isinstance(screen, Stored)
    with Watch(Args(), lambda: "Speak", screen) as watch:
        run(watch)
    (figure,) = shown
    assert [trace.name for trace in figure.data] == ["batch", "held out"]
    assert capsys.readouterr().out.splitlines()[0].startswith("step 40 of 40 · loss 1.000")
    monkeypatch.delenv("COURSE_WIDGETS")
    assert isinstance(screen_here(), Page)


@pytest.mark.parametrize(("seconds", "said"), [(0.4, "0:00"), (59.6, "1:00"), (750, "12:30"), (3723, "1:02:03")])
def test_time_is_written_as_on_a_clock(seconds, said):
    assert clock(seconds) == said


def test_runs_of_a_group_share_their_look_and_one_entry_of_the_legend():
    run = ([1, 2], [2.0, 1.23456])
    figure = loss_curves({"with": [run, run], "without": [run]}, "Runs", steps=10, level=1.5, level_name="chance")
    assert [(trace.name, trace.showlegend) for trace in figure.data] == [
        ("with", True),
        ("with", False),
        ("without", True),
    ]
    assert figure.data[0].line == figure.data[1].line != figure.data[2].line
    assert list(figure.data[0].y) == [2.0, 1.235] and list(figure.layout.xaxis.range) == [0, 10]
    with pytest.raises(ValueError):
        loss_curves({str(number): [run] for number in range(5)}, "Too many")
