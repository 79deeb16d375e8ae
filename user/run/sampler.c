// SPDX-License-Identifier: GPL-2.0-only
#include "run/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "hosted/home.h"
#include "kern/kernel.h"
#include "options/outside.h"
#include "options/row.h"
#include "run/settings.h"

#define EXIT_USAGE 2
#define REASON_SIZE 512

/* home: NULL = that of the options. */
static int open_kernel(struct agent *a, const struct home *home)
{
	a->kernel_options = settings_kernel(a->options);
	if (home)
		a->kernel_options.home = home;
	a->kernel_options.kernel_nameless = !a->kernel_names;
	a->kernel_options.kernel_base = a->kernel_names ? kernel_names_base(a->kernel_names) : 0;
	return kernel_open(&a->kernel, &a->kernel_options);
}

/* BPF is refused, and nobody has asked for it by name. */
static int open_outside(struct agent *a)
{
	const char *why, *option = outside_lack(a->options, &why);
	char reason[REASON_SIZE];
	int err;

	if (option) {
		log_error("BPF is refused here (%s), and %s needs it: %s" ASK_DOCTOR,
			  kernel_reason(a->kernel), option, why);
		a->exit_code = EXIT_USAGE;
		return -EOPNOTSUPP;
	}
	snprintf(reason, sizeof(reason), "%s", kernel_reason(a->kernel));
	kernel_close(a->kernel);
	a->kernel = NULL;
	/* The options stay as they are: SIGHUP compares them with what the file says. */
	err = open_kernel(a, &home_outside);
	if (err) {
		log_error("BPF is refused here (%s), and %s" ASK_DOCTOR, reason, kernel_reason(a->kernel));
		a->exit_code = EXIT_FAILURE;
		return err;
	}
	log_info("BPF is refused here (%s). Sampling from outside at %u Hz; single waits, the GIL, and "
		 "native code need BPF: docs/install.md#without-root",
		 reason, a->kernel_options.frequency);
	return 0;
}

int sampler_open(struct agent *a)
{
	const long frequency = a->options->frequency;
	int err = open_kernel(a, NULL);

	if (err && a->options->trigger == TRIGGER_AUTO && kernel_is_refused(a->kernel)) {
		err = open_outside(a);
		if (a->exit_code)
			return err;
	}
	if (err) {
		log_error("%s" ASK_DOCTOR, kernel_reason(a->kernel));
		return err;
	}
	if (a->kernel_options.frequency != (__u32)frequency)
		log_warning("%u samples per second of each CPU are taken, not %ld: more could leave it no "
			    "time for programs, or are not allowed (sysctl "
			    "kernel.perf_event_max_sample_rate)",
			    a->kernel_options.frequency, frequency);
	return 0;
}
