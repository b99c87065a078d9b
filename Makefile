# Two commands do everything on a machine with Python >= 3.11 and make: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2

.PHONY: demo test test-long lint types audit bench bench-diffprivlib bench-interpret casebook reproduce wheel clean help
.DEFAULT_GOAL := help

help:
	@echo "make demo       a guided tour on built-in data, in a virtual environment of its own"
	@echo "make test       lint, types, tests, audit gate, documentation tests (minutes)"
	@echo "make test-long  the same with full counts"
	@echo "make bench      speed and accuracy against the peers"
	@echo "make reproduce  figures and tables of the papers, computed anew into docs/papers (under an hour; resumes)"
	@echo "make casebook   audits of other libraries and of dampen's own mechanisms, into docs/casebook.md (minutes)"
	@echo "make wheel      build the wheel into dist/"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "dampen needs Python >= 3.11; set PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed
	$(BIN)/dampen demo

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

audit: $(VENV)/.installed-dev
	$(BIN)/python -m pytest tests/audit -n $(JOBS)

test: lint types
	$(BIN)/python -m pytest -n $(JOBS) -m "not long" --durations=25

test-long: lint types
	$(BIN)/python -m pytest -n $(JOBS) --durations=25

.venv-diffprivlib/.installed: | $(BIN)/python
	$(PYTHON) -m venv .venv-diffprivlib
	.venv-diffprivlib/bin/python -m pip install --quiet --disable-pip-version-check 'diffprivlib==0.6.6' 'scikit-learn<=1.8'
	@touch $@

bench-diffprivlib: .venv-diffprivlib/.installed

.venv-interpret/.installed: | $(BIN)/python
	$(PYTHON) -m venv .venv-interpret
	.venv-interpret/bin/python -m pip install --quiet --disable-pip-version-check 'interpret-core==0.7.8'
	@touch $@

bench-interpret: .venv-interpret/.installed

.venv-opendp-%/.installed: | $(BIN)/python
	$(PYTHON) -m venv .venv-opendp-$*
	.venv-opendp-$*/bin/python -m pip install --quiet --disable-pip-version-check 'opendp[polars]==$*'
	@touch $@

.PRECIOUS: .venv-opendp-%/.installed

casebook: $(VENV)/.installed-dev .venv-opendp-0.15.1/.installed .venv-opendp-0.16.0/.installed bench-diffprivlib bench-interpret
	$(BIN)/python -m experiments.casebook

$(VENV)/.installed-bench: benchmarks/requirements.txt $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

bench: $(VENV)/.installed-bench bench-diffprivlib bench-interpret
	$(BIN)/python -m benchmarks.selection
	$(BIN)/python -m benchmarks.dampening
	$(BIN)/python -m benchmarks.ledger
	$(BIN)/python -m benchmarks.postgres
	$(BIN)/python -m benchmarks.percentiles
	$(BIN)/python -m benchmarks.graphs --huge
	$(BIN)/python -m benchmarks.interrupts
	$(BIN)/python -m benchmarks.numeric
	$(BIN)/python -m benchmarks.groups
	$(BIN)/python -m benchmarks.group_means
	$(BIN)/python -m benchmarks.plans
	$(BIN)/python -m benchmarks.trees
	$(BIN)/python -m benchmarks.tree_accuracy
	$(BIN)/python -m benchmarks.scorecards
	$(BIN)/python -m benchmarks.engines
	$(BIN)/python -m benchmarks.people
	$(BIN)/python -m benchmarks.people_speed
	$(BIN)/python -m benchmarks.people_memory
	$(BIN)/python -m benchmarks.bounds

reproduce: $(VENV)/.installed-dev
	$(BIN)/python -m experiments --all --jobs $(JOBS)

wheel: $(VENV)/.installed-dev
	$(BIN)/python -m hatchling build -t wheel

clean:
	rm -rf $(VENV) .venv-diffprivlib .venv-interpret .venv-opendp-* dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
