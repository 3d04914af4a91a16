"""What the first cell of every chapter calls: `start` makes sure that the kernel has the course, and shows progress."""

import contextlib
import functools
import gc
import importlib.util
import os
import sys
from pathlib import Path

from utils.course import ROOT, state_dir
from utils.course.files import clear_abandoned
from utils.course.links import in_colab
from utils.learner import in_page
from utils.learner.progress import progress_line, record_opening
from utils.learner.shell import notebook_shell, progress_hidden
from utils.live import in_page as figures_in_page
from utils.own_gpt.fitting import fit_threads_to_reference

TWO_COURSES = """\
There are two courses: this notebook belongs to the one in {other},
but the kernel has the one in {ours}, which judges and keeps what you write.
If that is not what you want, choose the other one's .venv as the kernel, or restart it there."""


class WrongPackage(ImportError):
    """The kernel would import another project's `tests`; the text says what to do."""


def start(stem: str) -> None:
    """Prove that `tests` is the course's own, choose how figures are shown, and print how far the learner has come.

    torch is given the number of threads that fits the reference model.
    Raises WrongPackage when another package of that name comes first.
    """
    _prove_that_tests_are_ours()
    if in_colab():
        from utils.plotting.in_colab import show_figures

        show_figures()
    else:
        os.environ.setdefault("PLOTLY_RENDERER", "plotly_mimetype")
    _import_torch()
    if progress_hidden():
        print(f"{stem}: ready")
        return
    with contextlib.suppress(OSError):  # a folder that can't be written costs the time, not the chapter
        clear_abandoned(state_dir() / "my_gpt")
        record_opening(stem)
    print(_progress(stem))
    if other := _another_course():
        print(TWO_COURSES.format(other=other, ours=ROOT))
    if shell := notebook_shell():
        from IPython.display import HTML, display

        display(HTML(in_page.HTML + figures_in_page.HTML))
        in_page.tell_where_it_stops(shell)


def _progress(stem: str) -> str:
    try:
        return progress_line(stem)
    except OSError as error:  # my_gpt/passed/ is no folder, or may not be read
        return f"{stem}: ready, but how far you are can't be read: {error}"


def _another_course() -> Path | None:
    """The course in which this notebook lies, or which was put on sys.path, where it is not the one in use."""
    here = Path.cwd()
    for folder in (here, *here.parents, *map(Path, sys.path)):
        if (folder / "utils" / "setup.py").is_file() and (folder / "chapters").is_dir():
            return None if folder.samefile(ROOT) else folder
    return None


def _import_torch() -> None:
    """Give torch the number of threads that fits the reference model, which imports it, and keep it.

    No garbage is collected meanwhile. The collector would go over all of torch's objects while these are made, which
    takes a sixth of the time, and would find a megabyte.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        fit_threads_to_reference()
        _keep_what_is_imported()
    finally:
        if collects:
            gc.enable()


@functools.cache  # a second time it would keep what the notebook has thrown away
def _keep_what_is_imported() -> None:
    """Tell the collector of garbage to leave torch alone, which stays as long as the kernel.

    Each time it goes over all of torch's objects takes a tenth of a second; the first would come before any verdict.
    """
    with contextlib.suppress(ImportError):  # that torch is missing is for the next cell to say
        import torch  # noqa: F401 - where somebody has chosen its threads, nothing here has imported it
    gc.freeze()


def _prove_that_tests_are_ours() -> None:
    spec = importlib.util.find_spec("tests")  # which runs nothing of what it finds
    if spec and spec.origin and Path(spec.origin).resolve() == ROOT / "tests" / "__init__.py":
        return
    found = "nothing" if spec is None else spec.origin or ", ".join(spec.submodule_search_locations or [])
    raise WrongPackage(f"`import tests` finds {found}, not {ROOT / 'tests'}. {_way_out()}")


def _way_out() -> str:
    if in_colab():
        return (
            "Run the first code cell of this notebook, the one that fetches the course, then this one. If that does "
            "not help: Runtime, Restart session, and run both again."
        )
    return (
        f"Either this kernel ({sys.executable}) is not the course's own: run `make lab` in {ROOT}, or choose its .venv "
        "as the kernel. Or there is another `tests` beside the notebook: rename it, or move the notebook."
    )
