"""Tests of utils/learner."""
