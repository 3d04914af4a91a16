"""The chapters' test functions, called from notebooks and by pytest, and the project's own tests."""

import utils.gpt  # noqa: F401 - tells the engine of GPT-2: its kinds of exercise, sizes and names
