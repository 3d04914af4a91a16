"""Wrong answers to chapter 7's `TransformerBlock` as learners write them, one whole cell each, titled with what went wrong.

Under a title, `# right:` names a misconception that is a true cause; benchmarks/diagnosis.py counts any other as misled.
"""
# fmt: off
# ruff: noqa

# %% TransformerBlock: the sublayers run side by side
# right: running both sublayers side by side
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        return resid_pre + self.attn(self.ln1(resid_pre)) + self.mlp(self.ln2(resid_pre))

# %% TransformerBlock: the MLP's answer is added to resid_pre
# right: adding the MLP's answer to `resid_pre`
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_pre + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: attention's answer is not added
# right: leaving the stream out round attention
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: the MLP's answer is not added
# right: leaving the stream out round the MLP
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: nothing is added
# right: leaving the stream out altogether
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        x = self.attn(self.ln1(resid_pre))
        x = self.mlp(self.ln2(x))
        return x

# %% TransformerBlock: x = ln(x) overwrites the stream
# right: overwriting the stream with its normalised copy
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        x = self.ln1(resid_pre)
        x = x + self.attn(x)
        x = self.ln2(x)
        x = x + self.mlp(x)
        return x

# %% TransformerBlock: ln1 overwrites the stream, ln2 does not
# right: overwriting the stream with its normalised copy
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        x = self.ln1(resid_pre)
        x = x + self.attn(x)
        return x + self.mlp(self.ln2(x))

# %% TransformerBlock: ln2 overwrites the stream, ln1 does not
# right: overwriting the stream with its normalised copy
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        normed = self.ln2(resid_mid)
        return normed + self.mlp(normed)

# %% TransformerBlock: post-norm
# right: normalising after the sum (post-norm)
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        x = self.ln1(resid_pre + self.attn(resid_pre))
        x = self.ln2(x + self.mlp(x))
        return x

# %% TransformerBlock: post-norm around attention only
# right: normalising after the sum (post-norm)
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        x = self.ln1(resid_pre + self.attn(resid_pre))
        return x + self.mlp(self.ln2(x))

# %% TransformerBlock: the answers are normalised, not the inputs
# right: normalising what a sublayer writes
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.ln1(self.attn(resid_pre))
        return resid_mid + self.ln2(self.mlp(resid_mid))

# %% TransformerBlock: ln1 is used twice
# right: using `ln1` twice
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln1(resid_mid))

# %% TransformerBlock: ln1 and ln2 are swapped
# right: `ln1` and `ln2` swapped
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln2(resid_pre))
        return resid_mid + self.mlp(self.ln1(resid_mid))

# %% TransformerBlock: no ln1
# right: attention reading the raw stream
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(resid_pre)
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: no ln2
# right: the MLP reading the raw stream
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(resid_mid)

# %% TransformerBlock: no LayerNorms
# right: no LayerNorm at all
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(resid_pre)
        return resid_mid + self.mlp(resid_mid)

# %% TransformerBlock: the MLP before attention
# right: the MLP before attention
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        x = resid_pre + self.mlp(self.ln2(resid_pre))
        return x + self.attn(self.ln1(x))

# %% TransformerBlock: += changes the caller's stream
# right: adding to `resid_pre` in place
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_pre += self.attn(self.ln1(resid_pre))
        resid_pre += self.mlp(self.ln2(resid_pre))
        return resid_pre

# %% TransformerBlock: one in-place add, under another name
# right: adding to `resid_pre` in place
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        x = resid_pre
        x += self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))

# %% TransformerBlock: resid_mid is returned
# right: leaving the MLP out
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        resid_post = resid_mid + self.mlp(self.ln2(resid_mid))
        return resid_mid

# %% TransformerBlock: a tuple is returned, as in HuggingFace
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        resid_post = resid_mid + self.mlp(self.ln2(resid_mid))
        return (resid_post,)

# %% TransformerBlock: nothing is returned
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        resid_post = resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: dropout is left in
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

        self.dropout = nn.Dropout(0.1)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.dropout(self.attn(self.ln1(resid_pre)))
        return resid_mid + self.dropout(self.mlp(self.ln2(resid_mid)))

# %% TransformerBlock: torch's LayerNorm, whose parameters are weight and bias
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = nn.LayerNorm(cfg.d_model, eps=cfg.layer_norm_eps)
        self.attn = Attention(cfg)
        self.ln2 = nn.LayerNorm(cfg.d_model, eps=cfg.layer_norm_eps)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: HuggingFace's names ln_1 and ln_2
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln_1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln_2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln_1(resid_pre))
        return resid_mid + self.mlp(self.ln_2(resid_mid))

# %% TransformerBlock: one LayerNorm shared by both
# right: one LayerNorm under two names
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = self.ln1
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: the MLP reads attention's answer alone
# right: an MLP that reads attention's answer alone
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        attn_out = self.attn(self.ln1(resid_pre))
        resid_mid = resid_pre + attn_out
        return resid_mid + self.mlp(self.ln2(attn_out))

# %% TransformerBlock: the MLP reads ln1's output
# right: one normalised copy for both sublayers
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        normed = self.ln1(resid_pre)
        resid_mid = resid_pre + self.attn(normed)
        return resid_mid + self.mlp(normed)

# %% TransformerBlock: resid_pre is added twice
# right: adding the stream twice
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_pre + resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: the sums are scaled by the root of a half
# right: scaling the sums
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = (resid_pre + self.attn(self.ln1(resid_pre))) * 0.5**0.5
        return (resid_mid + self.mlp(self.ln2(resid_mid))) * 0.5**0.5

# %% TransformerBlock: attention's answer is detached
# right: a sublayer cut out of the graph
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre)).detach()
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: no_grad on forward
# right: a sublayer cut out of the graph
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    @torch.no_grad()
    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: a third normalisation at the end
# right: a LayerNorm on the block's answer
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        resid_post = resid_mid + self.mlp(self.ln2(resid_mid))
        return self.ln2(resid_post)

# %% TransformerBlock: an activation after the MLP
# right: an activation on what a sublayer answers
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + nn.functional.gelu(self.mlp(self.ln2(resid_mid)))

# %% TransformerBlock: the batch axis is squeezed away
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        x = resid_pre.squeeze(0)
        x = resid_pre + self.attn(self.ln1(resid_pre))
        return (x + self.mlp(self.ln2(x))).squeeze(0)

# %% TransformerBlock: positions first, as torch's MultiheadAttention has them
# right: attention across the sentences
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        x = resid_pre.transpose(0, 1)
        x = x + self.attn(self.ln1(x))
        x = x + self.mlp(self.ln2(x))
        return x.transpose(0, 1)

# %% TransformerBlock: an extra learned scale of each answer
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

        self.gamma1 = nn.Parameter(torch.ones(cfg.d_model))
        self.gamma2 = nn.Parameter(torch.ones(cfg.d_model))

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.gamma1 * self.attn(self.ln1(resid_pre))
        return resid_mid + self.gamma2 * self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: the answers are computed in half precision
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre)).to(torch.bfloat16)
        return resid_mid + self.mlp(self.ln2(resid_mid)).to(torch.bfloat16)

# %% TransformerBlock: W_O and W_out start at zero
# right: sublayers that write nothing at the start
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

        nn.init.zeros_(self.attn.W_O)
        nn.init.zeros_(self.mlp.W_out)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: the LayerNorms' weights are drawn at random
# right: drawing every parameter at random
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

        for parameter in self.parameters():
            nn.init.normal_(parameter, std=cfg.init_range)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: the copies are added to and the raw stream is read
# right: the raw stream in a sublayer and its copy in the sum
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        x = self.ln1(resid_pre) + self.attn(resid_pre)
        return self.ln2(x) + self.mlp(x)

# %% TransformerBlock: normalised before and after
# right: normalising the sums as well as what is read (pre-norm and post-norm at once)
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        x = self.ln1(resid_pre + self.attn(self.ln1(resid_pre)))
        return self.ln2(x + self.mlp(self.ln2(x)))

# %% TransformerBlock: ln2 on what attention writes, none for the MLP
# right: normalising what a sublayer writes
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        x = resid_pre + self.ln2(self.attn(self.ln1(resid_pre)))
        return x + self.mlp(x)

# %% TransformerBlock: attention's answer is taken for a pair
# right: attention's answer for the first sentence, added to all of them
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        attn_out = self.attn(self.ln1(resid_pre))[0]
        resid_mid = resid_pre + attn_out
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: attention reads the first sentence alone
# right: attention's answer for the first sentence, added to all of them
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre[:1]))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: batch and pos are swapped for attention
# right: attention across the sentences
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        normed = self.ln1(resid_pre).transpose(0, 1)
        resid_mid = resid_pre + self.attn(normed).transpose(0, 1)
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: a GELU after the MLP
# right: an activation on what a sublayer answers
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + nn.functional.gelu(self.mlp(self.ln2(resid_mid)), approximate='tanh')

# %% TransformerBlock: attention twice, then the MLP
# right: calling a sublayer twice
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        resid_mid = resid_mid + self.attn(self.ln1(resid_mid))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: the mean of stream and answer
# right: scaling the sums
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        x = (resid_pre + self.attn(self.ln1(resid_pre))) / 2
        return (x + self.mlp(self.ln2(x))) / 2

# %% TransformerBlock: attention reads the sum
# right: adding inside a sublayer's brackets
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        resid_mid = self.attn(resid_pre + self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: norm and part in one nn.Sequential
# right: a LayerNorm and its sublayer in one `nn.Sequential`
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.attn = nn.Sequential(LayerNorm(cfg), Attention(cfg))
        self.mlp = nn.Sequential(LayerNorm(cfg), MLP(cfg))

    def forward(self, resid_pre):
        x = resid_pre + self.attn(resid_pre)
        return x + self.mlp(x)

# %% TransformerBlock: no MLP after eval
# right: another answer after `eval()`
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        if not self.training:
            return resid_mid
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: the classes stand in each other's place
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = MLP(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = Attention(cfg)

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: a second Attention is called mlp
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = Attention(cfg)

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: the class Attention is kept, not made
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: attention is given a mask
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre), mask=None)
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: stochastic depth, as in DropPath
import torch

class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        if self.training and torch.rand(()) < 0.5:
            return resid_mid
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: attention's answer is kept from the first call
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)
        self.memory = None

    def forward(self, resid_pre):
        if self.memory is None or self.memory.shape != resid_pre.shape:
            self.memory = self.attn(self.ln1(resid_pre))
        resid_mid = resid_pre + self.memory
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: a loop over n_layers
# right: a loop over the layers inside one block
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        resid = resid_pre
        for _ in range(self.cfg.n_layers):
            resid = resid + self.attn(self.ln1(resid))
            resid = resid + self.mlp(self.ln2(resid))
        return resid

# %% TransformerBlock: the norms handed over
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, x):
        x = x + self.attn(self.ln1)(x)
        return x + self.mlp(self.ln2)(x)

# %% TransformerBlock: new parts in forward
# right: new parts in `forward`
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, x):
        x = x + Attention(self.cfg)(LayerNorm(self.cfg)(x))
        return x + MLP(self.cfg)(LayerNorm(self.cfg)(x))

# %% TransformerBlock: a lecture's names, sa and ffwd
# right: HuggingFace's and nanoGPT's names for the parts
class TransformerBlock(nn.Module):
    """ Transformer block: communication followed by computation """

    def __init__(self, cfg):
        super().__init__()
        self.sa = Attention(cfg)
        self.ffwd = MLP(cfg)
        self.ln1 = LayerNorm(cfg)
        self.ln2 = LayerNorm(cfg)

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        x = x + self.ffwd(self.ln2(x))
        return x

# %% TransformerBlock: one LayerNorm for both
class TransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.mlp = MLP(cfg)

    def forward(self, x):
        x = x + self.attn(self.ln(x))
        return x + self.mlp(self.ln(x))

# %% TransformerBlock: nn.LayerNorm under nanoGPT's names
class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)
        self.attn = Attention(config)
        self.ln_2 = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)
        self.mlp = MLP(config)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))
