"""Two answers that fit no exercise: a stub, and one that raises."""


def stub(*inputs, **settings):
    raise NotImplementedError("write this part")


def raising(*inputs, **settings):
    print("so far so good")
    return inputs[0].nothing_of_the_kind
