"""The parts of GPT-2, one module each, made from what you wrote and from what is borrowed: see ../README.md."""
