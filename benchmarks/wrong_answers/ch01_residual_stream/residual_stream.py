"""Wrong answers to chapter 1's `ResidualStream` as learners write them, one whole cell each, titled with what went wrong.

Under a title, `# right:` names a misconception that is a true cause; benchmarks/diagnosis.py counts any other as misled.
"""
# fmt: off
# ruff: noqa

# %% ResidualStream: the layers are kept in a Python list
# right: layers that torch does not find
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = layers

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = resid + layer(resid)
        return resid

# %% ResidualStream: the layers are kept in a tuple
# right: layers that torch does not find
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = tuple(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = resid + layer(resid)
        return resid

# %% ResidualStream: the layers are kept in a plain dict
# right: layers that torch does not find
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = {i: layer for i, layer in enumerate(layers)}

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for i in range(len(self.layers)):
            resid = resid + self.layers[i](resid)
        return resid

# %% ResidualStream: a chain: the answer replaces the stream
# right: layers one after another, without adding
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = layer(resid)
        return resid

# %% ResidualStream: a chain by nn.Sequential
# right: layers one after another, without adding
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        return self.layers(resid)

# %% ResidualStream: one skip around the whole chain
# right: adding the first stream once, at the end
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        return resid + self.layers(resid)

# %% ResidualStream: every layer reads the start
# right: every layer reading the first stream
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        out = resid
        for layer in self.layers:
            out = out + layer(resid)
        return out

# %% ResidualStream: the start is added at each layer, not the stream
# right: adding the first stream again at every layer
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        x = resid
        for layer in self.layers:
            x = resid + layer(x)
        return x

# %% ResidualStream: the stream is changed in place
# right: adding in place
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid += layer(resid)
        return resid

# %% ResidualStream: in place by add_
# right: adding in place
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid.add_(layer(resid))
        return resid

# %% ResidualStream: returns what was written, without the start
# right: returning what the layers wrote, without what came in
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        written = torch.zeros_like(resid)
        for layer in self.layers:
            written = written + layer(resid + written)
        return written

# %% ResidualStream: return inside the loop
# right: the first layer alone
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = resid + layer(resid)
            return resid

# %% ResidualStream: the last layer is never run
# right: leaving the last layer out
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for i in range(len(self.layers) - 1):
            resid = resid + self.layers[i](resid)
        return resid

# %% ResidualStream: the layers run in reverse
# right: layers in reverse order
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in reversed(self.layers):
            resid = resid + layer(resid)
        return resid

# %% ResidualStream: the mean of stream and answer
# right: averaging the stream and the answer
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = (resid + layer(resid)) / 2
        return resid

# %% ResidualStream: a ReLU after each sum, as in ResNet
# right: a nonlinearity after each addition
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = torch.relu(resid + layer(resid))
        return resid

# %% ResidualStream: an extra learned scale, ReZero's alpha
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.alpha = nn.Parameter(torch.ones(1))

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = resid + self.alpha * layer(resid)
        return resid

# %% ResidualStream: an extra learned scale for each layer
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.scales = nn.Parameter(torch.ones(len(layers)))

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for scale, layer in zip(self.scales, self.layers):
            resid = resid + scale * layer(resid)
        return resid

# %% ResidualStream: nothing is returned
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = resid + layer(resid)

# %% ResidualStream: returns the stream after every layer
# right: a list of streams, one for each layer
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        streams = [resid]
        for layer in self.layers:
            streams.append(streams[-1] + layer(streams[-1]))
        return streams

# %% ResidualStream: dropout is left in
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.dropout = nn.Dropout(0.1)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = resid + self.dropout(layer(resid))
        return resid

# %% ResidualStream: the answers are detached
# right: layers cut out of the graph
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = resid + layer(resid).detach()
        return resid

# %% ResidualStream: no gradient is kept
# right: everything computed without gradients
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        with torch.no_grad():
            for layer in self.layers:
                resid = resid + layer(resid)
        return resid

# %% ResidualStream: iterates over modules(), which holds the list itself
# right: calling the list of layers
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers.modules():
            resid = resid + layer(resid)
        return resid

# %% ResidualStream: the stream is normalised before it is read
# right: normalising what each layer reads
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = resid + layer(nn.functional.layer_norm(resid, resid.shape[-1:]))
        return resid

# %% ResidualStream: the stream is kept on the module and grows from call to call
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.resid = None

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        self.resid = resid if self.resid is None else self.resid + resid
        for layer in self.layers:
            self.resid = self.resid + layer(self.resid)
        return self.resid

# %% ResidualStream: adds the stream twice
# right: adding the stream twice
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = resid + layer(resid) + resid
        return resid

# %% ResidualStream: the layer is called twice
# right: a layer that reads its own answer
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = resid + layer(layer(resid))
        return resid

# %% ResidualStream: the answers are concatenated
# right: joining the stream and the answer
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = torch.cat([resid, layer(resid)], dim=-1)
        return resid

# %% ResidualStream: two layers are expected
# right: a number of layers that is written out
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid = resid + self.layers[0](resid)
        resid = resid + self.layers[1](resid)
        return resid

# %% ResidualStream: layers.pop from the caller's list
# right: taking the layers out of the caller's list
class ResidualStream(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList()
        while layers:
            self.layers.append(layers.pop(0))
    def forward(self, resid):
        for layer in self.layers:
            resid = resid + layer(resid)
        return resid

# %% ResidualStream: layer 0 has no skip
# right: a first layer whose answer is passed on
class ResidualStream(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)
    def forward(self, resid):
        for i, layer in enumerate(self.layers):
            resid = layer(resid) if i == 0 else resid + layer(resid)
        return resid

# %% ResidualStream: one skip round two layers
# right: one addition for two layers
class ResidualStream(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)
    def forward(self, resid):
        for i in range(0, len(self.layers), 2):
            out = resid
            for layer in self.layers[i:i + 2]:
                out = layer(out)
            resid = resid + out
        return resid

# %% ResidualStream: every second layer replaces the stream
# right: every second layer's answer passed on
class ResidualStream(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)
    def forward(self, resid):
        for i, layer in enumerate(self.layers):
            if i % 2 == 0:
                resid = resid + layer(resid)
            else:
                resid = layer(resid)
        return resid

# %% ResidualStream: frozen parameters
# right: layers that are frozen
class ResidualStream(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        for p in self.parameters():
            p.requires_grad_(False)
    def forward(self, resid):
        for layer in self.layers:
            resid = resid + layer(resid)
        return resid

# %% ResidualStream: repeated layers dropped (set)
# right: a layer that comes twice run once
class ResidualStream(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(dict.fromkeys(layers))
    def forward(self, resid):
        for layer in self.layers:
            resid = resid + layer(resid)
        return resid

# %% ResidualStream: children(), a layer that comes twice runs once
# right: a layer that comes twice run once
class ResidualStream(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)
    def forward(self, resid):
        for layer in self.layers.children():
            resid = resid + layer(resid)
        return resid

# %% ResidualStream: stochastic depth in training
class ResidualStream(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)
    def forward(self, resid):
        for layer in self.layers:
            if self.training and torch.rand(()) < 0.1:
                continue
            resid = resid + layer(resid)
        return resid

# %% ResidualStream: tuple kept
# right: layers that torch does not find
class ResidualStream(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = tuple(layers)
    def forward(self, resid):
        for layer in self.layers:
            resid = resid + layer(resid)
        return resid

# %% ResidualStream: all streams summed
# right: the sum of all streams
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid):
        outs = [resid]
        for layer in self.layers:
            outs.append(outs[-1] + layer(outs[-1]))
        return torch.stack(outs).sum(0)

# %% ResidualStream: 1/sqrt of the number of layers on each answer
# right: a factor on the answer or on the sum
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.scale = len(layers) ** -0.5

    def forward(self, resid):
        for layer in self.layers:
            resid = resid + self.scale * layer(resid)
        return resid

# %% ResidualStream: layers taken two at a time
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        for i in range(0, len(self.layers), 2):
            attn, mlp = self.layers[i], self.layers[i + 1]
            x = x + attn(x)
            x = x + mlp(x)
        return x


# %% ResidualStream: a ReLU after each sum, as in the first ResNet + skips the last layer
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.relu = nn.ReLU()

    def forward(self, x):
        for i in range(len(self.layers) - 1):
            identity = x
            out = self.layers[i](x)
            out = out + identity
            x = self.relu(out)
        return x
