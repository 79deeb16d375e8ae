/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ask_kubelet.h - --kubelet: the labels of pods of a run. Without them all else goes on.
 */
#ifndef PYPERF_RUN_ASK_KUBELET_H
#define PYPERF_RUN_ASK_KUBELET_H

#include "base/complaint.h"
#include "base/loop.h"
#include "kubelet/kubelet.h"

struct ask_kubelet {
	struct kubelet *kubelet; /* NULL = not asked for */
	struct complaint trouble;
};

/* Opens it if o->url is not NULL. Nobody is asked yet. Logs; 0 or -errno. */
int ask_kubelet_open(struct ask_kubelet *a, const struct kubelet_options *o);
/* Adds it to the loop, if it is open: what it answers is read from then on. Logs; 0 or -errno. */
int ask_kubelet_watch(struct ask_kubelet *a, struct loop *loop);
/* Whether it has been asked once, or is to be, and has neither answered nor failed. */
bool ask_kubelet_is_first(const struct ask_kubelet *a);
void ask_kubelet_close(struct ask_kubelet *a);

#endif
