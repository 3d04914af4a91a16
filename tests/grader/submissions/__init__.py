"""Tests of grader/submissions."""
