"""The folder of the small model with chapter 12's parts, as HuggingFace lays out a Llama; README.md says what it is."""

from pathlib import Path

FOLDER = Path(__file__).parent
