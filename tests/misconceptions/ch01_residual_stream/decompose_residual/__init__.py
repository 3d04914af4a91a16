"""How decompose_residual goes wrong, and right answers that look different, by theme."""

PARTS = ("components", "form")  # in this order a card looks for a cause
