"""Kinds without a module: a function of its inputs alone, a class whose methods are called, and the source of either.

A function's inputs are torch's tensors or plain data, NumPy's arrays, or JAX's.
"""

import inspect
from collections.abc import Sequence
from types import CodeType, FunctionType
from typing import Any, cast

from judge.running.frames import own_frames
from judge.running.kinds.kind import (
    OWN_OPTIONS,
    Call,
    CannotDrive,
    Code,
    Kind,
    Observed,
    Places,
    after_the_call,
    called,
)
from judge.running.on_demand import Module, Tensor
from judge.running.records import Arguments, Question, Values, plain
from judge.running.sources import PLAIN, data_read, sources_of
from judge.running.spelling import CERTAIN, nearest
from judge.running.values import as_arrays, copied, mapped

# JAX says of a type in its stubs, that of devices, nothing:
# pyright: reportUnknownMemberType=false


class Function(Kind):
    """The question's arguments are the inputs; its other options are keyword arguments of the function's own."""

    name = "function"
    call = "{}({})"
    is_function = True

    def drive(self, f: Code, *inputs: Any, **options: Any) -> Observed:
        """Call f on the inputs, as `called` says."""
        return called(f, *inputs, **options)

    def keywords(self, question: Question) -> list[str]:
        return sorted(question.options.keys() - OWN_OPTIONS)

    def unfit(self, solution: Any) -> str | None:
        if not isinstance(solution, type):
            return None
        if issubclass(solution, Module):
            return "is an nn.Module, so parameters= is needed; write {} if it has none."
        return "is a class, but no nn.Module: name its driver, such as drive='methods'."

    def parameters_of(self, solution: Any) -> list[str] | None:
        return list(inspect.signature(solution).parameters)


class NumpyArrays(Kind):
    """The question's arguments are the inputs, as tensors: arrays do not cross, and are made of them."""

    name = "numpy_arrays"
    call = "{}({})"
    is_function = True
    library = "numpy"

    def drive(self, f: Code, *inputs: Any, before: Sequence[Arguments] = (), **options: Any) -> Observed:
        """Call f on arrays in the place of tensors, within lists and dicts too."""
        earlier = [self.arrays(list(one)) for one in before]
        return called(f, *self.arrays(list(inputs)), before=earlier, **options)

    def handed(self, question: Question) -> Arguments:
        return plain(self.arrays(self.inputs(question)))

    def arrays(self, nest: Any) -> Any:
        """The nest with the library's arrays in the place of tensors."""
        return as_arrays(nest)


class JaxArrays(NumpyArrays):
    """The arrays as NumPy's, but JAX has 32 bits for whole numbers: tokens come as int32."""

    name = "jax_arrays"
    library = "jax"

    def arrays(self, nest: Any) -> Any:
        """The nest with JAX arrays in the place of tensors."""
        import jax  # which a course of other libraries need not have

        def as_array(leaf: Any) -> Any:
            # of a copy, whose memory JAX may keep; `jnp.array` would compile a program for each shape
            return jax.device_put(leaf.detach().numpy().copy()) if isinstance(leaf, Tensor) else leaf

        return mapped(nest, as_array)


KEEP_THE_STUB = "Keep the stub's line that begins with `class`, and write the methods below it."
TAKES = 'takes a list of what it is made of, and then calls: ("encode", "a b").'


class Methods(Kind):
    """The question's arguments are the list of what it is made of, and then calls: ("encode", "a text")."""

    name = "methods"
    names_inputs = False

    def drive(self, make: Code, arguments: Values, *calls: Arguments, beside: Values | None = None) -> Observed:
        """Make `make(*arguments)`, then call each ("name", argument, ...) on it; the output lists the results.

        `beside` are the arguments of another one, which is made before the calls and must not disturb them.
        """
        given = copied([arguments, *calls])
        made = _made(make, given[0])
        _another = None if beside is None else make(*copied(beside))  # kept alive
        results: Values = []
        for name, *rest in given[1:]:
            method = _method(made, name)
            results.append(method(*rest))
        return Observed([results], after_the_call(given, [arguments, *calls]))

    def input_names(self, symbol: str, declared: list[str], question: Question) -> list[str]:
        """By the calls' own words."""
        _, *calls = self.inputs(question)
        called = [symbol]
        called += [name for name, *_ in calls]
        return [f"what `{name}` was given" for name in called]

    def calls(self, question: Question) -> list[Call]:
        arguments, *calls = self.inputs(question)
        made = Call("made = {}({})", tuple(arguments), by_name=False)
        return [made, *(Call(f"made.{name}({{1}})", tuple(rest), by_name=False) for name, *rest in calls)]

    def places(self, question: Question) -> Places:
        """By the calls' own words."""
        _, *calls = self.inputs(question)
        return (tuple(f"call {number}, `{name}`" for number, (name, *_) in enumerate(calls, 1)),)

    def given_in(self, value: Any) -> Any:
        """Of a call what it was given, without its name."""
        given = value[1:] if _is_call(value) else value
        return given[0] if len(given) == 1 else given

    def misgiven(self, arguments: Arguments) -> str | None:
        if not arguments or not isinstance(arguments[0], list):
            return TAKES
        calls = arguments[1:]
        return None if calls and all(map(_is_call, calls)) else TAKES


def _made(make: Code, arguments: Values) -> Any:
    """The object whose methods are called; what a function gives may be one too, if it is of a class."""
    if isinstance(make, type):
        return make(*arguments)
    try:
        made = make(*arguments)
    except TypeError as error:
        if own_frames(error):
            raise
        raise CannotDrive(f"A class is due here, and this is a function. {KEEP_THE_STUB}") from None
    if type(made) in (*PLAIN, type(None)):
        given = "None" if made is None else f"a value of type {type(made).__name__}"
        raise CannotDrive(f"A class is due here, and this is a function, which gives {given}. {KEEP_THE_STUB}")
    return made


def _method(made: Any, name: str) -> Any:
    try:
        return getattr(made, name)
    except AttributeError as error:
        if error.obj is not made or error.name != name:  # it comes from the learner's code, such as a property
            raise
    kind = cast(type[object], type(made))
    near = nearest(name, [one for one in dir(kind) if callable(getattr(kind, one, None))], CERTAIN)
    rest = f", but it has `{near}`: if that is meant, rename it." if near else ": define it in the class."
    raise CannotDrive(f"Your {kind.__name__} has no method `{name}`{_indented_wrongly(kind, name) or rest}")


def _indented_wrongly(kind: type[object], name: str) -> str:
    """The rest of that sentence where a method's `def` stands inside another one, or outside of the class; else ""."""
    for function in [one for one in vars(kind).values() if isinstance(one, FunctionType)]:
        code, outside = function.__code__, function.__globals__.get(name)
        as_far = f"as far as that of `{function.__name__}`."
        if any(isinstance(one, CodeType) and _is_method(one, name) for one in code.co_consts):
            return f": its `def` stands inside of `{function.__name__}`. Indent it only {as_far}"
        if not isinstance(outside, FunctionType) or outside.__code__.co_filename != code.co_filename:
            continue
        if _is_method(outside.__code__, name):
            return f": its `def` stands outside of the class. Indent it {as_far}"
    return ""


def _is_method(code: CodeType, name: str) -> bool:
    return code.co_name == name and code.co_varnames[:1] == ("self",) and code.co_argcount > 0


def _is_call(call: Any) -> bool:
    if not isinstance(call, tuple) or not call:
        return False
    return isinstance(call[0], str)


class Source(Kind):
    """The question has no arguments."""

    name = "source"
    has_inputs = False
    names_inputs = False
    is_value = False

    def drive(self, component: Any) -> Observed:
        """Call nothing: the output lists the texts of the component's functions."""
        return Observed([sources_of(component)])


class NamesRead(Kind):
    """The question has no arguments."""

    name = "names_read"
    has_inputs = False
    names_inputs = False
    is_value = False

    def drive(self, component: Any) -> Observed:
        """Call nothing: the output lists the variables of its notebook or module that the component's code reads."""
        return Observed([data_read(component)])
