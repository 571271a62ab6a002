# Everything lives in this folder: the environment in .venv, results in workspace/.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
# Compiling all 20,000 modules takes a minute, and a run imports few: each is compiled when it is first needed.
PIP := $(BIN)/pip --disable-pip-version-check --no-cache-dir install --quiet --no-compile --constraint constraints.txt
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test ui bench clean install

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 16

run: $(STAMP) ## set up and run the pipeline on the sample corpus
	@$(BIN)/hnn run

test: $(DEV_STAMP) ## set up and run linters, type checks and all tests
	@BIN=$(BIN) bash tests/run

ui: $(STAMP) ## open the Prefect and MLflow dashboards on loopback
	@$(BIN)/hnn ui

bench: $(DEV_STAMP) ## run every script in benchmarks/
	@BIN=$(BIN) bash benchmarks/run

clean: ## remove the environment and the workspace
	rm -rf $(VENV) workspace .pytest_cache .ruff_cache .mypy_cache .hypothesis build dist

install: $(STAMP) ## set up only

define set_up
@echo "Setting up $(VENV) (a few minutes, once) …"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed, $(PYTHON) is older; try make PYTHON=python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP)
endef

$(STAMP): pyproject.toml constraints.txt
	$(set_up) --editable ".[dask]"
	@touch $@

# All at once: resolving twice would cost a fresh clone a minute.
$(DEV_STAMP): pyproject.toml constraints.txt
	$(set_up) --editable ".[dask,dev]"
	@touch $(STAMP) $@
