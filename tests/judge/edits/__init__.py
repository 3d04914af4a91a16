"""Tests of judge/edits."""
