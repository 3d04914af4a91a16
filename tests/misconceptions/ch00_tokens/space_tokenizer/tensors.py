"""How SpaceTokenizer goes wrong: with tensors."""

import torch

from solutions.ch00_tokens import SpaceTokenizer
from tests.ch00_tokens import space_tokenizer


@space_tokenizer.misconception("a tensor of ids", "Return a list of int.")
class TensorOfIds(SpaceTokenizer):
    def encode(self, text):
        return torch.tensor([self.ids[word] for word in text.split()], dtype=torch.int64)


@space_tokenizer.also("a tensor of ids")
class PlainTensor(SpaceTokenizer):
    def encode(self, text):
        return torch.tensor([self.ids[word] for word in text.split()])
