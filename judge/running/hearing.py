"""What code prints while it runs, the last of it."""

import io


class Heard(io.StringIO):
    """Keeps the last characters that are printed, at least so many: what prints without an end takes no memory."""

    def __init__(self, most: int):
        super().__init__()
        self.most = most
        self.heard = 0  # characters, in all

    def write(self, text: str) -> int:
        super().write(text)
        self.heard += len(text)
        if self.tell() > 2 * self.most:
            kept = self.text()
            self.seek(0)
            self.truncate()
            super().write(kept)
        return len(text)

    def text(self) -> str:
        return self.getvalue()[-self.most :] if self.most else ""
