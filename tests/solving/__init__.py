"""The panels of the site, in which exercises are solved in a page."""
