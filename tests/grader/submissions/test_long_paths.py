"""grader.submissions: paths in a zip may be as long as they like, and take little time."""

import time

import pytest

from grader.submissions.finding import find_submissions
from grader.submissions.reading import read
from tests.grader.submissions.making import NAME, STEM, notebook, write, zipped


@pytest.mark.slow
def test_names_of_any_length_in_a_zip_take_little_time(tmp_path):
    deep, dashed, long = "d/" * 50 + NAME, f"{STEM}{'-' * 4_000}x.ipynb", "x" * 30_000 + NAME
    folders = {f"{'e/' * 1_500}{number}.txt": b"" for number in range(1_000)} | {f"{'e/' * 50}mine/": b""}
    path = write(
        tmp_path / "one.zip", zipped({deep: notebook("x = 1"), dashed: notebook("x = 2"), long: b""} | folders)
    )
    began = time.thread_time()
    found = find_submissions(path)
    problems = found.left + [said for one in found.handed_in for said in read(one).problems]
    assert time.thread_time() - began < 10
    assert any("is a longer path than files have, which is not read." in said for said in problems)
