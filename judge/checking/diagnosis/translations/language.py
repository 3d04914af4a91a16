"""Errors of Python itself: calls, unpacking, tuples, None, recursion."""

import re

from judge.checking.diagnosis.translations.raised import ARGUMENT, OPERANDS, Match, Raised, Rule, a, lacks
from judge.running.on_demand import Tensor

CONTAINERS = str, bytes, list, tuple, dict, set
A_TUPLE = (
    "A tuple stands where a number is needed. A comma between values, or behind one, makes it: remove a comma that is "
    "one too many, or take the tuple apart, `one, other = ...`."
)


def uncalled(_: Match, raised: Raised) -> str:
    if found := raised.says(r"(\w+)\.size\s*\["):
        return f"`size` is a method: write `{found[1]}.shape[...]`."
    if raised.says(r"\.index\s*\["):
        return (
            "`index` is a method of tuples and lists, not called here. What `topk`, `sort` and `max` found stands "
            "in `.indices`."
        )
    named = set(re.findall(r"\.(\w+)\b(?!\s*\()", raised.line))
    owners = (Tensor,) if raised.library.module else CONTAINERS
    methods = [name for name in named if any(callable(getattr(owner, name, None)) for owner in owners)]
    if len(methods) == 1:
        return f"`{methods[0]}` is a method and was not called: it needs round brackets, `.{methods[0]}(...)`."
    return "A method was named on this line but not called: it needs round brackets."


def unpacked(match: Match, raised: Raised) -> str | None:
    wanted = int(match[1])
    found = raised.says(r"^[\w, *()\[\]]+=\s*(\w+)(\.shape|\.size\(\))?\s*(?:#.*)?$")
    axes = raised.shapes.get(found[1], {}) if found else {}
    if found and not axes and found[2] and match.lastindex == 2:
        return f"The shape has {match[2]} axes, and {wanted} names stand to its left."
    if not found or not axes:
        return None
    count = len(axes) if found[2] else next(iter(axes.values()))
    if (count != int(match[2])) if match.lastindex == 2 else (count <= wanted):
        return None  # the name means something else by now
    # They have no names, since the input may have any number of them.
    if any(" " in axis for axis in axes):
        return f"`{found[1]}` may have any number of axes, here {len(axes)}: don't take its shape apart."
    names = f"({next(iter(axes))},)" if len(axes) == 1 else ", ".join(axes)
    right = f"`{names} = {found[1]}.shape`"
    if not found[2]:
        return f"Unpacking a tensor gives its rows. For its sizes write {right}."
    return f"`{found[1]}` has {len(axes)} {'axes' if len(axes) > 1 else 'axis'}: {right}."


def no_such_size(_: Match, raised: Raised) -> str | None:
    found = raised.says(r"\b(\w+)\.shape\[(\d)\]")
    axes = raised.shapes.get(found[1], {}) if found else {}
    if not found or not axes or int(found[2]) < len(axes):
        return None
    if any(" " in axis for axis in axes):
        return f"`{found[1]}` may have any number of axes, here {len(axes)}: count on none of them."
    if len(axes) == 1:
        return f"`{found[1]}` has one axis, `{next(iter(axes))}`: its number is 0."
    return f"`{found[1]}` has {len(axes)} axes, `{', '.join(axes)}`, numbered from 0."


def several(match: Match, raised: Raised) -> str | None:
    if not raised.library.module:
        return None if match[1] else A_TUPLE
    if match[1] and not hasattr(Tensor, match[1]):
        return None
    if found := raised.says(r"\b(var_mean|std_mean)\("):
        first = found[1].partition("_")[0]
        return f"`{found[1]}` gives two tensors: `{first}, mean = torch.{found[1]}(...)`."
    return "A tuple stands where a tensor is needed: take it apart first, `one, other = ...`."


def endless(_: Match, raised: Raised) -> str | None:
    """Whose frame comes again and again; the innermost may be a function that it calls besides."""
    names = [frame.function for frame in raised.error.frames]
    again = next((name for name in reversed(names) if name[0] != "<" and names.count(name) > 1), None)
    if again == "__init__":
        return "`__init__` ends up calling itself, without end: it must not make another object of its own class."
    if not again:
        return None
    return (  # one that would end is stopped too
        f"`{again}` keeps calling itself until Python stops it. Either no call is ever the last, or there are so many "
        "that a loop has to do it."
    )


PYTHON_RULES: list[Rule] = [
    Rule(
        r"AssertionError: .*",
        "That is an `assert` in the code itself, and this input must work: what it demands is too much, or wrong.",
        line=r"^\s*assert ",
        case="assert residual.shape[1] == 9",
        near="assert residual",
    ),
    Rule(
        lacks("NoneType"),
        "A parameter's `.grad` is `None` until `backward` has brought it a gradient: look first, and leave out those "
        "that have none, `if parameter.grad is not None:`.",
        line=r"\.grad\.{1}\b",
        case="self.W_E.grad.zero_()\nreturn residual",
        near="rows = print()\nreturn rows.zero_(self.W_E.grad)",
    ),
    Rule(
        lacks("NoneType", "(append|extend|insert|sort|reverse|add|update)"),
        "`.{1}(...)` changes what it is called on, and gives None, so `{name}` is None from then on: write "
        "`{name}.{1}(...)` alone, without `{name} =`.",
        line=r"^\s*(?P<name>\w+) = (?P=name)\.{1}\(",
        case="Python: ids = []\nfor n in range(3):\n    ids = ids.append(n)",
        near="Python: ids = None\nfor n in range(3):\n    kept = ids.append(n)",
    ),
    Rule(
        r"TypeError: 'NoneType' object (?:is not subscriptable|is not callable|is not iterable)|"
        + lacks("NoneType", r"\w+")
        + r"|TypeError: .* argument after \* must be an iterable, not NoneType|"
        + OPERANDS
        + r"(?:'NoneType' and '.+'|'.+' and 'NoneType')",
        "Something on this line is `None`. A function without `return` gives that, and so do a list's `.sort()` and "
        "`.append()`: look where the value comes from.",
        case=(
            "rows = print()\nreturn rows[tokens]",
            "rows = print()\nreturn rows + residual",
            "rows = print()\nreturn rows.shape",
            "rows = print()\nreturn torch.cat(*rows)",
            "rows = print()\nrows.shape = 1",
            "Plain: AttributeError: 'NoneType' object has no attribute 'a' and no __dict__ for setting new attributes",
        ),
        near=("rows = 3\nreturn rows[tokens]", 'rows = ""\nreturn rows + residual'),
    ),
    Rule(
        r"TypeError: 'torch\.Size' object is not callable",
        "`shape` is no method: write `x.shape[axis]`, with square brackets.",
        case="tokens.shape(1)",
        near="tokens.device(1)",
    ),
    Rule(
        r"TypeError: 'Parameter' object is not callable",
        "What stands before the round brackets is a parameter, no function. To look rows up in it use square brackets; "
        "a product of matrices is `x @ parameter`.",
        case="self.W_E(tokens)",
        near='"W_E"(tokens)',
    ),
    Rule(
        r"TypeError: '(?:int|float)' object is not callable",
        "`{field}` is a number, and no function: leave out the round brackets behind it.",
        line=r"\b(?P<field>(?:self\.)?cfg\.\w+)\(\)",
        case="residual * self.cfg.d_model()",
        near="residual * self.cfg.d_model(2)",
    ),
    Rule(
        r"TypeError: '(?:Tensor|int|float|bool)' object is not callable",
        "What stands before the round brackets is no function. To index use square brackets, to multiply write `*`.",
        case=("residual(2)", "Python: True()"),
        near="self.W_E(tokens)",
    ),
    Rule(
        r"TypeError: 'builtin_function_or_method' object is not subscriptable|"
        r"AttributeError: 'builtin_function_or_method' object has no attribute '\w+'|"
        + OPERANDS
        + r"(?:'builtin_function_or_method' and '.+'|'.+' and 'builtin_function_or_method')|"
        r"TypeError: bad operand type for unary .: 'builtin_function_or_method'|"
        r"TypeError: can only concatenate \w+ \(not \"builtin_function_or_method\"\) to \w+|"
        r"TypeError: can't concat builtin_function_or_method to bytes|"
        + ARGUMENT
        + "Tensor, not builtin_function_or_method",
        uncalled,
        case={
            "residual.topk(3).index[0]": "`topk`, `sort`",
            "batch = tokens.size[0]": "method: write … tokens",
            "residual - residual.mean": "brackets, `.mean(...)`",
            "torch.sqrt(residual.var)": "brackets, `.var(...)`",
            "residual.mean.sqrt()": "brackets, `.mean(...)`",
            'Python: "a b".split - 1': "brackets, `.split(...)`",
            'Python: "a" + b"b".decode': "brackets, `.decode(...)`",
            'Python: b"a" + "b".encode': "brackets, `.encode(...)`",
            "-residual.mean": "brackets, `.mean(...)`",
        },
        near=("residual.topk(3).indices.sort[0]", "batch = tokens.dtype[0]"),
    ),
    Rule(
        r"TypeError: object of type 'builtin_function_or_method' has no len\(\)",
        "What is measured here is a method that was not called: where it was named, it needs round brackets, `.log()`.",
        case="rows = residual.log\nreturn residual[: len(rows)]",
        near="rows = 3\nreturn residual[: len(rows)]",
    ),
    Rule(
        r"TypeError: (?:iteration over|len\(\) of) a 0-d tensor",
        "A tensor without axes holds one number: it has no rows to loop over and no length. Work on the tensor as a "
        "whole.",
        case="torch.stack([row * 2 for row in residual.sum()])",
        near="torch.stack([row * 2 for row in 3])",
    ),
    Rule(
        r"ValueError: too many values to unpack \(expected (\d{1,3})(?:, got \d+)?\)",
        unpacked,
        case={"batch, pos = residual.shape": "residual … batch, pos, d_model = residual"},
        near="a, b = [1, 2, 3]",
    ),
    Rule(
        r"ValueError: not enough values to unpack \(expected (\d{1,3}), got (\d{1,3})\)",
        unpacked,
        case={
            "batch, pos, d_model = tokens.shape": "tokens … batch, pos = tokens",
            "batch, pos, d_model = tokens": "tensor gives … batch, pos = tokens",
            (
                "class LayerNorm(nn.Module):\n    def forward(self, x):\n        batch, pos, d_model = x.shape\n"
                "LayerNorm()(given_tokens)"
            ): "The shape has … 2 … 3",
        },
        near=("batch, pos, d_model = tokens.unique().shape", "batch, pos, d_model = tokens[0, :2]"),
    ),
    Rule(
        OPERANDS + r"(?:'tuple' and '(?:Tensor|Parameter|float|int)'|'(?:Tensor|Parameter|float|int)' and 'tuple')|"
        r"TypeError: can only concatenate tuple \(not \"(?:Tensor|Parameter|float|int)\"\) to tuple|"
        + ARGUMENT
        + r"Tensor, not tuple|AttributeError: 'tuple' object has no attribute '(\w+)'",
        several,
        case={
            "mean = torch.var_mean(residual, -1)\nreturn residual - mean": "tuple stands",
            "torch.var_mean(residual, -1).sqrt()": "`var_mean` gives … var_mean",
            "torch.var_mean(residual, -1) + 1e-5": "`var_mean` gives … var_mean",
            "torch.sqrt(torch.var_mean(residual, -1))": "`var_mean` gives … var_mean",
            "Python: (1, 2) + 3": "a number is needed",
        },
        near=("mean = [residual]\nreturn residual - mean", "(1, 2).width", "Python: (1, 2).values"),
    ),
    Rule(
        OPERANDS + r"(?:'torch\.return_types\.(?:max|min|median)' and .*|"
        r".* and 'torch\.return_types\.(?:max|min|median)')|"
        + lacks(r"torch\.return_types\.(?:max|min|median)", r"\w+"),
        "`max`, `min` and `median` with an axis give two tensors: take the one that you mean, `.values` or `.indices`.",
        case="residual - residual.max(-1)",
        near="residual - residual.sort(-1)",
    ),
    Rule(
        lacks(r"torch\.return_types\.(topk|sort|kthvalue)", r"\w+"),
        "`{1}` gives two tensors, values and indices: `values, indices = x.{1}(...)`.",
        case="residual.topk(3).softmax(-1)",
        near="residual.max(dim=-1).softmax(-1)",
    ),
    Rule(
        r"TypeError: (?:int|float)\(\) argument must be .*, not 'torch\.return_types\.(\w+)'",
        "`{1}` gives two tensors here, values and indices: take one, `.values` or `.indices`.",
        case="int(torch.max(residual, dim=-1))",
        near="int([residual])",
    ),
    Rule(
        r"TypeError: \w+\(\) (?:takes 1 positional argument but \d+ were given|"
        r"received an invalid combination of arguments - got \(.*torch\.Size.*)",
        "A shape among other sizes needs a star before it: `*{tensor}.shape`.",
        line=r"[(,]\s*(?P<tensor>\w+)\.(?:shape|size\(\))\s*,",
        case=("self.W_pos[:5].expand(tokens.shape, 8)", "self.W_E[tokens].view(tokens.shape, -1)"),
        near=("self.W_pos[:5].expand(2.0, 5, 8)", 'self.W_E[tokens].view("batch", -1)'),
    ),
    Rule(
        r"TypeError: slice indices must be integers or None or have an __index__ method",
        "A slice bound is one integer, such as `x.shape[axis]`: neither the whole `shape`, nor a float. A division "
        "that gives an integer is `//`.",
        case="length = tokens.shape\nreturn self.W_pos[:length]",
        near="self.W_pos[:residual]",
    ),
    Rule(
        r"IndexError: tuple index out of range",
        no_such_size,
        case={"self.W_pos[:tokens.shape[2]]": "tokens … 2 … batch, pos"},
        near="(1, 2)[tokens.shape[0]]",
    ),
    Rule(
        r"RecursionError: maximum recursion depth exceeded.*",
        endless,
        case={
            "self(tokens, residual)": "`forward` keeps calling",
            (
                "def same(x): return x\ndef help(x): return same(x)\ndef walk(x): return walk(help(x))\nwalk(3)"
            ): "`walk` keeps calling",
            "init: self.embed = Answer(cfg)": "`__init__` ends",
        },
        near=('raise RecursionError("too deep")', "Plain: RecursionError: maximum recursion depth exceeded | walk(x)"),
    ),
    Rule(
        r"MemoryError: ",
        "There is no memory left: a value in this line is far too large, or grows and grows in a loop round it.",
        case="[0] * 2**62",
        near='raise MemoryError("of another kind")',
    ),
]


def joined(_: Match, raised: Raised) -> str | None:
    """Of a method that is handed to `join` itself."""
    found = raised.says(r"\.join\(.*\.(\w+)\)")
    if not found or not any(callable(getattr(kind, found[1], None)) for kind in CONTAINERS):
        return None
    return f"`{found[1]}` is a method and was not called: it needs round brackets, `.{found[1]}(...)`."


KINDS = (str, bytes, list, tuple, dict, set)


def of_another_kind(match: Match, _: Raised) -> str | None:
    """Whose method it is that was looked for."""
    owners = [kind.__name__ for kind in KINDS if hasattr(kind, match[2])]
    if not owners or match[1] in owners or len(owners) == len(KINDS):
        return None
    known = " and ".join([", ".join(owners[:-1]), owners[-1]] if owners[1:] else owners)
    return f"`.{match[2]}` belongs to {known}, and this is {a(match[1])}."


# Python 3.14 says of what too
UNHASHABLE = r"TypeError: (?:cannot use '\w+' as a (?:dict key|set element) \()?unhashable type: '{}'\)?"

A_FUNCTION = "(?:builtin_function_or_method|function|method)"

CONTAINER_RULES: list[Rule] = [
    # From Python 3.12 on a slice may be a key.
    Rule(
        r"TypeError: unhashable type: 'slice'|KeyError: slice\(.*\)",
        "A dict has no slices: look one key up, `d[key]`.",
        case=('{"a": 1}[1:]', "Plain: KeyError: slice(1, None, None)", "Plain: TypeError: unhashable type: 'slice'"),
        near=('[1, 2]["a"]', "Plain: KeyError: 'slice(1, None, None)'"),
    ),
    Rule(
        r"TypeError: 'set' object is not subscriptable",
        "A set has no order, so none of its elements has an index: keep a list.",
        case="Python: {1, 2}[0]",
        near="Python: {1: 2}[1][0]",
    ),
    Rule(
        r"(?:ValueError:|TypeError: cannot convert) dictionary update sequence element .*",
        "`dict(...)` takes pairs of a key and a value, and here something is no pair: write `{key: value for ...}`, or "
        "make pairs with `zip(keys, values)`.",
        line=r"\bdict\(",
        case='Python: dict(["the", "fox"])',
        near="Python: dict(3)",
    ),
    Rule(
        UNHASHABLE.format("list"),
        "The key of a dict, or the element of a set, can't be a list. Make it a tuple first: `tuple(...)`.",
        case=(
            '{["a", "b"]: 1}',
            "Plain: TypeError: cannot use 'list' as a dict key (unhashable type: 'list')",
            "Plain: TypeError: cannot use 'tuple' as a set element (unhashable type: 'list')",
        ),
        near='{b"ab": 1}[["a"][0]]',
    ),
    Rule(
        UNHASHABLE.format("(dict|set|Counter)"),
        "The key of a dict, or the element of a set, can't be {1:a}.",
        case=("{{1}: 2}", "Plain: TypeError: cannot use 'set' as a set element (unhashable type: 'set')"),
        near="{1: 2}[3]",
    ),
    Rule(
        lacks("(?:int|float)", "(shape|ndim|numel)"),
        "`.{1}` belongs to tensors and arrays, and this is one number: take the number as it is.",
        case="Python: (3).shape",
        near="Python: (3).shapes",
    ),
    Rule(
        lacks("list", "join"),
        "`join` is a method of what stands between the parts, and is given the list: `{between}.join({name})`.",
        line=r"\b(?P<name>[\w.]+)\.join\((?P<between>[bB]?(?P<quote>['\"])[^'\"]*(?P=quote))\)",
        case={"Python: words = []\nwords.join(' ')": "`' '.join(words)`"},
        near='["a"].join(" ")',
    ),
    Rule(
        lacks("(str|bytes|list|tuple|dict|set|int|Counter|generator)"),
        of_another_kind,
        case={'["a b"].split()': "split … str and bytes … a list"},
        near='["a b"].nothing()',
    ),
    Rule(
        lacks("(str|bytes|list|tuple|dict|set|int|Counter|generator)"),
        "No {1} has a method `{2}`. If it is a function, write `{2}({name}, ...)`.",
        line=r"\b(?P<name>\w+)\.{2}\([^)]",
        case="Python: words = []\nwords.merge_pair(3)",
        near="Python: words = []\nwords.merge_pair",
    ),
    Rule(
        lacks(r"\w+"),
        "Nothing is called `self.{1}`: define the method in the class. A function that stands outside of the class is "
        "called without `self`: `{1}(...)`.",
        line=r"\bself\.{1}\(",
        case="Python: class Words:\n    def encode(self): return self.cut()\nWords().encode()",
        near="Python: class Words:\n    def encode(self): return self.cut\nWords().encode()",
    ),
    Rule(
        lacks(r"\w+"),
        "`self.{1}` is read before anything has been put there: set it in `__init__`, under the same name.",
        line=r"\bself\.{1}\b",
        case="Plain: class Words:\n    def encode(self): return self.ids\nWords().encode()",
        near="Plain: class Words:\n    def encode(self): return Words.ids\nWords().encode()",
    ),
    Rule(
        r"TypeError: can only concatenate str \(not \"list\"\) to (str)|TypeError: can't concat list to (bytes)|"
        + OPERANDS
        + "'(set|dict|int|float)' and 'list'",
        "`{name}` is no list, and a list can't be added to it. To collect in a list, begin with `{name} = []`.",
        line=r"^\s*(?P<name>[\w.]+) \+= ",
        case=(
            "Python: words = ''\nwords += ['a']",
            "Python: words = b''\nwords += ['a']",
            "Python: words = 0\nwords += ['a']",
        ),
        near="Python: words = ''\nwords = words + ['a']",
    ),
    Rule(
        r"TypeError: '(?:function|method|type)' object is not iterable",
        "`{name}` is a function: call it, `{name}(...)`.",
        line=r"\bin (?P<name>[\w.]+)(?:[\s:\])]|$)",
        case="Python: words = lambda: 3\n[word for word in words]",
        near="Python: words = lambda: 3\nlist(words)",
    ),
    Rule(
        rf"TypeError: '[<>]' not supported between instances of (?:'{A_FUNCTION}' and '.+'|'.+' and '{A_FUNCTION}')",
        "`{most}` takes the function to compare by as `key`: `{most}({name}, key={key})`.",
        line=r"\b(?P<most>min|max)\((?P<name>[\w.]+), (?P<key>[\w.]+)\)",
        case="Python: words, counts = [1], {}\nmax(words, counts.get)",
        near="Python: counts = {}\nmax([counts.get, counts.get])",
    ),
    Rule(
        "TypeError: string argument without an encoding",
        "`bytes` of a text needs an encoding: write `{name}.encode()`.",
        line=r"\bbytes\((?P<name>[\w.]+)\)",
        case="Python: word = 'fox'\nbytes(word)",
        near="Python: bytes('fox')",
    ),
    Rule(
        "LookupError: unknown encoding: (strict|ignore|replace)",
        'The first argument of `{name}` is the encoding, and "{1}" says what to do with errors: write `errors="{1}"`.',
        line=r"\.(?P<name>encode|decode)\(",
        case='Python: b"a".decode("replace")',
        near='Python: b"a".decode("utf-9")',
    ),
    Rule(
        "LookupError: unknown error handler name '(.+)'",
        '`errors` knows "strict", "ignore" and "replace", and no "{1}".',
        case='Python: b"\\xff".decode(errors="replaced")',
        near='Python: b"\\xff".decode("replaced")',
    ),
    Rule(
        r"TypeError: '(\w+)' is an invalid keyword argument for decode\(\)|"
        r"TypeError: decode\(\) got an unexpected keyword argument '(\w+)'.*",
        "`decode` takes two values, called `encoding` and `errors`.",
        case='Python: b"a".decode(error="replace")',
        near="Python: b''.decode(3)",
    ),
    Rule(
        r"TypeError: 'int' object is not iterable",
        "`+=` adds to a list the items of what stands on its right, and here that is one number: write "
        "`{name}.append(...)`.",
        # nothing on its right goes through anything
        line=r"^\s*(?P<name>[\w.]+) \+= (?:\w+\.)*(?:(?:len|index)\([\w.\"']+\)|\w+(?:\[[\w.\"']+\])?)$",
        case=(
            "Python: ids = []\nids += 3",
            'Python: ids, known = [], {"a": 3}\nids += known["a"]',
            'Python: ids, known = [], ["a"]\nids += known.index("a")',
        ),
        near=("[].extend(3)", "Python: ids = []\nids += [1.5][0]"),
    ),
    Rule(
        r"TypeError: '(?:int|float)' object is not iterable",
        "`{name}` is given one number here, and there is nothing to choose from: write `{name}(one, other)`.",
        # one value that is computed, and nothing else that is gone through
        line=r"^(?!.*\b(?:for|in)\b).*\b(?P<name>max|min)\([^][(),*]+ [-+/] [^][(),*]+\)",
        case="Python: longer = max(3 / 2)",
        near="Python: longer = max([3 / 2][0])",
    ),
    Rule(
        r"TypeError: 'int' object is not iterable",
        "One number can't be looped over: `range(n)` counts from 0 to n - 1.",
        case="[step for step in 3]",
        near="[step for step in 1.5]",
    ),
    Rule(
        r"TypeError: object of type '(?:int|float)' has no len\(\)",
        "`len` counts the entries of a list or the characters of a text, and this is one number, which has none.",
        case="Python: len(3)",
        near="Python: len(None)",
    ),
    Rule(
        OPERANDS + "'int' and 'str'",
        "`sum` adds up numbers, and in `{name}` it met text. Of a dict it goes through the keys: to add up its "
        "values, write `sum({name}.values())`.",
        line=r"^[^+]*\bsum\((?P<name>\w+)\)[^+]*$",
        case='Python: parts = {"a": 1}\nsum(parts)',
        near='Python: 1 + "a"',
    ),
    Rule(
        r"TypeError: 'float' object cannot be interpreted as an integer",
        "`range` counts in whole numbers, and here it is given a float. `/` makes a float even where it divides "
        "evenly, `//` of whole numbers doesn't.",
        line=r"\brange\(",
        case="Python: list(range(4 / 2))",
        near="Python: bytes(4 / 2)",
    ),
    Rule(
        r"TypeError: 'list' object cannot be interpreted as an integer",
        "`range` counts up to a number, and `{name}` is a list: to go through it, write `in {name}`.",
        line=r"\bin range\((?P<name>[\w.]+)\)",
        case="Python: ids = [3]\nfor n in range(ids): pass",
        near="Python: ids = [3]\nfor n in range(ids[:]): pass",
    ),
    Rule(
        r"TypeError: '(?:bytes|str)' object cannot be interpreted as an integer",
        '`bytes(...)` of a list takes numbers from 0 to 255. Pieces of text or bytes are joined: `b"".join(...)`.',
        line=r"\bbytes\(",
        case=('Python: bytes([b"a"])', 'Python: bytes(["a"])'),
        near='Python: range(b"a")',
    ),
    Rule(
        r"TypeError: 'builtin_function_or_method' object is not iterable",
        "A method stands there without its brackets: call it, as in `text.split()`.",
        case='[word for word in "the fox".split]',
        near="[word for word in 1.5]",
    ),
    Rule(
        r"TypeError: '(str|bytes|list|tuple|dict|set|Counter)' object is not callable",
        "Round brackets call a function, and what stands before them is {1:a}. To look an entry up write square "
        "brackets; or a variable has taken the name of a function.",
        case='["a", "b"](0)',
        near="None(0)",
    ),
    Rule(
        r"TypeError: (list|tuple|string) indices must be integers(?: or slices)?, not '?(\w+)'?",
        "Entries of {1:a} are looked up by their index, a whole number, and here stands {2:a}. A dict looks up by key.",
        case='"the fox"["fox"]',
        near='{"fox": 1}["the"]',
    ),
    Rule(
        r"TypeError: sequence item \d+: expected str instance, (\w+) found",
        "`join` here joins str, and got {1:a} among what it was given.",
        case='" ".join([1, 2])',
        near='" ".join(1)',
    ),
    Rule(
        r"TypeError: sequence item \d+: expected a bytes-like object, (\w+) found",
        "`join` here joins bytes, and got {1:a} among what it was given.",
        case='b"".join(["a"])',
        near='b"".join(1)',
    ),
    Rule(
        "TypeError: can only join an iterable",
        joined,
        case={'"".join(b"a".decode)': "`decode` … round brackets"},
        near=('"".join(3)', '"".join(len)'),
    ),
    Rule(
        r"TypeError: sum\(\) can't sum (?:strings|bytes|bytearray) \[use (.*)\.join\(seq\) instead\]",
        "`sum` adds numbers. To put pieces together write `{1}.join(...)`.",
        case='sum([b"a"], b"")',
        near="sum([[1]])",
    ),
    Rule(
        r"TypeError: (?:a bytes-like object is required, not|expected string or bytes-like object, got) "
        r"'(?!(?:str|bytes)')(\w+)'",
        "A pattern looks through text or bytes, and this is {1:a}.",
        line=r"\.(?:findall|finditer|fullmatch|match|search|subn?)\(",
        case=(
            '__import__("regex").compile("a").findall(3)',
            '__import__("re").compile("a").findall(3)',
            '__import__("re").sub("a", "b", None)',
        ),
        near=('b"abc".replace(1, 2)', '"a" in b"a" or __import__("re").search("a", "a")'),
    ),
    Rule(
        r"TypeError: a bytes-like object is required, not 'str'",
        "Bytes are needed here, and this is text. `.encode()` makes bytes of text.",
        case='"a" in b"abc"',
        near='"a" in 1',
    ),
    Rule(
        r"TypeError: a bytes-like object is required, not '(\w+)'",
        "Bytes are needed here, and this is {1:a}.",
        case='b"abc".replace(1, 2)',
        near='b"a" in 1',
    ),
    Rule(
        r"ValueError: (max|min)\(\) (?:arg is an empty sequence|iterable argument is empty)",
        "`{1}` was given nothing to choose from: ask first whether anything is left.",
        case="max([])",
        near="max(1)",
    ),
    Rule(
        r"TypeError: reduce\(\) of empty (?:iterable|sequence) with no initial value",
        "`reduce` was given nothing, and has nothing to answer then: a third argument says what it begins with.",
        case='__import__("functools").reduce(max, [])',
        near='__import__("functools").reduce(max, 1)',
    ),
    Rule(
        r"IndexError: (?:list index|index -?\d{1,15} is) out of range",
        "The index lies outside: n items have the numbers 0 to n - 1, and an empty list has none.",
        case=("[1, 2][2]", "nn.ModuleList([nn.ReLU()])[1]"),
        near=("(1, 2)[2]", 'nn.ModuleDict()["1"]'),
    ),
    Rule(
        r"RuntimeError: Set.* (?:changed|mutated).* during iteration",
        "A set must stay as it is while a loop goes through it: loop over `list(...)` of it, or build a new one.",
        case="seen = {1, 2}; [seen.add(one + 5) for one in seen]",
        near="seen = {1, 2}; [seen.add(one + 5) for one in 3]",
    ),
    Rule(
        r"RuntimeError: (?:dictionary|OrderedDict).* (?:changed|mutated).* during iteration",
        "A dict must stay as it is while a loop goes through it: loop over `list(...)` of it, or build a new one.",
        case="seen = {1: 2}; [seen.pop(one) for one in seen]",
        near="seen = {1: 2}; [seen.pop(one) for one in 3]",
    ),
    Rule(
        r"TypeError: (?:\w+\.)?(\w+)\(\) takes no keyword arguments",
        "`{1}` takes nothing by name, `name=...`: what is named here may belong to another call.",
        case='b"".join([], errors="replace")',
        near='b"".join(3)',
    ),
    Rule(
        r"NameError: cannot access free variable '(\w+)' where it is not associated with a value in enclosing scope",
        "`{1}` is read here before anything has been assigned to it.",
        case="first = (lambda: later)(); later = 1",
        near="later",
    ),
    Rule(
        r"ValueError: too many values to unpack \(expected 2(?:, got \d+)?\)",
        "Two names stand where more values come. `enumerate(...)` and `.items()` give pairs; a list alone gives its "
        "elements, a dict alone its keys.",
        case='[one for one, other in ["abc", "de"]]',
        near="one, other = (1,)",
    ),
]
