// SPDX-License-Identifier: GPL-2.0-only
#include "kern/kernel.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/hash.h"
#include "bpf/data/budget.h"
#include "kern/budget.h"
#include "kern/journal_rings.h"
#include "kern/libbpf_log.h"
#include "kern/object.h"
#include "kern/tables.h"
#include "kern/tracepoints.h"
#include "kern/waits.h"
#include "pyperf.skel.h"

const char *kernel_reason(const struct kernel *k)
{
	if (!k)
		return "out of memory";
	return k->reason[0] ? k->reason : "no reason is known";
}

int kernel_fail(struct kernel *k, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(k->reason, sizeof(k->reason), format, args);
	va_end(args);
	return err;
}

bool kernel_is_refused(const struct kernel *k)
{
	return k && k->refused;
}

/* The options that are as they were given. */
static void copy_options(struct kernel *k)
{
#define OPTION_GIVEN(name) k->skel->rodata->opt_##name = k->options.name;
#define OPTION_MADE(name)
#define OPTION(type, name, begin, from, help) OPTION_##from(name)
#include "bpf/data/options.def"
#undef OPTION
}

/* Jiffies of a second. The kernel's coarse clock moves with each of them, so its resolution is one. */
static __u32 hz(void)
{
	struct timespec jiffy;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &jiffy) || jiffy.tv_sec || jiffy.tv_nsec < 100000)
		return 1000; /* the most that kernels have */
	return NS_PER_SECOND / jiffy.tv_nsec;
}

static void set_options(struct kernel *k)
{
	const __u32 patience = PATIENCE_FRAME_NS * k->options.max_depth;
	struct pyperf *s = k->skel;

	copy_options(k);
	s->rodata->opt_node_mask = k->tables.node_count / BANKS - 1;
	s->rodata->opt_code_mask = k->tables.code_count / BANKS - 1;
	s->rodata->opt_owner_mask = k->tables.owner_count / BANKS - 1;
	s->rodata->opt_thread_sets_mask = tables_thread_sets(&k->options) - 1;
	s->rodata->opt_wait_sets_mask = tables_wait_sets(&k->options) - 1;
	s->rodata->opt_kernel_base = k->options.kernel_base ?: KERNEL_LAST;
	s->rodata->opt_patience = patience < PATIENCE_MIN_NS ? PATIENCE_MIN_NS : patience;
	s->rodata->opt_hz = hz();
	s->rodata->opt_self = getpid();
	s->rodata->opt_secret = hash_bytes("codes", 5); /* of a random key */
	budget_prepare(s, k->options.budget, k->options.frequency);
}

/* Programs, what the verifier takes for a moment, and the user side until its first profile is written. */
#define BESIDE_TABLES_MIB 48

/* Whole MiB, as people set them. */
size_t kernel_limit_of(size_t tables)
{
	return (((tables - 1) >> 20) + 1 + BESIDE_TABLES_MIB) << 20;
}

/* Opens the object and sizes it, before anything is loaded. */
static int prepare(struct kernel *k)
{
	char reason[128];
	int err;

	k->skel = pyperf__open();
	if (!k->skel) {
		err = -errno;
		/* libbpf has errors of its own, for which strerror() needs memory: there may be none. */
		libbpf_strerror(err, reason, sizeof(reason));
		return kernel_fail(k, err, "the BPF object cannot be opened: %s", reason);
	}
	if (tables_size(k->skel, &k->options, k->cpus, &k->tables) || texts_size(k->skel, &k->options) ||
	    journal_rings_prepare(k->skel, k->cpus, k->options.log))
		return kernel_fail(k, -EINVAL, "the BPF tables cannot be sized");
	set_options(k);
	trigger_prepare(&k->trigger, k->skel, k->cpus);
	tracepoints_prepare(k->skel, k->options.needs, k->options.rss_step);
	waits_prepare(k->skel, &k->options);
	accounts_prepare(k->skel, &k->options);
	asleep_prepare(k->skel, k->options.needs);
	task_layouts_prepare(&k->task_layouts, k);
	if (contexts_prepare(&k->contexts, k))
		return kernel_fail(k, -ENOMEM, "out of memory");
	return 0;
}

static void begin(struct kernel *k, const struct kernel_options *o)
{
	libbpf_log();
	k->home = o->home ?: &home_kernel;
	k->stats_fd = -1;
	k->grace = (struct grace){ -1, -1 };
	k->cpus = libbpf_num_possible_cpus();
	k->trigger.off = !(o->needs & NEEDS_TICKS);
	k->trigger.frequency = o->frequency;
}

int kernel_open(struct kernel **ret, struct kernel_options *o)
{
	struct kernel *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	*ret = k;
	begin(k, o);
	if (k->cpus <= 0)
		return kernel_fail(k, -EIO, "the number of CPUs is unknown: is /sys mounted?");
	err = k->home->choose(k, o);
	k->options = *o;
	if (!err) {
		err = prepare(k);
		if (err)
			return err;
		err = k->home->load(k);
	}
	k->refused = err && err != -ENOMEM && k->home == &home_kernel;
	return err;
}

int kernel_measure(const struct kernel_options *o, struct kernel_room *ret)
{
	struct kernel *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	begin(k, o);
	k->options = *o;
	err = k->cpus > 0 ? prepare(k) : -EIO;
	if (!err) {
		ret->tables = tables_bytes(k->skel);
		ret->limit = kernel_limit_of(ret->tables);
	}
	kernel_close(k);
	return err;
}

void kernel_close(struct kernel *k)
{
	if (!k)
		return;
	kernel_stop(k);
	asleep_close(&k->asleep);
	contexts_free(&k->contexts);
	tables_unmap(&k->side, &k->tables, k->stats);
	texts_close(&k->texts);
	journal_rings_close(&k->journal);
	k->home->close(k);
	pyperf__destroy(k->skel);
	free(k);
}

const struct home *kernel_home(const struct kernel *k)
{
	return k->home;
}

int kernel_start(struct kernel *k, int *ret_cpus)
{
	return k->home->start(k, ret_cpus);
}

int kernel_follow_cpus(struct kernel *k, int *ret_cpus)
{
	return k->home->follow(k, ret_cpus);
}

int kernel_set_rate(struct kernel *k, __u32 frequency, double budget, __u32 *ret_frequency)
{
	int err = k->home->set_rate(k, frequency, budget);

	*ret_frequency = k->options.frequency;
	return err;
}

void kernel_stop(struct kernel *k)
{
	k->home->stop(k);
}

void kernel_settle(struct kernel *k)
{
	k->home->settle(k);
}
