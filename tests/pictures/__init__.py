"""Pictures: drawn in Chromium, by keyboard alone, in both themes and at three widths."""
