"""Tests of utils/plotting."""
