// SPDX-License-Identifier: GPL-2.0-only
#include "kern/kernel.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/lacking.h"
#include "base/log.h"
#include "base/privileges.h"
#include "bpf/data/budget.h"
#include "kern/allowance.h"
#include "kern/cpu_ticks.h"
#include "kern/dead_cpus.h"
#include "kern/journal_rings.h"
#include "kern/libbpf_log.h"
#include "kern/lockdown.h"
#include "kern/memory.h"
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

__attribute__((format(printf, 3, 4))) static int fail(struct kernel *k, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(k->reason, sizeof(k->reason), format, args);
	va_end(args);
	return err;
}

static void set_options(struct kernel *k)
{
	const __u32 patience = PATIENCE_FRAME_NS * k->options.max_depth;
	struct pyperf *s = k->skel;

	s->rodata->opt_node_mask = k->tables.node_count / BANKS - 1;
	s->rodata->opt_code_mask = k->tables.code_count / BANKS - 1;
	s->rodata->opt_owner_mask = k->tables.owner_count / BANKS - 1;
	s->rodata->opt_thread_sets_mask = tables_thread_sets(&k->options) - 1;
	s->rodata->opt_wait_sets_mask = tables_wait_sets(&k->options) - 1;
	s->rodata->opt_cache_depth = k->options.cache_depth;
	s->rodata->opt_measure = k->options.measure;
	s->rodata->opt_max_depth = k->options.max_depth;
	s->rodata->opt_kernel = k->options.kernel;
	s->rodata->opt_kernel_nameless = k->options.kernel_nameless;
	s->rodata->opt_kernel_base = k->options.kernel_base ?: KERNEL_LAST;
	s->rodata->opt_native_loop = k->options.native_loop;
	s->rodata->opt_patience = patience < PATIENCE_MIN_NS ? PATIENCE_MIN_NS : patience;
	s->rodata->opt_single_reads = k->options.single_reads;
	s->rodata->opt_cache = k->options.cache;
	s->rodata->opt_by_thread = k->options.by_thread;
	s->rodata->opt_threads = k->options.threads;
	s->rodata->opt_states = k->options.states;
	s->rodata->opt_all = k->options.all;
	s->rodata->opt_programs = k->options.programs;
	s->rodata->opt_follow = k->options.follow;
	s->rodata->opt_self = getpid();
	s->rodata->opt_secret = hash_bytes("codes", 5); /* of a random key */
	allowance_prepare(s, k->options.budget, k->options.frequency);
}

/* Programs, what the verifier takes for a moment, and the user side until its first profile is written. */
#define BESIDE_TABLES_MIB 48

/* Whole MiB, as people set them. */
static size_t limit_of(size_t tables)
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
		return fail(k, err, "the BPF object cannot be opened: %s", reason);
	}
	if (tables_size(k->skel, &k->options, k->cpus, &k->tables) ||
	    texts_size(k->skel, &k->options) || journal_rings_prepare(k->skel, k->cpus, k->options.log))
		return fail(k, -EINVAL, "the BPF tables cannot be sized");
	set_options(k);
	trigger_prepare(&k->trigger, k->skel, k->cpus);
	tracepoints_prepare(k->skel, k->options.needs);
	waits_prepare(k->skel, &k->options);
	accounts_prepare(k->skel, &k->options);
	asleep_prepare(k->skel, k->options.needs);
	task_layouts_prepare(&k->task_layouts, k->skel, k->options.async);
	memory_prepare(k->skel, k->options.needs, k->options.rss_step);
	if (contexts_prepare(&k->contexts, k->skel, k->options.contexts, k->options.trace))
		return fail(k, -ENOMEM, "out of memory");
	return 0;
}

static int load(struct kernel *k)
{
	char advice[LACKING_SIZE];
	int err = pyperf__load(k->skel);

	if (err && lockdown_is_confidential())
		return fail(k, err,
			    "the kernel is locked down so that BPF programs may not read its memory "
			    "(lockdown=confidentiality); with lockdown=integrity they may");
	if (err == -EPERM || err == -EACCES)
		return fail(k, err, "the kernel refuses to load BPF programs: %s",
			    lacking_advice(PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_PERFMON), advice));
	if (err == -ENOMEM)
		return fail(k, err,
			    "there is no memory for the BPF tables, which take %zu MiB: with these options a "
			    "limit of memory (cgroup) has to be %zu MiB or more",
			    tables_bytes(k->skel) >> 20, limit_of(tables_bytes(k->skel)) >> 20);
	if (err && trigger_rejected(&k->trigger))
		return fail(k, err, "%s", trigger_rejected(&k->trigger));
	if (err)
		return fail(k, err,
			    "the kernel rejects the BPF programs (%s); -v shows why. Linux 6.1 or later is "
			    "needed",
			    strerror(-err));
	/* libbpf tries whether arrays can be mapped, and does without when that fails for whatever reason. */
	err = k->skel->bss ? tables_map(k->skel, &k->tables, &k->stats) : -ENOMEM;
	err = err ?: texts_open(&k->texts, k->skel) ?: journal_rings_open(&k->journal, k->skel, k->cpus);
	if (err)
		return fail(k, err, "the BPF tables cannot be mapped: %s", strerror(-err));
	err = grace_open(&k->grace);
	if (err)
		return fail(
			k, err,
			"running BPF programs cannot be waited for, by membarrier(2) or a map of maps: %s",
			strerror(-err));
	err = kernel_open_records(k);
	if (err)
		return fail(k, err, "the ring buffer cannot be opened: %s", strerror(-err));
	return 0;
}

static void begin(struct kernel *k, const struct kernel_options *o)
{
	libbpf_log();
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
		return fail(k, -EIO, "the number of CPUs is unknown: is /sys mounted?");
	if (access(KERNEL_BTF_FILE, R_OK))
		return fail(k, -ENOTSUP,
			    "this kernel has no type information (" KERNEL_BTF_FILE "): one built with "
			    "CONFIG_DEBUG_INFO_BTF is needed");
	err = dead_cpus_new(&k->dead_cpus, k->cpus) ?: cpu_ticks_new(&k->cpu_ticks, k->cpus);
	if (err)
		return fail(k, err, "out of memory");
	k->trigger.wanted = o->trigger;
	k->trigger.use_cycles = o->use_cycles;
	err = trigger_choose(&k->trigger);
	if (err)
		return fail(k, err, "%s", k->trigger.reason);
	o->trigger = k->trigger.kind;
	o->frequency = k->trigger.frequency;
	k->options = *o;
	return prepare(k) ?: load(k);
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
		ret->limit = limit_of(ret->tables);
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
	kernel_close_records(k);
	tables_unmap(k->skel, &k->tables, k->stats);
	texts_close(&k->texts);
	journal_rings_close(&k->journal);
	pyperf__destroy(k->skel);
	grace_close(&k->grace);
	dead_cpus_free(k->dead_cpus);
	cpu_ticks_free(k->cpu_ticks);
	if (k->stats_fd >= 0)
		close(k->stats_fd);
	free(k);
}

#define STAT_LINE 256 /* more than the bytes of a CPU's line */

/* Whether there is a CPU that should have ticked and has not. */
static bool look_at_cpus(struct kernel *k)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/stat", "re");
	size_t size = STAT_LINE * (k->cpus + 2);
	_cleanup_free_ char *text = calloc(1, size);

	if (!f || !text || k->options.use_cycles || !k->trigger.running || !fread(text, 1, size - 1, f))
		return false;
	cpu_ticks_look(k->cpu_ticks, text, k->stats, k->trigger.kind == TRIGGER_TIMER);
	return dead_cpus_check(k->dead_cpus, text, k->stats, k->options.frequency);
}

/* The ticks have started anew. */
static void begin_to_look(struct kernel *k)
{
	dead_cpus_begin(k->dead_cpus);
	cpu_ticks_begin(k->cpu_ticks);
	look_at_cpus(k);
}

int kernel_start(struct kernel *k, int *ret_cpus)
{
	const char *name = NULL;
	int err;

	if (k->options.statistics && k->stats_fd < 0)
		k->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	err = tracepoints_start(k->skel, &name);
	if (err)
		return fail(k, err, "the tracepoint %s cannot be attached: %s", name, strerror(-err));
	err = asleep_open(&k->asleep, k->skel, k->options.max_depth);
	if (err)
		return fail(k, err, "threads that sleep cannot be listed: %s", strerror(-err));
	err = accounts_open(k->skel);
	if (err)
		return fail(k, err, "threads cannot be listed for their CPU time: %s", strerror(-err));
	accounts_settle(k);
	err = trigger_start(&k->trigger, k->skel);
	if (err)
		return fail(k, err, "%s", k->trigger.reason);
	begin_to_look(k);
	*ret_cpus = k->trigger.cpus;
	return 0;
}

int kernel_follow_cpus(struct kernel *k, int *ret_cpus)
{
	int err = trigger_follow_cpus(&k->trigger, k->skel, look_at_cpus(k));

	if (err)
		begin_to_look(k);
	if (err < 0)
		return fail(k, err, "%s", k->trigger.reason);
	if (err)
		*ret_cpus = k->trigger.cpus;
	return err;
}

void kernel_stop(struct kernel *k)
{
	trigger_stop(&k->trigger);
	kernel_settle(k);
	tracepoints_stop(k->skel);
}

void kernel_settle(struct kernel *k)
{
	waits_settle(k->skel);
	accounts_settle(k);
}
