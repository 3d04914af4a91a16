"""How SpaceTokenizer goes wrong, and right answers that look different, by theme."""

PARTS = ("words", "tables")  # in this order a card looks for a cause
