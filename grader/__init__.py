"""Judging from outside: the submissions of a class, and the notebooks of a learner's fork by nbval."""
