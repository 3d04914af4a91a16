"""Submissions that want a grade without being right, or the grader's end: judged through the real thing, in pairs."""
