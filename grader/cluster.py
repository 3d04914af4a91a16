"""Workers on a Dask cluster: the same jobs, on whatever machines have the course installed."""

from collections.abc import Iterable, Iterator
from typing import Any

from grader.grades import SubmissionGrades
from grader.jobs import Job, Terms, done_here
from utils.course import CourseError

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
            yield self._result(future, job)
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

    def _result(self, future: Any, job: Job) -> SubmissionGrades:
        try:
            return future.result()
        except Exception as error:  # a worker without the course, or that ended three times
            return job.ended(f"No worker of the cluster could judge it: {type(error).__name__}: {error}")
