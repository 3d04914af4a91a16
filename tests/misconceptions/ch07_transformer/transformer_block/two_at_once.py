"""How TransformerBlock goes wrong round both sublayers, each in a way of its own: a card names the first."""

from itertools import product

from tests.ch07_transformer import block
from tests.misconceptions.ch07_transformer import _given  # noqa: F401 - what a `forward` alone belongs to

MIDDLES = {
    "overwriting the stream with its normalised copy": lambda self, x: self.ln1(x) + self.attn(self.ln1(x)),
    "leaving the stream out round attention": lambda self, x: self.attn(self.ln1(x)),
    "attention reading the raw stream": lambda self, x: x + self.attn(x),
    "normalising what a sublayer writes": lambda self, x: x + self.ln1(self.attn(x)),
    "normalising after the sum (post-norm)": lambda self, x: self.ln1(x + self.attn(x)),
}
# The same slips in the same order, which have names where they are made twice, and two more.
ENDS = [
    lambda self, x, mid: self.ln2(mid) + self.mlp(self.ln2(mid)),
    lambda self, x, mid: self.mlp(self.ln2(mid)),
    lambda self, x, mid: mid + self.mlp(mid),
    lambda self, x, mid: mid + self.ln2(self.mlp(mid)),
    lambda self, x, mid: self.ln2(mid + self.mlp(mid)),
    lambda self, x, mid: x + self.mlp(self.ln2(mid)),
    lambda self, x, mid: self.mlp(mid),
]


def block_of(middle, end):
    """A block that makes `resid_mid` and `resid_post` in these ways."""
    return lambda self, x: end(self, x, middle(self, x))


for (slip, (name, middle)), (same, end) in product(enumerate(MIDDLES.items()), enumerate(ENDS)):
    if slip != same:
        block.also(name)(block_of(middle, end))
