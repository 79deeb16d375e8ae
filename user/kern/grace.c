// SPDX-License-Identifier: GPL-2.0-only
#include "kern/grace.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

static int wait_by_membarrier(void)
{
	return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) ? -errno : 0;
}

static int open_maps(struct grace *g)
{
	LIBBPF_OPTS(bpf_map_create_opts, options);

	g->inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "grace_inner", 4, 4, 1, NULL);
	if (g->inner < 0)
		return -errno;
	options.inner_map_fd = g->inner;
	g->outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "grace", 4, 4, 1, &options);
	return g->outer < 0 ? -errno : 0;
}

/* The kernel is asked, not tried: to wait takes some 15 ms, and nothing has run yet. */
static bool has_membarrier(void)
{
	const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	return commands > 0 && commands & MEMBARRIER_CMD_GLOBAL;
}

int grace_open(struct grace *g)
{
	int err;

	*g = (struct grace){ -1, -1 };
	if (has_membarrier())
		return 0;
	err = open_maps(g) ?: grace_wait(g);
	if (err)
		grace_close(g);
	return err;
}

void grace_close(struct grace *g)
{
	if (g->outer >= 0)
		close(g->outer);
	if (g->inner >= 0)
		close(g->inner);
	*g = (struct grace){ -1, -1 };
}

int grace_wait(const struct grace *g)
{
	const int first = 0;

	if (g->outer < 0)
		return wait_by_membarrier();
	return bpf_map_update_elem(g->outer, &first, &g->inner, BPF_ANY) ? -errno : 0;
}
