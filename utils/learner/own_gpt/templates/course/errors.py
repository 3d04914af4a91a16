"""The one error of a story that can't be told."""


class CannotTell(Exception):
    """What is wrong with the model's folder, the prompt or an option, and what to do."""
