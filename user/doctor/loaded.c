// SPDX-License-Identifier: GPL-2.0-only
/*
 * loaded.c - whether the kernel takes the programs: they are loaded and attached as at the start of a run,
 * and taken away again. And whether the worker could be started.
 */
#include <string.h>

#include "doctor/checks.h"
#include "kern/kernel.h"
#include "kern/libbpf_log.h"
#include "proc/visible.h"

void check_programs(struct examination *x, struct checked *ret)
{
	struct kernel_options options = x->kernel;
	struct kernel *kernel = NULL;
	int cpus = 0, err;

	if (x->hopeless) {
		finding_say(ret, GRADE_UNKNOWN, "not tried, for what is missing above");
		return;
	}
	err = kernel_open(&kernel, &options) ?: kernel_start(kernel, &cpus);
	if (!err) {
		finding_say(ret, GRADE_OK, "the kernel takes them; %s tick on %d CPUs",
			    options.trigger == TRIGGER_TIMER ? "timers" : "perf events", cpus);
	} else {
		const char *refusal = libbpf_refusal();

		finding_say(ret, GRADE_MISSING, "%s%s%s", kernel_reason(kernel),
			    *refusal ? "; the verifier says: " : "", refusal);
		if (!*refusal)
			finding_mend(ret, "%s -v -a -d 1 shows more", x->program);
		else
			finding_mend(ret, "%s -v -a -d 1 shows the whole of it: please report it",
				     x->program);
	}
	kernel_close(kernel);
}

void check_worker(struct examination *x, struct checked *ret)
{
	/* Then it may end as soon as it has begun, or only later. */
	if (!visible_is_mounted()) {
		finding_say(ret, GRADE_UNKNOWN, "not known without /proc");
		return;
	}
	if (!x->worker_error) {
		finding_say(ret, GRADE_OK, "started");
		return;
	}
	finding_say(ret, GRADE_MISSING, "cannot be started: %s", strerror(-x->worker_error));
	finding_mend(ret, "a kernel with CONFIG_SECCOMP_FILTER is needed, and a container that lets it set "
			  "filters");
}
