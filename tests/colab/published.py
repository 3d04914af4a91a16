"""The course as an instructor has it on GitHub: a bare repository, with badges, to which git leads instead."""

import shutil
import subprocess
from pathlib import Path

from author.badges import name_repository
from author.building import chapter, chapter_path
from author.notebooks import text_of
from author.source import read_source
from author.start_page import build_start_page
from utils.course import ROOT, stems
from utils.course.files import write_text

NAME = "ada/gpt-from-scratch"


def publish(folder: Path) -> tuple[Path, Path]:
    """Write the course as it stands here, with badges, into `folder`: its root, and what configures git."""
    root, bare, config = folder / "course", folder / "remote.git", folder / "gitconfig"
    for name in _git("ls-files", "--cached", "--others", "--exclude-standard", at=ROOT).splitlines():
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, root / name)
    name_repository(NAME, root=root)
    build_start_page(root)
    for stem in stems(root):
        write_text(chapter_path(stem, root), text_of(chapter(read_source(stem, root))))
    _git("init", "--quiet", "--initial-branch=main", at=root)
    _git("add", "--all", at=root)
    _git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "-m", "course", at=root)
    _git("clone", "--quiet", "--bare", str(root), str(bare), at=folder)
    config.write_text(f'[url "file://{bare}"]\n\tinsteadOf = https://github.com/{NAME}\n', encoding="utf-8")
    return root, config


def _git(*arguments: str, at: Path) -> str:
    return subprocess.run(["git", *arguments], cwd=at, check=True, capture_output=True, encoding="utf-8").stdout
