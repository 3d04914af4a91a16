"""Temporary."""

from utils.running.records import digest, from_bytes, to_bytes  # noqa
