"""Tests of utils/edits."""
