"""A faster loop over the weights of your Transformer: the same sums in fewer and larger steps.

Queries, keys and values are one product, and the rows that it makes stay where they are written: they are the cache.
`scaled_dot_product_attention` reads them through views. Nothing is computed twice while the text fits in n_ctx;
beyond that every position moves, and the last n_ctx tokens are read anew for each token.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from .checkpoint import parameter
from .products import Product, fits_16_bits, product


class Layer(NamedTuple):
    """One block: its LayerNorms and products, and the rows of queries, keys and values of all positions."""

    ln1: tuple[Tensor, Tensor]
    to_rows: Product
    from_heads: Product
    ln2: tuple[Tensor, Tensor]
    to_neurons: Product
    from_neurons: Product
    rows: Tensor  # [n_ctx 3*n_heads*d_head]
    queries: Tensor  # [1 n_heads n_ctx d_head]; they, keys and values are views of the rows
    keys: Tensor
    values: Tensor


class FastGPT2:
    """Reads each token of a growing text once."""

    def __init__(self, model: nn.Module, bits: int = 16):
        """Lay out the model's weights: in 16 bits where these hold them exactly, in 32, or rounded to 8.

        Raises CannotTell where 8 bits can't be had.
        """
        self.cfg = model.cfg
        self.n_read = 0
        self.from_16_bits = bits == 16 and fits_16_bits(_weight(model, "unembed.W_U"))
        self.W_E, self.W_pos = _weight(model, "embed.W_E"), _weight(model, "pos_embed.W_pos")
        self.ln_final = _weight(model, "ln_final.w"), _weight(model, "ln_final.b")
        self.unembed = product(_weight(model, "unembed.W_U"), _weight(model, "unembed.b_U"), bits)
        self.layers = [_layer(model, f"blocks.{layer}", bits) for layer in range(self.cfg.n_layers)]

    def tokens(
        self, tokens: Tensor, wanted: int, choose: Callable[[Tensor, Tensor], int] | None = None
    ) -> Iterator[int]:
        """`wanted` further tokens, each chosen by `choose(tokens, logits)`, or greedily."""
        for _ in range(wanted):
            logits = self.logits(tokens)
            new = choose(tokens, logits) if choose else int(logits.argmax())
            tokens = torch.cat([tokens, tokens.new_tensor([new])])
            yield new

    def logits(self, tokens: Tensor) -> Tensor:
        """The logits [d_vocab] after a text that goes on from that of the call before; for another, set n_read to 0."""
        with torch.inference_mode():
            if len(tokens) > self.cfg.n_ctx:
                self.n_read, tokens = 0, tokens[-self.cfg.n_ctx :]
            logits = self._read(tokens[self.n_read :], self.n_read)
            (self.n_read,) = tokens.shape
        return logits.clone()  # an ordinary tensor, which may be changed

    def _read(self, tokens: Tensor, first: int) -> Tensor:
        eps, width, n_new = self.cfg.layer_norm_eps, [self.cfg.d_model], len(tokens)
        last = first + n_new
        resid = self.W_E[tokens] + self.W_pos[first:last]
        mask = _causal(n_new, last) if n_new > 1 else None
        for layer in self.layers:
            layer.rows[first:last] = layer.to_rows(torch.layer_norm(resid, width, *layer.ln1, eps))
            queries, keys = layer.queries.narrow(2, first, n_new), layer.keys.narrow(2, 0, last)
            z = scaled_dot_product_attention(queries, keys, layer.values.narrow(2, 0, last), attn_mask=mask)
            resid = resid + layer.from_heads(z.transpose(1, 2).reshape(n_new, -1))
            pre = layer.to_neurons(torch.layer_norm(resid, width, *layer.ln2, eps))
            resid += layer.from_neurons(gelu(pre, approximate="tanh"))
        return self.unembed(torch.layer_norm(resid[-1:], width, *self.ln_final, eps))[0]


def _causal(n_new: int, n_all: int) -> Tensor:
    """Which keys [n_new n_all] each new position may see."""
    return torch.ones(n_new, n_all, dtype=torch.bool).tril(n_all - n_new)


def _weight(model: nn.Module, name: str) -> Tensor:
    return parameter(model, name).detach().contiguous()


def _layer(model: nn.Module, at: str, bits: int) -> Layer:
    cfg, take = model.cfg, lambda name: _weight(model, f"{at}.{name}")
    heads = (cfg.n_heads, cfg.d_head)
    n_inner = cfg.n_heads * cfg.d_head
    rows = torch.zeros(cfg.n_ctx, 3 * n_inner)
    queries, keys, values = rows.view(1, cfg.n_ctx, 3, *heads).permute(2, 0, 3, 1, 4).unbind()
    return Layer(
        ln1=(take("ln1.w"), take("ln1.b")),
        to_rows=product(
            torch.cat([take(f"attn.W_{one}").transpose(0, 1).reshape(-1, n_inner) for one in "QKV"], dim=1),
            torch.cat([take(f"attn.b_{one}").flatten() for one in "QKV"]),
            bits,
        ),
        from_heads=product(take("attn.W_O").reshape(n_inner, -1), take("attn.b_O"), bits),
        ln2=(take("ln2.w"), take("ln2.b")),
        to_neurons=product(take("mlp.W_in"), take("mlp.b_in"), bits),
        from_neurons=product(take("mlp.W_out"), take("mlp.b_out"), bits),
        rows=rows,
        queries=queries,
        keys=keys,
        values=values,
    )
