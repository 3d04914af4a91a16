"""Tests of utils/live."""
