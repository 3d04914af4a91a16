"""Tests of the course as a whole: how it is laid out, installed and gone through, here and on other systems."""
