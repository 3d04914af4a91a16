"""A whole class: which chapters of which submissions are to be graded, by whom, and their grades into the gradebook.

Workers on this machine are processes that each hold a judge, and grade several submissions side by side. A worker is a
fork of the process that has made the plans and opened a box, so that it shares both. It judges in one thread at a time;
the others wait for answers, so that one that sleeps keeps nobody from being graded.
"""

import functools
import gc
import hashlib
import multiprocessing
import signal
import threading
import traceback
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, cast

from tqdm import tqdm

from grader.bounds import Bounds
from grader.gradebook import Gradebook
from grader.grades import SubmissionGrades
from grader.jobs import Job, Terms, close_here, done_here, leave_open, open_here, use_one_thread
from grader.plans import chosen, plan_of, without_extras
from grader.submissions.reading import Submission
from utils.course import ROOT, CourseError

JUDGES = (
    *("judge/__init__.py", "judge/checking", "judge/running", "judge/errors.py"),
    *("utils/gpt", "utils/config.py", "utils/dialects.py"),
    *("utils/huggingface.py", "utils/model_folder", "utils/reference", "utils/reference_model"),
    *("grader/judging.py", "grader/lending.py", "grader/plans.py", "grader/sandbox"),
    *("grader/submissions", "grader/given.py", "grader/boxes.py", "utils/learner/collecting.py"),
    *("utils/course", "tests/expected", "tests/given"),
)


def basis_of(submission: str, stem: str, seed: int, bounds: Bounds) -> str:
    """Of one chapter of a submission whose content has this digest: that, and all that judges it.

    The other chapters are part of it: an answer is judged with its author's own parts too.
    """
    return _digest(submission, _of_the_course(stem), seed, bounds)


@functools.cache
def _of_the_course(stem: str) -> str:
    """What judges a chapter: its tests, its solution and those that it builds on, the engine, the reference model."""
    places = [ROOT / name for name in (*JUDGES, f"tests/misconceptions/{stem}")]
    chapters = [*(ROOT / "tests").glob("ch*.py"), *(ROOT / "solutions").glob("ch*.ipynb")]
    places += [path for path in chapters if path.stem <= stem]
    inside = {file for place in places for file in [place, *place.rglob("*")]}
    files = sorted(file for file in inside if file.is_file() and "__pycache__" not in file.parts)
    return _digest(*((file.relative_to(ROOT).as_posix(), _digest(file.read_bytes())) for file in files))


def _digest(*values: object) -> str:
    total = hashlib.sha256()
    for value in values:
        total.update(value if isinstance(value, bytes) else repr(value).encode())
    return total.hexdigest()


def prepare(stems: Sequence[str], terms: Terms) -> None:
    """Make the plans and open a box, before workers are forked that share them.

    Both import torch, so they are done side by side. Raises CourseError where the course is damaged, or no box can be
    had.
    """
    with ThreadPoolExecutor(1) as beside:  # no fork survives a thread: it has ended when this returns
        opening = beside.submit(open_here, terms) if FORK == "fork" else None
        _make_plans(stems, terms)
        if opening:
            opening.result()


def _make_plans(stems: Sequence[str], terms: Terms) -> None:
    use_one_thread()
    for info in without_extras(chosen(stems)):
        try:
            plan_of(info, terms.seed, terms.bounds)
        except CourseError:
            raise
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__}: {error} ({last.filename}, line {last.lineno})"
            raise CourseError(f"Nothing is graded: the course's own {info.symbol} can't be judged. {said}") from error


def jobs_for(
    submissions: Iterable[Submission],
    stems: Sequence[str],
    terms: Terms,
    graded: dict[tuple[str, str], set[str]],
    again: bool = False,
) -> list[Job]:
    """A job for each submission of which something has not been graded yet, as it is; or `again`.

    `graded` is what the gradebook has. A chapter that is not handed in this time keeps the grade that it has.
    """
    jobs: list[Job] = []
    for submission in submissions:
        bases = {stem: basis_of(submission.digest, stem, terms.seed, terms.bounds) for stem in stems}
        new = {
            stem: basis
            for stem, basis in bases.items()
            if (submission.name, stem) not in graded
            or (stem in submission.notebooks and (again or graded[submission.name, stem] != {basis}))
        }
        if new:
            jobs.append(Job(submission, new))
    return jobs


def grade_all(jobs: Sequence[Job], workers: "Pool | Cluster", book: Gradebook) -> None:
    """Have the jobs done; each submission's grades are saved as soon as they are there."""
    bases = {job.submission.name: dict(job.bases) for job in jobs}
    with tqdm(total=len(jobs), unit=" submissions", disable=None) as bar:  # with the time left; only in a terminal
        for graded in workers.results(jobs):
            book.save(graded, bases[graded.submission])
            bar.update()


SIDE_BY_SIDE = 4  # submissions in one worker
MOST_TRIES = 3  # of a job whose worker ended
FORK = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
GONE = "The process that judged it ended {} times. Please report it, with the submission."


@dataclass
class Worker:
    """A process, this end of the pipe to it, and the jobs that it has."""

    process: BaseProcess
    pipe: Connection
    jobs: dict[int, Job] = field(default_factory=dict[int, Job])

    @property
    def has_room(self) -> bool:
        """Whether it takes another job: one more than it works at, so that it never waits for the next."""
        return len(self.jobs) <= SIDE_BY_SIDE


class Pool:
    """Some workers, and a new one for each that ends."""

    def __init__(self, size: int, terms: Terms):
        self.terms = terms
        self.context = multiprocessing.get_context(FORK)
        gc.freeze()  # what is shared stays shared: collecting garbage writes on it
        self.workers: list[Worker] = []
        for _ in range(size):
            self._start()

    def results(self, jobs: Iterable[Job]) -> Iterator[SubmissionGrades]:
        """The grades of each job, as they are made."""
        waiting = deque((number, job, 1) for number, job in enumerate(jobs))
        tries: dict[int, int] = {}
        while waiting or any(worker.jobs for worker in self.workers):
            self._hand_out(waiting, tries)
            for pipe in wait([worker.pipe for worker in self.workers]):
                (worker,) = [owner for owner in self.workers if owner.pipe is pipe]
                try:
                    number, graded = worker.pipe.recv()
                except (EOFError, OSError):
                    yield from self._after(worker, waiting, tries)
                    continue
                if isinstance(graded, CourseError):
                    raise graded
                del worker.jobs[number]
                yield graded

    def close(self) -> None:
        """End the workers."""
        for worker in self.workers:
            worker.pipe.close()
        for worker in self.workers:
            worker.process.join()

    def _hand_out(self, waiting: deque[tuple[int, Job, int]], tries: dict[int, int]) -> None:
        for worker in self.workers:
            while waiting and worker.has_room:
                number, job, tries[number] = waiting.popleft()
                worker.jobs[number] = job
                try:
                    worker.pipe.send((number, job))
                except OSError:  # it has ended: that is seen where its results are read
                    return

    def _after(
        self, worker: Worker, waiting: deque[tuple[int, Job, int]], tries: dict[int, int]
    ) -> Iterator[SubmissionGrades]:
        """Another worker in the place of one that ended; its jobs are tried again, but not for ever."""
        self.workers.remove(worker)
        worker.pipe.close()
        worker.process.join()
        self._start()
        for number, job in worker.jobs.items():
            if tries[number] < MOST_TRIES:
                waiting.appendleft((number, job, tries[number] + 1))
            else:
                yield job.ended(GONE.format(MOST_TRIES))

    def _start(self) -> None:
        here, there = self.context.Pipe()
        inherited = [here, *(worker.pipe for worker in self.workers)] if FORK == "fork" else []
        work = cast(Any, self.context).Process(target=_work, args=(there, inherited, self.terms))
        work.start()
        there.close()
        self.workers.append(Worker(work, here))


def _work(pipe: Connection, inherited: list[Connection], terms: Terms) -> None:
    """Do jobs until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends whoever gives out jobs, and that ends the pipe
    leave_open()
    for connection in inherited:  # copies of that process's ends, which would keep the pipes open
        connection.close()
    sending = threading.Lock()

    def do(number: int, job: Job) -> None:
        try:
            graded = done_here(job, terms)
        except CourseError as error:  # no box can be had
            graded = error
        except Exception:  # of ours: whoever waits for it must hear of it
            graded = job.ended(f"The grader itself failed. Please report it:\n{traceback.format_exc()}")
        with sending:
            pipe.send((number, graded))

    with ThreadPoolExecutor(SIDE_BY_SIDE) as threads:
        try:
            while True:
                threads.submit(do, *pipe.recv())
        except (EOFError, OSError):
            threads.shutdown(wait=False, cancel_futures=True)
    close_here()


WINDOW = 8  # jobs that are under way for each of the cluster's threads


class Cluster:
    """A scheduler's workers. Dask gives a job to another where a worker ends, three times at most."""

    def __init__(self, address: str, terms: Terms):
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise CourseError('--dask needs the package distributed: pip install -e ".[grade,dask]"') from None
        self.terms = terms
        try:
            self.client = Client(address, timeout="20s", set_as_default=False)
        except OSError as error:
            raise CourseError(f"No Dask scheduler answers at {address} ({error}).") from None

    def results(self, jobs: Iterable[Job]) -> Iterator[SubmissionGrades]:
        """The grades of each job, as they are made."""
        from distributed import as_completed

        waiting = iter(jobs)
        threads: Any = self.client.nthreads()  # of each worker
        under_way: dict[str, Job] = {}
        done: Any = as_completed(loop=self.client.loop)
        for job in waiting:
            self._submit(job, under_way, done)
            if len(under_way) >= WINDOW * max(1, sum(threads.values())):
                break
        for future in done:
            job = under_way.pop(future.key)
            try:
                yield future.result()
            except Exception as error:  # a worker without the course, or that ended three times
                yield job.ended(f"No worker of the cluster could judge it: {type(error).__name__}: {error}")
            for another in waiting:
                self._submit(another, under_way, done)
                break

    def close(self) -> None:
        """Let go of the cluster; it goes on without us."""
        self.client.close()

    def _submit(self, job: Job, under_way: dict[str, Job], done: Any) -> None:
        future: Any = self.client.submit(done_here, job, self.terms, pure=False)
        under_way[future.key] = job
        done.add(future)
