# One command each: `make run`, `make test`. `make help` lists the rest.
# Stamp files tell what is done already, so a second call does only what changed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check -qq
PYTEST := $(BIN)/python -m pytest

FOLDERS := core_cy search arena web service clients proto
SOURCES := $(shell find $(FOLDERS) -name '*.pyx' -o -name '*.pxd' -o -name '*.proto')
# Random games of every game and set-up, whole recorded games, searches with every parameter at its bounds, and odd
# input: enough to walk all of the C code.
# What runs compiled code; words and pictures are made in Python.
SANITIZED_TESTS := $(addprefix tests/contract/test_,contract.py encoding.py reveals.py round_trip.py views.py weights.py) \
    $(wildcard $(addprefix tests/*/test_,conservation.py golden.py properties.py))

.DELETE_ON_ERROR:
.PHONY: help build run demo test check lint lint-deploy image-check integration sanitize wheel release release-check \
    site bench lock clean distclean

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# --- set-up ---

$(VENV)/pip.stamp:
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else f"Pythia needs Python 3.11 or newer; $(PYTHON) is {sys.version.split()[0]}")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/packages.stamp: requirements-dev.lock | $(VENV)/pip.stamp
	$(PIP) install --requirement requirements-dev.lock
	@touch $@

# The extensions and protobuf code, in place. Also when a source is gone: hence the list of sources.
build/sources.txt: FORCE
	@mkdir -p build
	@echo '$(sort $(SOURCES))' | cmp -s - $@ || echo '$(sort $(SOURCES))' > $@

FORCE:

build/built.stamp: $(SOURCES) build/sources.txt setup.py $(VENV)/packages.stamp
	$(BIN)/python setup.py --quiet build_protos build_ext --inplace
	@touch $@

$(VENV)/installed.stamp: pyproject.toml setup.py $(VENV)/packages.stamp build/sources.txt | build/built.stamp
	PYTHIA_BUILT=1 $(PIP) install --no-build-isolation --no-deps --editable .
	@touch $@

build: build/built.stamp $(VENV)/installed.stamp ## Create .venv and build everything that changed

# --- use ---

run: build ## Start the service, show a bot game, serve until interrupted
	@$(BIN)/pythia run $(ARGS)

demo: build ## Start the service, show a bot game, exit
	@$(BIN)/pythia demo $(ARGS)

bench: build $(VENV)/bench.stamp ## Benchmarks (never part of the tests)
	$(BIN)/python -m tools.bench $(ARGS)

$(VENV)/bench.stamp: pyproject.toml requirements-dev.lock $(VENV)/installed.stamp
	PYTHIA_BUILT=1 $(PIP) install --no-build-isolation --constraint requirements-dev.lock --editable '.[bench]'
	@touch $@

# --- quality ---

test: build ## Every test that needs only Python packages
	$(PYTEST) -n auto -m 'not integration' $(ARGS)

$(VENV)/integration.stamp: requirements-integration.lock $(VENV)/packages.stamp
	$(PIP) install --requirement requirements-integration.lock
	@touch $@

$(VENV)/release.stamp: requirements-release.lock $(VENV)/packages.stamp
	$(PIP) install --requirement requirements-release.lock
	@touch $@

check: lint lint-deploy site $(VENV)/integration.stamp ## All of it: lint, types, tests with coverage, integration tests, sanitizers, wheel, site
	tests/integration-deps
	$(MAKE) sanitize
	$(MAKE) wheel
	$(PYTEST) --cov -n auto $(ARGS)

# proto/released.binpb is the contract of the last release; `make release` writes it.
lint: build ## ruff, cython-lint, mypy --strict, buf lint and buf breaking
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint $(filter %.pyx %.pxd,$(SOURCES))
	$(BIN)/mypy -p pythia
	$(BIN)/buf lint
	$(BIN)/buf breaking --against proto/released.binpb

lint-deploy: $(VENV)/release.stamp ## hadolint on the Dockerfile, kubernetes-validate on the manifests
	$(BIN)/hadolint deploy/Dockerfile
	$(BIN)/kubernetes-validate --strict --quiet deploy/kubernetes/*.yaml

image-check: lint-deploy ## Build the image without a container daemon and try it; needs root on Debian
	deploy/image-check $(ARGS)

# A build of its own, so that the editable install stays as it is. Python itself is not instrumented, hence the
# preloaded runtime, its own malloc, and no leak check (the interpreter keeps memory until it exits).
SANITIZED := build/sanitize
sanitize: build ## The engine tests on a build with address and undefined-behaviour sanitizers
	PYTHIA_CHECKED=1 PYTHIA_SANITIZE=address,undefined $(BIN)/python setup.py --quiet build \
	    --build-lib $(SANITIZED)/lib --build-temp $(SANITIZED)/temp
	export LD_PRELOAD="$$($${CC:-cc} -print-file-name=libasan.so) $$($${CC:-cc} -print-file-name=libubsan.so)" \
	    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	    PYTHONMALLOC=malloc PYTHONPATH=$(SANITIZED)/lib && \
	$(BIN)/python -c 'from pythia.core_cy import rng; assert "$(SANITIZED)" in rng.__file__, rng.__file__' && \
	$(PYTEST) -n auto -p no:cacheprovider -m 'not integration' $(SANITIZED_TESTS) $(ARGS)

# One wheel for CPython 3.11 and all that follow. The build in place is for this Python alone: its functions know their
# signatures, and calls are a little faster.
wheel: build ## sdist and abi3 wheel in dist/, checked in an empty environment away from the source tree
	rm -rf dist build/lib build/bdist* build/smoke
	PYTHIA_ABI3=1 $(BIN)/python -m build --outdir dist .
	$(PYTHON) -m venv build/smoke
	build/smoke/bin/pip --disable-pip-version-check -qq install dist/*.whl
	cd / && '$(CURDIR)/build/smoke/bin/python' '$(CURDIR)/tests/smoke.py'

# --- publishing ---

site: build $(VENV)/release.stamp ## The documentation as a site in build/site, every link checked
	$(BIN)/python -m tools.site

release: build ## VERSION=1.2.3: set the version, date the changelog, renew proto/released.binpb, commit and tag
	$(BIN)/python -m tools.release '$(VERSION)'

release-check: wheel $(VENV)/release.stamp ## What would be published: metadata, every Python found here, all extras
	$(BIN)/python -m tools.wheels

lock: $(VENV)/pip.stamp ## Write the lock files anew, with the newest versions that fit
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip --disable-pip-version-check -qq install uv
	build/lock/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev \
	    --no-emit-index-url --no-emit-find-links --no-annotate --no-header pyproject.toml --output-file build/lock/lock.txt
	{ echo '# Versions for development, made by `make lock`.'; cat build/lock/lock.txt; } > requirements-dev.lock
	build/lock/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra ray --extra browser --constraint requirements-dev.lock \
	    --no-emit-index-url --no-emit-find-links --no-annotate --no-header pyproject.toml --output-file build/lock/more.txt
	{ echo '# Versions for the integration tests, made by `make lock`.'; cat build/lock/more.txt; } > requirements-integration.lock
	build/lock/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --group release --constraint requirements-dev.lock --constraint requirements-integration.lock \
	    --no-emit-index-url --no-emit-find-links --no-annotate --no-header --output-file build/lock/release.txt
	{ echo '# Versions for deploy/, the site and releases, made by `make lock`.'; cat build/lock/release.txt; } > requirements-release.lock

clean: ## Remove what the build made
	rm -rf build dist .coverage* *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find $(FOLDERS) '(' -name '*.so' -o -name '*_pb2*.py*' ')' -delete
	find $(FOLDERS) tests -name __pycache__ -prune -exec rm -rf {} +

distclean: clean ## Remove .venv too
	rm -rf $(VENV)
