"""The image for Binder, JupyterHub and Codespaces names only what is there. No engine builds it here."""

import importlib.util
import json
import re
import shlex
import tomllib

from packaging.specifiers import SpecifierSet

from utils.course import ROOT

STEPS = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def steps(kind):
    return [line.removeprefix(f"{kind} ") for line in STEPS if line.startswith(f"{kind} ")]


def value_of(name):
    """An ARG's or ENV's value, with others in it filled in."""
    (found,) = {value for step in steps("ARG") + steps("ENV") for value in re.findall(rf"\b{name}=(\S+)", step)}
    return re.sub(r"\$\{(\w+)\}", lambda other: value_of(other[1]), found)


def test_what_is_copied_is_there():
    for step in steps("COPY"):
        *names, _ = [word for word in shlex.split(step) if not word.startswith("--")]
        for name in names:
            assert (ROOT / name).exists(), name


def test_its_python_and_its_extras_are_the_courses():
    (base,) = steps("FROM")
    version = base.removeprefix("python:").partition("-")[0]
    assert version in SpecifierSet(PROJECT["requires-python"])
    installed = [extra for step in steps("RUN") for extra in re.findall(r'"\.\[(\w+)\]"', step)]
    assert installed and set(installed) <= PROJECT["optional-dependencies"].keys()


def test_what_it_starts_is_there():
    (command,) = steps("CMD")
    python, flag, module, *_ = json.loads(command)
    assert (python, flag) == ("python", "-m") and importlib.util.find_spec(module)


def test_the_course_is_installed_where_it_lies_and_nobody_is_root():
    kinds = [line.split(" ", 1)[0] for line in STEPS if line and not line.startswith("#")]
    everything = STEPS.index("COPY --chown=${NB_UID} . .")
    assert any("--editable ." in line for line in STEPS[everything:])
    assert kinds.count("USER") == 1 and steps("USER") == ["${NB_USER}"]


def test_codespaces_build_the_same_image():
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    built = container["build"]
    assert (ROOT / ".devcontainer" / built["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert (ROOT / ".devcontainer" / built["context"]).resolve() == ROOT
    assert container["remoteUser"] == value_of("NB_USER")
    settings = container["customizations"]["vscode"]["settings"]
    assert settings["python.defaultInterpreterPath"] == value_of("VIRTUAL_ENV") + "/bin/python"
    for name in container["customizations"]["codespaces"]["openFiles"]:
        assert (ROOT / name).exists()


def test_nothing_that_was_made_here_goes_in():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {".venv", "my_gpt", "runs", "site", "before_update", "submissions"} <= set(ignored)
