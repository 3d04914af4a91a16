"""The learner's side of the wall: questions and records, the kinds of exercise, and the runner that drives code."""
