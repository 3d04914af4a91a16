"""Tests of utils/grading/reports."""
