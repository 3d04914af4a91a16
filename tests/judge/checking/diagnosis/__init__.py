"""Tests of judge.checking.diagnosis."""
