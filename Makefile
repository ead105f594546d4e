# What people and CI call. Every target may run again at any time.
.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# The tests that need neither Spark nor a browser, an object store, the SDKs of agents or the tools that build us.
CORE := tests --ignore tests/spark --ignore tests/review/page --ignore tests/replay/providers --ignore tests/benchmarks \
  --ignore tests/bulk/test_page_in_browser.py --ignore tests/acceptance/test_sdk_agents.py --ignore tests/read/test_stores.py --ignore tests/replay/test_mcp.py --ignore tests/packaging

help: ## Say what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## Create .venv (Python 3.11 or later) with everything pinned

$(STAMP): pyproject.toml requirements/dev.txt
	@python=$$(for name in python3 python3.13 python3.12 python3.11; do \
	  $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done); \
	  test -n "$$python" || { echo "Python 3.11 or later is needed"; exit 1; }; \
	  test -x $(BIN)/python || $$python -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

demo: setup ## Turn a sample incident into a case and show it
	@bash docs/demo.sh $(BIN)/extract-fixture

test: setup ## Run the tests on two processes, with coverage
	@rm -f .coverage .coverage.*
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup --cov --cov-report=term:skip-covered

wheel-smoke: setup ## Install the wheel alone into an empty environment, and run every command from an empty folder
	$(BIN)/python tests/packaging/smoke.py

# Not in CI: a registry's old releases change slowly, and another whole environment takes minutes.
lowest: ## Run the core's tests with the oldest releases that pyproject.toml allows
	python3 -m venv .cache/uv && .cache/uv/bin/pip install --quiet uv
	.cache/uv/bin/uv venv --quiet --clear .cache/lowest
	.cache/uv/bin/uv pip install --quiet --python .cache/lowest/bin/python --resolution lowest-direct \
	  -r pyproject.toml --extra replay --extra review --extra samples 'hypothesis>=6.112' 'pytest-xdist>=3.6'
	PYTHONPATH=. PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 .cache/lowest/bin/python -m pytest -q -p xdist.plugin -n 2 --dist loadgroup $(CORE)

lint: setup ## Style, types, and who may import whom
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: setup ## Measure: import times, replay, checks, prose, growth, selection, redaction beside plain Presidio; CORPUS=path adds recall
	$(BIN)/python benchmarks/imports.py
	$(BIN)/python benchmarks/replay.py
	$(BIN)/python benchmarks/checks.py
	$(BIN)/python benchmarks/texts.py
	@$(MAKE) --no-print-directory bench-redact
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/selection.py
	$(BIN)/python benchmarks/recall.py $(CORPUS)

bench-redact: setup ## Redaction beside plain Presidio in one run; CORPUS=path names exports, or a folder with a judge
	@OMP_NUM_THREADS=1 $(BIN)/python benchmarks/redaction.py

bench-locate: setup ## One trace in a large export, beside ripgrep and DuckDB; LOCATE_BYTES says how large
	@test -x .cache/bench/bin/python || { python3 -m venv .cache/bench && .cache/bench/bin/pip install --quiet duckdb; }
	@DUCKDB=.cache/bench/bin/python $(BIN)/python benchmarks/locate.py

bench-bulk: setup ## Bulk extraction of an invented export beside plain Presidio; BULK="--size 2GiB --traces 3000 --sample 12"
	@OMP_NUM_THREADS=1 $(BIN)/python benchmarks/bulk.py $(BULK)

fuzz: setup ## Redact random documents with planted values; FUZZ_DOCUMENTS says how many
	FUZZ_DOCUMENTS=$${FUZZ_DOCUMENTS:-50000} $(BIN)/python -m pytest -q tests/fuzz

docs: setup ## Write the pages that are generated from code, and build the site into site/
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/excerpt.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

check: lint test ## Everything that must hold before a commit
	$(BIN)/python docs/generate.py --check

samples: setup ## Run the sample agents again and export their traces
	$(BIN)/python -m sample_traces.make

# Extras stay in the lock: older pips take a pin for `name` not for `name[extra]`, and then find the newest release unpinned.
lock: ## Resolve requirements/dev.txt anew
	python3 -m venv .cache/lock && .cache/lock/bin/pip install --quiet pip-tools
	.cache/lock/bin/pip-compile --quiet --generate-hashes --allow-unsafe --no-strip-extras --extra dev --extra docs --extra review --extra samples --extra sdks --extra spark \
	  --no-emit-options --no-annotate --no-header \
	  -o requirements/dev.txt pyproject.toml
	@sed -i.old '1i # Every package of a working copy, pinned with its hashes; `make lock` writes it anew.' requirements/dev.txt
	@rm requirements/dev.txt.old

clean: ## Remove what can be made again
	rm -rf $(VENV) .cache .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist site *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help setup demo test wheel-smoke lowest lint bench bench-redact bench-locate bench-bulk fuzz docs check samples lock clean
