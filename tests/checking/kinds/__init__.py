"""A small exercise of every kind that a chapter may hold: a solution, wrong answers by name, right ones in disguise."""
