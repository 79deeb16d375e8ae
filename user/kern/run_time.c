// SPDX-License-Identifier: GPL-2.0-only
#include "kern/run_time.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

static struct bpf_prog_info info_of(const struct bpf_program *program)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);
	const int fd = bpf_program__fd(program); /* negative if it is not loaded */

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
		return (struct bpf_prog_info){};
	return info;
}

void run_time_add(const struct bpf_program *program, __u64 *runs, __u64 *time_ns)
{
	const struct bpf_prog_info info = info_of(program);

	*runs += info.run_cnt;
	*time_ns += info.run_time_ns;
}
