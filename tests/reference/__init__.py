"""Tests of utils/reference."""
