"""What a test asks of the modules in the page."""

from base64 import b64decode
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

GET = """const { Model } = await import("/javascript/model.mjs");
    const get = async (name, how) => (await fetch(`/${folder}/${name}`))[how]();
"""
MODEL = f"""{GET}
    const model = new Model(await get("config.json", "json"), await get("model.safetensors", "arrayBuffer"));
"""
LOGITS = (
    f"async ([folder, tokens, without]) => {{ {MODEL}"
    """
    const seen = { logits: [] };
    const note = (name, values) => (seen[name] ??= []).push(Float32Array.from(values));
    for (const token of tokens) seen.logits.push(Float32Array.from(model.step(token, { seen: note, without })));
    // As text: a list of a million numbers takes Playwright seconds.
    const text = async (rows) => {
        const bytes = new Uint8Array(await new Blob(rows).arrayBuffer());
        let letters = "";
        for (let at = 0; at < bytes.length; at += 8192) {
            letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
        }
        return [rows.length, btoa(letters)];
    };
    return Promise.all(Object.entries(seen).map(async ([name, rows]) => [name, ...(await text(rows))]));
}"""
)
ERROR = (
    f"async ([folder, config, bytes, tokens]) => {{ {GET}"
    """
    const whole = await get("model.safetensors", "arrayBuffer");
    try {
        const settings = { ...(await get("config.json", "json")), ...config };
        const model = new Model(settings, whole.slice(0, bytes ?? whole.byteLength));
        tokens.forEach((token) => model.step(token));
    } catch (error) {
        return `${error.name}: ${error.message}`;
    }
}"""
)


def logits_and_seen(
    page: Any, folder: str, tokens: Sequence[int], without: Sequence[Sequence[Any]] = ()
) -> tuple[Tensor, dict[str, Tensor]]:
    """The logits after each token, [pos d_vocab], and what each hook saw there; heads `without` are off."""
    found = page.evaluate(LOGITS, [folder, list(tokens), list(without)])
    seen = {
        name: torch.frombuffer(bytearray(b64decode(numbers)), dtype=torch.float32).view(rows, -1)
        for name, rows, numbers in found
    }
    return seen.pop("logits"), seen


def error_of(
    page: Any, folder: str, config: dict[str, Any] | None = None, bytes: int | None = None, tokens: Sequence[int] = ()
) -> str:
    """What is said of a model with other settings, of the first bytes of its file, or of these tokens."""
    return page.evaluate(ERROR, [folder, config or {}, bytes, list(tokens)])


def of_the_model(page: Any, code: str, tokens: Sequence[int] = ()) -> Any:
    """What this code returns, which has the reference model as `model`, and these `tokens`."""
    return page.evaluate(f"async ([folder, tokens]) => {{ {MODEL} {code} }}", ["reference_model", list(tokens)])
