"""How MLP goes wrong in its layers and in its bend at once: a card names the first, and then the other."""

from itertools import product

import torch.nn.functional as F

from tests.ch05_mlp import mlp
from tests.misconceptions.ch05_mlp.gelu_new import half_forgotten
from tests.misconceptions.ch05_mlp.mlp.layers import pre_of


def unbent(pre):
    return pre


BENDS = (F.gelu, F.relu, F.silu, unbent, half_forgotten)
LAYERS = {
    "adding the input to the answer": lambda self, x, bend: x + bend(pre_of(self, x)) @ self.W_out + self.b_out,
    "normalising the input once more": lambda self, x, bend: (
        bend(pre_of(self, F.layer_norm(x, x.shape[-1:]))) @ self.W_out + self.b_out
    ),
    "a bias added to its matrix": lambda self, x, bend: bend(x @ (self.W_in + self.b_in)) @ self.W_out + self.b_out,
}


def with_bend(layers, bend):
    """An MLP of these layers, with this bend between them."""
    return lambda self, normalized_resid_mid: layers(self, normalized_resid_mid, bend)


for (name, layers), bend in product(LAYERS.items(), BENDS):
    mlp.also(name)(with_bend(layers, bend))
mlp.also("a GELU on the answer as well")(
    lambda self, normalized_resid_mid: F.gelu(F.gelu(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out)
)
