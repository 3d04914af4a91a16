"""What a notebook with a kernel shows: controls and figures that follow them, and what the page needs for figures."""
