// SPDX-License-Identifier: GPL-2.0-only
#include "kern/waits.h"

#include <sys/stat.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "bpf/abi.h"
#include "kern/kernel.h"
#include "pyperf.skel.h"

/* The run queue is locked while a stack is taken: so it may take less time than at a tick. */
#define PATIENCE_NS 100000

/*
 * The number of systemd's cgroup of sessions, wherever the hierarchy of cgroup v2 is mounted. A container has
 * its own cgroup alone there: then the first process of the machine has the whole hierarchy.
 */
static __u64 sessions(void)
{
	static const char *const places[] = {
		"/sys/fs/cgroup/user.slice",
		"/sys/fs/cgroup/unified/user.slice",
		"/proc/1/root/sys/fs/cgroup/user.slice",
		"/proc/1/root/sys/fs/cgroup/unified/user.slice",
	};
	struct stat s;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!stat(places[i], &s))
			return s.st_ino;
	return 0;
}

void waits_prepare(struct pyperf *s, const struct kernel_options *o)
{
	const __u32 needs = o->needs;
	const bool wanted = needs & (NEEDS_WAITS | NEEDS_GIL);

	bpf_program__set_autoload(s->progs.settle_waits, wanted);
	bpf_map__set_autocreate(s->maps.wait_keys, wanted);
	bpf_map__set_autocreate(s->maps.wait_users, wanted);
	bpf_map__set_autocreate(s->maps.waits, wanted);
	bpf_map__set_autocreate(s->maps.turns, needs & NEEDS_LOOP);
	bpf_map__set_autocreate(s->maps.rounds, needs & NEEDS_POLLS);
	s->rodata->opt_loop_exact = !!(needs & NEEDS_POLLS);
	s->rodata->opt_loop = !!(needs & NEEDS_LOOP);
	s->rodata->opt_min_turn = o->min_turn_ns;
	s->rodata->opt_tick_ns = o->frequency ? NS_PER_SECOND / o->frequency : 0;
	s->rodata->opt_offcpu = !!(needs & NEEDS_WAITS);
	s->rodata->opt_gil = !!(needs & NEEDS_GIL);
	s->rodata->opt_sessions = sessions();
	s->rodata->opt_min_wait = o->min_wait_ns;
	s->rodata->opt_patience_wait = PATIENCE_NS;
}

void waits_settle(struct pyperf *s)
{
	LIBBPF_OPTS(bpf_test_run_opts, o);

	if (s && s->links.on_switch)
		bpf_prog_test_run_opts(bpf_program__fd(s->progs.settle_waits), &o);
}
