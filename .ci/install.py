"""Makes a virtual environment of the Python that runs it, and installs the course there: `install.py .venv lab test`.

By uv where there is one, which takes seconds where pip takes minutes; else by pip. Both look for packages where pip's
settings say. `--versions lowest` takes the lowest that the course allows, `newest` the newest; else constraints.txt.
"""

import argparse
import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROVED = ["--constraint", "constraints.txt"]
VERSIONS = {
    "proved": PROVED,
    "newest": ["--upgrade"],
    "lowest": ["--upgrade", "--resolution", "lowest-direct"],  # uv alone knows this
}
JUPYTERS = ROOT / "utils" / "learner" / "lab" / "etc"  # settings for Jupyter's programs, as they lie in an environment
OF_UV = {  # pip's settings, as uv calls them; it reads none of pip's own
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    asked.add_argument("extras", nargs="+")
    asked.add_argument("--versions", choices=VERSIONS, default="proved")
    options = asked.parse_args()
    os.chdir(ROOT)
    python = made(options.folder)
    shutil.copytree(JUPYTERS, options.folder / "etc" / "jupyter", dirs_exist_ok=True)
    what = [*VERSIONS[options.versions], "--editable", f".[{','.join(options.extras)}]"]
    uv = found_uv(python, bring="test" in options.extras)
    how = "uv" if uv else "pip, which takes some minutes"
    print(f"Installing PyTorch, JupyterLab and the rest into {options.folder} with {how}.", flush=True)
    if uv and ran([uv, "pip", "install", "--quiet", "--python", python, *what], os.environ | settings_for_uv(python)):
        return
    if uv:
        print("uv could not install it; pip tries.", flush=True)
    if not ran([python, "-m", "pip", "install", "--quiet", *what]):
        sys.exit("The course could not be installed: what is said above tells why.")


def made(folder: Path) -> str:
    """The Python of the virtual environment in this folder, which is made where it is missing or of another version."""
    python = folder.absolute() / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    version = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    there = python.exists() and ran([str(python), "-c", version])
    if not there and not ran([sys.executable, "-m", "venv", "--clear", str(folder)]):
        sys.exit(1)  # venv has said why
    return str(python)


def found_uv(python: str, bring: bool) -> str | None:
    """uv on PATH, or in this environment or .venv; `bring` it where there is none."""
    beside = [str(Path(python).parent), *(str(ROOT / ".venv" / name) for name in ("bin", "Scripts"))]
    if uv := shutil.which("uv") or shutil.which("uv", path=os.pathsep.join(beside)):
        return uv
    if bring and ran([python, "-m", "pip", "install", "--quiet", *PROVED, "uv"]):
        return shutil.which("uv", path=str(Path(python).parent))
    return None


def settings_for_uv(python: str) -> dict[str, str]:
    """Where pip looks for packages, as variables for uv; what the environment says to uv itself goes first."""
    listed = subprocess.run([python, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
    lines = dict(line.split("=", 1) for line in listed.splitlines() if "=" in line)
    told = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # the best version that any index has, as with pip
    for name, variable in OF_UV.items():
        said = [lines[f"{part}.{name}"] for part in (":env:", "install", "global") if f"{part}.{name}" in lines]
        if said:
            places = str(ast.literal_eval(said[0])).split()
            told[variable] = ("," if name == "find-links" else " ").join(places)
    return {variable: value for variable, value in told.items() if variable not in os.environ}


def ran(command: list[str], environment: dict[str, str] | None = None) -> bool:
    """Whether the command ended well."""
    return subprocess.run(command, env=environment).returncode == 0


if __name__ == "__main__":
    main()
