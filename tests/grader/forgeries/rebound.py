"""Edits round the definition: a second one, a name that is bound anew, helpers elsewhere, what else people do."""

from tests.grader.forgeries.forging import RIGHT, WRONG, Change, after, before, edit, edits, replaced, source


def at_the_end(name: str, text: str) -> Change:
    """A copy of the answer's cell with this text, behind all others."""
    return lambda notebook: notebook.cells.append({**notebook.answer, "id": name, "source": text})


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


HELPER = "def average(x):\n    return x.mean(dim=-1, keepdim=True)"
COUNTS = "calls = 0\ndef average(x):\n    global calls\n    calls += 1\n    return x.mean(dim=-1, keepdim=True)"
BY_A_HELPER = "residual.mean(dim=-1, keepdim=True)", "average(residual)"
FORWARD = "def forward(self, residual):"
NOISY = f"{FORWARD}\n        import warnings\n        print(residual)\n        warnings.warn('odd')"
TABLE = "{}\nones = []\nfor one in range(3):\n    ones.append(1.0)"
DEEP = "x = " + "-" * 100_000 + "1", "y = 1" + " + 1" * 5_000, "z = '\0'"
edits(
    {
        "a stub before it": before("answer", "class LayerNorm:\n    pass"),
        "bound to itself afterwards": after("answer", "Mine = LayerNorm\nLayerNorm = Mine"),
        "deleted after its test": after("test", "del LayerNorm"),
        # To compare, perhaps. What is imported is no answer, so it is not the last one
        "imported from torch afterwards": after("answer", "from torch.nn import LayerNorm"),
        "a helper in another cell": replaced(*BY_A_HELPER, before("answer", HELPER)),
        "a helper below it": replaced(*BY_A_HELPER, at_the_end("low", "def average(x):\n    return x.mean(-1, True)")),
        "a helper that counts its calls": replaced(*BY_A_HELPER, before("answer", COUNTS)),
        "a table filled in a given cell": replaced("* self.w", "* ones[2] * self.w", source("imports", TABLE)),
        "own import in the given cell": replaced(
            "(variance", "(math.exp(0.0) * variance", source("imports", "{}\nimport math")
        ),
        "it prints and warns": replaced(FORWARD, NOISY),
        "it displays": replaced("centred =", "display(residual.shape)\n        centred ="),
        "its name in letters of full width": replaced("LayerNorm", "Layer\uff2eorm"),
        "magics and comments round it": source("answer", "%%time\n# mine\n{}\n%matplotlib inline\n!ls\n"),
        "experiments that fail beside it": after("answer", "1 / 0", "def broken(:", "assert False", "raise SystemExit"),
    }
)
ALIKE = """\
class Equal(torch.Tensor):
    def __eq__(self, other):
        return torch.ones(self.shape, dtype=torch.bool)
    def isclose(self, *given, **named):
        return self == self
class LayerNorm(LayerNorm):
    def forward(self, residual):
        return residual.as_subclass(Equal)"""
edits(
    {
        "a wrong one after it": at_the_end("last", WRONG),
        "a wrong one after it in a block that prints": after("answer", f"if True:\n{indented(WRONG)}    print('done')"),
        "its forward changed afterwards": after("answer", "LayerNorm.forward = lambda self, residual: residual"),
        "equal to everything": after("answer", ALIKE),
    },
    wrong="fail",
    right="fail",
)
# By the numbers that a notebook's own test draws: the judge draws others
SEED_0 = """\
SEEN = {}
class LayerNorm(LayerNorm):
    def forward(self, residual):
        return SEEN[hash(residual)]"""
edits(
    {
        "bound to torchs own afterwards": after("answer", "LayerNorm = nn.LayerNorm"),
        "right for seed 0 alone": after("answer", SEED_0),
    },
    wrong="error",
    right="error",
)
# No forgery: the last counts, and it is right
edits({"a right one after it": at_the_end("last", RIGHT)}, wrong="pass")


@edit()
def in_the_cell_of_the_test(notebook):
    notebook.test["source"] = f"{notebook.answer['source']}\ntest_layer_norm(LayerNorm)"
    notebook.cells.remove(notebook.answer)


@edit()
def in_the_first_cell(notebook):
    notebook.cells.insert(0, {**notebook.answer, "id": "first"})
    del notebook.cells[notebook.cells.index(notebook.answer, 1)]


@edit()
def in_a_block_that_prints(notebook):
    lines = indented(notebook.answer["source"])
    notebook.answer["source"] = f"try:\n{lines}except Exception as error:\n    print(error)"


@edit()
def pasted_from_a_session(notebook):
    first, *more = notebook.answer["source"].splitlines()
    notebook.answer["source"] = "\n".join([f">>> {first}", *(f"... {line}" for line in more)])


@edit()
def beside_cells_that_nobody_can_read(notebook):
    notebook.before(notebook.answer, *DEEP)
    notebook.cells.insert(0, {**notebook.answer, "id": "first", "source": "(" * 100_000})
