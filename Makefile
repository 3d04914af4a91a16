# `make` alone lists what there is; `make lab` opens the course. Each target makes .venv first when it is missing.

# the Python that .venv is made of; once it is there, its own
PYTHON ?= $(or $(wildcard .venv/bin/python),python3)
BIN := .venv/bin
# as many workers as cores, one more where tests wait for others (tests/conftest.py), and one thread each: with more,
# torch's threads wait for one another; and bytecode is kept, whatever is usual here: workers and kernels by the dozen
# would each compile the same modules. A worker that dies ends the run: xdist 3.8 may wait for its successor for ever.
# Logs are not captured: pytest 9.2 attaches itself to torch's forty loggers six times a test, a tenth of a short one
ALONE := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1
RUN := $(ALONE) $(BIN)/python
# where make is killed what it runs is too, on Linux: without a shell between them, and by setpriv, of util-linux
WANTED := exec $(if $(shell command -v setpriv),setpriv --pdeathsig KILL)
PYTEST := $(ALONE) $(WANTED) $(BIN)/python -m pytest -p no:logging --numprocesses auto --max-worker-restart 0
TOGETHER := $(PYTEST) --dist loadfile
# what was proved of the same files before is left out, but for a sample; with EVERYTHING=1 nothing is
UNPROVED := $(if $(EVERYTHING),,--unproved)
OUTPUTS := -p author.unproved $(UNPROVED)
JOURNEYS = $(shell grep --recursive --files-with-matches --include '*.py' 'mark.journey' tests)
PYTHONS ?= 3.11 3.12 3.13

MAKEFLAGS += --jobs=2 # `make test`'s two halves beside each other, and what .ci/run asks for

.PHONY: help lab test test-fast changed pythons versions tests outputs verify journey weekly whole-release check format build site

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

lab: .venv/lab ## open the start page in JupyterLab
	$(BIN)/python -m utils.learner.lab

test: check tests ## prove the course: lint, types, all tests, stored outputs; `make verify` proves each exercise

tests: .venv/installed # and the notebooks' outputs: in one run no worker waits for the last of a few
	$(TOGETHER) --no-loadscope-reorder -m "not (journey or proof or prover or weekly)" $(OUTPUTS) --nbval solutions tests

test-fast: .venv/installed ## the tests without those marked slow: no kernels, no TransformerLens, no second pytest
	$(PYTEST) --dist worksteal -m "not slow"

changed: .venv/installed ## prove what has changed since the last proof, and say what is left to `make test`
	$(RUN) .ci/changed.py

pythons: .venv/installed ## the fast tests on each of Python 3.11, 3.12 and 3.13 that this machine has, in .venvs/
	$(BIN)/python .ci/environments.py $(PYTHONS)

versions: .venv/installed ## the fast tests with the lowest versions of packages that are allowed, and with the newest
	$(BIN)/python .ci/environments.py lowest newest

outputs: .venv/installed ## run the solutions' notebooks: every output must be the stored one
	$(TOGETHER) $(OUTPUTS) --nbval solutions

verify: .venv/installed ## prove every exercise: each mistake named, every mutant of the solution rejected; and the proofs themselves
	OMP_NUM_THREADS=1 $(BIN)/python -m utils verify $(UNPROVED)
	$(TOGETHER) -m prover tests/author

journey: .venv/installed ## go whole ways: the course as a learner, another course as an author
	$(TOGETHER) -o faulthandler_timeout=1500 -m "journey and not weekly" $(OUTPUTS) $(JOURNEYS)

weekly: .venv/installed ## what is proved once a week: GPT-2 small's shape, the lowest and newest versions, every chapter in Colab
	$(RUN) -m pytest -m weekly $(JOURNEYS)
	$(MAKE) --no-print-directory whole-release versions
	$(RUN) -m tests.colab

whole-release: .venv/installed # with the answers of all exercises, where `make test` records those of a handful
	@folder=$$(mktemp -d) && $(RUN) -m utils release $$folder/course --without-solutions && \
		COURSE_WHOLE_RELEASE=$$folder/course $(RUN) -m pytest tests/releasing/test_without_solutions.py && rm -r $$folder

check: .venv/installed ## lint, formatting, imports, types, and whether the notebooks are up to date; changes nothing
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-cache --no-logo
	$(WANTED) $(BIN)/python -m pyright --pythonpath $(BIN)/python
	$(WANTED) $(BIN)/python -m utils build --check

format: .venv/installed ## sort the imports and format the code
	$(BIN)/ruff check --select I --fix
	$(BIN)/ruff format

build: .venv/installed ## make the notebooks from solutions/*.py, and execute those of the solutions
	$(BIN)/python -m utils build

site: .venv/installed ## build the course as pages to read, in site/; nothing is executed
	$(BIN)/python -m utils site

# what a learner needs, and what the tests need besides
.venv/lab: requirements.txt constraints.txt pyproject.toml
	$(call install,lab)
	@touch $@

.venv/installed: requirements.txt constraints.txt pyproject.toml
	$(call install,lab test)
	@touch .venv/lab $@

define install
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
		{ echo "This course needs Python 3.11, 3.12 or 3.13; $(PYTHON) is not. Try: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@$(PYTHON) .ci/install.py .venv $(1)
endef
