"""Tests of utils/checking."""
