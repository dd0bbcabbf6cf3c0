SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench bench-long bench-worker bench-pages soak clean

BIN := .venv/bin
INSTALLED := .venv/.installed

help:
	@echo "make demo   simulate a floor with known wrongs, audit it, show a disputed round, serve the pages"
	@echo "make test   everything that must hold: style, types, import layers and all tests"
	@echo "make check  ruff, mypy and the import layers alone"
	@echo "make bench  what is measured, beside what a user would run instead; BENCH_EVENTS=100000000 for a larger floor"
	@echo "            bench-long: 300 million events and their memory; bench-worker: on Kafka; bench-pages: a year in the pages"
	@echo "make soak   the tests in their long forms"
	@echo "make setup  .venv with the locked dependencies (the others do this by themselves)"
	@echo "make clean  caches and the demo's data; never catwalk-data"

setup: $(INSTALLED)

# One stamp: a second call does nothing, a changed lock installs again.
$(INSTALLED): requirements.lock pyproject.toml
	@python="$$(scripts/python)"; [ -x $(BIN)/python ] || "$$python" -m venv .venv
	@echo "installing the locked dependencies into .venv"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

demo: setup
	@$(BIN)/catwalk demo

test: setup check
	@scripts/test-needs
	$(BIN)/python -m pytest -n 2 tests

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python -m benchmarks.casino_year
	$(BIN)/python -m benchmarks.live

bench-long: setup
	$(BIN)/python -m benchmarks.long_run

bench-worker: setup
	$(BIN)/python -m benchmarks.worker_beside_faust
	$(BIN)/python -m benchmarks.event_to_finding

bench-pages: setup
	$(BIN)/python -m benchmarks.pages_on_a_year

soak: setup
	CATWALK_SOAK=1 $(BIN)/python -m pytest -n 2 tests

clean:
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build *.egg-info demo-data
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
