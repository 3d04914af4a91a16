"""How Attention goes wrong, and right answers that look different, by theme."""

PARTS = ("scores", "pattern", "heads")  # in this order a card looks for a cause
