"""Which model tells the story: your Transformer or your ModernTransformer, by what the folder holds."""

from pathlib import Path

from ..parts.bpe_encode import bpe_encode
from ..parts.transformer import Transformer
from .checkpoint import fill
from .own_gpt import OwnGPT
from .reading import is_llama, refuse_other_kinds
from .settings import read_ends
from .threads import fit_threads
from .tokenizer import Tokenizer
from .unreadable import WHAT, Unreadable
from .weights import read

BUNDLED = Path(__file__).parent.parent / "model"


def load(folder: Path | str | None = None) -> OwnGPT:
    """Your Transformer with the weights in a HuggingFace GPT-2 folder, or with those that lie here.

    Of a folder with a model of Llama's shape it is your ModernTransformer.
    """
    try:
        folder = BUNDLED if folder is None else Path(folder).expanduser()
    except RuntimeError as error:  # ~nobody
        raise Unreadable(f"There is no folder {folder}: {error}".rstrip(".") + f"; {WHAT}.") from None
    if is_llama(folder):
        from .since_gpt2 import load as load_modern  # which a GPT-2 need not wait for

        return load_modern(folder)
    refuse_other_kinds(folder)
    cfg, weights = read(folder)
    fit_threads(cfg.d_model)
    tokenizer = Tokenizer.read(folder, bpe_encode)
    return OwnGPT(fill(Transformer(cfg), weights), tokenizer, read_ends(folder, tokenizer.end))
