"""Tests of utils/model_map."""
