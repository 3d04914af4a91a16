"""Tests of utils/grading."""
