"""How `RMSNorm` goes wrong."""

from tests.ch12_since_gpt2 import rms_norm as exercise
