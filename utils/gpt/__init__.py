"""The course's own: what it tells the engine of GPT-2. Whoever imports it has told it.

The judge's side and the learner's side of a wall both need its kinds of exercise and its Config. The engine, which is
`running`, `checking`, `edits`, `repairing`, `learner`, `authoring` and `grading`, imports nothing of here.
"""

from utils.config import SMALL
from utils.gpt.kinds import ModelAfter, Training, TrainStep, WithGPT, WithModel, WorkOf
from utils.running.kinds import register
from utils.running.settings import Settings, use_settings

OTHER_NAMES = {  # what HuggingFace, nanoGPT and the papers call the fields of a Config
    "hidden_size": "d_model",
    "n_embd": "d_model",
    "vocab_size": "d_vocab",
    "block_size": "n_ctx",
    "n_positions": "n_ctx",
    "n_layer": "n_layers",
    "n_head": "n_heads",
    "eps": "layer_norm_eps",
}

register(WithModel(), WithGPT(), WorkOf(), ModelAfter(), Training(), TrainStep())
use_settings(Settings(SMALL, "GPT-2", "TransformerLens", OTHER_NAMES))
