# SPDX-License-Identifier: GPL-2.0-only
# What a release is made of, in dist/: see docs/releasing.md. RELEASE=1 builds the program as it is in there: libc is
# all that it needs to start. This machine's libraries are linked in, but for libcurl, which it opens when it is there
# (user/net/libcurl.h), and libmicrohttpd, which is built without TLS.

ifneq ($(RELEASE),)
MHD      := .cache/dist/microhttpd-$(ARCH)
CPPFLAGS := -I$(MHD) $(CPPFLAGS) -DOPEN_LIBCURL
CFLAGS   += -ffile-prefix-map=$(CURDIR)=. -ffunction-sections -fdata-sections
BPF_CFLAGS += -ffile-prefix-map=$(CURDIR)=.
LDFLAGS  += -static-libgcc -Wl,--gc-sections -Wl,-Map=$(O)/pyperf-bpf.map
LDLIBS   := -L$(MHD) -Wl,-Bstatic -lmicrohttpd -ljson-c -lbpf -ldw -lelf -lprotobuf-c -lz -lbz2 -llzma \
	    -liberty -Wl,-Bdynamic
# d3-flame-graph is Apache-2.0, which may not be part of a program under GPL-2.0-only.
FLAME_DIR := $(O)/none
GEN_HDR  += $(MHD)/libmicrohttpd.a

$(MHD)/libmicrohttpd.a: deploy/dist/microhttpd.sh
	$(call msg,MHD,$@)
	$(Q)sh deploy/dist/microhttpd.sh $(@D) $(TRIPLET)
endif
