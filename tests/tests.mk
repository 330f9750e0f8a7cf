# SPDX-License-Identifier: GPL-2.0-or-later
# Everything behind `make run`, `make check` and the proofs. Included by the top Makefile.

FUZZ_TIME ?= 60
# Where lint has gcc's warnings as errors; a build of its own, unless the caller knows of one that was made with DEVELOPER=1.
LINT_B ?= build/gcc
FUZZ_BIN := $(FUZZ_SRC:tests/fuzz/%.c=build/fuzz/%)
BENCH_SRC := $(sort $(wildcard tests/bench/*.c))
BENCH_BIN := $(BENCH_SRC:tests/bench/%.c=$(B)/bench/%)
LONG_SRC := $(sort $(wildcard tests/long/*.c))
LONG_BIN := $(LONG_SRC:tests/long/%.c=$(B)/long/%)

ALL_SRC = $(LIB_SRC) $(RUN_SRC) runner/main.c runner/front/hackbench.c $(SUP_SRC) $(UNIT_SRC) $(BENCH_SRC) $(LONG_SRC) $(FUZZ_SRC)

.PHONY: install-compat install-perf-shim check-run test-run san-run tsan-run bench-run long-run fuzz-run fuzz-bins bench-bins long-bins install-check

help:
	@echo 'make run          set up, build, measure scenarios/quick.yaml, show the matrices'
	@echo 'make check        set up, build, run the tests (at most 8 minutes)'
	@echo 'make              build build/perfgrid'
	@echo 'make deps         install what the build and the tests need (root or sudo; else prints the line to type)'
	@echo 'make check-san    tests under the address and undefined-behaviour sanitizers'
	@echo 'make check-tsan   tests under the thread sanitizer'
	@echo 'make check-long   the long proofs: kills, full disk, valgrind, coverage, simulations, spreadsheets, peers'
	@echo 'make coverage     line coverage of the tests, per file'
	@echo 'make bench        costs of the runner against something run beside it'
	@echo 'make fuzz         every fuzzer for FUZZ_TIME seconds ($(FUZZ_TIME)) in all'
	@echo 'make lint         layers, sections, warnings of gcc and clang, format, shell scripts'
	@echo 'make generate     schema/ and docs/man/ from the rows'
	@echo 'make install      DESTDIR=, prefix=/usr/local'
	@echo 'make install-compat      the same, and the drop-ins hackbench and perf-bench'
	@echo 'make install-perf-shim   the same, and a perf that takes bench and hands the rest to the real perf'
	@echo 'make clean'
	@echo 'Variables: V=1, VARIANT=release|debug|san|tsan|cov, DEVELOPER=1 (warnings are errors), CC=clang'

# Set-up first, then a fresh make: what pkg-config says is read when make starts.
deps:
	@contrib/deps.sh check

run:
	@contrib/deps.sh build
	@$(MAKE) --no-print-directory all
	build/perfgrid run --show scenarios/quick.yaml

check:
	@contrib/deps.sh check
	@$(MAKE) --no-print-directory -j2 check-run

check-run: all $(B)/hackbench unit-bins
	@tests/run-all.sh $(B)

check-san:
	@contrib/deps.sh check
	@$(MAKE) --no-print-directory -j2 VARIANT=san san-run

san-run: $(B)/perfgrid unit-bins
	@tests/run-all.sh $(B) san

check-tsan:
	@contrib/deps.sh check
	@$(MAKE) --no-print-directory -j2 VARIANT=tsan tsan-run

# Only what has threads: base, model, stats, plan and store have none.
TSAN_BIN := $(foreach l,engine suites registry runner,$(filter $(B)/tests/test_$(l)_%,$(UNIT_BIN)))

tsan-run: $(B)/perfgrid $(TSAN_BIN)
	@tests/run-all.sh $(B) tsan

coverage:
	@contrib/deps.sh long
	@$(MAKE) --no-print-directory -j2 VARIANT=cov $(B:$(VARIANT)=cov)/perfgrid unit-bins
	@tests/long/coverage.sh build/cov

bench:
	@contrib/deps.sh long
	@$(MAKE) --no-print-directory -j2 all bench-bins
	@$(MAKE) --no-print-directory bench-run

bench-bins: $(BENCH_BIN)

bench-run:
	@tests/bench/run.sh $(B)

check-long:
	@contrib/deps.sh long
	@$(MAKE) --no-print-directory -j2 all unit-bins bench-bins long-bins
	@tests/long/run.sh $(B)

long-bins: $(LONG_BIN)

$(B)/bench/%: $(B)/tests/bench/%.o $(B)/librunner.a $(LIB)
	@mkdir -p $(@D)
	@[ "$(V)" = 1 ] || echo "  LINK  $@"
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(PKG_LIBS)

$(B)/long/%: $(B)/tests/long/%.o $(B)/librunner.a $(LIB)
	@mkdir -p $(@D)
	@[ "$(V)" = 1 ] || echo "  LINK  $@"
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(PKG_LIBS)

fuzz:
	@contrib/deps.sh lint
	@$(MAKE) --no-print-directory -j2 VARIANT=fuzz fuzz-bins
	@tests/fuzz/run.sh $(FUZZ_TIME)

fuzz-bins: $(FUZZ_BIN)

build/fuzz/fuzz_%: build/fuzz/tests/fuzz/fuzz_%.o build/fuzz/libperfgrid.a
	@[ "$(V)" = 1 ] || echo "  LINK  $@"
	$(Q)clang -fsanitize=fuzzer,address,undefined $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

lint:
	@contrib/deps.sh lint
	@$(MAKE) --no-print-directory -j2 all
	@$(MAKE) --no-print-directory -j2 DEVELOPER=1 CC=gcc B=$(LINT_B) $(LINT_B)/perfgrid unit-bins bench-bins long-bins
	@echo $(ALL_SRC) | xargs -P 2 -n 12 clang $(CPPFLAGS) -std=c11 -O2 $(WARN) -Werror -fsyntax-only -ffp-contract=off
	@tests/lint.sh $(B)

generate: build/perfgrid
	@mkdir -p docs/man
	build/perfgrid schema > schema/perfgrid.schema.json
	build/perfgrid generate man > docs/man/perfgrid.1

install: build/perfgrid
	install -D -m 755 build/perfgrid $(DESTDIR)$(bindir)/perfgrid
	install -D -m 644 docs/man/perfgrid.1 $(DESTDIR)$(mandir)/man1/perfgrid.1
	install -d $(DESTDIR)$(datadir)/scenarios
	install -m 644 scenarios/*.yaml $(DESTDIR)$(datadir)/scenarios/
	install -D -m 644 schema/perfgrid.schema.json $(DESTDIR)$(datadir)/schema/perfgrid.schema.json

# A program of that name that is not ours is not touched; FORCE=1 for those who mean it.
ours = [ ! -e $(1) ] || [ "$(FORCE)" = 1 ] || grep -qa 'perfgrid' $(1)

# The drop-ins by their own names; a perf that knows `bench` is a step of its own, for it stands before the real one.
install-compat: install build/hackbench
	@for f in hackbench perf-bench; do f=$(DESTDIR)$(bindir)/$$f; $(call ours,$$f) || { echo "$$f is another program; remove it, choose another prefix, or FORCE=1"; exit 1; }; done
	[ -L build/hackbench ] && ln -sf perfgrid $(DESTDIR)$(bindir)/hackbench || install -m 755 build/hackbench $(DESTDIR)$(bindir)/hackbench
	ln -sf perfgrid $(DESTDIR)$(bindir)/perf-bench

install-perf-shim: install
	@f=$(DESTDIR)$(bindir)/perf; $(call ours,$$f) || { echo "$$f is another program, and the shim needs it; choose another prefix that comes first on PATH, or FORCE=1"; exit 1; }
	install -m 755 contrib/perf-shim $(DESTDIR)$(bindir)/perf

uninstall:
	@for f in hackbench perf-bench perf; do f=$(DESTDIR)$(bindir)/$$f; FORCE=; if [ -e $$f ] || [ -L $$f ]; then if $(call ours,$$f); then rm -f $$f; fi; fi; done
	rm -f $(DESTDIR)$(bindir)/perfgrid $(DESTDIR)$(mandir)/man1/perfgrid.1
	rm -rf $(DESTDIR)$(datadir)

-include $(BENCH_SRC:%.c=$(B)/%.d) $(LONG_SRC:%.c=$(B)/%.d) $(FUZZ_SRC:%.c=build/fuzz/%.d)
