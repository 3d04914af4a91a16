"""Tests of utils/own_gpt, and of the package that it writes."""
