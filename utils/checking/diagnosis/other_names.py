"""What a Config's fields and the parameters are called elsewhere: PyTorch, HuggingFace, nanoGPT and the papers."""

OTHER_NAMES = {
    "d_model": {"hidden_size", "n_embd"},
    "d_vocab": {"vocab_size"},
    "n_ctx": {"block_size", "n_positions"},
    "n_layers": {"n_layer"},
    "n_heads": {"n_head"},
    "layer_norm_eps": {"eps"},
    "w": {"weight", "gamma", "scale", "g", "alpha", "gain"},
    "b": {"bias", "beta", "shift", "offset"},
    "W_E": {"wte", "weight", "embedding", "table", "W_embed", "token_embedding", "embed"},
    "W_pos": {"wpe", "weight", "embedding", "table", "W_P", "position_embedding", "pos_embedding", "pos_embed"},
}


def is_another_name(other: str, name: str) -> bool:
    """Whether what is called `name` here is called `other` elsewhere."""
    return other in OTHER_NAMES.get(name, ())


def name_among(word: str, names: list[str]) -> str | None:
    """The one of these names that a word is, or that it is elsewhere; None where it is none."""
    if word in names:
        return word
    return next((name for name in names if is_another_name(word, name)), None)
