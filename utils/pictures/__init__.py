"""Pictures that a page draws by itself, from numbers that lie in the notebook: no kernel, no package, no network.

Each has a module in Python, which puts the numbers together, and one in JavaScript, which draws them and answers
keys and pointer; the site draws with the same modules. Where scripts are not run, a sentence says what would be seen.
"""
