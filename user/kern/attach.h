/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * attach.h - attaches a program where its section says.
 */
#ifndef PYPERF_KERN_ATTACH_H
#define PYPERF_KERN_ATTACH_H

#include <errno.h>

#include <bpf/libbpf.h>

/* Leaves the link in *link, unless there is one: then the program is attached. 0 or -errno. */
static inline int attach(struct bpf_program *program, struct bpf_link **link)
{
	if (*link)
		return 0;
	*link = bpf_program__attach(program);
	return *link ? 0 : -errno;
}

#endif
