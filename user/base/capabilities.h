/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capabilities.h - the rows of capabilities.def, and lists of their names.
 */
#ifndef PYPERF_BASE_CAPABILITIES_H
#define PYPERF_BASE_CAPABILITIES_H

#include <linux/types.h>

struct buf;

enum capability_want { CAPABILITY_NEEDED, CAPABILITY_WANTED, CAPABILITY_KEPT };

enum {
#define CAPABILITY(name, want, reason) CAPABILITY_ROW_##name,
#include "base/capabilities.def"
	CAPABILITY_ROWS
};

struct capability_row {
	int number; /* CAP_... */
	enum capability_want want;
	const char *name, *reason; /* "CAP_BPF" */
};

extern const struct capability_row capability_rows[CAPABILITY_ROWS];

/* Those that are asked for, up to this want, as bits (PRIVILEGE()). */
__u64 capabilities_up_to(enum capability_want want);

/* How names are written. */
enum capability_style {
	CAPABILITY_AS_NAMES,  /* CAP_BPF, CAP_PERFMON */
	CAPABILITY_AS_WORDS,  /* CAP_BPF and CAP_PERFMON */
	CAPABILITY_AS_FILE,   /* cap_bpf,cap_perfmon: for setcap(8) */
	CAPABILITY_AS_DOCKER, /* --cap-add BPF --cap-add PERFMON */
	CAPABILITY_AS_LIST,   /* BPF, PERFMON: for Kubernetes */
};

/* Appends the names of the rows whose bits are in the mask. 0 or -ENOMEM. */
int capabilities_add(struct buf *b, __u64 mask, enum capability_style style);

#endif
