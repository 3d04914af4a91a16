"""judge.running.wire: 10,000 damaged blobs are refused with a ValueError or read as a value, at little cost."""

import contextlib
import copy
import json
import random
import time
import tracemalloc
from collections import Counter

import pytest

from judge.running.values import same
from judge.running.wire import from_bytes, to_bytes
from tests.judge.running.wire_blobs import VALUES, laid_out, opened

BLOBS = [to_bytes(value) for value in VALUES.values()]
ODD = [None, True, 0, -1, 1.5, 2**63, 10**12, "", "t0", "t1", "Record", "F64", "BOOL", [], {}, [[]], {"tensor": "t0"}]
ODD += [{"tuple": []}, {"dict": [[0, 0], [0, 0]]}, {"object": "Opaque", "fields": {"type": 1}}, {"float": "nan"}]


def flipped(blob: bytes, draw: random.Random) -> bytes:
    changed = bytearray(blob)
    for _ in range(draw.choice([1, 1, 2, 8])):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def truncated(blob: bytes, draw: random.Random) -> bytes:
    return blob[: draw.randrange(len(blob))]


def spliced(blob: bytes, draw: random.Random) -> bytes:
    other = draw.choice(BLOBS)
    return blob[: draw.randrange(len(blob))] + other[draw.randrange(len(other)) :]


def repeated(blob: bytes, draw: random.Random) -> bytes:
    """Some of the header again, with a size that fits."""
    header, data = blob[8 : 8 + int.from_bytes(blob[:8], "little")], blob[8 + int.from_bytes(blob[:8], "little") :]
    begin, end = sorted(draw.randrange(len(header)) for _ in range(2))
    return laid_out((header[:end] + header[begin:]).decode(errors="replace"), data)


def rehung(blob: bytes, draw: random.Random) -> bytes:
    """Another skeleton for the same tensors."""
    header, data = taken_apart(blob)
    skeleton = json.loads(header["__metadata__"]["skeleton"])
    for _ in range(draw.choice([1, 1, 3])):
        skeleton = disturbed(skeleton, draw)
    header["__metadata__"]["skeleton"] = json.dumps(skeleton)
    return laid_out(header, data)


def moved(blob: bytes, draw: random.Random) -> bytes:
    """Another description of the tensors, for the same skeleton."""
    header, data = taken_apart(blob)
    if draw.random() < 0.5:
        return laid_out(disturbed(header, draw), data)
    for entry in (header[name] for name in header if name != "__metadata__"):
        place = draw.choice(["shape", "data_offsets"])
        entry[place] = [number + draw.choice([0, 0, 1, -1, 4, 2**40]) for number in entry[place]]
    return laid_out(header, data + bytes(draw.choice([0, 0, 4])))


def taken_apart(blob: bytes) -> tuple[dict, bytes]:
    size = int.from_bytes(blob[:8], "little")
    return json.loads(blob[8 : 8 + size]), blob[8 + size :]


def disturbed(tree, draw: random.Random):
    """A copy of nested lists and dicts with one node replaced, removed, doubled, or swapped for another."""
    tree = {"root": copy.deepcopy(tree)}
    places = [(tree, "root")]
    for node, key in places:  # grows on the way
        inner = node[key]
        if isinstance(inner, (list, dict)):
            places += [(inner, key) for key in (inner if isinstance(inner, dict) else range(len(inner)))]
    (node, key), (other, other_key) = draw.choice(places), draw.choice(places)
    what = draw.choice(["replace", "remove", "double", "swap", "rename"])
    if what == "remove" and node is not tree:
        del node[key]
    elif what == "double" and isinstance(node, list):
        node.insert(key, copy.deepcopy(node[key]))
    elif what == "rename" and isinstance(node, dict) and node is not tree:
        node[draw.choice(["t0", "tuple", "type", "x"])] = node.pop(key)
    elif what == "swap":
        node[key] = copy.deepcopy(other[other_key])
    else:
        node[key] = copy.deepcopy(draw.choice(ODD))
    return tree["root"]


MUTATIONS = [flipped, truncated, spliced, repeated, rehung, rehung, rehung, moved, moved]


@pytest.mark.slow
def test_damaged_blobs_are_refused_or_read():
    draw, outcomes, seconds = random.Random(5), Counter(), 0.0
    blobs = [draw.choice(MUTATIONS)(draw.choice(BLOBS), draw) for _ in range(10_000)]
    tracemalloc.start()
    for blob in blobs:
        began, value = time.process_time(), ValueError
        with contextlib.suppress(ValueError):
            value = from_bytes(blob)
        seconds += time.process_time() - began
        outcomes[value is not ValueError] += 1
        if value is not ValueError:
            assert same(opened(from_bytes(to_bytes(value))), opened(value)), blob
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert outcomes[True] > 500 and outcomes[False] > 5000, f"the mutations say little: {outcomes}"
    assert most < 20e6 and seconds < 60, f"{most / 1e6:.0f} MB, {seconds:.1f} s"
