"""judge.running.wire, `from_bytes`: whatever else a stranger writes is refused in words, and costs little."""

import contextlib
import json
import pickle
import time
import tracemalloc

import pytest
import torch

from judge.running.records import Question
from judge.running.wire import MAX_BLOB, from_bytes, to_bytes
from tests.judge.running.wire_blobs import described, hung, keys_of_one_hash, laid_out, record, thing
from utils.config import Config

DEEP = "[" * 100_000 + "]" * 100_000
F32 = described([1], 0, 4)
ONE = {"tensor": "t0"}
frame = {"where": "your cell", "line": 1, "function": "f", "source": "x"}
error = {"type": "ValueError", "message": "no", "frames": [], "bases": [], "meant": ""}
config = {**vars(Config())}
question = {"drive": "function", "args": {"tuple": []}, "options": {"dict": []}, "seed": 0}

REFUSED = {
    # the container
    "nothing": (b"", "0 bytes, where 8 to 64000000 can be read"),
    "a few": (b"abc", "3 bytes"),
    "too many": (b"\0" * (MAX_BLOB + 1), "64000001 bytes"),
    "a header of 2 GB": ((2**31).to_bytes(8, "little") + b"{}", "a header of 2147483648 bytes, where at most 2 can"),
    "the largest size": (b"\xff" * 8 + b"{}", "a header of 18446744073709551615 bytes"),
    "a pickle": (pickle.dumps(Config()), "a header of"),
    "no UTF-8": (b"\x02" + b"\0" * 7 + b"\xff\xfe", "can't decode"),
    "no JSON": (laid_out("{'a'"), "Expecting property name"),
    "no object": (laid_out([1]), "the header is not a JSON object"),
    "a deep header": (laid_out(DEEP), "maximum recursion depth"),
    "no skeleton": (laid_out({}), "no skeleton in the metadata"),
    "no text for a skeleton": (laid_out({"__metadata__": {"skeleton": 1}}), "no skeleton in the metadata"),
    "more metadata": (laid_out({"__metadata__": {"skeleton": "1", "format": "pt"}}), "no skeleton in the metadata"),
    "a name twice": (laid_out('{"__metadata__": {"skeleton": "1", "skeleton": "2"}}'), "one name twice"),
    "cut short": (to_bytes(torch.rand(10))[:-4], "36 bytes of data, where the tensors have 40"),
    "data at the end": (to_bytes(torch.rand(10)) + b"\0", "41 bytes of data, where the tensors have 40"),
    # the tensors
    "another name": (laid_out({"__metadata__": {"skeleton": "1"}, "w": F32}), "not named t0, t1 and so on"),
    "a name left out": (laid_out({"__metadata__": {"skeleton": "1"}, "t1": F32}), "not named t0, t1 and so on"),
    "no description": (hung("1", [1]), "t0 is not described by dtype, shape and data_offsets"),
    "more description": (hung("1", {**F32, "strides": [0]}), "t0 is not described by dtype, shape and data_offsets"),
    "complex numbers": (hung(ONE, described([1], 0, 8, "C64")), "t0 has a dtype that does not cross"),
    "a list for a dtype": (hung(ONE, described([1], 0, 4, ["F32"])), "t0 has a dtype that does not cross"),
    "3000 dimensions": (hung(ONE, described([1] * 3000, 0, 4)), "t0 has no shape of at most 8 dimensions"),
    "a number for a shape": (hung(ONE, described(1, 0, 4)), "t0 has no shape of at most 8 dimensions"),
    "a length below 0": (hung(ONE, described([-1, -1], 0, 4)), "t0 has a shape that is not of ints from 0 up"),
    "a bool for a length": (hung(ONE, described([True], 0, 4)), "t0 has a shape that is not of ints from 0 up"),
    "a billion without data": (hung(ONE, described([10**9], 0, 4 * 10**9)), "0 bytes of data, where the tensors have"),
    "nothing, of a large shape": (hung(ONE, described([0, 2**62, 2**62], 0, 0)), "more than 1099511627776 elements"),
    "a gap": (hung(ONE, described([1], 4, 8), data=b"\0" * 8), "t0 does not lie from 0 to 4, where it has to"),
    "offsets of another length": (hung(ONE, described([2], 0, 4), data=b"\0" * 4), "t0 does not lie from 0 to 8"),
    "shared bytes": (hung([], F32, F32, data=b"\0" * 4), "t1 does not lie from 4 to 8, where it has to"),
    "overlapping bytes": (hung([], F32, described([1], 2, 6), data=b"\0" * 6), "t1 does not lie from 4 to 8"),
    "offsets that are no list": (hung(ONE, {**F32, "data_offsets": None}, data=b"\0" * 4), "t0 does not lie"),
    "a bool of 2": (hung(ONE, described([1], 0, 1, "BOOL"), data=b"\2"), "a bool that is neither 0 nor 1"),
    "a tensor twice": (hung([ONE, ONE], F32, data=b"\0" * 4), "the tensor to come is t1 of 1, not t0"),
    "a tensor without a place": (hung([], F32, data=b"\0" * 4), "1 of 1 tensors have no place in the skeleton"),
    "a tensor that is not there": (hung(ONE), "the tensor to come is t0 of 0, not t0"),
    "a tensor's name that is none": (hung({"tensor": [[]]}), "the tensor to come is t0 of 0, not a list"),
    # the skeleton
    "no form": (hung({"what": 1}), "no known form of a value"),
    "two forms": (hung({"bytes": "", "tuple": []}), "no known form of a value"),
    "a deep skeleton": (hung(DEEP), "maximum recursion depth"),
    "13 lists around 1": (hung("[" * 14 + "1" + "]" * 14), "nested more than 13 deep"),
    "many values": (hung([0] * 50_000), "more than 50000 values"),
    "NaN": (hung("NaN"), "NaN is no finite number"),
    "a float beyond the largest": (hung("1e999"), "1e999 is no finite number"),
    "a float of many digits": (hung("0." + "1" * 100_000), "0.111111111111111111 is no finite number"),
    "an int of many digits": (hung("9" * 100_000), "an int of more than 10000 bits"),
    "an int of 10,001 bits": (hung(str(2**10_000)), "an int of more than 10000 bits"),
    "a long text": (hung(json.dumps("a" * 100_001)), "a str of 100001, more than 100000"),
    "many bytes": (hung({"bytes": "00" * 100_001}), "a bytes of 100001, more than 100000"),
    "no hexadecimal digits": (hung({"bytes": "0g"}), "non-hexadecimal number"),
    "bytes with spaces": (hung({"bytes": "00 00"}), "not written as hexadecimal digits"),
    "bytes of a number": (hung({"bytes": 1}), "not written as hexadecimal digits"),
    "a float by another name": (hung({"float": "1"}), "no known form of a float"),
    "a float by no name": (hung({"float": []}), "no known form of a float"),
    "a tuple of no list": (hung({"tuple": "ab"}), "a tuple that is not a list"),
    "a dict of no list": (hung({"dict": {}}), "a dict that is not a list"),
    "a dict of many": (hung({"dict": [[i, 0] for i in range(4097)]}), "a dict that is not a list of at most 4096"),
    "half an entry": (hung({"dict": [[1]]}), "not a key and a value"),
    "an entry of text": (hung({"dict": ["ab"]}), "not a key and a value"),
    "a key twice": (hung({"dict": [[1, 0], [1, 0]]}), "a dict with one key twice"),
    "a bool as a key": (hung({"dict": [[True, 0]]}), "a dict with a bool"),
    "a list as a key": (hung({"dict": [[[], 0]]}), "a dict with a list"),
    "a large int as a key": (hung({"dict": [[2**64, 0]]}), "a dict with an int of more than 64 bits"),
    "a list in a key": (hung({"dict": [[{"tuple": [[]]}, 0]]}), "a dict with a tuple that holds another kind"),
    # the dataclasses
    "another class": (hung(thing("Exercise", symbol="x")), "no object that may cross: Exercise"),
    "no class's name": (hung(thing(["Record"])), "no object that may cross: a list"),
    "fields that are no dict": (hung({"object": "Opaque", "fields": []}), "no object that may cross: Opaque"),
    "a field too few": (hung(thing("Frame", where="")), "Frame has the fields where, line, function, source, not"),
    "a field too many": (hung(thing("Unchanged", x=1)), "Unchanged has the fields none, not x"),
    "a number for a type": (
        hung(thing("Opaque", type=5, role="")),
        "Opaque.type is not a text of at most 200 characters",
    ),
    "an unknown role": (hung(thing("Opaque", type="a", role="b")), "Opaque.role is not one of lazy, set,"),
    "no type": (hung(thing("Opaque", type="", role="")), "Opaque.type is not a text"),
    "a long type": (
        hung(thing("Opaque", type="x" * 201, role="")),
        "Opaque.type is not a text of at most 200 characters",
    ),
    "an array of no tensor": (hung(thing("Array", tensor=1, of="NumPy")), "Array.tensor is not a tensor"),
    "an array of nobody's": (hung(thing("Array", tensor=ONE, of="R"), F32, data=b"\0" * 4), "Array.of is not one of"),
    "a bool for a line": (hung(thing("Frame", **frame | {"line": True})), "Frame.line is not an int of 64 bits"),
    "a large line": (hung(thing("Frame", **frame | {"line": 2**63})), "Frame.line is not an int of 64 bits"),
    "a long source": (hung(thing("Frame", **frame | {"source": "x" * 1001})), "Frame.source is not a text of at most"),
    "a number as a place": (hung(thing("Frame", **frame | {"where": 1})), "Frame.where is not a text"),
    "a number as a function": (hung(thing("Frame", **frame | {"function": 1})), "Frame.function is not a text"),
    "an error of no type": (hung(thing("LearnerError", **error | {"type": None})), "LearnerError.type is not a text"),
    "a message of bytes": (hung(thing("LearnerError", **error | {"message": {"bytes": ""}})), "LearnerError.message"),
    "frames that are none": (hung(thing("LearnerError", **error | {"frames": [1]})), "not a list of Frames"),
    "a tuple of frames": (hung(thing("LearnerError", **error | {"frames": {"tuple": []}})), "not a list of Frames"),
    "a bool for a size": (hung(thing("Config", **config | {"d_model": True})), "Config.d_model is not of type int"),
    "an int for a float": (hung(thing("Config", **config | {"init_range": 0})), "Config.init_range is not of type"),
    "a list of arguments": (hung(thing("Question", **question | {"args": []})), "Question.args is not a tuple"),
    "an option by number": (hung(thing("Question", **question | {"options": {"dict": [[1, 1]]}})), "Question.options"),
    "a seed of text": (hung(thing("Question", **question | {"seed": "0"})), "Question.seed is not an int of 64 bits"),
    "a drive of none": (hung(thing("Question", **question | {"drive": None})), "Question.drive is not a text"),
    "no list of outputs": (hung(record(outputs={"tuple": []})), "Record.outputs is not a list of values"),
    "an output that is a record": (hung(record(outputs=[record()])), "Record.outputs is not a list of values"),
    "an output 'unchanged'": (hung(record(outputs=[thing("Unchanged")])), "Record.outputs is not a list of values"),
    "an output 9 deep": (hung(record(outputs=json.loads("[" * 10 + "]" * 10))), "Record.outputs is not a list of"),
    "an input deep down 'unchanged'": (hung(record(inputs_after=[[thing("Unchanged")]])), "Record.inputs_after is not"),
    "a list of gradients": (hung(record(grads=[])), "Record.grads is not a dict of floating tensors or None by name"),
    "a gradient by number": (hung(record(grads={"dict": [[1, None]]})), "Record.grads is not a dict"),
    "a gradient of ints": (
        hung(record(input_grads=[ONE]), described([1], 0, 4, "I32"), data=b"\0" * 4),
        "Record.input_grads is not a list of floating tensors or None",
    ),
    "a parameter that is none": (hung(record(parameters={"dict": [["w", None]]})), "Record.parameters is not a dict"),
    "a number printed": (hung(record(printed=1)), "Record.printed is not a text of at most 100000 characters"),
    "an error of text": (hung(record(error="no")), "Record.error is not a LearnerError or None"),
}


@pytest.mark.parametrize(("blob", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_other_bytes_are_refused(blob, words):
    with pytest.raises(ValueError) as refused:
        from_bytes(blob)
    assert type(refused.value) is ValueError and len(str(refused.value)) < 500
    assert str(refused.value).startswith("these bytes are not a record: ") and words in str(refused.value)


def test_what_the_refused_blobs_are_made_of_is_read():
    """So that each is refused for its own fault."""
    assert from_bytes(hung(ONE, F32, data=b"\0" * 4)) == 0
    assert from_bytes(hung(record(error=thing("LearnerError", **error | {"frames": [thing("Frame", **frame)]})))).error
    assert from_bytes(hung(thing("Question", **question))) == Question("function")
    assert from_bytes(hung(record(outputs=json.loads("[" * 9 + "]" * 9)))).outputs
    assert len(from_bytes(hung([0] * 49_999))) == 49_999
    assert from_bytes(hung(json.dumps("a" * 100_000))) == "a" * 100_000


ONE_HASH = [[{"tuple": key}, 0] for key in keys_of_one_hash(4096)]
BOMBS = {
    "10 MB of lists": hung("[" + "[]," * 3_333_333 + "[]]"),
    "1 MB of lists": hung("[" + "[]," * 330_000 + "[]]"),
    "1 MB of dicts": hung("[" + "{}," * 330_000 + "{}]"),
    "1 MB of lists beside the skeleton": laid_out('{"a":[' + "[]," * 330_000 + "[]]}"),
    "1 MB of descriptions": hung("1", *[described([0], 0, 0)] * 15_000),
    "1 MB of opening brackets": hung("[" * 900_000),
    "1 MB of digits": hung("9" * 900_000),
    "many large ints": hung([2**9999] * 300),
    "dicts of keys with one hash": hung([{"dict": ONE_HASH}] * 4),
    "64 MB of nothing": hung(ONE, described([MAX_BLOB - 200], 0, MAX_BLOB - 200, "U8"), data=b"\0" * (MAX_BLOB - 200)),
}


@pytest.mark.slow
@pytest.mark.parametrize("blob", BOMBS.values(), ids=BOMBS.keys())
def test_bombs_cost_little(blob):
    """Whether they are read or refused."""
    tracemalloc.start()
    began = time.process_time()
    with contextlib.suppress(ValueError):
        from_bytes(blob)
    seconds, (_, most) = time.process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2 * MAX_BLOB and seconds < 10, f"{most / 1e6:.0f} MB, {seconds:.1f} s"
