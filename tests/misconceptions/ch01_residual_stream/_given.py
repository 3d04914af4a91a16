"""What a `forward` alone of the residual stream belongs to."""

from torch import nn

from tests.ch01_residual_stream import stream


class Given(nn.Module):
    """The class that a `forward` alone belongs to."""

    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)


stream.given = Given
