"""How cross_entropy_loss goes wrong, and right answers that look different, by theme."""

PARTS = ("pairing", "surprise", "form", "two_at_once")  # in this order a card looks for a cause
