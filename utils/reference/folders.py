"""HuggingFace GPT-2 folders: finding the one that is wanted; utils.model_folder reads it, without `transformers`."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from utils.config import Config
from utils.model_folder import vocabulary
from utils.model_folder.unreadable import Unreadable
from utils.model_folder.vocabulary import Vocabulary

if TYPE_CHECKING:
    from torch import Tensor

BUNDLED = Path(__file__).parent.parent / "reference_model"
MODERN = BUNDLED.with_name("modern_model")  # a small Llama, which chapter 12 reads (utils/reference/modern.py)
REACH_SECONDS = 5.0
GPT2_FILES = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.json", "merges.txt"]
WAY_OUT = "unset COURSE_REFERENCE to use the bundled model"


class ReferenceUnavailable(RuntimeError):
    """The reference model that was asked for is not available; the message says why, and the way out."""


def directory(name: str) -> Path:
    """The folder of the model `name`: bundled, gpt2 (downloaded when no copy is cached), or itself a folder's name.

    Raises ReferenceUnavailable when there is no such folder, or its config.json is not a GPT-2's.
    """
    if name == "bundled":
        return BUNDLED
    if name == "gpt2":
        return _gpt2()
    path = Path(name).expanduser()
    if not path.is_dir():
        raise ReferenceUnavailable(
            f"The reference model {name!r}: there is no such folder. "
            f"COURSE_REFERENCE may be bundled, gpt2, or the folder of a HuggingFace GPT-2; or {WAY_OUT}."
        )
    from utils.model_folder import settings  # which needs torch, and the bundled model's tokenizer needs none

    with _with_the_way_out(name):
        settings.read_settings(path)
    return path


def read(path: Path) -> tuple[Config, dict[str, "Tensor"]]:
    """The sizes, and the weights in float32 by TransformerLens's names. Raises ReferenceUnavailable."""
    from utils.model_folder import weights

    with _with_the_way_out(str(path)):
        return weights.read(path)


def read_vocabulary(path: Path) -> Vocabulary:
    """What the tokenizer in the folder knows. Raises ReferenceUnavailable."""
    with _with_the_way_out(str(path)):
        return vocabulary.read_vocabulary(path)


@contextmanager
def _with_the_way_out(name: str) -> Iterator[None]:
    """Raises ReferenceUnavailable for Unreadable: the same words, and how the bundled model comes back."""
    try:
        yield
    except Unreadable as reason:
        raise ReferenceUnavailable(f"The reference model {name!r}: {reason} Or {WAY_OUT}.") from None


@cache
def _gpt2() -> Path:
    """The folder of GPT-2 small in HuggingFace's cache, after one download with its progress bar when it is missing."""
    from huggingface_hub import snapshot_download

    for repository in ("gpt2", "openai-community/gpt2"):
        try:
            path = Path(snapshot_download(repository, allow_patterns=GPT2_FILES, local_files_only=True))
        except Exception:  # no copy in the cache: huggingface_hub has several errors for that
            continue
        if all((path / name).is_file() for name in ("config.json", "model.safetensors")):
            return path
    try:
        _reach_hub()
        return Path(snapshot_download("gpt2", allow_patterns=GPT2_FILES))
    except Exception as error:  # httpx's, huggingface_hub's and the system's errors, all meaning: no download
        reason = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
    raise ReferenceUnavailable(
        f"The reference model 'gpt2': GPT-2 small's weights (0.5 GB) are not on this machine and could not be "
        f"downloaded ({reason}). Go online once and try again, or point COURSE_REFERENCE at a folder that holds them, "
        f"or {WAY_OUT}."
    )


def _reach_hub() -> None:
    """Fail at once when offline: the download alone would try again for half a minute."""
    from huggingface_hub import constants, get_session

    get_session().head(constants.ENDPOINT, timeout=REACH_SECONDS)
