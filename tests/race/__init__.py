"""Tests of utils/race."""
