"""The course's own: what it tells the engine of GPT-2. Whoever imports it has told it.

The judge's side and the learner's side of a wall both need its kinds of exercise and its Config. `judge`, `grader`,
`author` and `utils.learner` import nothing of here.
"""

from pathlib import Path

from judge.running.frames import add_course
from judge.running.kinds import register
from judge.running.settings import Settings, use_settings
from utils.config import SMALL
from utils.gpt.kinds import (
    JaxGPT,
    ModelAfter,
    Training,
    TrainStep,
    WithAttention,
    WithCache,
    WithGPT,
    WithModel,
    WorkOf,
)
from utils.gpt.training import TrainingRun

OTHER_NAMES = {  # what PyTorch, HuggingFace, nanoGPT and the papers call a Config's fields, and the parameters
    "d_model": {"hidden_size", "n_embd", "embed_dim", "emb_dim"},
    "d_vocab": {"vocab_size", "n_vocab"},
    "n_ctx": {"block_size", "n_positions", "context_length", "max_position_embeddings"},
    "n_layers": {"n_layer", "num_layers", "num_hidden_layers"},
    "n_heads": {"n_head", "num_heads", "num_attention_heads"},
    "d_head": {"head_dim", "head_size"},
    "d_mlp": {"d_ff", "n_inner", "intermediate_size"},
    "layer_norm_eps": {"eps"},
    "w": {"weight", "gamma", "scale", "g", "alpha", "gain"},
    "b": {"bias", "beta", "shift", "offset"},
    "W_E": {"wte", "weight", "embedding", "table", "W_embed", "token_embedding", "embed"},
    "W_pos": {"wpe", "weight", "embedding", "table", "W_P", "position_embedding", "pos_embedding", "pos_embed"},
}

register(WithModel(), WithGPT(), WithAttention(), WorkOf(), ModelAfter(), Training(), TrainStep(), TrainingRun())
register(JaxGPT(), WithCache())
add_course(Path(__file__).parents[1])
use_settings(Settings(SMALL, "GPT-2", "TransformerLens", OTHER_NAMES))
