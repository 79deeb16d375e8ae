// SPDX-License-Identifier: GPL-2.0-only
#include "kern/accounts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "kern/object.h"
#include "pyperf.skel.h"

#define LIST_NS NS_PER_SECOND
#define MEET_NS (10 * NS_PER_MS) /* after a process has become known */
/* So many times the CPU time that a list took passes before the next one that nobody waits for. */
#define REST	  200
#define REST_MEET 20 /* ... and before one that is for a process */

bool accounts_are_wanted(const struct kernel_options *o)
{
	return o->needs & NEEDS_TICKS && !o->use_cycles;
}

void accounts_prepare(struct pyperf *s, const struct kernel_options *o)
{
	const bool wanted = accounts_are_wanted(o);

	bpf_program__set_autoload(s->progs.list_accounts, wanted);
	bpf_map__set_autocreate(s->maps.accounts, wanted);
	s->rodata->opt_account = wanted;
}

int accounts_open(struct pyperf *s)
{
	if (!bpf_program__autoload(s->progs.list_accounts) || s->links.list_accounts)
		return 0;
	s->links.list_accounts = bpf_program__attach_iter(s->progs.list_accounts, NULL);
	return s->links.list_accounts ? 0 : -errno;
}

/* The program writes nothing, so one read meets all tasks. */
static int list_accounts(const struct pyperf *s)
{
	_cleanup_close_ int fd = bpf_iter_create(bpf_link__fd(s->links.list_accounts));
	char nothing[8];
	ssize_t n;

	if (fd < 0)
		return -errno;
	do
		n = read(fd, nothing, sizeof(nothing));
	while (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)));
	return n < 0 ? -errno : 0;
}

void accounts_settle(struct kernel *k)
{
	const __u64 begin = clock_ns_of(CLOCK_THREAD_CPUTIME_ID);
	__u64 now, took;
	int err;

	if (!k->skel || !k->skel->links.list_accounts)
		return;
	err = list_accounts(k->skel);
	if (err)
		log_debug("threads cannot be listed for their CPU time: %s", strerror(-err));
	now = clock_ns();
	took = clock_ns_of(CLOCK_THREAD_CPUTIME_ID) - begin;
	k->accounts.due = now + (REST * took > LIST_NS ? REST * took : LIST_NS);
	k->accounts.rest = now + (REST_MEET * took > MEET_NS ? REST_MEET * took : MEET_NS);
}

void accounts_meet(struct kernel *k)
{
	if (k->accounts.due > k->accounts.rest)
		k->accounts.due = k->accounts.rest;
}

static void on_turn(void *kernel, unsigned int ready)
{
	struct kernel *k = kernel;

	(void)ready;
	if (clock_ns() >= k->accounts.due)
		accounts_settle(k);
}

static int due_ms(void *kernel)
{
	const struct kernel *k = kernel;
	const __u64 now = clock_ns();

	if (!k->skel || !k->skel->links.list_accounts)
		return -1;
	return k->accounts.due > now ? (int)((k->accounts.due - now) / NS_PER_MS) + 1 : 0;
}

int accounts_watch(struct kernel *k, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, due_ms, on_turn, k });
}
