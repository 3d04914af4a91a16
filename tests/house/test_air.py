"""No room of utils is denser than it may be: branch points, and characters, on an average line of code."""

import pytest

from tests.house.density import density, rooms

# Branch points and characters a line of code that a room of utils/ may have on average.
# Modules that stand in no room are one, `*.py`.
BRANCHES, CHARACTERS = 0.25, 40.0
ROOMS = rooms()


@pytest.mark.parametrize("room", ROOMS)
def test_code_has_air(room):
    """Two clear lines beat one clever one; what a room is made of says `python -m tests.house.density`."""
    found = density(ROOMS[room])
    assert found.branches_a_line <= BRANCHES, f"utils/{room}: {found}; at most {BRANCHES} branches are allowed"
    assert found.characters_a_line <= CHARACTERS, f"utils/{room}: {found}; at most {CHARACTERS} characters are allowed"
