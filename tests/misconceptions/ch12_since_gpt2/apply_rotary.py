"""How `apply_rotary` goes wrong."""

from tests.ch12_since_gpt2 import apply_rotary as exercise
