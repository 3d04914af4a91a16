"""utils.course.cells: a notebook is read as it is, and one that is none says so."""

import json

import pytest

from utils.course import CourseError
from utils.course.cells import cells_of, code_of

ODD = {
    "no notebook": "{",
    "a list": "[]",
    "no cells": "{}",
    "cells that are nothing": '{"cells": null}',
    "a cell that is a number": '{"cells": [1]}',
    "a source that is a number": '{"cells": [{"source": 1}]}',
}


def test_a_cell_that_lacks_what_others_have_is_read_as_it_is(tmp_path):
    cells = [{"cell_type": "markdown", "source": ["a\n", "b"]}, {"cell_type": "code"}, {"source": "x"}]
    path = tmp_path / "notebook.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    assert [cell["source"] for cell in cells_of(path)] == ["a\nb", "", "x"] and code_of(path) == [""]


@pytest.mark.parametrize("name", ODD)
def test_what_is_no_notebook_is_told(tmp_path, name):
    path = tmp_path / "notebook.ipynb"
    path.write_text(ODD[name], encoding="utf-8")
    with pytest.raises(CourseError, match=r"/notebook\.ipynb can't be read: "):
        cells_of(path)
