"""A picture as a notebook shows it: a sentence, and the script that puts the picture in its place."""

import functools
import html
import json
import re
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor  # which the start page does without

HERE = Path(__file__).parent
_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_IMPORTED = re.compile(r'^import [^;]*"\./(\w+)\.mjs";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
_COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)
# VS Code puts scripts behind all that is shown, so the place is looked for by its name; where the same picture is
# shown twice, the first script finds the first place.
_RUN = """\
const which='.cp[data-picture="NAME"]:not([data-drawn])';
const place=document.currentScript?.parentElement?.querySelector(which)??document.querySelector(which);
if(place){place.dataset.drawn='';const words=place.innerHTML,still=[...place.childNodes];place.replaceChildren();
try{draw(place,DATA,still)}catch(error){place.innerHTML=words;throw error}}"""


@dataclass(frozen=True)
class Picture:
    """What `draw(place, data, still)` of a module in this folder draws, and the same in words.

    `still` is HTML that stands where scripts are not run; without it, the words stand there. `draw` gets its nodes,
    of which JupyterLab may know already where their links lead.
    """

    module: str
    data: dict[str, Any]
    words: str
    still: str = ""

    def _repr_html_(self) -> str:
        data = json.dumps(self.data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
        name = sha256(f"{self.module}{data}".encode()).hexdigest()[:12]
        still = self.still or f"<p>{html.escape(self.words)}</p>"
        run = _RUN.replace("NAME", name).replace("DATA", data)
        return (
            f"<style>{_style(self.module)}</style>"
            f'<div class="cp" data-picture="{name}">{still}</div>'
            f"<script>(()=>{{\n{_joined(self.module)}{run}}})()</script>"
        )

    def __repr__(self) -> str:
        return self.words


def as_bytes(values: "Tensor") -> str:
    """Numbers from 0 to 1 as one byte each, in base64: what `bytesOf` of common.mjs reads."""
    return b64encode((values.detach().clamp(0, 1) * 255).round().byte().numpy().tobytes()).decode()


def _joined(module: str) -> str:
    """The module behind what it imports, as the one script that an output can hold; comments are for its authors."""
    whole = "".join(_read(f"{name}.mjs") for name in _needed(module))
    for left_out in (_IMPORT, _EXPORT, _COMMENT):
        whole = left_out.sub("", whole)
    return whole


def _needed(module: str) -> list[str]:
    """The names of the modules that it imports, and of what these import, each once and after its own; then its own."""
    found: list[str] = []
    for name in _IMPORTED.findall(_read(f"{module}.mjs")):
        found += [one for one in _needed(name) if one not in found]
    return [*found, module]


def visible(text: str) -> str:
    """A token as it is shown: its spaces and line ends can be seen, as `visible` of common.mjs has it."""
    return text.replace(" ", "·").replace("\n", "⏎") or "(nothing)"


def _style(module: str) -> str:
    """The rules for all pictures, and where there are some, those of the module's own."""
    names = ("picture.css", f"{module}.css")
    return "".join(_read(name) for name in names if (HERE / name).exists())


@functools.cache
def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
