# Everything a fresh machine needs is Python 3.11+, make and git; each target sets up what it uses in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
# Tests marked as driving a browser or another process are tried once more if they fail (tests/conftest.py); -raR names them.
SUMMARY := -raR
# The tests start hundreds of interpreters: what one has compiled is kept for the next, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE
# What a server can use: nothing can be installed later in a container that is read-only.
SERVER_EXTRAS := callbacks languages neural postgresql upstream workbench

.PHONY: help run demo test test-all test-bounds test-tools check format bench docs kernels lock release clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: $(VENV)/.server  ## the main job: translate a manual in the browser, with suggestions that learn
	$(BIN)/dragoman workbench projects

demo: $(VENV)/.server  ## in the terminal: watch a project learn the shipped manual from nothing
	$(BIN)/dragoman lab demo

test: $(VENV)/.dev  ## the test-suite: the fast run, then the kernel tests with bounds checks
	$(BIN)/python -m pytest -n auto $(SUMMARY) -m "not long"
	$(MAKE) --no-print-directory test-bounds

test-all: test  ## the suite, and what takes long: kills, releases, experiments, the commands of the docs, large files
	$(BIN)/python -m pytest -n auto $(SUMMARY) -m long

test-bounds: $(VENV)/.dev  ## only the kernel tests, with every array access checked
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n auto $(SUMMARY) -m "kernels and not long"

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

bench: $(VENV)/.bench  ## all benchmarks, each against a peer in the same run; CORPORA=… says where the corpora are
	$(BIN)/python benchmarks/run_all.py $(if $(CORPORA),--corpora $(CORPORA))

docs: $(VENV)/.dev  ## build the documentation into site/
	$(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html is ready"

kernels: $(VENV)/.dev  ## compile all kernels for a baseline processor, and pack them as a wheel into dist/
	rm -f dist/dragoman_kernels-*
	$(BIN)/python tools/build-kernels kernels-wheel/src/dragoman_kernels/compiled
	$(BIN)/python -m build --no-isolation --wheel --outdir dist kernels-wheel

lock: $(VENV)/.dev  ## write deploy/requirements.txt: what a server installs, every version with its hashes
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --python-version 3.11 --upgrade \
	  $(addprefix --extra ,$(SERVER_EXTRAS)) --output-file deploy/requirements.txt pyproject.toml

release: $(VENV)/.dev  ## build sdist, wheel, kernels and bill of materials into dist/, and check them in a fresh environment
	rm -rf dist
	$(BIN)/python -m build
	$(MAKE) --no-print-directory kernels
	$(BIN)/python -m build --no-isolation --wheel --outdir dist engines/en-es
	$(BIN)/cyclonedx-py requirements deploy/requirements.txt --pyproject pyproject.toml --output-reproducible \
	  --output-file dist/dragoman.cdx.json
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

$(VENV)/.server: $(VENV)/.python pyproject.toml engines/en-es/pyproject.toml
	$(PIP) --editable '.[workbench,neural]' --editable engines/en-es
	touch $@ $(VENV)/.core

$(VENV)/.dev: $(VENV)/.python pyproject.toml laboratory/pyproject.toml engines/en-es/pyproject.toml
	$(PIP) --editable '.[dev]' --editable laboratory --editable engines/en-es
	touch $@ $(VENV)/.core $(VENV)/.server

$(VENV)/.bench: $(VENV)/.dev pyproject.toml
	$(PIP) --editable '.[dev,plots,bench]' --editable laboratory --editable engines/en-es
	touch $@ $(VENV)/.core $(VENV)/.server $(VENV)/.dev
