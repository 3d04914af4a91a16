"""Tests of judge/running."""
