"""The site: built without a warning, read in Chromium."""
