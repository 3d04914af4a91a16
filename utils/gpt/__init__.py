"""The course's own: what it tells the engine of GPT-2. Whoever imports it has told it.

The judge's side and the learner's side of a wall both need its kinds of exercise and its Config. `judge`, `grader`,
`author` and `utils.learner` import nothing of here.
"""

from importlib.util import find_spec
from pathlib import Path

from judge.running.frames import add_course
from judge.running.kinds import register
from judge.running.settings import Settings, use_settings
from utils.config import SMALL

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

if find_spec("torch"):  # else the exercises of plain Python alone can be judged, as on the course's site
    from utils.gpt.kinds import OF_MODELS
    from utils.gpt.training import TrainingRun

    register(*OF_MODELS, TrainingRun())
add_course(Path(__file__).parents[1])
use_settings(Settings(SMALL, "GPT-2", "TransformerLens", OTHER_NAMES))
