"""Tests of utils/watching.py."""
