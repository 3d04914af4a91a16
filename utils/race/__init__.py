"""The race of chapter 9: the lowest loss on the held-out text, for as much computing as nanoGPT's recipe takes here."""
