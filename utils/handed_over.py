"""What this course hands to the engine for its learners: GPT-2's map on the start page, and my_gpt/ as a package."""

import contextlib
from collections.abc import Collection, Mapping

from utils.course import all_exercises
from utils.course.lending import NothingToLend
from utils.learner.handed import HandedOver, hand_over
from utils.learner.progress import passed as passed_so_far
from utils.model_map import Drawing, model_map
from utils.pictures.map_picture import map_of_one_prompt
from utils.pictures.picture import Picture

# Each part of the map, and the exercises that it takes.
MADE_OF = {
    "tokens": {"SpaceTokenizer", "train_bpe", "bpe_encode", "bpe_decode"},
    "stream": {"ResidualStream", "decompose_residual"},
    "embed": {"Embed"},
    "pos_embed": {"PosEmbed"},
    "ln": {"LayerNorm"},
    "ln_final": {"LayerNorm"},
    "attn": {"softmax", "apply_causal_mask", "Attention"},
    "mlp": {"gelu_new", "MLP"},
    "unembed": {"Unembed", "cross_entropy_loss"},
    "sampling": {
        "greedy",
        "apply_temperature",
        "apply_frequency_penalty",
        "sample_basic",
        "sample_top_k",
        "sample_top_p",
        "sample_next_token",
        "generate",
        "beam_search",
        "attend_with_cache",
        "generate_with_cache",
    },
    "block": {"TransformerBlock"},
    "model": {"Transformer"},
}


def map_of_progress(passed: Mapping[str, bool], following: Collection[str], opens: bool) -> Drawing | Picture:
    """The map with the parts that are done, and of the exercises that follow those that are not.

    `passed` says of each exercise of the course whether it has passed; `opens`, whether boxes open by a script.
    """
    known, done = _known_and_done(passed)
    not_done = [name for name in known if name not in done]
    here = [name for name in not_done if MADE_OF[name] & set(following)]
    drawing = model_map(*here, done=done, here_means="Next", loop="sampling" in known)
    return map_of_one_prompt(drawing) if opens else drawing


def parts_done() -> list[str]:
    """The parts of the map whose exercises have all passed, for `model_map(done=...)`."""
    found = {symbol for _, symbol in passed_so_far()}
    return _known_and_done({one.symbol: one.symbol in found for one in all_exercises()})[1]


def _known_and_done(passed: Mapping[str, bool]) -> tuple[list[str], list[str]]:
    known = [name for name, symbols in MADE_OF.items() if symbols <= passed.keys()]
    return known, [name for name in known if all(map(passed.__getitem__, MADE_OF[name]))]


def _write_package() -> None:
    from utils.own_gpt.writing import write_package  # needs torch, which the start page does not

    with contextlib.suppress(NothingToLend):  # of a course without solutions, as long as parts are missing
        write_package()


hand_over(HandedOver(map_of_progress, _write_package))
