"""Tests of author."""
