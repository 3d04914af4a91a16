"""How TransformerBlock goes wrong, and right answers that look different, by theme."""

PARTS = ("stream", "parts", "two_at_once")  # in this order a card looks for a cause
