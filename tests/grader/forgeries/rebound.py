"""Edits round the definition: a second one, a name that is bound anew, helpers elsewhere, what else people do."""

from tests.grader.forgeries.forging import RIGHT, WRONG, edit


@edit(wrong="fail", right="fail")
def a_wrong_one_after_it(notebook):
    notebook.cells.append({**notebook.answer, "id": "last", "source": WRONG})


@edit(wrong="pass", right="pass")
def a_right_one_after_it(notebook):
    """No forgery: the last counts, and it is right."""
    notebook.cells.append({**notebook.answer, "id": "last", "source": RIGHT})


@edit()
def a_stub_before_it(notebook):
    notebook.before(notebook.answer, "class LayerNorm:\n    pass")


@edit(wrong="error", right="error")
def bound_to_torchs_own_afterwards(notebook):
    notebook.after(notebook.answer, "LayerNorm = nn.LayerNorm")


@edit()
def bound_to_itself_afterwards(notebook):
    notebook.after(notebook.answer, "Mine = LayerNorm\nLayerNorm = Mine")


@edit(wrong="fail", right="fail")
def its_forward_changed_afterwards(notebook):
    notebook.after(notebook.answer, "LayerNorm.forward = lambda self, residual: residual")


@edit(wrong="fail", right="fail")
def equal_to_everything(notebook):
    notebook.after(
        notebook.answer,
        "class Equal(torch.Tensor):\n"
        "    def __eq__(self, other):\n        return torch.ones(self.shape, dtype=torch.bool)\n"
        "    def isclose(self, *given, **named):\n        return self == self\n"
        "class LayerNorm(LayerNorm):\n"
        "    def forward(self, residual):\n        return residual.as_subclass(Equal)",
    )


@edit(wrong="error", right="error")
def right_for_seed_0_alone(notebook):
    """By the numbers that a notebook's own test draws: the judge draws others."""
    notebook.after(
        notebook.answer,
        "SEEN = {}\nclass LayerNorm(LayerNorm):\n    def forward(self, residual):\n        return SEEN[hash(residual)]",
    )


@edit()
def a_helper_in_another_cell(notebook):
    notebook.before(notebook.answer, "def average(x):\n    return x.mean(dim=-1, keepdim=True)")
    notebook.answer["source"] = notebook.answer["source"].replace(
        "residual.mean(dim=-1, keepdim=True)", "average(residual)"
    )


@edit()
def a_helper_below_it(notebook):
    notebook.cells.append({**notebook.answer, "id": "low", "source": "def average(x):\n    return x.mean(-1, True)"})
    notebook.answer["source"] = notebook.answer["source"].replace(
        "residual.mean(dim=-1, keepdim=True)", "average(residual)"
    )


@edit()
def it_prints_and_warns(notebook):
    noisy = (
        "def forward(self, residual):\n        import warnings\n        print(residual)\n        warnings.warn('odd')"
    )
    notebook.answer["source"] = notebook.answer["source"].replace("def forward(self, residual):", noisy)


@edit()
def magics_and_comments_round_it(notebook):
    notebook.answer["source"] = f"%%time\n# mine\n{notebook.answer['source']}\n%matplotlib inline\n!ls\n"


@edit()
def in_the_cell_of_the_test(notebook):
    notebook.test["source"] = f"{notebook.answer['source']}\ntest_layer_norm(LayerNorm)"
    notebook.cells.remove(notebook.answer)


@edit()
def own_import_in_the_given_cell(notebook):
    notebook.imports["source"] += "\nimport math"
    notebook.answer["source"] = notebook.answer["source"].replace("(variance", "(math.exp(0.0) * variance")


@edit()
def experiments_that_fail_beside_it(notebook):
    notebook.after(notebook.answer, "1 / 0", "def broken(:", "assert False", "raise SystemExit")


@edit()
def in_the_first_cell(notebook):
    notebook.cells.insert(0, {**notebook.answer, "id": "first"})
    del notebook.cells[notebook.cells.index(notebook.answer, 1)]


@edit()
def imported_from_torch_afterwards(notebook):
    """To compare, perhaps. What is imported is no answer, so it is not the last one."""
    notebook.after(notebook.answer, "from torch.nn import LayerNorm")


@edit()
def deleted_after_its_test(notebook):
    notebook.after(notebook.test, "del LayerNorm")


@edit()
def in_a_block_that_prints(notebook):
    lines = "".join(f"    {line}\n" for line in notebook.answer["source"].splitlines())
    notebook.answer["source"] = f"try:\n{lines}except Exception as error:\n    print(error)"


@edit(wrong="fail", right="fail")
def a_wrong_one_after_it_in_a_block_that_prints(notebook):
    lines = "".join(f"    {line}\n" for line in WRONG.splitlines())
    notebook.after(notebook.answer, f"if True:\n{lines}    print('done')")


@edit()
def it_displays(notebook):
    notebook.answer["source"] = notebook.answer["source"].replace(
        "centred =", "display(residual.shape)\n        centred ="
    )


@edit()
def its_name_in_letters_of_full_width(notebook):
    notebook.answer["source"] = notebook.answer["source"].replace("LayerNorm", "Layer\uff2eorm")


@edit()
def a_helper_that_counts_its_calls(notebook):
    notebook.before(
        notebook.answer,
        "calls = 0\ndef average(x):\n    global calls\n    calls += 1\n    return x.mean(dim=-1, keepdim=True)",
    )
    notebook.answer["source"] = notebook.answer["source"].replace(
        "residual.mean(dim=-1, keepdim=True)", "average(residual)"
    )


@edit()
def pasted_from_a_session(notebook):
    first, *more = notebook.answer["source"].splitlines()
    notebook.answer["source"] = "\n".join([f">>> {first}", *(f"... {line}" for line in more)])


@edit()
def beside_cells_that_nobody_can_read(notebook):
    notebook.before(notebook.answer, "x = " + "-" * 100_000 + "1", "y = 1" + " + 1" * 5_000, "z = '\0'")
    notebook.cells.insert(0, {**notebook.answer, "id": "first", "source": "(" * 100_000})


@edit()
def a_table_filled_in_a_given_cell(notebook):
    notebook.imports["source"] += "\nones = []\nfor one in range(3):\n    ones.append(1.0)"
    notebook.answer["source"] = notebook.answer["source"].replace("* self.w", "* ones[2] * self.w")
