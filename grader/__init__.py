"""Judging from outside: submissions of a class, and a fork's notebooks by nbval; releases, and their updates."""
