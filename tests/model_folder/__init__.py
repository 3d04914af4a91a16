"""Tests of utils/model_folder: what is read of a folder is what transformers and tokenizers read of it."""
