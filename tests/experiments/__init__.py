"""Tests of utils/experiments."""
