"""Chapter 99: what template_symbol must do."""

from judge.checking import Exercise, check_agrees, check_form, check_gradients, line, random_tensor

template_exercise = Exercise(inputs={"vectors": "batch pos d_model"}, output="batch pos")


@template_exercise.test
def test_template_symbol(template_symbol):
    """template_symbol against the reference solution, on random numbers."""
    check_form(template_symbol, None, lambda batch, pos: random_tensor(batch, pos, 7))
    vectors = random_tensor(3, 5, 7)
    with line("agrees with the reference solution on random vectors"):
        check_agrees(template_symbol, vectors)
    with line("passes gradients back to `vectors`"):
        check_gradients(template_symbol, vectors)
