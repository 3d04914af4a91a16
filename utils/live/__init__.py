"""What `utils.controls` shows in a notebook with a kernel: widgets, and figures that follow them."""
