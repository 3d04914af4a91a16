"""How `SwiGLU` goes wrong."""

from tests.ch12_since_gpt2 import swiglu as exercise
