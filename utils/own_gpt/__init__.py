"""Makes my_gpt/ a package of the learner's own, which tells stories without the course.

`templates/` holds what is the course's in it. The parts are made from what the learner wrote and passed, or from the
reference solutions where something is missing.
"""
