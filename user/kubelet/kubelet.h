/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kubelet.h - asks this node's kubelet for the labels of its pods (GET /pods): at the start, when a pod is
 * met that is not known yet, and every few minutes. Nothing here waits: the caller polls kubelet_fd() and
 * calls kubelet_run().
 */
#ifndef PYPERF_KUBELET_KUBELET_H
#define PYPERF_KUBELET_KUBELET_H

#include <stdbool.h>
#include <linux/types.h>

#include "kubelet/pod_labels.h"

/*
 * The least and the greatest time between two requests. Each failure doubles the pause, up to the greatest.
 * After that time the kubelet is asked in any case, since labels can change.
 */
#define KUBELET_PAUSE_SECONDS	10
#define KUBELET_REFRESH_SECONDS 300

/* Everything in it is borrowed. */
struct kubelet_options {
	const char *url;	/* kubelet_is_url() is true of it */
	const char *token_file; /* read for each request, since tokens are renewed */
	const char *ca_file;	/* PEM certificates to trust; NULL = the system's */
	bool insecure;		/* the kubelet's certificate is not verified */
	const struct pod_label_names *names;
};

struct kubelet_stats {
	__u64 requests, failures;
	size_t pods; /* that are known */
};

struct kubelet;

/* Whether the text is https://HOST[:PORT] without a path. */
bool kubelet_is_url(const char *text);

/* The first request is due at once. 0 or -errno. */
int kubelet_open(struct kubelet **ret, const struct kubelet_options *o);
void kubelet_close(struct kubelet *k); /* NULL is fine */

/* A descriptor, the same for its whole life, that is readable when kubelet_run() has something to do. */
int kubelet_fd(const struct kubelet *k);
/* Milliseconds until kubelet_run() is due in any case. */
int kubelet_timeout_ms(const struct kubelet *k);
void kubelet_run(struct kubelet *k);

/*
 * Says that there is a process of this pod. If the pod is not known, the kubelet is asked. NULL and "" are
 * fine.
 */
void kubelet_meet(struct kubelet *k, const char *pod_uid);

/* Whether a request is under way. */
bool kubelet_is_busy(const struct kubelet *k);
const struct pod_labels *kubelet_labels(const struct kubelet *k);
struct kubelet_stats kubelet_get_stats(const struct kubelet *k);
/* Why the last request failed, as one line; "" = it did not fail. */
const char *kubelet_trouble(const struct kubelet *k);

#endif
