/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * checks.h - what is looked at (checks.def), and what was found.
 */
#ifndef PYPERF_DOCTOR_CHECKS_H
#define PYPERF_DOCTOR_CHECKS_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/buf.h"
#include "export/push/push.h"
#include "kern/kernel.h"
#include "kubelet/kubelet.h"

enum grade {
	GRADE_UNASKED, /* nothing was asked for that needs it; only the JSON has it */
	GRADE_OK,
	GRADE_NOTE,    /* it works, with less than there could be */
	GRADE_UNKNOWN, /* it cannot be said, for want of something that is missing elsewhere */
	GRADE_MISSING, /* nothing can be profiled before this is mended, or not all that is asked for */
	GRADES
};

/* Texts have no newline. Bytes of foreign names may be in them. */
struct checked {
	enum grade grade;
	struct buf says;
	struct buf mend[4]; /* commands, or what to do, one for each way; empty = no more */
};

/* What is given, and what the checks find out for those that follow. */
struct examination {
	struct kernel_options kernel;	/* of a run with these options */
	struct kubelet_options kubelet; /* url is NULL where none is asked */
	struct push_options push;	/* url is NULL where nothing is pushed */
	const char *pod_logs;
	bool selects_pods;   /* by their names */
	bool in_pod;	     /* of Kubernetes */
	const char *program; /* full path of this program */
	int worker_error;    /* of worker_start() */
	/* Found out. */
	__u64 lacking;	   /* capabilities that are needed: PRIVILEGE() bits */
	bool perf_refused; /* perf events cannot be opened */
	bool has_libcurl;
	bool hopeless; /* something is missing without which the programs cannot be loaded */
};

enum {
#define CHECK(name, function, whose, text, about) CHECK_##name,
#include "doctor/checks.def"
	CHECKS
};

enum check_whose { CHECK_MACHINE, CHECK_ASKED, CHECK_NETWORK };

struct check_row {
	const char *name;
	enum check_whose whose; /* others than CHECK_MACHINE: only what was asked for besides wants it */
	void (*find)(struct examination *x, struct checked *ret);
};

extern const struct check_row check_rows[CHECKS];

#define CHECK(name, function, whose, text, about) void function(struct examination *x, struct checked *ret);
#include "doctor/checks.def"

/* Sets what was found. Where there is no memory for the words, they are missing. */
void finding_say(struct checked *f, enum grade grade, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* One more way to mend it. */
void finding_mend(struct checked *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void finding_free(struct checked *f);

#endif
