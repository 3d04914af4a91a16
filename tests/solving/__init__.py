"""utils.solving: exercises of plain Python, judged on the site's pages as in a notebook."""
