"""The command that grades: `python -m utils grade SUBMISSIONS`."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from grader.bounds import Bounds
from utils.course import CourseError, left_out, stems

if TYPE_CHECKING:  # torch and more, which another command need not wait for
    from grader.grades import SubmissionGrades
    from grader.owners import Who
    from grader.submissions.finding import Found

BOUNDS = {
    "wall_seconds": "seconds by the clock",
    "cpu_seconds": "seconds of a processor, beside five times what the reference takes",
    "memory": "bytes of memory",
    "processes": "processes and threads that it may start",
    "open_files": "open files",
    "written": "bytes in files",
    "printed": "characters that are kept of what it prints",
    "answered": "bytes of its answers",
}
FILES = {
    "gradebook": "the SQLite file that takes the grades (gradebook.sqlite)",
    "csv": "a row for each exercise of each submission",
    "junit": "JUnit XML",
    "canvas": "a gradebook as Canvas imports it",
    "moodle": "a gradebook as Moodle imports it",
    "roster": "a CSV that says whose a submission is",
}
FOLDERS = {
    "html": "a page of the class, index.html, and one for each learner",
    "gradescope": "a results.json for each submission",
}
NOT_GRADED = (
    "Not graded: {}. That says nothing of the answers, which have no points. Once the reason is mended the same "
    "command grades these, and nothing else."
)
NAMED = 3  # of those that are not graded: what is the matter with the grader is mostly the same for all


def add_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of `grade`."""
    add = parser.add_argument
    add("submissions", type=Path, metavar="SUBMISSIONS", help="a notebook, a folder, a zip; or a folder of these")
    add("--chapters", nargs="+", metavar="STEM", help="such as ch03_layernorm; if left out, those handed in")
    add("--exercise", metavar="NAME", help="judge this one alone and print its card; nothing is kept")
    add("--seed", type=int, metavar="N", help="of all random numbers; drawn anew for each gradebook if left out")
    add("--workers", type=int, metavar="N", default=os.cpu_count() or 1, help="processes; as many as processors")
    add("--dask", metavar="ADDRESS", help="a Dask scheduler whose workers grade, such as tcp://10.0.0.1:8786")
    add("--who", action="store_true", help="show whose each file is and what is left aside; nothing is graded")
    add("--yes", action="store_true", help="take it as it is said where a file may be somebody else's")
    add("--again", action="store_true", help="grade what has not changed too, with a new seed")
    add("--require-sandbox", action="store_true", help="refuse where namespaces can't be had")
    add("--no-sandbox", action="store_true", help="run submissions unprotected: only code that you trust")
    add("--partial", action="store_true", help="points for the checks that hold, where not all do")
    add(
        "--deadline",
        metavar="TIME",
        help="of these chapters; what comes later is marked: 2026-12-01, or 2026-12-01T23:59+01:00",
    )
    for name, said in FILES.items():
        add(f"--{name}", type=Path, metavar="FILE", help=said)
    for name, said in FOLDERS.items():
        add(f"--{name}", type=Path, metavar="FOLDER", help=said)
    bounds = parser.add_argument_group("what one answer may take")
    for field in fields(Bounds):
        kind = type(field.default)
        option = f"--{field.name.replace('_', '-')}"
        bounds.add_argument(
            option, type=kind, metavar="N", default=field.default, help=f"{BOUNDS[field.name]} (%(default)s)"
        )


def grade(options: argparse.Namespace) -> int:
    """Grade what is new, write the reports, and print a table; 0 if every submission was graded, else 1."""
    _check(options)
    if options.who:
        who = _who(options)
        print("\n".join([who.in_full(), *who.questions]))
        return 0
    if options.exercise:
        return _one_exercise(options)
    return _class(options)


def _class(options: argparse.Namespace) -> int:
    from grader.batch import Cluster, Pool, grade_all, jobs_for, prepare
    from grader.gradebook import open_gradebook
    from grader.grades import moment_of
    from grader.jobs import Terms, close_here
    from grader.plans import chosen
    from grader.reports.writing import Wanted, report

    who = _who(options)
    _settle(who, options.yes)
    submissions = who.submissions
    path = options.gradebook or Path("gradebook.sqlite")
    with open_gradebook(path, options.seed, options.again) as book:
        handed_in = set[str]().union(*(submission.notebooks for submission in submissions)) or book.stems()
        chapters = options.chapters or [stem for stem in stems() if stem in handed_in] or stems()
        for said in left_out(chosen(chapters)):
            print(f"{said} is not graded here: the package is not installed.", file=sys.stderr)
        terms = Terms(book.seed, Bounds.of(options), options.require_sandbox, options.no_sandbox)
        jobs = jobs_for(submissions, chapters, terms, book.bases(), options.again)
        if jobs:
            try:
                if not options.dask:
                    prepare(chapters, terms)
                size = min(options.workers, len(jobs))
                with closing(Cluster(options.dask, terms) if options.dask else Pool(size, terms)) as workers:
                    grade_all(jobs, workers, book)
            finally:
                close_here()
        if last := moment_of(options.deadline):
            book.set_deadline(chapters, last)
        reported = options.chapters or [stem for stem in stems() if stem in {*chapters, *book.stems()}]
        places = {submission.name: str(submission.path) for submission in submissions}
        graded = book.submissions(reported)
        deadlines = {stem: moment for stem, moment in book.deadlines().items() if stem in reported}
        wanted = Wanted(**{field.name: getattr(options, field.name) for field in fields(Wanted)})
        print(report(graded, wanted, [f"Bounds: {terms.bounds}."], places, deadlines))
        print(f"{len(jobs)} graded, {len(submissions) - len(jobs)} unchanged, in {path}.")
        print(f"Chapters: {', '.join(reported)}. Seed: {book.seed}. Bounds: {terms.bounds}.")
        print(f"What kept the submissions' code from the rest: {'; '.join(book.protections())}.")
    if aside := who.left_aside():
        print(aside)
    left = reasons(graded)
    if left:
        print("\n".join([NOT_GRADED.format(len(left)), *left[:NAMED]]), file=sys.stderr)
    if left[NAMED:]:
        print(f"{len(left) - NAMED} more: why stands on their pages and in --junit's file.", file=sys.stderr)
    return int(bool(left))


def _one_exercise(options: argparse.Namespace) -> int:
    """Judge it by itself, to repeat and explain a grade, and print its card for each submission; nothing is kept.

    0 if all pass. Raises CourseError for another name.
    """
    from grader.grades import MEANING
    from grader.jobs import Job, Terms, close_here, done_here
    from grader.lending import seed_for
    from grader.plans import chosen
    from grader.submissions.reading import read
    from utils.learner.parsing import did_you_mean

    handed_in, chapters = _found(options.submissions).handed_in, options.chapters or stems()
    found = chosen(chapters, options.exercise)
    if not found:
        guess = did_you_mean(options.exercise, [exercise.symbol for exercise in chosen(chapters)])
        raise CourseError(f"No exercise is called {options.exercise}.{guess}")
    terms = Terms(seed_for(options.seed or 0), Bounds.of(options), options.require_sandbox, options.no_sandbox)
    passed = True
    try:
        for submission in handed_in:
            (grade,) = done_here(Job(read(submission), {found[0].stem: ""}, options.exercise), terms).grades
            head = f"{grade.submission}: {grade.status} ({MEANING[grade.status]})"
            print(f"{head}, seed {grade.seed}, {grade.protection}", grade.said, *grade.notes, sep="\n")
            passed &= grade.status == "pass"
    finally:
        close_here()
    return int(not passed)


def reasons(graded: Sequence["SubmissionGrades"]) -> list[str]:
    """Of each answer that is not graded, whose and which it is, and why not."""
    return [
        f"  {submission.who}, {grade.symbol}: {grade.said.splitlines()[0]}"
        for submission in graded
        for grade in submission.grades
        if grade.status == "not_graded"
    ]


def _who(options: argparse.Namespace) -> "Who":
    """Whose each file is; nothing of this takes long."""
    from grader.grades import moment_of
    from grader.owners import decide
    from grader.roster import read_roster
    from grader.submissions.reading import read

    moment_of(options.deadline)
    entries = read_roster(options.roster) if options.roster else []
    found = _found(options.submissions)
    return decide(found, [read(submission) for submission in found.handed_in], entries)


def _settle(who: "Who", confirmed: bool) -> None:
    """Say what is not obvious, before anything is graded. Raises CourseError for what must be settled first."""
    if said := who.in_short():
        print(f"{said}\n")
    if who.questions and not confirmed:
        questions = "\n".join(who.questions)
        raise CourseError(f"{questions}\nNothing is graded yet. Settle this, or let it be as it is said here: --yes.")


def _check(options: argparse.Namespace) -> None:
    unknown = [stem for stem in options.chapters or [] if stem not in stems()]
    if unknown:
        raise CourseError(f"There is no chapter {unknown[0]}. The chapters are: {', '.join(stems())}.")
    if options.workers < 1:
        raise CourseError("--workers is a number from 1 up.")
    if options.require_sandbox and options.no_sandbox:
        raise CourseError("--require-sandbox and --no-sandbox exclude each other.")


def _found(wanted: Path) -> "Found":
    """The submissions at a path, or the one that reports call so: in a zip, say, or without its suffix."""
    from grader.submissions.finding import Found, find_submissions

    if wanted.exists():
        return find_submissions(wanted)
    around = find_submissions(next(filter(Path.exists, wanted.parents)))
    found = [
        submission
        for submission in around.handed_in
        if wanted in (submission.path, submission.path.parent / submission.name)
    ]
    if not found:
        raise CourseError(f"There is no {wanted}.")
    return Found(found)
