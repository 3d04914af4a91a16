"""The model in JavaScript against HuggingFace's, in the browser that people read with."""
