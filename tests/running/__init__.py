"""Tests of utils/running."""
