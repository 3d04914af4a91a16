"""Answers that fit no exercise: a stub, one that raises, one that gives nothing."""


def stub(*inputs, **settings):
    raise NotImplementedError("write this part")


def raising(*inputs, **settings):
    print("so far so good")
    return inputs[0].nothing_of_the_kind


def nothing(*inputs, **settings):
    pass
