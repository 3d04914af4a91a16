"""Kept for the workflows of instructors, which name `utils.grading.fork`; the grader is in grader/."""
