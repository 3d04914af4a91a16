"""Edits of a syntax tree: every plausible single change of a piece of code. Repairs and mutants are made of them."""
