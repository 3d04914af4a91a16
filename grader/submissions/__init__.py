"""Reading submissions: which there are, their notebooks, the answers in those. Nothing is run or unpacked."""
