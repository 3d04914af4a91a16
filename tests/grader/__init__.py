"""Tests of grader."""
