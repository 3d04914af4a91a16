"""Exercises of plain Python solved on the course's site, with nothing installed: the same judge, run by Pyodide."""

CHAPTERS = ("ch00_tokens", "ch10_cost")
