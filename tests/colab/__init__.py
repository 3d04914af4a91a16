"""An imitation of Google Colab, in which the chapters are run: `python -m tests.colab`."""
