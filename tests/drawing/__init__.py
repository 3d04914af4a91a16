"""Tests of utils/drawing."""
