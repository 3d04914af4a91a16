"""Tests of utils/course: where the course stands, and how its files are read and written."""
