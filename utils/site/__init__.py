"""The course as a site to read: its stored notebooks, and the model itself in the page. Nothing is executed."""
