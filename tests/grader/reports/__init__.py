"""Tests of grader/reports."""
