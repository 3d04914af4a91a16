"""Your own GPT-2: the parts that you wrote, and a command line that tells stories with them.

`python -m my_gpt "Once upon a time"`; README.md says whose each part is. From Python:

    from my_gpt import load
    gpt = load()
    print(gpt.text("Once upon a time", tokens=60, seed=1))
"""

from .course.telling import OwnGPT as OwnGPT
from .course.telling import load as load
