"""Tests of judge/repairing."""
