"""Wrong answers to chapter 1's `ResidualStream`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, typed
class ResidualStream(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        for layer in self.layers:
            resid = resid + layer(resid)
        return resid

# %% base: right, in short
class ResidualStream(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)
    def forward(self, resid):
        for layer in self.layers:
            resid = resid + layer(resid)
        return resid

# %% ResidualStream: the layers are kept in a Python list
# right: layers that torch does not find
# like: right, typed
~ nn.ModuleList(layers) → layers

# %% ResidualStream: the layers are kept in a tuple
# right: layers that torch does not find
# like: right, typed
~ nn.ModuleList → tuple

# %% ResidualStream: the layers are kept in a plain dict
# right: layers that torch does not find
# like: right, typed
~ nn.ModuleList(layers) → {i: layer for i, layer in enumerate(layers)}
~ layer in self.layers → i in range(len(self.layers))
~ + layer → + self.layers[i]

# %% ResidualStream: a chain: the answer replaces the stream
# right: layers one after another, without adding
# like: right, typed
~ resid + layer → layer

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
# like: a chain by nn.Sequential
~ return self → return resid + self

# %% ResidualStream: every layer reads the start
# right: every layer reading the first stream
# like: right, typed
     def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
+        out = resid
~ resid = resid → out = out
~ return resid → return out

# %% ResidualStream: the start is added at each layer, not the stream
# right: adding the first stream again at every layer
# like: right, typed
     def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
+        x = resid
~ resid = resid + layer(resid) → x = resid + layer(x)
~ return resid → return x

# %% ResidualStream: the stream is changed in place
# right: adding in place
# like: right, typed
~ = resid + → +=

# %% ResidualStream: in place by add_
# right: adding in place
# like: right, typed
~ resid = resid + layer(resid) → resid.add_(layer(resid))

# %% ResidualStream: returns what was written, without the start
# right: returning what the layers wrote, without what came in
# like: right, typed
     def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
+        written = torch.zeros_like(resid)
~ resid = resid + layer(resid) → written = written + layer(resid + written)
~ return resid → return written

# %% ResidualStream: return inside the loop
# right: the first layer alone
# like: right, typed
-        return resid
+            return resid

# %% ResidualStream: the last layer is never run
# right: leaving the last layer out
# like: right, typed
~ layer in self.layers → i in range(len(self.layers) - 1)
~ + layer → + self.layers[i]

# %% ResidualStream: the layers run in reverse
# right: layers in reverse order
# like: right, typed
~ self.layers: → reversed(self.layers):

# %% ResidualStream: the mean of stream and answer
# right: averaging the stream and the answer
# like: right, typed
~ resid + layer(resid) → (resid + layer(resid)) / 2

# %% ResidualStream: a ReLU after each sum, as in ResNet
# right: a nonlinearity after each addition
# like: right, typed
~ resid + layer(resid) → torch.relu(resid + layer(resid))

# %% ResidualStream: an extra learned scale, ReZero's alpha
# like: right, typed
         self.layers = nn.ModuleList(layers)
+        self.alpha = nn.Parameter(torch.ones(1))
~ + layer → + self.alpha * layer

# %% ResidualStream: an extra learned scale for each layer
# like: right, typed
         self.layers = nn.ModuleList(layers)
+        self.scales = nn.Parameter(torch.ones(len(layers)))
~ layer in self.layers → scale, layer in zip(self.scales, self.layers)
~ + layer → + scale * layer

# %% ResidualStream: nothing is returned
# like: right, typed
-        return resid

# %% ResidualStream: returns the stream after every layer
# right: a list of streams, one for each layer
# like: right, typed
     def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
+        streams = [resid]
~ resid = resid + layer(resid) → streams.append(streams[-1] + layer(streams[-1]))
~ return resid → return streams

# %% ResidualStream: dropout is left in
# like: right, typed
         self.layers = nn.ModuleList(layers)
+        self.dropout = nn.Dropout(0.1)
~ layer(resid) → self.dropout(layer(resid))

# %% ResidualStream: the answers are detached
# right: layers cut out of the graph
# like: right, typed
~ (resid) → (resid).detach()

# %% ResidualStream: no gradient is kept
# right: everything computed without gradients
# like: right, typed
-        for layer in self.layers:
-            resid = resid + layer(resid)
+        with torch.no_grad():
+            for layer in self.layers:
+                resid = resid + layer(resid)

# %% ResidualStream: iterates over modules(), which holds the list itself
# right: calling the list of layers
# like: right, typed
~ .layers: → .layers.modules():

# %% ResidualStream: the stream is normalised before it is read
# right: normalising what each layer reads
# like: right, typed
~ (resid) → (nn.functional.layer_norm(resid, resid.shape[-1:]))

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
# like: right, typed
~ (resid) → (resid) + resid

# %% ResidualStream: the layer is called twice
# right: a layer that reads its own answer
# like: right, typed
~ (resid) → (layer(resid))

# %% ResidualStream: the answers are concatenated
# right: joining the stream and the answer
# like: right, typed
~ resid + layer(resid) → torch.cat([resid, layer(resid)], dim=-1)

# %% ResidualStream: two layers are expected
# right: a number of layers that is written out
# like: right, typed
-        for layer in self.layers:
-            resid = resid + layer(resid)
+        resid = resid + self.layers[0](resid)
+        resid = resid + self.layers[1](resid)

# %% ResidualStream: layers.pop from the caller's list
# right: taking the layers out of the caller's list
# like: right, in short
-        self.layers = nn.ModuleList(layers)
+        self.layers = nn.ModuleList()
+        while layers:
+            self.layers.append(layers.pop(0))

# %% ResidualStream: layer 0 has no skip
# right: a first layer whose answer is passed on
# like: right, in short
~ layer in self.layers → i, layer in enumerate(self.layers)
~ resid + → layer(resid) if i == 0 else resid +

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
# like: right, in short
         self.layers = nn.ModuleList(layers)
+        for p in self.parameters():
+            p.requires_grad_(False)

# %% ResidualStream: repeated layers dropped (set)
# right: a layer that comes twice run once
# like: right, in short
~ (layers) → (dict.fromkeys(layers))

# %% ResidualStream: children(), a layer that comes twice runs once
# right: a layer that comes twice run once
# like: right, in short
~ layers: → layers.children():

# %% ResidualStream: stochastic depth in training
# like: right, in short
         for layer in self.layers:
+            if self.training and torch.rand(()) < 0.1:
+                continue

# %% ResidualStream: tuple kept
# right: layers that torch does not find
# like: right, in short
~ nn.ModuleList → tuple

# %% ResidualStream: all streams summed
# right: the sum of all streams
# like: right, typed
-    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
+    def forward(self, resid):
+        outs = [resid]
~ resid = resid + layer(resid) → outs.append(outs[-1] + layer(outs[-1]))
~ return resid → return torch.stack(outs).sum(0)

# %% ResidualStream: 1/sqrt of the number of layers on each answer
# right: a factor on the answer or on the sum
# like: right, typed
         self.layers = nn.ModuleList(layers)
+        self.scale = len(layers) ** -0.5
~ (self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"] → (self, resid)
~ + layer → + self.scale * layer

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
