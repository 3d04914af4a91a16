"""Tests of utils/learner/own_gpt, and of the package that it writes."""
