"""How `ModernBlock` goes wrong."""

from tests.ch12_since_gpt2 import modern_block as exercise
