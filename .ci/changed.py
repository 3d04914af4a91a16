"""Proves what has changed, in a minute or two, and says what it leaves out and why: `changed.py [--since COMMIT]`.

Without --since: what has changed since the last commit that .ci/run proved here (.git/ci-proved), else since the branch
left its upstream, else since HEAD. What is not committed counts too.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from author.dependencies import HOUSES, graph, module_of, modules_ahead, room_of, without_comments
from author.proved import digests_that_held
from author.unproved import digest_of, name_of
from author.verifying import digests_of, proof_of
from utils.course import ROOT, ExerciseInfo, all_exercises, stems
from utils.course.git import printed

FEW = 12  # files of tests of which the slow tests are run too
MOST_PROVED = 3  # exercises, each of which takes up to a minute
MOST_EXECUTED = 1  # notebooks, which take up to two
ELSEWHERE = "journey or proof or prover or weekly"


@dataclass
class Plan:
    """What is run, each a command by its name, and what is left out, each with the reason."""

    commands: dict[str, list[str]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def run(self, name: str, *command: str) -> None:
        self.commands[name] = [sys.executable, "-m", *command]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make changed", description=__doc__)
    parser.add_argument("--since", metavar="COMMIT")
    since = parser.parse_args(arguments).since or last_proved()
    paths = changed_since(since)
    print(f"{len(paths)} files have changed since {since}.", flush=True)
    plan = planned(paths, since)
    failed = [name for name, command in plan.commands.items() if not holds(name, command)]
    print("\nLeft out:", *plan.left_out or ["nothing that depends on these files"], sep="\n  ")
    print(f"\nFailed: {', '.join(failed)}" if failed else "\nAll that was run holds.")
    return int(bool(failed))


def holds(name: str, command: list[str]) -> bool:
    print(f"\n{name}", flush=True)
    began = time.monotonic()
    status = subprocess.run(command, cwd=ROOT).returncode
    print(f"{name}: {'failed' if status else 'holds'}, {time.monotonic() - began:.0f} s", flush=True)
    return status == 0


def last_proved() -> str:
    """The commit to compare with."""
    proved = ROOT / git("rev-parse", "--git-dir") / "ci-proved"
    if proved.exists():
        commit = proved.read_text(encoding="utf-8").strip()
        if git("merge-base", commit, "HEAD") == commit:
            return commit
    return git("merge-base", "@{upstream}", "HEAD") or "HEAD"


def changed_since(commit: str) -> list[Path]:
    """The files that differ from that commit's, new ones too; not those that are gone."""
    names = [*git("diff", "--name-only", commit).split("\n"), *git("ls-files", "-o", "--exclude-standard").split("\n")]
    return sorted(path for path in {ROOT / name for name in names if name} if path.is_file())


def git(*arguments: str) -> str:
    """What git says; "" where it knows nothing of what it is asked."""
    return (printed(ROOT, *arguments) or "").strip()


def planned(paths: list[Path], since: str) -> Plan:
    plan = Plan()
    if scripts := [str(path) for path in paths if path.suffix == ".py" and "templates" not in path.parts]:
        plan.run("lint", "ruff", "check", *scripts)
        plan.run("formatting", "ruff", "format", "--check", *scripts)
        plan.run("types", "pyright", "--pythonpath", sys.executable, *scripts)
    touched = [stem for stem in stems() if any(stem in path.name or stem in path.parts for path in paths)]
    if touched:
        plan.run("notebooks", "utils", "build", "--check", *touched)
    add_tests(plan, {name for path in paths if (name := module_of(path)) and does_otherwise(path, since)})
    add_proofs(plan, paths)
    add_outputs(plan, touched)
    notebooks = {f"{folder}/{stem}" for folder in ("chapters", "solutions") for stem in stems()}
    names = {path.relative_to(ROOT).with_suffix("").as_posix() for path in paths}
    if shown := sorted({Path(name).name for name in names & notebooks}):
        plan.left_out.append(f"`make tests` looks at {', '.join(shown)} in a browser: lines, contrasts, formulas")
    return plan


def does_otherwise(path: Path, since: str) -> bool:
    """Whether more of a module has changed than its comments, which hold a chapter's prose."""
    before = git("show", f"{since}:{path.relative_to(ROOT).as_posix()}")
    return without_comments(f"{before}\n") != without_comments(path.read_text(encoding="utf-8"))


def add_tests(plan: Plan, changed: set[str]) -> None:
    """The tests that have changed, those of the rooms that have, and those that import what has; the house's too."""
    depend = {name for name in modules_ahead(changed) if is_test(name)}
    near = changed.union(*map(graph().find_modules_that_directly_import, changed))
    rooms = {f"tests.{room_of(name).removeprefix('utils.')}." for name in changed if name.startswith(HOUSES)}
    chosen = {name for name in depend if name in near or name.startswith(tuple(rooms))}
    house = {name for name in graph().modules if name.startswith("tests.house.") and is_test(name)}
    marks = f"not ({ELSEWHERE})" if len(chosen) <= FEW else "not slow"
    files = [str(ROOT.joinpath(*name.split(".")).with_suffix(".py")) for name in sorted(chosen - house)]
    workers = ["--numprocesses", "auto", "--dist", "loadfile"]
    if files:
        plan.run("tests", "pytest", "-q", *workers, "-m", marks, *files)
    plan.run("the house", "pytest", "-q", "-m", "not slow", "tests/house")
    if marks == "not slow":
        plan.left_out.append(f"slow tests of {len(chosen)} files: there are more than {FEW}")
    if further := depend - chosen - house:
        plan.left_out.append(f"the tests that depend on them by way of others: {by_folder(further)}")


def is_test(module: str) -> bool:
    return module.rpartition(".")[2].startswith("test_") or module.removeprefix("tests.") in stems()


def by_folder(modules: Iterable[str]) -> str:
    """How many of these tests' files lie in which folder."""
    folders = [module.split(".")[1] if module.count(".") > 1 else "tests" for module in modules]
    return ", ".join(f"{folders.count(folder)} in {folder}" for folder in sorted(set(folders)))


def add_proofs(plan: Plan, paths: list[Path]) -> None:
    """Exercises whose own files have changed are proved; all others that depend on the change are left to verify."""
    digests, before = digests_of(all_exercises()), digests_that_held()
    open_now = [one for one in all_exercises() if before.get(proof_of(one)) != digests[proof_of(one)]]
    own = [one for one in open_now if any(is_of(one, path) for path in paths)]
    chosen = own[:MOST_PROVED]
    if chosen:
        names = [one.symbol for one in chosen]
        plan.run("proofs of " + ", ".join(names), "utils", "verify", "--exercise", *names)
    if rest := [one.symbol for one in open_now if one not in chosen]:
        plan.left_out.append(f"`make verify` has {len(rest)} more exercises to prove: {', '.join(rest)}")


def is_of(exercise: ExerciseInfo, path: Path) -> bool:
    """Whether this file declares, solves or mistakes this exercise."""
    if path.stem == exercise.stem and path.suffix == ".py":
        return True
    name = exercise.test.removeprefix("test_")
    return exercise.stem in path.parts and name in (*path.parts, path.stem)


def add_outputs(plan: Plan, touched: list[str]) -> None:
    """A notebook whose cells or outputs have changed is run; what else depends on the change is left out."""
    before = digests_that_held()
    open_now = [stem for stem in stems() if before.get(name_of(stem)) != digest_of(stem)]
    chosen = [stem for stem in open_now if stem in touched][:MOST_EXECUTED]
    for stem in chosen:
        plugin = ["-p", "author.unproved", "--nbval", f"solutions/{stem}.ipynb"]
        plan.run(f"outputs of {stem}", "pytest", "-q", *plugin)
    if rest := [stem for stem in open_now if stem not in chosen]:
        plan.left_out.append(f"`make outputs` has {len(rest)} more notebooks to run: {', '.join(rest)}")


if __name__ == "__main__":
    os.environ["PYTHONDONTWRITEBYTECODE"] = ""
    sys.exit(main(sys.argv[1:]))
