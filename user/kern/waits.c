// SPDX-License-Identifier: GPL-2.0-only
#include "kern/waits.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/abi.h"
#include "kern/attach.h"
#include "kern/run_time.h"
#include "pyperf.skel.h"

/* The run queue is locked while a stack is taken: so it may take less time than at a tick. */
#define PATIENCE_NS 100000

void waits_prepare(struct pyperf *s, bool waits, bool gil, __u64 min_wait_ns)
{
	const bool wanted = waits || gil;

	bpf_program__set_autoload(s->progs.on_switch, wanted);
	bpf_program__set_autoload(s->progs.on_wakeup, wanted);
	bpf_program__set_autoload(s->progs.settle_waits, wanted);
	bpf_map__set_autocreate(s->maps.wait_keys, wanted);
	bpf_map__set_autocreate(s->maps.wait_users, wanted);
	bpf_map__set_autocreate(s->maps.waits, wanted);
	s->rodata->opt_offcpu = waits;
	s->rodata->opt_gil = gil;
	s->rodata->opt_min_wait = min_wait_ns;
	s->rodata->opt_patience_wait = PATIENCE_NS;
}

/* Wake-ups first: a wait that begins is one whose end will be seen. */
int waits_start(struct pyperf *s)
{
	if (!bpf_program__autoload(s->progs.on_switch))
		return 0;
	return attach(s->progs.on_wakeup, &s->links.on_wakeup) ?:
	       attach(s->progs.on_switch, &s->links.on_switch);
}

void waits_settle(struct pyperf *s)
{
	LIBBPF_OPTS(bpf_test_run_opts, o);

	if (s->links.on_switch)
		bpf_prog_test_run_opts(bpf_program__fd(s->progs.settle_waits), &o);
}

static void detach(struct bpf_link **link)
{
	bpf_link__destroy(*link);
	*link = NULL;
}

void waits_stop(struct pyperf *s)
{
	if (!s || !s->links.on_switch)
		return;
	waits_settle(s);
	detach(&s->links.on_switch);
	detach(&s->links.on_wakeup);
}

void waits_run_time(const struct pyperf *s, __u64 *runs, __u64 *time_ns)
{
	run_time_add(s->progs.on_switch, runs, time_ns);
	run_time_add(s->progs.on_wakeup, runs, time_ns);
}
