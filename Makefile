# Everything a person runs. `make demo` and `make test` set themselves up; build/ and .venv are not tracked.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
N ?= 100
SEED ?= 1
SECONDS ?= 600
OPERATIONS ?= 50000

.PHONY: demo test test-slow coverage formal bench bench-axi4 bench-emit bench-normalise native qor fuzz deadlocks
.PHONY: fuzz-decoders lint races
.PHONY: clean help tools compilers

# Verilator compiles what it simulates; where nothing can, the demo runs on the Python simulator.
DEMO_SIMULATOR := $(if $(shell command -v g++),verilator,python)

demo: $(VENV)/sim.stamp | $(if $(filter verilator,$(DEMO_SIMULATOR)),compilers)
	@if [ $(DEMO_SIMULATOR) = python ]; then \
	  echo "There is no g++ here: the demo runs on the Python simulator, which is slow."; \
	fi
	$(BIN)/fabricgen examples spatial-local -o build/demo
	$(BIN)/fabricgen emit build/demo/fabric.toml -o build/demo/rtl
	$(BIN)/fabricgen simulate build/demo/fabric.toml build/demo/mapping.toml build/demo/workload.toml \
	  --seed 1 --simulator $(DEMO_SIMULATOR)

test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m "not slow" -n $(JOBS)

test-slow: $(VENV)/dev.stamp
	@$(BIN)/python -m pip install -q -e '.[fuzz]' || echo "There is no atheris here: its tests are skipped."
	$(BIN)/python -m pytest -m slow -n $(JOBS)

# Lines and branches of the packages before `rtl`, by the tests that build no hardware.
coverage: $(VENV)/dev.stamp
	rm -rf build/coverage
	mkdir -p build/coverage
	$(BIN)/python -m coverage run -m pytest -q -m "not slow" -n $(JOBS) \
	  $$($(BIN)/python -m tools.covered_tests)
	$(BIN)/python -m coverage combine -q
	$(BIN)/python -m coverage report --fail-under=100

formal: $(VENV)/dev.stamp
	$(BIN)/python -m pytest tests -m formal -n $(JOBS) --formal-json=build/formal.json

bench: $(VENV)/dev.stamp
	$(BIN)/python -m sim.bench_suite

# Rates of the AXI4 manager adapter, and what limits them.
bench-axi4: $(VENV)/dev.stamp
	$(BIN)/python -m tools.axi4_rates

# Processor time of `fabricgen emit` on the examples and on 4 to 64 rows of 1 to 8 ports.
bench-emit: $(VENV)/dev.stamp
	$(BIN)/python -m tools.emit_bench

bench-normalise: $(VENV)/dev.stamp
	$(BIN)/python -m tools.normalise_bench

# Every datapath family on its emitted Verilog as a native program.
native: $(VENV)/dev.stamp
	$(BIN)/python -m sim.native --full --json build/native.json

qor: $(VENV)/dev.stamp
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m tools.qor

fuzz: $(VENV)/dev.stamp
	$(BIN)/python -m sim.fuzz --count $(N) --seed $(SEED) --search $$((5 * $(N))) --jobs $(JOBS)

# Rows and AXI4 masters race at one service: every history must have a legal order.
races: $(VENV)/dev.stamp
	$(BIN)/python -m sim.races --operations $(OPERATIONS) --seed $(SEED) --build-dir build/races

# Channels of N random engines are dead, one after the other.
deadlocks: $(VENV)/dev.stamp
	$(BIN)/python -m sim.deadlocks --count $(N) --seed $(SEED) --jobs $(JOBS)

# Coverage-guided: SECONDS of processor time on each decoder.
fuzz-decoders: $(VENV)/dev.stamp
	$(BIN)/python -m pip install -q -e '.[fuzz]'
	$(BIN)/python -m tools.fuzz_decoders --seconds $(SECONDS)

lint: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --pythonpath $(BIN)/python

# The README says what each target does.
help:
	@grep '^    make ' README.md

clean:
	rm -rf build dist *.egg-info .pytest_cache .ruff_cache .hypothesis

# What only the system can provide; everything else comes from the virtual environment.
tools:
	@missing=; \
	command -v $(PYTHON) >/dev/null || missing="$$missing python3"; \
	$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || missing="$$missing python3-venv"; \
	if [ -n "$$missing" ]; then \
	  echo "missing:$$missing; install with: apt-get install -y --no-install-recommends$$missing"; exit 1; \
	fi

# What Verilator needs from the system.
compilers:
	@missing=; \
	command -v g++ >/dev/null || missing="$$missing g++"; \
	ls /usr/lib/*/libpython3*.so* >/dev/null 2>&1 || missing="$$missing libpython3.11"; \
	if [ -n "$$missing" ]; then \
	  echo "missing:$$missing; install with: apt-get install -y --no-install-recommends$$missing"; exit 1; \
	fi

$(VENV)/bin/python: | tools
	$(PYTHON) -m venv $(VENV)

$(VENV)/sim.stamp: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e '.[sim]'
	@touch $@

$(VENV)/dev.stamp: pyproject.toml | $(VENV)/bin/python compilers
	$(BIN)/python -m pip install -q -e '.[dev]'
	@touch $@ $(VENV)/sim.stamp
