"""The course's command line: `python -m utils COMMAND`. It parses, calls and prints; nothing imports it.

What a command needs is imported when it runs, so that each starts quickly.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from typing import TextIO

from grader.command import add_options as add_grading_options
from grader.command import grade
from utils.course import CourseError, ExerciseInfo, exercises, stems
from utils.learner import terminal
from utils.learner.parsing import Parser, did_you_mean
from utils.learner.terminal import PROGRAM, fall_silent, speak_utf8, understood
from utils.own_gpt.fitting import fit_threads_to_reference
from utils.own_gpt.generating import generate as generate_story
from utils.own_gpt.options import add_options
from utils.race.command import add_options as add_race_options
from utils.race.command import race
from utils.releasing import commands as releases

NO_AUTHORS = "This command is for the course's authors, and this is a release for learners."
AUTHORS_ROOMS = ("author", "utils.releasing.making", "utils.site")  # which a release may be without
TO_PUSH = "Commit and push these: a badge opens what is on GitHub."
AUTHORS_TOOLS = {"grimp", "jupytext", "nbclient", "nbformat", "playwright", "sphinx"}  # which learners need not have


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 if all is well, 1 if something is wrong, 2 if not understood, 130 if interrupted."""
    speak_utf8()
    options = understood(sys.argv[1:] if arguments is None else arguments, _commands())
    try:
        done = options.run(options)
        sys.stdout.flush()
        return done
    except KeyboardInterrupt:
        print()
        return 130
    except BrokenPipeError:  # as of `| head`: nobody reads on
        fall_silent()
        return 0
    except CourseError as error:
        print(error, file=sys.stderr)
    except ModuleNotFoundError as error:
        if str(error.name).startswith(AUTHORS_ROOMS):
            print(NO_AUTHORS, file=sys.stderr)
            return 1
        if error.name not in AUTHORS_TOOLS:
            raise
        print(f'This command needs {error.name}: run pip install -e ".[test]"', file=sys.stderr)
    return 1


def _commands() -> dict[str, Parser]:
    commands: dict[str, Parser] = {}
    _command(commands, "progress", terminal.progress, "how far you have come, and what is next")

    hint = _command(commands, "hint", terminal.hint, "a hint for the next exercise, or for the one that you name")
    hint.add_argument("symbol", nargs="?", metavar="EXERCISE", help="such as LayerNorm; the first open one if left out")
    hint.add_argument("--more", action="store_true", help="go on to the pseudocode")
    hint.add_argument("--solution", action="store_true", help="go on to the solution")

    generate = _command(commands, "generate", generate_story, "tell a story with your parts, and write my_gpt/ anew")
    add_options(generate)

    racing = _command(commands, "race", race, "train within a budget, and see where that is on the ladder")
    add_race_options(racing)

    update = _command(commands, "update", releases.update, "bring the course to a new release; your answers stay")
    releases.add_update_options(update)

    build = _command(commands, "build", _build, "make the notebooks of chapters from solutions/*.py")
    _takes_stems(build)
    build.add_argument("--check", action="store_true", help="write nothing; exit 1 and name what is out of date")
    build.add_argument("--force", action="store_true", help="make and execute them even if they look up to date")

    badges = _command(commands, "badges", _badges, "put Colab badges into the notebooks; nothing is executed")
    badges.add_argument("repository", nargs="?", metavar="OWNER/NAME", help="where your copy is on GitHub")
    badges.add_argument("--branch", help="the branch that learners get; main if left out")
    badges.add_argument("--remove", action="store_true", help="take the badges out again")

    check = _command(commands, "check", _check, "the same as build --check")
    _takes_stems(check)

    new = _command(commands, "new", _new, "start a chapter, in solutions/ and tests/, that works as it is")
    new.add_argument("stem", metavar="STEM", help="such as ch13_rotary")
    new.add_argument("--symbol", metavar="NAME", help="what learners write; a class if it begins with a capital letter")

    pages = _command(commands, "site", _site, "build the course as pages to read")
    pages.add_argument("out", nargs="?", default="site", metavar="OUT", help="site/ if left out")

    pictures = _command(commands, "screenshots", _screenshots, "make the README's pictures anew, in a real browser")
    pictures.add_argument("names", nargs="*", metavar="NAME", help="pictures, such as not-yet; all if left out")

    add_grading_options(_command(commands, "grade", grade, "grade a submission, or those of a class"))
    releases.add_release_options(_command(commands, "release", releases.release, "make the folder that learners get"))

    verify = _command(commands, "verify", _verify, "prove that exercises can be solved and tell right from wrong")
    _takes_stems(verify)
    unnamed = "list the small mistakes that no card could explain"
    verify.add_argument("--unnamed", action="store_true", help=unnamed)
    named = "prove these exercises alone, such as LayerNorm"
    verify.add_argument("--exercise", nargs="+", metavar="NAME", help=named)
    unproved = "leave out what takes long where it was proved of the same files before, but for a sample"
    verify.add_argument("--unproved", action="store_true", help=unproved)
    return commands


def _command(commands: dict[str, Parser], name: str, run: Callable[[Namespace], int], help: str) -> ArgumentParser:
    commands[name] = Parser(prog=f"{PROGRAM} {name}", description=help[0].upper() + help[1:] + ".")
    commands[name].set_defaults(run=run)
    return commands[name]


def _takes_stems(command: ArgumentParser) -> None:
    command.add_argument("stems", nargs="*", metavar="STEM", help="chapters, such as ch03_layernorm; all if left out")


def _chosen(options: Namespace) -> list[str]:
    known = stems()
    for stem in options.stems:
        if stem not in known:
            guess = did_you_mean(stem, known) or f" The chapters are: {', '.join(known) or 'none yet'}."
            raise CourseError(f"There is no chapter {stem}.{guess}")
    return options.stems or known


def _say(texts: Iterable[str], stream: TextIO | None = None) -> bool:
    """Print each as it comes; whether there was any."""
    said = False
    for text in texts:
        print(text, file=stream, flush=True)
        said = True
    return said


def _build(options: Namespace) -> int:
    if options.check:
        return _check(options)
    from author.building import build
    from author.checks import build_checks
    from author.classroom import build_classroom
    from author.readme import build_readme
    from author.start_page import build_start_page

    failed = _each(_chosen(options), lambda stem: build(stem, force=options.force), problems=False)
    # after the chapters, whose headings and times both show
    if not options.stems:
        _say([*build_start_page(), *build_readme(), *build_checks(), *build_classroom()])
    return failed


def _badges(options: Namespace) -> int:
    from author import badges

    badges.settle(options.repository, options.branch, options.remove)
    changed = _say(badges.put_badges())
    print(TO_PUSH if changed else "Every notebook is up to date.")
    return 0


def _check(options: Namespace) -> int:
    from author.building import check
    from author.checks import check_checks
    from author.classroom import check_classroom
    from author.readme import check_readme
    from author.start_page import check_start_page

    pages = [*check_start_page(), *check_readme(), *check_checks(), *check_classroom()]
    stale = not options.stems and _say(pages, sys.stderr)
    return _each(_chosen(options), check, problems=True) or int(stale)


def _each(chosen: list[str], work: Callable[[str], Iterable[str]], *, problems: bool) -> int:
    """Print what `work` yields for each chapter; a mistake in one chapter does not keep the others from their turn."""
    failed = False
    for stem in chosen:
        try:
            said = _say(work(stem), sys.stderr if problems else None)
        except CourseError as error:
            print(error, file=sys.stderr)
            failed = said = True
        if not said:
            print(f"{stem}: up to date")
        failed |= problems and said
    return int(failed)


def _new(options: Namespace) -> int:
    from author.scaffold import new

    for path in new(options.stem, options.symbol):
        print(f"{path}: written")
    print(f"It works as it is: {PROGRAM} build {options.stem} && {PROGRAM} verify {options.stem}")
    return 0


def _screenshots(options: Namespace) -> int:
    from author.screenshots import screenshots

    _say(screenshots(options.names))
    return 0


def _site(options: Namespace) -> int:
    from utils.site.building import build

    print(build(options.out))
    return 0


def _verify(options: Namespace) -> int:
    fit_threads_to_reference()
    from jaxtyping import install_import_hook

    # as pytest does: a solution whose shapes are not as it says fails here too
    install_import_hook("solutions", "beartype.beartype")
    from author.verifying import digests_of, proved_before, remember, table, unnamed_mutants, verify_together

    found, failed = [], False
    for stem in _chosen(options):
        try:
            found += exercises(stem)
        except CourseError as error:
            print(error, file=sys.stderr)
            failed = True
    found = _named(found, options.exercise)
    if options.unnamed:
        _say(unnamed_mutants(found))
        return int(failed)
    digests = digests_of(found)
    proved = proved_before(found, digests) if options.unproved else ()
    rows = verify_together(found, proved=proved, each=lambda row: remember(row, digests))
    print(table(rows))
    return int(failed or any(row.reasons for row in rows))


def _named(found: list[ExerciseInfo], names: list[str] | None) -> list[ExerciseInfo]:
    """Those of these names; all where none is named."""
    known = [exercise.symbol for exercise in found]
    for name in names or ():
        if name not in known:
            raise CourseError(f"No exercise is called {name}.{did_you_mean(name, known)}")
    return [exercise for exercise in found if names is None or exercise.symbol in names]


if __name__ == "__main__":
    sys.exit(main())
