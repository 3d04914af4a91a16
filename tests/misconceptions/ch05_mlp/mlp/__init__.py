"""How MLP goes wrong, and right answers that look different, by theme."""

PARTS = ("layers", "weights", "two_at_once")  # in this order a card looks for a cause
