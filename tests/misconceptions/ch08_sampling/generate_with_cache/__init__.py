"""How generate_with_cache goes wrong, and right answers that look different, by theme."""

PARTS = ("reading", "cache", "model", "form")  # in this order a card looks for a cause
