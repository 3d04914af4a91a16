"""Tests of judge."""
