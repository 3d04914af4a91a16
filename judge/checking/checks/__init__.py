"""The checks: each asks its questions, compares one thing, and raises Mismatch with all there is to say."""
