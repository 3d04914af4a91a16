"""What notebooks, tests and the command line are built on."""
