"""utils.learner.lab: JupyterLab opens on the start page, also by the links that it prints, and keeps quiet."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.error import URLError
from urllib.parse import parse_qs, urlparse
from urllib.request import urlopen

import pytest

from utils.course import ROOT
from utils.learner import lab

pytest.importorskip("jupyterlab", reason="JupyterLab is not installed here")
FOLDER = ROOT / "utils" / "learner" / "lab"


@pytest.fixture
def command():
    from utils.learner.lab import __main__

    return __main__


@pytest.fixture
def printed(tmp_path):
    """The first link with a token that `python -m utils.learner.lab` prints; the server runs until the test is over."""
    folders = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "utils.learner.lab", "--no-browser", f"--port={port}", "--allow-root"]
    environment = os.environ | {name: str(tmp_path / name) for name in folders} | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, encoding="utf-8") as server:
        for line in server.stderr or ():
            if found := re.search(r"http://127\.0\.0\.1\S+token=\w+", line):
                yield found[0]
                break
        server.terminate()


def answered(address: str, seconds: float = 60):
    """What a server answers; one that has just printed its links may not listen yet."""
    until = time.monotonic() + seconds
    while True:
        try:
            return urlopen(address)
        except URLError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


@pytest.mark.slow
def test_the_printed_link_leads_to_the_start_page_with_the_whole_course_beside_it(printed):
    page = answered(printed)
    address = urlparse(page.url)
    asked = parse_qs(address.query)
    assert (page.status, address.path) == (200, "/lab/tree/chapters/START.ipynb")
    assert asked["file-browser-path"] == ["/"] and len(asked["token"]) == 1
    stranger = urlopen(printed.partition("?")[0])
    assert urlparse(stranger.url).path == "/login"


@pytest.mark.slow
def test_it_opens_where_the_course_is_wherever_it_is_called(command):
    assert f"--ServerApp.root_dir={ROOT}" in command.options()
    assert (ROOT / urlparse(lab.START).path.removeprefix("lab/tree/")).is_file()


@pytest.mark.parametrize(
    ("traits", "curve", "told"),
    [
        (["transport_encryption"], True, ["--KernelManager.transport_encryption=auto"]),
        (["transport_encryption"], False, []),
        ([], True, []),
    ],
)
def test_channels_are_encrypted_where_that_is_possible(traits, curve, told, command, monkeypatch):
    monkeypatch.setattr(command, "KernelManager", SimpleNamespace(class_trait_names=lambda: traits))
    monkeypatch.setattr(command, "zmq", SimpleNamespace(has=lambda feature: curve and feature == "curve"))
    assert [option for option in command.options() if "encryption" in option] == told


def test_it_knows_the_settings_that_it_is_given(command):
    assert f"--LabApp.app_settings_dir={FOLDER}" in command.options()
    schemas = Path(sys.prefix) / "share" / "jupyter" / "lab" / "schemas"
    for plugin, settings in json.loads((FOLDER / "overrides.json").read_text(encoding="utf-8")).items():
        package, name = plugin.split(":")
        known = json.loads((schemas / package / f"{name}.json").read_text(encoding="utf-8"))["properties"]
        for setting, value in settings.items():
            assert value in [choice["const"] for choice in known[setting]["oneOf"]]
