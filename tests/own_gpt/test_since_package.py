"""Chapter 12's parts in the package: in a place of their own, and nothing of them where a GPT-2 tells the story."""

import shutil
import sys

import pytest

from tests.house.fresh_python import fresh_python
from tests.model_folder.llama_folders import saved
from tests.own_gpt.own_package import keep
from utils.course import ROOT
from utils.own_gpt import parts as own_parts
from utils.own_gpt.loading import loaded, module
from utils.own_gpt.parts import MODERN_STORY, STORY, assemble, taken_by, whose
from utils.own_gpt.writing import readme, write_package


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    """A folder with a small Llama, and the reference model's tokenizer."""
    folder = tmp_path_factory.mktemp("llama")
    saved(folder, vocab_size=4096)
    shutil.copy(ROOT / "utils" / "reference_model" / "tokenizer.json", folder)
    return folder


@pytest.mark.slow
def test_a_gpt2_loads_nothing_of_chapter_12(own):
    code = "import my_gpt, sys; my_gpt.load().text('Once', 2); print(*sys.modules)"
    loaded_modules = fresh_python(f"import sys; sys.path.insert(0, {str(own.parent)!r}); {code}").stdout.split()
    ours = {name for name in loaded_modules if name.startswith("my_gpt.")}
    assert "my_gpt.parts.transformer" in ours and "my_gpt.course.reading" in ours
    assert not ours & {f"my_gpt.course.{name}" for name in ("since_gpt2", "library", "llama", "begin")}
    assert not ours & {f"my_gpt.parts.{part.module}" for part in assemble({}) if part.exercise.stem[:4] == "ch12"}


@pytest.fixture
def state(tmp_path, monkeypatch):
    """An empty folder for what the learner keeps."""
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    return tmp_path


@pytest.mark.slow
def test_ones_own_part_is_used_and_the_page_has_it_in_a_place_of_its_own(state, llama):
    keep("RMSNorm")
    parts = write_package()
    page = (state / "my_gpt" / "README.md").read_text(encoding="utf-8")
    story, since = page.split("## Models since GPT-2")
    assert "0 of the 22 parts that tell a story are yours" in story and "[RMSNorm]" not in story
    assert "| [RMSNorm](parts/rms_norm.py) | **yours** |" in since
    assert "| [SwiGLU](parts/swiglu.py) | borrowed from ch12_since_gpt2 | | |" in since
    assert "Yours too" not in page  # a story reads it
    assert "RMSNorm" not in whose(taken_by(STORY, parts))
    yours, borrowed = whose(taken_by(MODERN_STORY, parts)).splitlines()
    assert yours == "yours: RMSNorm" and "ModernTransformer" in borrowed and "PosEmbed" not in borrowed
    with loaded(state / "my_gpt"):
        assert module("course.telling").load(llama).text("Once", 3).startswith("Once")


def test_without_chapter_12_the_package_is_as_before_and_says_what_is_missing(own, llama, monkeypatch, capsys):
    whole = assemble({})
    borrowed = own_parts._Assembly._borrowed

    def without(self, exercise, problem=""):
        made = borrowed(self, exercise, problem)
        if exercise.stem == "ch12_since_gpt2":
            self.missing.append(exercise)
        return made

    monkeypatch.setattr(own_parts._Assembly, "_borrowed", without)
    parts = assemble({})
    assert [part.module for part in parts] == [part.module for part in whole][: len(parts)]
    assert parts == taken_by(STORY, whole) and taken_by(["ModernTransformer"], parts) == []
    figures = {"positions": 22, "difference": 1e-5, "largest": 15.1, "same": 22}
    assert "Models since GPT-2" not in readme(parts, figures)
    with loaded(own):
        monkeypatch.setitem(sys.modules, "my_gpt_as_written.parts.modern_transformer", None)
        assert module("course.command").main(["Once", "--model", str(llama)]) == 1
    said = f"{llama} is told with ModernTransformer, which is chapter 12's, and this package has none yet. Write it"
    assert capsys.readouterr().err.startswith(said)
