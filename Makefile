# SPDX-License-Identifier: Apache-2.0
#
# For people; what is built and how is in meson.build.
#
#   make            build/spanloom and build/spanloom.so (WERROR=1: warnings are errors, when build/ is new)
#   make demo       build, then show what it does
#   make plots      build what draws pictures, too, which `spanloom plot` needs (node and npm, the npm registry once)
#   make check      every test, in gcc's build and in clang's, sanitized; `make bless` takes over what programs print now as what tests expect
#   make check-quick  between two changes: one build, and the tests that tell most in a minute (tests/run --help: --quick)
#   make check-peers  the tests with other programs, which need more than Debian's usual packages: viewers, PerfFlowAspect
#   make soak       kill traced programs KILLS=10000 times, and see that nothing is lost
#   make failures   let FAILURES=300 system calls of each kind fail in each command, and see that it is said
#   make fuzz       fuzz each target (FUZZ=NAME for one) for SECONDS=60
#   make pictures   draw docs/pictures/ anew, from the runs in examples/
#   make bench      measure speed and memory
#   make coverage   how often intervals of experiments hold the truth, of STUDIES=200 made studies of each kind
#   make install    to PREFIX=/usr/local (DESTDIR is honoured)
#   make format     clang-format the C code
#   make clean

PREFIX ?= /usr/local
SECONDS ?= 60
KILLS ?= 10000
FAILURES ?= 300
STUDIES ?= 200

all: build/build.ninja
	@ninja -C build

build/build.ninja: | setup
	@meson setup build --prefix $(PREFIX) $(if $(WERROR),-Dwerror=true)

setup:
	@tools/setup build

demo: setup-demo all
	@PATH="$(CURDIR)/build:$$PATH" tools/demo

plots: setup-plots build/build.ninja
	@tools/build-page
	@meson configure build -Dplots=enabled
	@ninja -C build

check: setup-check
	@tests/run

check-quick: setup-check
	@tests/run --quick

check-peers: setup-peers
	@tests/run --peers

bless: setup-check
	@tests/run --bless

soak: setup-check
	@KILLS=$(KILLS) TIMEOUT=36000 tests/run --only runtime/crash

failures: setup-check
	@FAILURES=$(FAILURES) TIMEOUT=36000 tests/run --only faults/failing_calls

fuzz: setup-fuzz
	@tests/fuzz/run $(SECONDS) $(FUZZ)

pictures: plots
	@PATH="$(CURDIR)/build:$$PATH" tools/pictures

bench: setup-bench all
	@bench/run

coverage: setup-demo all
	@bench/coverage $(STUDIES)

install: all
	@meson configure build --prefix $(PREFIX)
	@meson install -C build

setup-%:
	@tools/setup $*

format:
	@git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format -i

clean:
	@rm -rf build build-* page/dist/* page/node_modules
	@find . -name '*.err' -delete

.PHONY: all pictures setup demo plots check check-quick check-peers bless soak failures fuzz bench coverage install format clean
