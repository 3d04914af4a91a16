"""The chapters' test functions, called from notebooks and by pytest, and the project's own tests."""

import utils.gpt  # noqa: F401 - tells the engine of GPT-2: its kinds of exercise, sizes and names
from utils.checking.reporting import set_standard_reporter
from utils.learner.reporter import LearnerReporter

# utils.checking shows nothing by itself, and a learner may restart the kernel and skip the set-up cell
set_standard_reporter(LearnerReporter())
