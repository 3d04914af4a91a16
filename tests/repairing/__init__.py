"""Tests of utils/repairing."""
