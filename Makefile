# perfgrid. `make help` lists the targets. GNU make; Linux; gcc or clang.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all
comma := ,
.SUFFIXES:

V ?= 0
Q := $(if $(filter 1,$(V)),,@)
VARIANT ?= release
CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
DESTDIR ?=
prefix ?= /usr/local
bindir ?= $(prefix)/bin
mandir ?= $(prefix)/share/man
datadir ?= $(prefix)/share/perfgrid
B := build/$(VARIANT)
# Layers to build; a subset (DIRS="base model") builds and tests only those and needs nothing above them.
DIRS ?= base model stats engine suites registry plan store

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wundef -Wvla -Wwrite-strings -Wcast-qual -Wpointer-arith -Wformat=2 -Wswitch-enum -Wnull-dereference -Wdouble-promotion
ifeq ($(DEVELOPER),1)
WARN += -Werror
endif
OPT_release := -O2 -g
OPT_debug := -O0 -g3
OPT_san := -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined -DPG_SANITIZED=1
OPT_tsan := -O1 -g1 -fno-omit-frame-pointer -fsanitize=thread -DPG_SANITIZED=1
OPT_cov := -O0 -g --coverage -DPG_COVERAGE=1
OPT_fuzz := -O1 -g1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -DPG_SANITIZED=1
ifeq ($(VARIANT),fuzz)
CC := clang
endif
PKGS := yaml-0.1 jansson libRmath
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
# Every rep executes this program anew, and each shared library costs it some tenths of a millisecond: the four small ones come
# from their archives where the compiler finds them. LINK_LIBS=shared for distributions.
LINK_LIBS ?= archives
archive = $(if $(filter archives,$(LINK_LIBS)),$(filter /%,$(shell $(CC) -print-file-name=lib$(1).a)))
PKG_LIBS := $(shell pkg-config --libs-only-L $(PKGS) 2>/dev/null) $(foreach l,yaml jansson Rmath csv,$(or $(call archive,$(l)),-l$(l))) -lm -pthread
CHECK_LIBS := $(shell pkg-config --libs check 2>/dev/null)
CPPFLAGS += -D_GNU_SOURCE -Isrc -I. $(PKG_CFLAGS)
CFLAGS_ALL := -std=c11 $(OPT_$(VARIANT)) $(WARN) -ffp-contract=off -fno-common -pthread -MMD -MP $(CFLAGS)
LDFLAGS_ALL := $(filter -fsanitize=% --coverage,$(subst fuzzer-no-link$(comma),,$(OPT_$(VARIANT)))) $(LDFLAGS)

LIB_SRC := $(sort $(foreach d,$(DIRS),$(wildcard src/$(d)/*.c)))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o)
LIB := $(B)/libperfgrid.a
RUN_SRC := $(filter-out runner/main.c,$(sort $(wildcard runner/*.c)))
RUN_OBJ := $(RUN_SRC:%.c=$(B)/%.o)
# What unit tests share; fake worlds need all layers.
SUP_SRC := $(if $(findstring store,$(DIRS)),$(sort $(wildcard tests/support/*.c)),tests/support/pgtest.c)
SUP_OBJ := $(SUP_SRC:%.c=$(B)/%.o)
# As archives, so that a program of tests carries, links and starts with what it uses alone: there are many of them.
TEST_LIBS := $(B)/libsupport.a $(if $(findstring store,$(DIRS)),$(B)/librunner.a) $(LIB)
# tests/unit/DIR_NAME/test_x.c would need a list; the layer stands first in the name instead: test_base_num.c.
UNIT_SRC := $(sort $(foreach d,$(DIRS),$(wildcard tests/unit/test_$(d)_*.c)) $(if $(findstring store,$(DIRS)),$(wildcard tests/unit/test_runner_*.c)))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/%)
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))

.PHONY: all deps deps-check run check check-long check-san check-tsan coverage bench fuzz lint generate install uninstall clean help \
	unit cli corpus unit-bins

all: build/perfgrid build/hackbench build/perf-bench

-include tests/tests.mk

build/perfgrid: $(B)/perfgrid
	$(Q)mkdir -p build && cp -f $< $@.tmp && mv -f $@.tmp $@

$(B)/perfgrid: $(B)/runner/main.o $(RUN_OBJ) $(LIB)
	@[ "$(V)" = 1 ] || echo "  LINK  $@"
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(PKG_LIBS)

# The drop-ins are links to perfgrid; hackbench is a program of its own where it can be linked statically: loading all of perfgrid would take longer
# than its smallest run.
FRONT_OBJ := $(addprefix $(B)/runner/,front/hackbench.o compat_hackbench.o compat_hackbench_options.o dropin.o dropin_ready.o dropin_signal.o report.o world.o)
STATIC := $(if $(filter release debug,$(VARIANT)),$(call archive,c))

$(B)/hackbench: $(if $(STATIC),$(FRONT_OBJ) $(LIB),$(B)/perfgrid)
	@[ "$(V)" = 1 ] || echo "  LINK  $@"
	$(Q)$(if $(STATIC),$(CC) -static $(LDFLAGS_ALL) -o $@ $^ -lm -pthread,ln -sf perfgrid $@)

build/hackbench: $(B)/hackbench build/perfgrid
	$(Q)$(if $(STATIC),cp -f $< $@.tmp && mv -f $@.tmp $@,ln -sf perfgrid $@)

build/perf-bench: build/perfgrid
	$(Q)ln -sf perfgrid $@

$(LIB): $(LIB_OBJ)
$(B)/librunner.a: $(RUN_OBJ)
$(B)/libsupport.a: $(SUP_OBJ)
$(LIB) $(B)/librunner.a $(B)/libsupport.a:
	@[ "$(V)" = 1 ] || echo "  AR    $@"
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/%.o: %.c
	@mkdir -p $(@D)
	@[ "$(V)" = 1 ] || echo "  CC    $<"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -c -o $@ $<

# The walks of numa/mem are loops of a cycle or two a word: their speed must not depend on where the code before them happens to end.
$(B)/src/suites/numa_walk.o: CFLAGS_ALL += -falign-loops=64

$(B)/tests/%: $(B)/tests/unit/%.o $(TEST_LIBS)
	@mkdir -p $(@D)
	@[ "$(V)" = 1 ] || echo "  LINK  $@"
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(PKG_LIBS) $(CHECK_LIBS)

unit-bins: $(UNIT_BIN)

-include $(LIB_OBJ:.o=.d) $(RUN_OBJ:.o=.d) $(SUP_OBJ:.o=.d) $(B)/runner/main.d $(B)/runner/front/hackbench.d $(UNIT_SRC:%.c=$(B)/%.d)

clean:
	rm -rf build
