/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pushed_books.h - what a store says of how its profiles were sampled and what was lost: the books that were
 * pushed with each of them (profile/carried.h), added up by the store. It may say anything.
 */
#ifndef PYPERF_RECORDED_PUSHED_BOOKS_H
#define PYPERF_RECORDED_PUSHED_BOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "profile/carried.h"

struct recorded;

#define PUSHED_RUNS_MAX 8

struct pushed_run {
	char text[CARRIED_NAME_SIZE]; /* valid UTF-8; "pyperf-bpf 0.1.0, 99 Hz" */
	__u64 profiles;
};

struct pushed_books {
	bool is_store; /* it is of a store: where nothing is known, that is said */
	__u64 amount[CARRIED_KINDS];
	__u64 full[FULL_TABLES];
	struct pushed_run runs[PUSHED_RUNS_MAX]; /* how it was sampled, most profiles first */
	size_t run_count;
	__u64 other_runs; /* profiles of those beyond PUSHED_RUNS_MAX */
};

/* Adds what a profile of the type CARRIED_TYPE says. */
void pushed_books_add(struct pushed_books *b, const struct recorded *answer);

#endif
