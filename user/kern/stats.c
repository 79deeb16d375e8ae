// SPDX-License-Identifier: GPL-2.0-only
#include "kern/stats.h"

#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/abi/event_rows.h"
#include "kern/object.h"
#include "kern/tables.h"

enum trigger_kind kernel_trigger(const struct kernel *k)
{
	return k->trigger.kind;
}

__u64 kernel_expected(const struct kernel *k)
{
	return k->home->expected(k);
}

void kernel_stats(const struct kernel *k, struct kernel_stats *ret)
{
	memset(ret, 0, sizeof(*ret));
	tables_sum_stats(k->stats, k->cpus + 1, &ret->sum);
	ret->sum.processes_full += k->processes_full;
	ret->sum.layouts_full += k->layout_room.full;
	ret->sum.task_layouts_full += k->task_layouts.room.full;
	ret->sum.contexts_full += k->contexts.room.full;
	tables_add_wall(&ret->sum, &k->options);
	/* The sampler must not count these itself. */
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		*event_total(&ret->sum, kind) += ret->sum.outcome[kind][OUTCOME_NESTED];
	k->home->add_costs(k, ret);
}

static struct bpf_prog_info info_of(const struct bpf_program *program)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);
	const int fd = bpf_program__fd(program); /* negative if it is not loaded */

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
		return (struct bpf_prog_info){};
	return info;
}

void kernel_add_run_time(const struct bpf_program *program, __u64 *runs, __u64 *time_ns)
{
	const struct bpf_prog_info info = info_of(program);

	*runs += info.run_cnt;
	*time_ns += info.run_time_ns;
}
