"""judge.running.wire: every value survives the way through bytes, and has one name."""

import math

import pytest
import torch
from safetensors.torch import load

from judge.running.records import Array, LearnerError, Opaque, Question, Record, Unchanged, plain
from judge.running.values import same
from judge.running.wire import digest, from_bytes, to_bytes
from tests.judge.running.wire_blobs import VALUES, opened
from utils.config import Config

each_value = pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())


@each_value
def test_round_trip(value):
    back = from_bytes(to_bytes(value))
    assert same(opened(back), opened(value)), back


@each_value
def test_the_same_bytes_and_the_same_name_every_time(value):
    assert to_bytes(from_bytes(to_bytes(value))) == to_bytes(value)
    assert digest(from_bytes(to_bytes(value))) == digest(value)


def test_the_library_reads_what_we_lay_out():
    assert same(load(to_bytes(torch.arange(5))), {"t0": torch.arange(5)})
    assert same(load(to_bytes(["✘ \ud800", torch.rand(0), torch.ones(2)]))["t1"], torch.ones(2))


def test_tensors_read_have_memory_of_their_own():
    one, other = from_bytes(to_bytes([torch.zeros(2), torch.zeros(2)]))
    one += 1
    assert other.sum() == 0 and one.untyped_storage().nbytes() == 8


def test_unequal_values_have_unequal_names():
    scalars = [1, 1.0, True, "1", b"1", [1], (1,), {"1": 1}, {1: 1}, {b"1": 1}, "t0", 0.0, -0.0]
    one = torch.tensor(1)
    alike = [*scalars, one, one[None], one.float(), Array(one), Opaque("1"), Unchanged(), Config(), Config(n_ctx=3)]
    assert len({digest(value) for value in [*alike, *VALUES.values()]}) == len(alike) + len(VALUES)


def test_equal_values_have_equal_names():
    table, memory = torch.arange(6.0).view(2, 3), torch.zeros(6)
    assert digest(table.T) == digest(table.T.contiguous()) == digest(torch.nn.Parameter(table.T))
    assert digest([memory[:3], memory[3:]]) == digest([torch.zeros(3), torch.zeros(3)]) == digest([memory[:3]] * 2)
    assert digest({"a": 1, "b": table, 1: 2}) == digest({1: 2, "b": table, "a": 1})
    assert digest(Question("f", options={"a": 1, "b": 2})) == digest(Question("f", options={"b": 2, "a": 1}))
    other_nan = torch.tensor([0x7FC00001, 0xFFC00000 - 2**32]).int().view(torch.float32)
    assert digest([other_nan, -math.nan]) == digest([torch.full((2,), math.nan), math.nan])


def test_a_digest_is_the_same_in_every_version_of_the_course():
    """Recorded answers are found by it."""
    question = Question("component", (Config(), {"w": torch.arange(3.0)}, torch.arange(2)), {"times": 2}, 7)
    assert digest(question) == "112149d1c37254be"
    object.__setattr__(question, "_name", "a remembered digest")
    assert digest(question) == "112149d1c37254be"


def test_what_has_no_form_is_refused_when_written():
    deep: list = []
    deep.append(deep)
    cases = {
        "can't write a set, which has no form as bytes": {"a": {1, 2}},
        "can't write a Size, which": Question("function", (torch.ones(2).shape,)),
        "can't write a 1-dimensional tensor of torch.complex64": torch.ones(1, dtype=torch.complex64),
        "can't write a 1-dimensional tensor of torch.float32, torch.sparse_coo": torch.ones(1).to_sparse(),
        "a value nested more than 13 deep": deep,
        "can't write an int of more than 10000 bits": 2**10_000,
        "can't write a str of 100001, more than 100000": "a" * 100_001,
        "can't write a dict with a float as a key": {1.0: 1},
        "can't write a dict of 4097 keys, more than 4096": dict.fromkeys(range(4097)),
        "can't write this: Config.layer_norm_eps is not of type float": Config(layer_norm_eps=0),
        "can't write this: Record.outputs is not a list of values": Record(outputs=Opaque("list")),
        "it takes 80.0 MB, and at most 64.0 MB are read": torch.zeros(20_000_000),
        "60001 values take 0.1 MB beside the tensors: at most 50000 and 1 MB": [0] * 60_000,
    }
    for words, value in cases.items():
        with pytest.raises(ValueError) as refused:
            to_bytes(value)
        assert words in str(refused.value)


def test_the_limit_can_be_set():
    blob = to_bytes(torch.zeros(20_000_000), limit=10**8)
    assert len(from_bytes(blob, limit=10**8)) == 20_000_000
    with pytest.raises(ValueError, match="bytes, where 8 to 100 can be read"):
        from_bytes(to_bytes(torch.zeros(100)), limit=100)


def test_a_record_too_large_to_be_read_says_so():
    large = Record([torch.zeros(9_000_000), torch.zeros(9_000_000)], printed="hello")
    assert from_bytes(to_bytes(large)) == Record(
        printed="hello", error=LearnerError("TooLarge", "it takes 72.0 MB, and at most 64.0 MB are read")
    )
    many = from_bytes(to_bytes(Record([list(range(20_000))] * 3)))
    words = "60011 values take 0.3 MB beside the tensors: at most 50000 and 1 MB are read"
    assert many.error == LearnerError("TooLarge", words)


def odd_answers():
    """What a learner's code may answer, none of which may stop the judge."""
    deep, round_about = [], []
    for _ in range(50):
        deep = [deep]
    round_about += [round_about] * 100
    texts = ["\0" * 99_999, "🦊" * 99_999, "\ud800" * 50_000]
    return [deep, round_about, *texts, list(range(100_000)), [torch.tensor(1)] * 5000, [{1}] * 5000, 10**10_000]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(odd_answers())))
def test_an_odd_answer_is_read_on_the_other_side(number):
    answer = plain(odd_answers()[number])
    back = from_bytes(to_bytes(Record([answer])))
    assert back.error or same(opened(back.output), opened(answer))
    noisy = Record(printed="🦊" * 10**6, error=LearnerError("x" * 999, "✘" * 10**6))
    assert from_bytes(to_bytes(noisy)) == noisy and len(noisy.printed) == len(noisy.error.message) == 100_000
