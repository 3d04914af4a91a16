"""Makes notebooks and zips for tests, whole ones and broken ones."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

STEM = "ch03_layernorm"
NAME = f"{STEM}.ipynb"
LAYER_NORM = "class LayerNorm:\n    pass\n"


def notebook(*cells: Any, **more: Any) -> str:
    """The text of a notebook with these code cells, after one of prose."""
    prose = {"cell_type": "markdown", "metadata": {}, "source": "prose"}
    code = [
        {"cell_type": "code", "metadata": {}, "source": cell, "outputs": [], "execution_count": None} for cell in cells
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [prose, *code], **more})


def write(path: Path, content: str | bytes = notebook(LAYER_NORM)) -> Path:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zipped(files: dict[str, str | bytes]) -> bytes:
    """A zip of these."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return made.getvalue()
