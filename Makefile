# `make lab` opens the first chapter, `make test` proves everything; each makes .venv first when it is missing.

PYTHON ?= python3
BIN := .venv/bin
FIRST_CHAPTER := $(firstword $(sort $(wildcard chapters/ch*.ipynb)))

.PHONY: lab test build

lab: .venv/installed
	@# the whole course in the file browser, the first chapter open; overrides.json there turns the question about news off
	$(BIN)/jupyter lab --LabApp.app_settings_dir=utils/learner/lab \
		--LabApp.default_url="/lab/tree/$(FIRST_CHAPTER)?file-browser-path=/"

test: .venv/installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m utils build --check
	$(BIN)/python -m utils verify
	$(BIN)/python -m pytest
	$(BIN)/python -m pytest --nbval solutions

build: .venv/installed
	$(BIN)/python -m utils build

.venv/installed: requirements.txt constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
		{ echo "This course needs Python 3.11, 3.12 or 3.13; $(PYTHON) is not. Try: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[lab,test]"
	@touch $@
