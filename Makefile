# make run | test | check | bench | fuzz | reference | lock. Only Python 3.11 or newer and make are needed (reference: Node.js
# too); the rest is fetched once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
TEMPLATES := templates

.PHONY: run test test-fast check bench fuzz reference node lock clean

run: $(STAMPS)/run
	$(BIN)/lanescope serve

# One worker a processor, up to eight. Each begins with a stretch of its own, so that what tests of a file share is made
# once, and takes over from the others when it is through.
SPREAD := -n logical --maxprocesses 8 --dist worksteal
# Of tests in browsers two at a time, since half of the time they wait for a page. Each worker has a server and a browser of
# its own; a file stays with one, so that what its tests share is made once.
BROWSERS := -n 2 --dist loadfile

# Of long products of tests this runs a slice; make fuzz runs them whole (tests/slices.py).
# Tests in real browsers run by themselves, after the others, so that they are not starved of processor time.
test: $(STAMPS)/dev $(STAMPS)/browser
	$(BIN)/python -m pytest $(SPREAD) -m "not browser"
	$(BIN)/python -m pytest $(BROWSERS) -m browser

test-fast: $(STAMPS)/dev
	$(BIN)/python -m pytest $(SPREAD) -m "not browser"

check: $(STAMPS)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/djlint $(TEMPLATES) --lint --quiet

bench: $(STAMPS)/dev
	$(BIN)/python -m tests.bench

# Spoilt files of every form through detection, reading and the engine: an exception, a line that is not accounted for or
# a slow sample is printed with its seed; python -m tests.readers.fuzz --seed N repeats it. Then the tests of which make test
# runs a slice, whole (FUZZ=1): every pair of their products, and twenty times as many random examples. Then the interface
# for programs. make fuzz SAMPLES=5000 FIRST=50000 for others.
SAMPLES ?= 50000
FIRST ?= 0
fuzz: $(STAMPS)/dev
	$(BIN)/python -m tests.readers.fuzz --count $(SAMPLES) --first $(FIRST)
	FUZZ=1 $(BIN)/python -m pytest $(SPREAD) -q $$(grep -rl --include='test_*.py' 'from tests.slices' tests)
	API_EXAMPLES=2000 $(BIN)/python -m pytest -q tests/live/test_api.py

# The engine against the protocol's own client on random streams (docs/reference.md); make reference COUNT=5000 for a slice.
COUNT ?= 100000
SEED ?= 1
CLIENT := build/reference
reference: node $(STAMPS)/dev $(CLIENT)/.installed
	$(BIN)/python -m tests.reference.judge --client $(CLIENT) --seed $(SEED) --count $(COUNT)

node:
	@command -v node >/dev/null && command -v npm >/dev/null || { \
	  echo "make reference needs Node.js with npm: it runs the protocol's own client. Nothing else here does." >&2; \
	  exit 1; }

# Both lock files anew, from pyproject.toml; for every platform, each file with its hash.
COMPILE := $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-annotate --no-header --quiet --upgrade --extra build
lock: $(STAMPS)/venv
	$(PIP) install uv
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) --extra dev pyproject.toml -o requirements-dev.lock

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build *.egg-info

# Stamps: each says what was installed, so that a second run has nothing to do. What the tests need includes what the
# program needs, so either may come first.
$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Lanescope needs Python 3.11 or newer; name it with make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/run: requirements.lock pyproject.toml | $(STAMPS)/venv
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(STAMPS)/dev: requirements-dev.lock $(STAMPS)/run
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

# The client, into a folder that git does not see.
ORACLE := package.json package-lock.json oracle.mjs
$(CLIENT)/.installed: $(ORACLE:%=tests/reference/%)
	@mkdir -p $(CLIENT) && cp $^ $(CLIENT)/
	npm ci --prefix $(CLIENT) --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Chromium: the one that is here, else Debian's package where we may install it, else Playwright's own.
$(STAMPS)/browser: $(STAMPS)/dev
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then apt-get update -qq && apt-get install -y -qq chromium; \
	else $(BIN)/playwright install chromium; fi
	@touch $@
