"""GPT-2 in JavaScript, for a page without a kernel: the model (`model.mjs`) and its tokens (`tokens.mjs`)."""
