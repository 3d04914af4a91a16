"""Grades the solutions and the stubs of these chapters, and prints the rows in JSON: a program of its own.

    python -m tests.grader.solving SEED STEM...

JAX's threads end with it, beside which pytest could fork no process; nor does it check the shapes within solutions,
as pytest does, which takes twice the time and is proved where solutions are tested.
"""

import json
import sys
from dataclasses import asdict

import torch

from grader.judging import open_judge
from tests.grader.answers import chapter, stub_cells


def main(seed: str, *stems: str) -> None:
    torch.set_num_threads(1)
    rows = []
    with open_judge(seed=int(seed), allow_none=True) as judge:
        for stem in stems:
            for state, cells in (("solved", chapter(stem)), ("unwritten", stub_cells(stem))):
                graded = judge.grades(cells, stem)
                rows += [(stem, state, symbol, asdict(one)) for symbol, one in graded.items()]
    print(json.dumps(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
