"""A Colab runtime: a kernel that has imported numpy and torch, an empty folder, and GitHub played by a folder."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
LONGEST = 900  # seconds, for one cell or for a kernel that starts
# One thread, as several on busy cores get in each other's way; no words about frozen modules, which Colab keeps silent.
SETTINGS = {"OMP_NUM_THREADS": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
# What Colab's kernel has in memory before a notebook's first cell.
PRELUDE = """
import importlib.machinery, sys, types
import google.protobuf, ipywidgets, numpy, torch
colab = types.ModuleType("google.colab")
colab.__spec__ = importlib.machinery.ModuleSpec("google.colab", None, is_package=True)
colab.__path__ = []
google.colab = sys.modules["google.colab"] = colab
"""
# Every control that has not been moved yet gets another value; a button is pressed.
MOVE = """
def _move():
    import ipywidgets
    moved = globals().setdefault("_moved", set())
    for name, one in list(ipywidgets.Widget.widgets.items()):
        if name in moved or isinstance(one, ipywidgets.Output):
            continue
        moved.add(name)
        if isinstance(one, ipywidgets.Button):
            one.click()
        elif isinstance(one, ipywidgets.Dropdown):
            one.value = one.options[-1]
        elif isinstance(one, (ipywidgets.IntSlider, ipywidgets.FloatSlider, ipywidgets.BoundedIntText)):
            one.value = one.min if one.value == one.max else one.max
        elif type(one) is ipywidgets.Text:
            one.value += " again"
        elif isinstance(one, ipywidgets.Checkbox):
            one.value = not one.value
        else:
            continue
        print("moved", type(one).__name__)
_move()
"""


@dataclass
class Ran:
    """What one cell did."""

    seconds: float
    errors: list[str] = field(default_factory=list)
    stderr: str = ""
    text: str = ""
    pages: list[str] = field(default_factory=list)

    def take(self, message: dict[str, Any]) -> None:
        """Note what a message of the kernel shows."""
        content, kind = message["content"], message["msg_type"]
        if kind == "stream" and content["name"] == "stderr":
            self.stderr += content["text"]
        elif kind == "stream":
            self.text += content["text"]
        elif kind == "error":
            trace = "\n".join(content["traceback"])
            self.errors.append(COLOURS.sub("", f"{content['ename']}: {content['evalue']}\n{trace}"))
        elif kind in ("display_data", "execute_result", "update_display_data"):
            self.text += content["data"].get("text/plain", "") + "\n"
            self.pages += [content["data"]["text/html"]] if "text/html" in content["data"] else []


class Notebook:
    """A notebook that is open in the runtime; `run` does what Shift+Enter does."""

    def __init__(self, client: BlockingKernelClient, content: Path):
        self.client, self.content = client, content

    def run(self, code: str) -> Ran:
        began = time.monotonic()
        ran = Ran(0.0)
        code = code.replace("/content/", f"{self.content}/")
        self.client.execute_interactive(code, output_hook=ran.take, timeout=LONGEST, allow_stdin=False)
        ran.seconds = time.monotonic() - began
        return ran


@contextmanager
def opened(python: Path, content: Path, git_config: Path) -> Iterator[Notebook]:
    """A notebook in a fresh kernel of Colab's Python; `content` stands for /content."""
    manager = KernelManager()
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR"]
    manager._kernel_spec = KernelSpec(argv=command, display_name="Colab", language="python")
    hidden = ("PYTHON", "COURSE", "VIRTUAL_ENV", "JPY_", "PLOTLY", "PYTEST")
    env = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    manager.start_kernel(cwd=str(content), env=env | SETTINGS | {"GIT_CONFIG_GLOBAL": str(git_config)})
    client = manager.client()
    try:
        client.start_channels()
        client.wait_for_ready(timeout=LONGEST)
        notebook = Notebook(client, content)
        if errors := notebook.run(PRELUDE).errors:
            raise RuntimeError(f"Colab's kernel can't be imitated: {errors}")
        yield notebook
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
