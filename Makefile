# SPDX-License-Identifier: GPL-2.0-only
# make help says what there is. O=DIR builds elsewhere, V=1 shows commands, SAN=address,undefined instruments.
# OVER=DIR: its files come before those of the same names in bpf/ and user/ (tests/recipe/README.md).

VERSION := 0.2.0
SAN     ?=
O       ?= $(if $(RELEASE),build/release-$(ARCH),$(if $(SAN),build/san,build))
CC      ?= gcc
CLANG   ?= $(firstword $(foreach c,clang-19 clang-16 clang-14,$(if $(shell command -v $(c)),$(c))) clang)
OBJCOPY ?= $(if $(filter %-gcc,$(CC)),$(CC:%gcc=%objcopy),objcopy)
BPFTOOL ?= $(firstword $(shell command -v bpftool 2>/dev/null) /usr/sbin/bpftool)
PREFIX  ?= /usr/local
ARCH    ?= $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))

# For the commands that install first: as many jobs as there are CPUs, unless make was told how many.
MAKE_ALL = $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
# And one more, which waits for a registry.
MAKE_MORE = $(MAKE_ALL:-j%=-j$(shell expr 1 + $$(nproc)))

ifeq ($(V),1)
Q :=
msg :=
else
Q := @
msg = @printf '  %-7s %s\n' '$(1)' '$(2)';
endif

WARN     := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Werror
OVER     ?=
OVER_INC := $(OVER:%=-I%) $(OVER:%=-I%/user)
CPPFLAGS := $(OVER_INC) -I. -Iuser -I$(O)/gen -D_GNU_SOURCE -DPYPERF_VERSION='"$(VERSION)"'
CFLAGS   := -std=gnu11 -O2 -g $(WARN) -fno-strict-aliasing -fstack-protector-strong -fPIE
LDFLAGS  := -pie -Wl,-z,relro,-z,now
LDLIBS   := -lcurl -ljson-c -lbpf -ldw -lelf -lmicrohttpd -lpcre2-8 -lz -llzma -liberty
ifneq ($(SYSROOT),) # headers and libraries of another architecture: tests/arm64.sh
CFLAGS   += --sysroot=$(SYSROOT)
endif
ifneq ($(SAN),)
CFLAGS   += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=undefined
LDFLAGS  += -fsanitize=$(SAN)
else
CFLAGS   += -D_FORTIFY_SOURCE=2
endif

# Kernel side. BPF code has no libc; only the uapi headers of the target architecture are needed.
BPF_CFLAGS := -target bpf -mcpu=v3 -O2 -g -std=gnu11 -Wall -Wextra -Wno-unused-parameter \
	      -Wno-missing-declarations -Werror -Ivmlinux $(OVER_INC) -I.
bpf_arch_include = -D__TARGET_ARCH_$(1) $(addprefix -idirafter , \
	/usr/include/$(if $(filter arm64,$(1)),aarch64,x86_64)-linux-gnu \
	$(SYSROOT:%=%/usr/include/aarch64-linux-gnu) /usr/include/$(shell uname -m)-linux-gnu)

USER_SRC := $(filter-out user/main.c,$(wildcard user/*.c user/*/*.c user/*/*/*.c))
USER_OBJ := $(USER_SRC:%.c=$(O)/%.o)
SYSCALLS := $(O)/gen/syscalls.inc
PAGE_INC := $(patsubst %,$(O)/gen/%.inc,page.html graph.html page.css page.js page.sum)
PAGE_JS  := $(sort $(wildcard user/page/*.js))
JSON_INC := $(patsubst docs/schemas/%,$(O)/gen/%.inc,$(wildcard docs/schemas/*.json))
GEN_HDR  := $(PAGE_INC) $(JSON_INC) $(SYSCALLS) $(O)/gen/commit.inc
SKEL     := $(O)/gen/pyperf.skel.h
LIB      := $(O)/libpyperf.a
BIN      := $(O)/pyperf-bpf
UNIT_SRC := $(filter-out %.bpf.c,$(wildcard tests/unit/*/*.c tests/unit/*/*/*.c))
# Unit tests are one program, and those of events/, with more kinds of events, another one. Programs of their
# own are those that say BY_ITSELF() (tests/forge/test.h), and those that have a main().
UNIT_SELF := $(shell grep -l '^BY_ITSELF\b' $(UNIT_SRC))
UNIT_MAIN := $(filter tests/unit/fuzz/%,$(UNIT_SRC)) $(shell grep -l '^int main\b' $(UNIT_SRC))
UNIT_OBJ := $(patsubst %.c,$(O)/%.o,$(filter-out $(UNIT_SELF) $(UNIT_MAIN),$(UNIT_SRC)))
EVENTS_OBJ := $(filter $(O)/tests/unit/events/%,$(UNIT_OBJ))
# Few files want the kernel side, which takes longer than anything else: the others do not wait for it.
SKEL_OBJ := $(patsubst %.c,$(O)/%.o,$(shell grep -l '"pyperf.skel.h"' $(USER_SRC) $(UNIT_SRC)))
UNIT_BIN := $(O)/tests/unit/all $(if $(EVENTS_OBJ),$(O)/tests/unit/events/all) \
	    $(patsubst %.c,$(O)/%,$(UNIT_SELF) $(UNIT_MAIN))
TOOL_BIN := $(patsubst %.c,$(O)/%,$(wildcard tests/oracle/oracle.c tests/oracle/step.c \
	    tests/oracle/step_native.c tests/oracle/functions.c tests/oracle/rows.c tests/layouts/show.c \
	    tests/guest/verifier.c tests/guest/shares.c tests/forge/refuse.c \
	    tests/bench/lines.c tests/forge/longest.c deploy/dist/pages.c)) $(O)/tests/forge/fail_malloc.so \
	    $(O)/tests/forge/odd_clock.so
include deploy/dist/dist.mk
LISTS    := $(patsubst %,docs/%.md,outcomes frames events labels states formats doctor \
	    findings) # list_rows.py
SCHEMA   := deploy/kubernetes/chart/values.schema.json

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: help all run check check-all check-rest check-long check-layers check-size check-format check-tests \
	format check-bare check-k8s check-guest check-big check-otlp \
	check-release matrix image unit fuzz soak check-san check-arm64 \
	bench bench-limits bench-page deps arm64 clean install \
	compile_commands.json

help: ## what there is to make
	@awk -F':.*## ' '/^[a-z0-9_.-]+:.*## / { printf "  make %-22s %s\n", $$1, $$2 }' Makefile \
		deploy/dist/dist.mk

all: $(BIN) ## the profiler: build/pyperf-bpf

run: deps-build ## install what is missing, build, profile every Python process for ten seconds
	$(Q)$(MAKE_ALL) all
	$(Q)sh deploy/demo/run.sh $(BIN)

check: deps-units ## install what is missing, build, test each capability: 10 minutes on two CPUs
	$(Q)$(MAKE_MORE) deps-check check-layers check-size check-format check-tests all \
		$(filter-out $(O)/tests/unit/fuzz/%,$(UNIT_BIN)) $(TOOL_BIN) $(LISTS) $(SCHEMA)
	$(Q)sh tests/check.sh $(O) check

check-all: deps ## the same with all tests that do not take hours, on every interpreter that is here
	$(Q)$(MAKE) --no-print-directory check-layers check-size check-format check-tests
	$(Q)$(MAKE_ALL) all tests
	$(Q)sh tests/check.sh $(O) all

check-rest: deps ## what check-all has beyond check, when that has just run
	$(Q)$(MAKE_ALL) all tests
	$(Q)sh tests/check.sh $(O) rest

check-long: ## the tests that take hours
	$(Q)sh deploy/deps.sh long
	$(Q)$(MAKE_ALL) all tests
	$(Q)sh tests/check.sh $(O) long

matrix: deps-build ## the table of docs/versions.md: what works on each interpreter that is here
	$(Q)$(MAKE_ALL) all $(TOOL_BIN)
	$(Q)PYPERF=$(abspath $(BIN)) PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/matrix.py

check-bare: ## run and check on a bare Debian 12 made here (root), as CI does; ALL=1: check-rest too
	$(Q)sh tests/bare.sh

check-k8s: deps ## a real Kubernetes node on this machine with deploy/kubernetes on it (tests/k8s/README.md)
	$(Q)$(MAKE_ALL) all
	$(Q)sh tests/k8s/check.sh $(O)

check-guest: deps-build ## Debian's own kernels, the service under a real systemd, in virtual machines (root)
	$(Q)$(MAKE_ALL) all $(O)/tests/guest/verifier $(O)/tests/guest/shares
	$(Q)status=0; for guest in pod users yama old systemd deb; do \
		sh tests/guest/$$guest.sh $(O) || status=1; done; exit $$status

check-otlp: deps ## pushes through a real collector of OpenTelemetry, built from its Go modules
	$(Q)$(MAKE_ALL) all
	$(Q)sh tests/collector/check.sh $(O)

check-big: deps-build ## a virtual machine of 128 CPUs; CPUS=32 PROCESSES=2000 SECONDS_EACH=30 for less
	$(Q)$(MAKE_ALL) all
	$(Q)sh tests/guest/big.sh $(O)

image: all ## the container image as an archive, without a registry: build/pyperf-bpf.tar
	$(Q)sh deploy/image.sh $(BIN) pyperf-bpf:$(VERSION) $(O)/pyperf-bpf.tar

check-layers: ## every room of bpf/ and user/ includes only what docs/design.md says it may
	$(Q)python3 deploy/tools/check_layers.py

check-size: ## files of at most 450 lines (tests: 500), functions of at most 60
	$(Q)python3 deploy/tools/check_size.py

check-format: ## 110 columns for code, 100 for text, white space of one kind, C as make format has it
	$(Q)python3 deploy/tools/check_format.py
	$(Q)python3 deploy/tools/format.py --check

format: ## the C files as .clang-format has them
	$(Q)python3 deploy/tools/format.py

check-tests: ## every source file of user/ has a unit test, or docs/testing.md says what tests it
	$(Q)python3 deploy/tools/check_tests.py

unit: units ## build and run the unit tests alone
	$(Q)sh tests/unit.sh $(O)

check-san: deps ## end-to-end tests of a build with the address and undefined-behaviour sanitizers
	$(Q)$(MAKE_ALL) SAN=address,undefined all build/san/tests/layouts/show build/san/tests/forge/longest
	$(Q)sh tests/sanitized.sh build/san

fuzz: ## libFuzzer on everything that parses; EACH=600 seconds a target, JOBS=2 at once, TARGETS="lines proc"
	$(Q)sh deploy/deps.sh fuzz
	$(Q)$(MAKE_ALL) O=build/fuzz CC=$(CLANG) SAN=fuzzer-no-link,address,undefined build/fuzz/libpyperf.a
	$(Q)CLANG=$(CLANG) sh tests/fuzz.sh build/fuzz

soak: deps-build ## HOURS=1 of everything at once beside changing programs; fails when the profiler grows
	$(Q)$(MAKE_ALL) all
	$(Q)PYPERF=$(abspath $(BIN)) PYTHONDONTWRITEBYTECODE=1 .cache/venv/bin/python tests/soak/soak.py \
		$(or $(HOURS),1) $(O)/soak

tests: $(UNIT_BIN) $(TOOL_BIN) arm64 clang-warnings $(LISTS) $(SCHEMA)

bench: deps-build ## measure cost and truth beside other profilers; ARGS=--quick: 9 minutes
	$(Q)$(MAKE_ALL) all $(addprefix $(O)/tests/bench/,hot lines switches)
	$(Q)PYPERF=$(abspath $(BIN)) /usr/bin/python3 tests/bench/bench.py --build $(O) $(ARGS)

bench-limits: deps-build ## check the cost of eight busy threads, and of deep stacks, against its limits
	$(Q)$(MAKE_ALL) all
	$(Q)PYPERF=$(abspath $(BIN)) /usr/bin/python3 tests/bench/cost.py --check
	$(Q).cache/venv/bin/python tests/bench/deep.py $(BIN)

bench-page: deps-build ## measure what open pages cost the profiler, and a browser
	$(Q)$(MAKE_ALL) all
	$(Q).cache/venv/bin/python tests/bench/page.py $(abspath $(BIN))

deps: deps-build ## install what building and testing need (Debian, root)
	$(Q)sh deploy/deps.sh test

.PHONY: deps-build deps-units deps-check tests units clang-warnings
deps-build deps-units deps-check:
	$(Q)sh deploy/deps.sh $(@:deps-%=%)

units: $(UNIT_BIN)

# --- kernel side ---------------------------------------------------------------------------------------
BPF_HDR := $(wildcard bpf/*.h bpf/*.def bpf/*/*.h vmlinux/*.h vmlinux/*/*.h \
	   $(OVER:%=%/bpf/*.def) $(OVER:%=%/bpf/*/*.h))
BPF_SRC := $(or $(wildcard $(OVER:%=%/bpf/pyperf.bpf.c)),bpf/pyperf.bpf.c)

$(O)/%.bpf.o: %.bpf.c $(BPF_HDR)
	@mkdir -p $(@D)
	$(call msg,BPF,$@)
	$(Q)$(CLANG) $(BPF_CFLAGS) $(call bpf_arch_include,$(ARCH)) -c $< -o $@

$(O)/tests/bench/hot.bpf.o: tests/bench/bench.h
$(O)/tests/forge/longest.bpf.o: tests/forge/longest.h

$(SKEL_OBJ): | $(SKEL)

# A BPF object with its programs and maps as a structure of C.
$(O)/gen/pyperf.skel.h: $(BPF_SRC:%.c=$(O)/%.o)
$(O)/gen/driven.skel.h: $(O)/tests/unit/driven/driven.bpf.o
$(O)/gen/hot.skel.h: $(O)/tests/bench/hot.bpf.o
$(O)/gen/switches.skel.h: $(O)/tests/bench/switches.bpf.o
$(O)/gen/spin.skel.h: $(O)/tests/unit/kern/spin.bpf.o
$(O)/gen/longest.skel.h: $(O)/tests/forge/longest.bpf.o
$(O)/gen/same_walk.skel.h: $(O)/tests/guest/same_walk.bpf.o
$(O)/gen/%.skel.h:
	@mkdir -p $(@D)
	$(call msg,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $(filter %.bpf.o,$^) name $* > $@

docs/outcomes.md: bpf/outcomes.def bpf/natives.def bpf/stats.def
docs/frames.md: bpf/frames.def
docs/events.md: bpf/events.def
docs/labels.md: user/profile/labels.def
docs/states.md: bpf/states.def
docs/formats.md: user/formats/formats.def
docs/doctor.md: user/doctor/checks.def
docs/findings.md: user/findings/rules.def
$(SCHEMA): user/options/options.def deploy/tools/chart_options.py
	$(Q)python3 deploy/tools/chart_options.py $@
$(LISTS): deploy/tools/list_rows.py
	$(Q)python3 deploy/tools/list_rows.py $(basename $(@F)) > $@

clang-warnings: $(GEN_HDR) $(SKEL) ## the user side under clang's warnings too
	$(call msg,CLANG,user)
	$(Q)$(CLANG) $(CPPFLAGS) $(filter-out -D_FORTIFY_SOURCE=2,$(CFLAGS)) -fsyntax-only user/main.c \
		$(USER_SRC)

arm64: ## compile the kernel side for arm64 (it cannot be loaded here)
	@mkdir -p $(O)/arm64
	$(call msg,BPF,$(O)/arm64/pyperf.bpf.o)
	$(Q)$(CLANG) $(BPF_CFLAGS) $(call bpf_arch_include,arm64) -c bpf/pyperf.bpf.c \
		-o $(O)/arm64/pyperf.bpf.o

check-arm64: ## build all for arm64, test it under qemu-user, profile in virtual machines of that kind
	$(Q)sh deploy/deps.sh arm64
	$(Q)status=0; for script in arm64 guest/arm64; do sh tests/$$script.sh $(O) || status=1; done; \
		exit $$status

check-release: ## what CI does not run, and a table of it in build/release; ONLY=check-san,soak chooses
	$(Q)python3 tests/release.py $(O)/release

# --- user side -----------------------------------------------------------------------------------------
# Which commit this is, for --version. Written only when it is another one.
COMMIT = $(shell git describe --always --dirty --exclude='*' --abbrev=12 2>/dev/null || echo unknown)
$(O)/gen/commit.inc: FORCE
	@mkdir -p $(@D)
	@echo '#define PYPERF_COMMIT "$(COMMIT)"' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
FORCE:

$(O)/user/main.o: $(O)/gen/commit.inc # main.c is in no library: no test is linked again for it

# What says the version is made again when that has changed.
$(patsubst %.c,$(O)/%.o,$(shell grep -rl --include='*.c' PYPERF_VERSION user tests/unit)): Makefile

# The names of system calls, by their numbers on the target architecture.
$(SYSCALLS): Makefile
	@mkdir -p $(@D)
	$(Q)echo '#include <asm/unistd.h>' | $(CC) $(CPPFLAGS) $(CFLAGS) -E -dM - | \
		sed -n 's/^#define \(__NR[0-9]*_[a-z0-9_]* [_a-zA-Z0-9]*\)$$/\1/p' | \
		awk '{ value[$$1] = $$2 } END { for (name in value) if (name ~ /^__NR_/) { \
			n = value[name] in value ? value[value[name]] : value[name]; \
			if (n ~ /^[0-9]+$$/ && n < 1000) print "SYSCALL(" substr(name, 6) ", " n ")" } }' | \
		sort > $@

# The page's files as bytes of a C array. Its scripts are one file there, in strict mode.
$(O)/gen/page.js: $(PAGE_JS) Makefile
	@mkdir -p $(@D)
	$(Q)(echo '"use strict";'; cat $(PAGE_JS)) > $@

# By its sum a browser knows that a script in a file is the one that it may run.
$(O)/gen/page.sum.inc: $(O)/gen/page.js
	$(Q)sha256sum < $< | sed 's/\([0-9a-f][0-9a-f]\)/0x\1,/g; s/ .*//' > $@

$(O)/gen/page.js.inc: $(O)/gen/page.js
	$(Q)od -An -v -tu1 $< | sed 's/ *\([0-9][0-9]*\)/\1,/g' > $@

$(O)/gen/%.inc: user/page/%
	@mkdir -p $(@D)
	$(Q)od -An -v -tu1 $< | sed 's/ *\([0-9][0-9]*\)/\1,/g' > $@

$(O)/gen/%.json.inc: docs/schemas/%.json
	@mkdir -p $(@D)
	$(Q)od -An -v -tu1 $< | sed 's/ *\([0-9][0-9]*\)/\1,/g' > $@

$(O)/user/page/pieces.o: $(PAGE_INC)
$(O)/user/run/schema.o: $(JSON_INC)

$(O)/%.o: %.c | $(GEN_HDR)
	@mkdir -p $(@D)
	$(call msg,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(LIB): $(USER_OBJ)
	$(call msg,AR,$@)
	$(Q)rm -f $@ && ar qcs $@ $^ # q: several folders have a file.o

$(BIN): $(O)/user/main.o $(LIB)
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

# --- tests ---------------------------------------------------------------------------------------------
$(O)/tests/%: tests/%.c $(LIB) | $(GEN_HDR)
	@mkdir -p $(@D)
	$(call msg,TEST,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes -MMD -MP $(LDFLAGS) $< $(TEST_OBJ) $(LIB) \
		$(LDLIBS) $(TEST_LIBS) -o $@

# For LD_PRELOAD.
$(O)/tests/forge/%.so: tests/forge/%.c
	@mkdir -p $(@D)
	$(call msg,TEST,$@)
	$(Q)$(CC) -std=gnu11 -O2 -g $(WARN) -Wno-missing-prototypes -shared -fPIC $< -o $@

# Not the tools: make bench does without what only tests need. protobuf-c judges what is written as pprof, in
# the programs that use it.
$(O)/tests/unit/%: TEST_LIBS := -lcmocka -Wl,--as-needed -lprotobuf-c
$(O)/gen/profile.pb-c.c $(O)/gen/profile.pb-c.h &: tests/forge/profile.proto
	@mkdir -p $(O)/gen
	$(call msg,PROTOC,$@)
	$(Q)protoc-c --c_out=$(O)/gen -Itests/forge $<

PEER := $(O)/gen/libprofile.a
$(PEER): $(O)/gen/profile.pb-c.c
	$(call msg,CC,$@)
	$(Q)rm -f $@ && $(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $(<:.c=.o) && ar qcs $@ $(<:.c=.o)

# Without optimization, which takes a third of the time. _FORTIFY_SOURCE wants to have it.
UNIT_CFLAGS := -O0 -U_FORTIFY_SOURCE -Wno-missing-prototypes

# What each program of unit tests has besides: main(), unless it has its own, and malloc().
TEST_MAIN   := $(O)/tests/forge/run_tests.o
TEST_MALLOC := $(O)/tests/forge/own_malloc.o
$(UNIT_MAIN:%.c=$(O)/%): TEST_OBJ := $(TEST_MALLOC) $(PEER)
$(UNIT_SELF:%.c=$(O)/%): TEST_OBJ := $(TEST_MAIN) $(TEST_MALLOC) $(PEER)
$(UNIT_MAIN:%.c=$(O)/%): $(TEST_MALLOC) $(PEER)
$(UNIT_SELF:%.c=$(O)/%): $(TEST_MAIN) $(TEST_MALLOC) $(PEER)

# The sampler on the host is compiled into each of these, with its tables: nobody else sees them.
HOSTED_OBJ := $(filter $(O)/tests/unit/bpf/% $(O)/tests/unit/events/test_sampler.o,$(UNIT_OBJ))
hide_names  = $(Q)$(if $(filter $@,$(HOSTED_OBJ)),$(OBJCOPY) -w --localize-symbol='*' $@)

$(UNIT_OBJ): $(O)/%.o: %.c | $(GEN_HDR) $(O)/gen/profile.pb-c.h
	@mkdir -p $(@D)
	$(call msg,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(UNIT_CFLAGS) -MMD -MP -c $< -o $@
	$(hide_names)

# Tests with more kinds of events than there are: what depends on the list is compiled once more for them.
MORE     := -Itests/forge/more
MORE_OBJ := $(patsubst %.c,$(O)/more/%.o,$(wildcard user/profile/*.c user/views/*.c user/formats/*.c \
	    user/tree/harvest.c user/tree/window.c) \
	    user/stats/books.c user/stats/run_stats.c user/export/interval_push.c user/export/push_parts.c)

$(MORE_OBJ): $(O)/more/%.o: %.c | $(GEN_HDR)
	@mkdir -p $(@D)
	$(Q)$(CC) $(MORE) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(EVENTS_OBJ): CPPFLAGS := $(MORE) $(CPPFLAGS)

$(O)/tests/unit/all: $(TEST_MAIN) $(TEST_MALLOC) $(filter-out $(EVENTS_OBJ),$(UNIT_OBJ)) $(PEER) $(LIB)
$(O)/tests/unit/events/all: $(TEST_MAIN) $(TEST_MALLOC) $(EVENTS_OBJ) $(MORE_OBJ) $(PEER) $(LIB)
$(O)/tests/unit/all $(O)/tests/unit/events/all:
	$(call msg,LINK,$@)
	@rm -f $(filter $(@D)/%,$(UNIT_OBJ:%.o=%)) # which of these were programs of their own before
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) $(TEST_LIBS) -o $@

$(O)/tests/unit/driven/test_driven: $(O)/gen/driven.skel.h
$(O)/tests/bench/hot: $(O)/gen/hot.skel.h
$(O)/tests/bench/switches: $(O)/gen/switches.skel.h
$(O)/tests/forge/longest: $(O)/gen/longest.skel.h
$(O)/tests/unit/kern/test_grace.o $(O)/tests/unit/kern/test_records.o: $(O)/gen/spin.skel.h
$(O)/tests/guest/same_walk: $(O)/gen/same_walk.skel.h

# --- housekeeping --------------------------------------------------------------------------------------
install: all ## into PREFIX (/usr/local), with the service and, unless it has one, its configuration in /etc
	install -Dm755 $(BIN) $(DESTDIR)$(PREFIX)/bin/pyperf-bpf
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|/usr/local/bin/|$(PREFIX)/bin/|' deploy/pyperf-bpf.service \
		> $(DESTDIR)$(PREFIX)/lib/systemd/system/pyperf-bpf.service
	chmod 644 $(DESTDIR)$(PREFIX)/lib/systemd/system/pyperf-bpf.service
	[ -e $(DESTDIR)/etc/pyperf-bpf/pyperf-bpf.conf ] || \
		install -Dm644 deploy/pyperf-bpf.conf $(DESTDIR)/etc/pyperf-bpf/pyperf-bpf.conf

compile_commands.json: ## for editors and clang-tidy: bpf/, user/ and the tests
	$(Q)python3 deploy/tools/compile_commands.py \
		'$(CC) $(CPPFLAGS) $(CFLAGS)' $(USER_SRC) user/main.c $(UNIT_SRC) \
		$(filter-out %.bpf.c,$(wildcard tests/*/*.c)) -- \
		'$(CLANG) $(BPF_CFLAGS) $(call bpf_arch_include,$(ARCH))' $(BPF_SRC) \
		$(shell find tests -name '*.bpf.c') > $(or $(COMMANDS),$@)

clean: ## remove everything that was built
	rm -rf build compile_commands.json

-include $(shell find $(O) -name '*.d' 2>/dev/null)
