"""The recipe of the reference model: its two stages, and the file that keeps the settings of a run beside it."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from utils.config import Config, ModernConfig
from utils.course.files import write_text

FILE = "recipe.json"


@dataclass(frozen=True)
class Stage:
    """A part of the run with a cosine of its own, in which a `phrase_share` of the rows are phrases."""

    name: str
    steps: int
    lr_max: float
    phrase_share: float
    seed: int


@dataclass(frozen=True)
class Recipe:
    """What a run is made of, besides the model's sizes and the text.

    `steps` on the text, then `phrase_steps` with a second, lower cosine; there a `phrase_share` of rows are phrases.
    """

    steps: int = 8000
    phrase_steps: int = 2500
    batch_size: int = 16
    lr_max: float = 2e-3
    phrase_lr_max: float = 1e-3
    lr_min: float = 4e-5
    warmup: int = 200
    weight_decay: float = 0.1
    beta2: float = 0.99
    grad_clip: float = 1.0
    repeat_share: float = 0.05
    phrase_share: float = 0.25
    seed: int = 20
    checkpoint_every: int = 250
    compiled: bool = True
    threads: int = 2

    @property
    def all_steps(self) -> int:
        return self.steps + self.phrase_steps

    @property
    def stages(self) -> list[Stage]:
        text = Stage("text", self.steps, self.lr_max, 0.0, self.seed)
        phrases = Stage("phrases", self.phrase_steps, self.phrase_lr_max, self.phrase_share, self.seed + 1)
        return [stage for stage in (text, phrases) if stage.steps]


def keep(folder: Path, cfg: Config | ModernConfig, recipe: Recipe) -> None:
    """Write a run's sizes and settings into its folder.

    Raises ValueError where the folder has a run with others.
    """
    file, now = folder / FILE, asdict(cfg) | asdict(recipe)
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_text(file, json.dumps({"cfg": asdict(cfg), "recipe": asdict(recipe)}, indent=2) + "\n")
        return
    there = {
        name: value for part in json.loads(file.read_text(encoding="utf-8")).values() for name, value in part.items()
    }
    changed = [name for name in now if there.get(name) != now[name]]
    if changed:
        raise ValueError(
            f"{folder} has a run with another {', '.join(changed)}: "
            f"{[there.get(name) for name in changed]}, now {[now[name] for name in changed]}. "
            "Use the same settings to resume, or another --run folder to begin again."
        )


def kept(folder: Path) -> tuple[Config | ModernConfig, Recipe]:
    """The sizes and settings of the run in a folder. Raises FileNotFoundError where there is none."""
    there = json.loads((folder / FILE).read_text(encoding="utf-8"))
    sizes = ModernConfig if "n_kv_heads" in there["cfg"] else Config
    return sizes(**there["cfg"]), Recipe(**there["recipe"])
