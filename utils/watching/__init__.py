"""A training run seen while it trains: its loss curve, how far it is, the time left, and what the model writes."""

from utils.watching.watch import Watch, watching

__all__ = ["Watch", "watching"]
