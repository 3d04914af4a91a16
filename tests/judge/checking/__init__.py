"""Tests of judge/checking."""
