"""No room of utils is denser than it may be: branch points, and characters, on an average line of code."""

import pytest

from tests.house.density import density, rooms

AIRY = (0.25, 40.0)  # branch points and characters a line of code that a room of utils/ may have on average
# What rooms may have that are denser still: it only goes down. Modules that stand in no room are one, `*.py`.
NOT_YET_AIRY = {
    "authoring": (0.249, 43.9),
}
ROOMS = rooms()


@pytest.mark.parametrize("room", ROOMS)
def test_code_has_air(room):
    """Two clear lines beat one clever one; what a room is made of says `python -m tests.house.density`."""
    found = density(ROOMS[room])
    branches, characters = NOT_YET_AIRY.get(room, AIRY)
    assert found.branches_a_line <= branches, f"utils/{room}: {found} a line; at most {branches} branches are allowed"
    assert found.characters_a_line <= characters, f"utils/{room}: {found} a line; at most {characters} are allowed"


@pytest.mark.parametrize("room", NOT_YET_AIRY)
def test_what_has_air_stays_so(room):
    found = density(ROOMS[room])
    branches, characters = AIRY
    is_airy = found.branches_a_line <= branches and found.characters_a_line <= characters
    assert not is_airy, f"utils/{room} has air now: take it out of NOT_YET_AIRY"
