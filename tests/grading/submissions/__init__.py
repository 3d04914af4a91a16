"""Tests of utils/grading/submissions."""
