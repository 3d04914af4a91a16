"""Tests of utils.checking.diagnosis."""
