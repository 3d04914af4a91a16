"""A small exercise of every kind that a chapter may hold: a solution, wrong answers by name, right ones in disguise.

JAX starts threads, beside which no process can be forked safely, and other tests fork: its kind is judged in a process
that does nothing else (`tests/judge/checking/test_kinds_apart.py`).
"""

import os
import pkgutil

APART = "jax_layers"
ONLY_THIS = "COURSE_ONLY_KIND"  # an environment variable: the kind that is judged in this process, and no other


def names() -> list[str]:
    """The modules with the kinds that are judged in this process."""
    if only := os.environ.get(ONLY_THIS):
        return [only]
    return [module.name for module in pkgutil.iter_modules(__path__) if module.name != APART]
