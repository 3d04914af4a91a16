"""The commands `python -m utils release` and `update`: their options, and what they print."""

import argparse
from pathlib import Path


def add_release_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of `release`."""
    parser.add_argument("folder", type=Path, metavar="OUT", help="a folder that is not there yet, or is empty")
    parser.add_argument(
        "--without-solutions",
        action="store_true",
        help="the tests judge by recorded answers, and no solution is in the folder",
    )


def release(options: argparse.Namespace) -> int:
    """Make what learners get."""
    from utils.releasing.making import release

    for said in release(options.folder, without_solutions=options.without_solutions):
        print(said, flush=True)
    return 0


def add_update_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of `update`."""
    parser.add_argument(
        "release",
        nargs="?",
        metavar="RELEASE",
        help="a folder, a zip, or a commit or branch; in a git checkout, if left out, the branch that yours follows",
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and write nothing")


def update(options: argparse.Namespace) -> int:
    """Bring this folder to a new release."""
    from utils.releasing.updating import update

    for said in update(options.release, dry_run=options.dry_run):
        print(said, flush=True)
    return 0
