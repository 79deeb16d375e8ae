// SPDX-License-Identifier: GPL-2.0-only
#include "profile/accounts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/number.h"
#include "profile/profile.h"

/*
 * A thread of which so many ticks are expected is judged alone. Which threads are is said by their account,
 * never by their ticks: the sum of all others is then as likely too large as too small.
 */
#define ALONE_FROM 20

/*
 * What is no chance, but the way in which both are measured. At each end of a profile the account of a thread
 * that runs lacks the time since the scheduler's last tick, 10 ms at most. Ticks of a process count from the
 * verdict on it, its account from a moment later. How many ticks should have come in all is known to a tenth
 * (tree/weight.c).
 */
#define LATE_NS	     10e6
#define UNLISTED_NS  50e6
#define WEIGHT_SHARE 0.1

#define DEVIATIONS 4 /* beyond so many standard deviations, and a tenth: once in a million threads */

void accounts_free(struct accounts_found *f)
{
	free(f->rows);
	*f = (struct accounts_found){};
}

static int by_thread(const void *a, const void *b)
{
	const struct account_row *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static double difference(const struct profile *p, const struct account_row *r)
{
	const double ticks = (double)r->samples * profile_get_info(p)->period_ns, account = (double)r->ns;

	return ticks > account ? ticks - account : account - ticks;
}

/* Rows of one thread, or of one pool, become one. */
static void merge(struct accounts_found *f)
{
	__u32 n = 0;

	qsort(f->rows, f->n, sizeof(*f->rows), by_thread);
	for (__u32 i = 0; i < f->n; i++) {
		struct account_row *last = n ? &f->rows[n - 1] : NULL, *row = &f->rows[i];

		if (!last || by_thread(last, row)) {
			f->rows[n++] = *row;
			continue;
		}
		last->ns += row->ns;
		last->samples += row->samples;
		last->has_own |= row->has_own;
	}
	f->n = n;
}

/* Threads of too little time, and those that ended before they were met, are one row of their process. */
static void pool(const struct profile *p, struct accounts_found *f)
{
	const double least = (double)ALONE_FROM * profile_get_info(p)->period_ns;

	for (__u32 i = 0; i < f->n; i++)
		if (!f->rows[i].has_own || (double)f->rows[i].ns < least)
			f->rows[i].tid = 0;
	merge(f);
}

/* Whether the two differ by more than chance. Numbers of ticks have the deviation of a Poisson process. */
static bool differs(const struct profile *p, const struct account_row *r)
{
	const double period = profile_get_info(p)->period_ns, expected = r->ns / period;
	const double few = expected * (1 - WEIGHT_SHARE) - LATE_NS / period;
	const double many = expected * (1 + WEIGHT_SHARE) + UNLISTED_NS / period;
	const double ticks = r->samples;
	double beyond = 0, mean = 0;

	if (ticks < few) {
		beyond = few - ticks;
		mean = few;
	} else if (r->tid && ticks > many) { /* the end of a short thread is not in its account */
		beyond = ticks - many;
		mean = ticks;
	}
	return beyond * beyond > (double)DEVIATIONS * DEVIATIONS * mean;
}

/* The largest difference first, and of equal ones that of the first thread. */
static int by_difference(const void *a, const void *b)
{
	const struct account_row *x = a, *y = b;

	if (x->apart != y->apart)
		return x->apart > y->apart ? -1 : 1;
	return by_thread(a, b);
}

static int gather(const struct profile *p, struct accounts_found *f)
{
	const __u32 owners = profile_count(p, PROFILE_OWNER);

	f->rows = calloc((size_t)owners + 1, sizeof(*f->rows));
	if (!f->rows)
		return -ENOMEM;
	f->n = owners;
	for (__u32 i = 0; i < owners; i++) {
		const struct profile_owner *o = profile_get_owner(p, i + 1);

		f->rows[i] = (struct account_row){ .pid = o->pid, .tid = o->tid, .owner = i + 1 };
		f->rows[i].ns = profile_get_account(p, i + 1);
		f->rows[i].has_own = o->tid && f->rows[i].ns;
	}
	for (__u32 id = 1; id <= profile_count(p, PROFILE_SAMPLE); id++) {
		const struct profile_stack s = profile_get_sample(p, id);

		f->rows[s.owner - 1].samples += s.counts[EVENT_CPU];
	}
	merge(f);
	return 0;
}

int accounts_find(const struct profile *p, struct accounts_found *ret)
{
	__u32 n = 0;
	int err;

	*ret = (struct accounts_found){};
	/* From outside looks are missing where the looker had no CPU, and CPU time is the account's. */
	if (!profile_has_accounts(p) || profile_get_info(p)->outside)
		return 0;
	err = gather(p, ret);
	if (err)
		return err;
	pool(p, ret);
	for (__u32 i = 0; i < ret->n; i++) {
		if (!ret->rows[i].pid || !differs(p, &ret->rows[i])) /* pid 0: all that nothing is known of */
			continue;
		ret->rows[n] = ret->rows[i];
		ret->rows[n].apart = difference(p, &ret->rows[n]);
		n++;
	}
	ret->n = n;
	qsort(ret->rows, n, sizeof(*ret->rows), by_difference);
	return 0;
}

static int add_thread_name(const struct profile *p, const struct account_row *r, struct buf *out)
{
	const struct profile_owner *o = profile_get_owner(p, r->owner);
	int err = r->tid ? buf_printf(out, "Thread %u (", r->tid) :
			   buf_printf(out, "Other threads of process %u (", r->pid);

	if (err)
		return err;
	return buf_add_shown(out, profile_get_string(p, r->tid && o->thread ? o->thread : o->comm), false);
}

__u32 accounts_lines(const struct accounts_found *f)
{
	return f->n < ACCOUNTS_LINES ? f->n : ACCOUNTS_LINES;
}

int accounts_line(const struct profile *p, const struct accounts_found *f, __u32 i, struct buf *out)
{
	const __s64 period = profile_get_info(p)->period_ns;

	if (i == ACCOUNTS_SHOWN)
		return buf_printf(out, "The account and the ticks of %u other threads differ, too", f->n - i);
	return add_thread_name(p, &f->rows[i], out) ?:
	       buf_printf(out, "): %s s of CPU by the kernel's account, %s s by ticks",
			  number_hundredths(f->rows[i].ns / 1e9).text,
			  number_hundredths((double)f->rows[i].samples * period / 1e9).text);
}
