"""How LayerNorm goes wrong, and right answers that look different, by theme."""

PARTS = ("variance", "order", "axes")  # in this order a card looks for a cause
