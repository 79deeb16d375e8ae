/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verdicts_inside.h - what verdicts are made from: for verdicts.c, which decides, and verdicts_later.c alone.
 */
#ifndef PYPERF_TARGETS_VERDICTS_INSIDE_H
#define PYPERF_TARGETS_VERDICTS_INSIDE_H

#include "python/identify.h"
#include "targets/expected.h"
#include "targets/known.h"
#include "targets/no_frames.h"

struct verdicts {
	struct kernel *kernel;
	struct registry *registry;
	const struct selection *selection;
	bool programs;
	struct kubelet *kubelet;
	struct questions *questions;
	struct rulings *rulings;
	struct known known;
	struct expected expected;
	struct no_frames no_frames;	/* what the user was told */
	__u32 no_python;		/* pid of the last process that was found to be none, ... */
	char why[IDENTITY_REASON_SIZE]; /* ... and the reason */
};

#endif
