"""How GroupedQueryAttention goes wrong, and right answers that look different, by theme."""

PARTS = ("right", "groups", "turns", "pattern")  # in this order a card looks for a cause
