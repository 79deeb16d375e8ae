/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kubelet.h - asks this node's kubelet for the labels of its pods (GET /pods): at the start, when a pod is met that is not
 * known yet, and now and then. Nothing here waits: the owner polls kubelet_fd() and calls kubelet_run().
 */
#ifndef PYPERF_KUBELET_KUBELET_H
#define PYPERF_KUBELET_KUBELET_H

#include <linux/types.h>

#include "kubelet/pod_labels.h"

#define KUBELET_PAUSE_SECONDS	10  /* between two requests at least; doubled by each failure ... */
#define KUBELET_REFRESH_SECONDS 300 /* ... up to this, after which it is asked in any case: labels can change */

/* All borrowed. */
struct kubelet_options {
	const char *url;	/* kubelet_is_url() */
	const char *token_file; /* read for each request, since tokens are renewed */
	const char *ca_file;	/* PEM certificates to trust; NULL = the system's */
	bool insecure;		/* its certificate is not verified */
	const struct pod_label_names *names;
};

struct kubelet_stats {
	__u64 requests, failures;
	size_t pods; /* known */
};

struct kubelet;

/* https://HOST[:PORT] without a path. */
bool kubelet_is_url(const char *text);

/* The first request is due at once. -errno. */
int kubelet_open(struct kubelet **ret, const struct kubelet_options *o);
void kubelet_close(struct kubelet *k); /* NULL is fine */

/* Readable (level-triggered) when kubelet_run() has something to do. The same for its whole life. */
int kubelet_fd(const struct kubelet *k);
int kubelet_timeout_ms(const struct kubelet *k); /* until kubelet_run() is due in any case */
void kubelet_run(struct kubelet *k);

/* A process of this pod is there: if it is not known, it is asked for. NULL and "" are fine. */
void kubelet_meet(struct kubelet *k, const char *pod_uid);

const struct pod_labels *kubelet_labels(const struct kubelet *k);
struct kubelet_stats kubelet_get_stats(const struct kubelet *k);
/* Why the last request failed, one line; "" = it did not. */
const char *kubelet_trouble(const struct kubelet *k);

#endif
