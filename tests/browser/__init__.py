"""The course as a learner sees it, in a real browser: `make lab`, START, chapters, figures, themes and widths."""
