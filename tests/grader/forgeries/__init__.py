"""Edits of a notebook round an answer: what each must come to, if the answer is wrong and if it is right.

Each module has some of one kind. `forging.py` has the notebook that they change.
"""
