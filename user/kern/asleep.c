// SPDX-License-Identifier: GPL-2.0-only
#include "kern/asleep.h"

#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kern/object.h"
#include "pyperf.skel.h"

#define READ_BYTES (1 << 16) /* at a time */

void asleep_prepare(struct pyperf *s, __u32 needs)
{
	const bool waits = needs & NEEDS_WAITS, gil = needs & NEEDS_GIL, tasks = needs & NEEDS_TASKS;

	bpf_program__set_autoload(s->progs.list_asleep, waits || gil);
	bpf_program__set_autoload(s->progs.add_stack, waits);
	bpf_program__set_autoload(s->progs.add_tasks, tasks);
	bpf_map__set_autocreate(s->maps.outside_stacks, waits || gil || tasks);
}

int asleep_open(struct asleep_programs *a, struct pyperf *s, __u32 max_depth)
{
	const bool lists = bpf_program__autoload(s->progs.list_asleep);
	struct table table = table_of_map(s->maps.outside_stacks);
	void *outside;
	int err;

	if (a->outside || (!lists && !bpf_program__autoload(s->progs.add_tasks)))
		return 0;
	if (lists) {
		s->links.list_asleep = bpf_program__attach_iter(s->progs.list_asleep, NULL);
		if (!s->links.list_asleep)
			return -errno;
	}
	err = table_map(&table, true, &outside);
	if (err)
		return err;
	*a = (struct asleep_programs){ s, table, outside, max_depth, s->rodata->opt_all,
				       s->rodata->opt_by_thread, s->rodata->opt_threads == THREADS_MAIN };
	return 0;
}

void asleep_close(struct asleep_programs *a)
{
	table_unmap(&a->table, a->outside);
	a->outside = NULL;
}

bool asleep_is_open(const struct asleep_programs *a)
{
	return a->outside && a->skel->links.list_asleep && a->skel->links.on_switch;
}

bool asleep_takes_tasks(const struct asleep_programs *a)
{
	return a->outside && bpf_program__autoload(a->skel->progs.add_tasks);
}

__u32 asleep_generation(const struct asleep_programs *a)
{
	return *(volatile const __u32 *)&a->skel->bss->tree_generation;
}

int asleep_list(const struct asleep_programs *a, struct buf *out)
{
	_cleanup_close_ int fd = bpf_iter_create(bpf_link__fd(a->skel->links.list_asleep));
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	do {
		err = buf_reserve(out, READ_BYTES);
		if (err)
			return err;
		n = read(fd, out->data + out->size, READ_BYTES);
		if (n > 0)
			out->size += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : 0;
}

int asleep_give(const struct asleep_programs *a)
{
	LIBBPF_OPTS(bpf_test_run_opts, o);
	int err = bpf_prog_test_run_opts(bpf_program__fd(a->skel->progs.add_stack), &o);

	return err ?: (int)*(volatile const __u32 *)&a->outside->result;
}

int asleep_give_tasks(const struct asleep_programs *a)
{
	LIBBPF_OPTS(bpf_test_run_opts, o);

	return bpf_prog_test_run_opts(bpf_program__fd(a->skel->progs.add_tasks), &o);
}

const struct asleep_programs *kernel_asleep(const struct kernel *k)
{
	return &k->asleep;
}
