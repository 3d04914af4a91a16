"""What kernels.wat is compiled to, for pages that hold it as text: they fetch no further file, and wait for none.

`python -m utils.javascript.compiling` writes kernels.mjs anew.
"""

from base64 import b64encode
from pathlib import Path

SOURCE = Path(__file__).with_name("kernels.wat")
COMPILED = SOURCE.with_suffix(".mjs")
MODULE = """// kernels.wat, compiled: `python -m utils.javascript.compiling` writes this file.

export const KERNELS = "{}";
"""


def compiled() -> str:
    """The text of kernels.mjs."""
    from wasmtime import wat2wasm  # the extra [test]

    return MODULE.format(b64encode(wat2wasm(SOURCE.read_text(encoding="utf-8"))).decode())


if __name__ == "__main__":
    COMPILED.write_text(compiled(), encoding="utf-8")
