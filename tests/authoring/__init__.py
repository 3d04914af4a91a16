"""Tests of utils/authoring."""
