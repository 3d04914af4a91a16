"""Tests of utils/watching."""
