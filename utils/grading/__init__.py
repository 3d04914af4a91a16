"""Judging notebooks from outside them: the nbval plugin and its items."""
