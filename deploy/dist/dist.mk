# SPDX-License-Identifier: GPL-2.0-only
# What a release is made of, in dist/: see docs/releasing.md. RELEASE=1 builds the program as it is in there: libc is
# all that it needs to start. This machine's libraries are linked in, but for libcurl, which it opens when it is there
# (user/net/libcurl.h), and libmicrohttpd, which is built without TLS.

comma := ,
ifneq ($(RELEASE),)
MHD      := .cache/dist/microhttpd-$(ARCH)
CPPFLAGS := -I$(MHD) $(CPPFLAGS) -DOPEN_LIBCURL
CFLAGS   += -ffile-prefix-map=$(CURDIR)=. -ffunction-sections -fdata-sections
BPF_CFLAGS += -ffile-prefix-map=$(CURDIR)=.
LDFLAGS  += -static-libgcc -Wl,--gc-sections
LDLIBS   := -L$(MHD) -Wl,-Bstatic -lmicrohttpd -ljson-c -lbpf -ldw -lelf -lpcre2-8 -lz -llzma \
	    -liberty -Wl,-Bdynamic
$(BIN): LDFLAGS += -Wl,-Map=$(O)/pyperf-bpf.map # parts.py reads it
GEN_HDR  += $(MHD)/libmicrohttpd.a

$(MHD)/libmicrohttpd.a: deploy/dist/microhttpd.sh
	$(call msg,MHD,$@)
	$(Q)sh deploy/dist/microhttpd.sh $(@D) $(if $(SYSROOT),aarch64-linux-gnu $(SYSROOT))

# The same with libc linked in, for musl and for systems whose glibc is older. It opens no libcurl.
STATIC := $(O)/static/pyperf-bpf
$(O)/static/libcurl.o: user/net/libcurl.c | $(GEN_HDR)
	@mkdir -p $(@D)
	$(call msg,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) -DNO_LIBCURL $(CFLAGS) -MMD -MP -c $< -o $@

$(STATIC): $(O)/user/main.o $(O)/static/libcurl.o $(LIB)
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(filter-out -pie,$(LDFLAGS)) -static-pie -Wl,-Map=$@.map $^ \
		$(filter-out -Wl$(comma)-B%,$(LDLIBS)) -o $@
endif

# --- dist/: all files of a release ---------------------------------------------------------------------
MACHINE := $(if $(filter arm64,$(ARCH)),aarch64,x86_64)
DEBIAN  := $(if $(filter arm64,$(ARCH)),arm64,amd64)
DIST    ?= dist
PAGES   ?= $(O)/deploy/dist/pages
STRIP   := $(if $(filter %-gcc,$(CC)),$(CC:%-gcc=%-strip),strip)
STAGE    = build/release-$(1)/stage/pyperf-bpf
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)

# A machine of x86-64 makes the files of arm64, too, with a cross compiler and the libraries of sysroot.sh.
CROSS_ROOT := .cache/arm64
CROSS      := $(if $(filter x86,$(ARCH)),arm64)

.PHONY: dist dist-files check-dist
dist: ## all files of a release, in dist/
	$(Q)sh deploy/deps.sh dist
	$(Q)rm -rf $(DIST) && mkdir -p $(DIST)
	$(Q)$(MAKE_ALL) RELEASE=1 ARCH=$(ARCH) dist-files
	$(Q)[ -z "$(CROSS)" ] || sh deploy/dist/sysroot.sh $(CROSS_ROOT)
	$(Q)[ -z "$(CROSS)" ] || $(MAKE_ALL) RELEASE=1 ARCH=arm64 CC=aarch64-linux-gnu-gcc \
		SYSROOT=$(CROSS_ROOT) PAGES=build/release-$(ARCH)/deploy/dist/pages dist-files
	$(Q)python3 deploy/dist/oci.py $(VERSION) $$SOURCE_DATE_EPOCH $(DIST)/pyperf-bpf-$(VERSION)-oci.tar \
		$(DEBIAN)=$(call STAGE,$(ARCH)) $(CROSS:arm64=arm64=$(call STAGE,arm64),$(CROSS_ROOT))
	$(Q)sh deploy/kubernetes/package.sh $(DIST)/pyperf-bpf-$(VERSION)-chart.tgz
	$(Q)cd $(DIST) && sha256sum -- *.* > SHA256SUMS
	$(Q)ls -l $(DIST)

check-dist: ## make dist twice, which must be the same, and each package in bare roots (root)
	$(Q)sh tests/dist/check.sh

# The files of one architecture, but for the image.
dist-files: $(BIN) $(STATIC) $(PAGES)
	$(call msg,DIST,$(MACHINE))
	$(Q)STRIP=$(STRIP) sh deploy/dist/stage.sh $(O) $(PAGES) $(VERSION) $(O)/stage $(SYSROOT)
	$(Q)STRIP=$(STRIP) sh deploy/dist/stage.sh $(O)/static $(PAGES) $(VERSION) $(O)/static/stage $(SYSROOT)
	$(Q)sh deploy/dist/tarball.sh $(O)/stage pyperf-bpf-$(VERSION)-$(MACHINE)-linux $(DIST)
	$(Q)sh deploy/dist/tarball.sh $(O)/static/stage pyperf-bpf-$(VERSION)-$(MACHINE)-linux-static $(DIST)
	$(Q)python3 deploy/dist/wheel.py $(O)/stage $(VERSION) $(MACHINE) $$SOURCE_DATE_EPOCH $(DIST)
	$(Q)python3 deploy/dist/wheel.py $(O)/static/stage $(VERSION) $(MACHINE) $$SOURCE_DATE_EPOCH $(DIST)
	$(Q)sh deploy/dist/deb.sh $(O)/stage $(VERSION) $(DEBIAN) $(DIST)
	$(Q)sh deploy/dist/rpm.sh $(O)/stage $(VERSION) $(MACHINE) $(DIST)
	$(Q)cp $(O)/stage/pyperf-bpf.cdx.json $(DIST)/pyperf-bpf-$(VERSION)-$(MACHINE).cdx.json
	$(Q)cp $(O)/static/stage/pyperf-bpf.cdx.json $(DIST)/pyperf-bpf-$(VERSION)-$(MACHINE)-static.cdx.json

$(O)/deploy/dist/pages: deploy/dist/pages.c $(LIB) | $(GEN_HDR)
	@mkdir -p $(@D)
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) $< $(LIB) $(LDLIBS) -o $@
