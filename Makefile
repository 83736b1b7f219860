# The two commands of a fresh machine with Python 3.11 or newer: `make demo` and `make test`.
# Everything is installed into .venv; PYTHON=python3.12 chooses another interpreter to create it with.

PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test docs bench gallery studies clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile

demo: .venv/biela  ## four filters find the crank of a four-bar linkage; plots in biela_demo
	$(BIN)/biela demo

test: .venv/test  ## lint, strict types, documentation and tests
	$(BIN)/ruff check
	$(BIN)/pyright
	$(BIN)/sphinx-build -W --keep-going -q -E docs docs/_build/html
	$(BIN)/pytest -n auto --dist loadscope

docs: .venv/test  ## build the documentation into docs/_build/html
	$(BIN)/sphinx-build -W --keep-going docs docs/_build/html

BENCHMARKS ?= kernels equations simulation observers platform washouts arena
bench: .venv/bench  ## measure against peers, one JSON object a line; BENCHMARKS=equations runs one of them
	for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name || exit 1; done

gallery: .venv/test  ## draw the pictures of the documentation again
	$(BIN)/python docs/gallery.py
	$(BIN)/python docs/figures.py
	$(BIN)/python docs/screenshots.py

studies: .venv/test  ## run the long studies
	$(BIN)/pytest -n auto -m study || [ $$? -eq 5 ]  # 5: there are none

clean:  ## delete everything that these targets have made
	rm -rf .venv .bench docs/_build dist biela_demo four_bar_c pendulum_c .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks examples docs -name __pycache__ -prune -exec rm -rf {} +

# Stamps: what is installed in .venv, until the requirements change.

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	  "biela needs Python 3.11 or newer, and $(PYTHON) is " + sys.version.split()[0] + ": make PYTHON=python3.x ...")'
	$(PYTHON) -m venv .venv
	@touch $@

.venv/biela: .venv/python pyproject.toml
	$(BIN)/pip install --quiet --editable '.[view]'
	@touch $@

.venv/test .venv/bench: .venv/%: .venv/python pyproject.toml
	$(BIN)/pip install --quiet --editable '.[$*]'
	@touch $@ .venv/biela
