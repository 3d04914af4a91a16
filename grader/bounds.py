"""What the code of one answer may take; each is an option of `python -m utils grade`."""

from argparse import Namespace
from dataclasses import dataclass, fields

MB = 1_000_000


@dataclass(frozen=True)
class Bounds:
    """For one answer to one exercise, from the start of its process to its end."""

    wall_seconds: float = 5.0
    cpu_seconds: int = 2
    memory: int = 1_000 * MB  # beyond what the process holds when it starts
    processes: int = 0  # that it may start; its own threads count too
    open_files: int = 32
    written: int = 16 * MB  # bytes, in all files together: there is one folder, which is gone at the end
    printed: int = 100_000  # characters; what is printed beyond them is thrown away and no fault
    answered: int = 64 * MB  # bytes that come back

    @classmethod
    def of(cls, options: Namespace) -> "Bounds":
        """The bounds among a command's options, which are called as these fields are."""
        return cls(**{field.name: getattr(options, field.name) for field in fields(cls)})

    def __str__(self) -> str:
        """The options that are not as they are by default."""
        unusual = [field.name for field in fields(self) if getattr(self, field.name) != field.default]
        options = [f"--{name.replace('_', '-')} {getattr(self, name)}" for name in unusual]
        return ", ".join(options) or "as by default"
