"""How sample_next_token goes wrong, and right answers that look different, by theme."""

PARTS = ("order", "settings")  # in this order a card looks for a cause
