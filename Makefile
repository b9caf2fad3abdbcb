# trainlint: what a developer types. `make demo` and `make test` work from a fresh clone with Python 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Processes that run tests; 0 runs them in one.
WORKERS ?= 2

# The fuzz program: how many seconds it runs; the mutation program: how many changes it tries; and with which seed.
SECONDS ?= 600
POINTS ?= 200
SEED ?= 0

.PHONY: help setup demo check test quick new-rule golden fuzz mutate bench docs schemas clean

help:
	@echo "make setup   the environment $(VENV) with everything for development (PYTHON=$(PYTHON))"
	@echo "make demo    lint the bundled lab: what a failure looks like, and what fixes it"
	@echo "make check   ruff, mypy, import-linter; zizmor and check-jsonschema for what GitHub runs"
	@echo "make test    all tests"
	@echo "make quick   what concerns one rule (RULE=name), or the rules that changed, in under a minute"
	@echo "make new-rule NAME=category/rule-name   the skeleton of a rule, which works from the start"
	@echo "make golden  write the golden files of reports anew: read what has changed"
	@echo "make fuzz    mutated repositories against the laws of every result (SECONDS=$(SECONDS) SEED=$(SEED))"
	@echo "make mutate  how many small faults the tests notice (SEED=$(SEED) POINTS=$(POINTS))"
	@echo "make bench   how long it takes, by stage, cold, and twice the size"
	@echo "make docs    write the table and the pages of the rules and the manual page anew"
	@echo "make schemas write the structure of the manifest kinds anew, from the packages that hold it"
	@echo "make clean   remove the environment and all caches"

setup: $(VENV)/.development

demo: $(VENV)/.runtime
	@$(BIN)/trainlint demo

check: $(VENV)/.development
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/zizmor --offline --quiet --strict-collection .
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml

test: $(VENV)/.development
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup

# RULE=name, or no name for what has changed.
quick: $(VENV)/.development
	$(BIN)/python -m tests.quick $(RULE)

new-rule: $(VENV)/.development
	$(BIN)/python rules/new.py $(NAME)
	$(BIN)/python rules/table.py
	$(BIN)/python docs/generate.py
	$(BIN)/python -m tests.quick --update-golden $(NAME)

# All of them, or (RULE=name) those of one rule.
golden: $(VENV)/.development
	$(if $(RULE),$(BIN)/python -m tests.quick --update-golden $(RULE),$(BIN)/pytest -q tests/golden --update-golden)
	git --no-pager diff --stat -- tests/golden

fuzz: $(VENV)/.development
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS) --seed $(SEED) --save build/fuzz

mutate: $(VENV)/.development
	nice -n 10 $(BIN)/python -m tests.mutation --seed $(SEED) --points $(POINTS)

bench: $(VENV)/.development
	$(BIN)/python -m tests.bench

docs: $(VENV)/.development
	$(BIN)/python rules/table.py
	$(BIN)/python docs/generate.py

schemas: $(VENV)/.development
	$(BIN)/python schemas/generate.py

# The stamps are made last, so an installation that broke off starts anew.
$(VENV)/.runtime: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "trainlint needs Python 3.11 or newer, which $(PYTHON) is not: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "installing trainlint into $(VENV)"
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --editable '.[cel]' 2>/dev/null || $(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.development: $(VENV)/.runtime
	@echo "installing the tools for development into $(VENV)"
	@$(BIN)/python -m pip install --quiet --group dev
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
