"""How `rotary_tables` goes wrong."""

from tests.ch12_since_gpt2 import rotary_tables as exercise
