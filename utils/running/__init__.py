"""The learner's side of the wall: questions and records, the drivers, and the runner that drives code here."""
