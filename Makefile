# Everything a fresh machine needs is Python 3.11+, make and git; each target sets up what it uses in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
# Tests that drive browsers, servers and kills can be late on a busy machine: one more try, which the summary names.
AGAIN := --reruns 1 -raR

.PHONY: help run demo test test-bounds test-tools check format bench docs kernels release clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: $(VENV)/.server  ## the main job: translate a manual in the browser, with suggestions that learn
	$(BIN)/dragoman workbench projects

demo: $(VENV)/.core  ## in the terminal: watch a project learn the shipped manual from nothing
	$(BIN)/dragoman demo

test: $(VENV)/.dev  ## the whole test-suite: the fast run, then the kernel tests with bounds checks
	$(BIN)/python -m pytest -n auto $(AGAIN)
	$(MAKE) --no-print-directory test-bounds

test-bounds: $(VENV)/.dev  ## only the kernel tests, with every array access checked
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n auto $(AGAIN) -m kernels

test-tools: $(VENV)/.dev  ## beside the suite: Weblate, OmegaT and official clients against a live server; installs them
	$(BIN)/python tools/test-tools

check: $(VENV)/.dev  ## lint, format, types, direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev  ## rewrite the sources the way `make check` wants them
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench  ## all benchmarks, each against a peer in the same run
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

docs: $(VENV)/.dev  ## build the documentation into site/
	$(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html is ready"

kernels: $(VENV)/.dev  ## compile all kernels for a baseline processor, and pack them as a wheel into dist/
	rm -f dist/dragoman_kernels-*
	$(BIN)/python tools/build-kernels kernels-wheel/src/dragoman_kernels/compiled
	$(BIN)/python -m build --no-isolation --wheel --outdir dist kernels-wheel

release: $(VENV)/.dev  ## build sdist, wheel and kernels into dist/, and check them in a fresh environment
	rm -rf dist
	$(BIN)/python -m build
	$(MAKE) --no-print-directory kernels
	$(BIN)/python tools/check-release dist

clean:  ## remove the environment and everything built
	rm -rf $(VENV) .venv-tools build dist kernels-wheel/src/dragoman_kernels/compiled site benchmarks/out .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "dragoman needs Python 3.11 or newer; name one with: make PYTHON=python3.12 …" >&2; exit 2; }
	@echo "setting up $(VENV) (once, a minute or two) …"
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.core: $(VENV)/.python pyproject.toml
	$(PIP) --editable .
	touch $@

$(VENV)/.server: $(VENV)/.python pyproject.toml
	$(PIP) --editable '.[workbench]'
	touch $@ $(VENV)/.core

$(VENV)/.dev: $(VENV)/.python pyproject.toml
	$(PIP) --editable '.[dev]'
	touch $@ $(VENV)/.core $(VENV)/.server

$(VENV)/.bench: $(VENV)/.dev pyproject.toml
	$(PIP) --editable '.[dev,plots,bench]'
	touch $@ $(VENV)/.core $(VENV)/.server $(VENV)/.dev
