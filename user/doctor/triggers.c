// SPDX-License-Identifier: GPL-2.0-only
/*
 * triggers.c - what can make the ticks: perf events, or BPF timers in their place.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/privileges.h"
#include "doctor/checks.h"
#include "doctor/linux_version.h"
#include "doctor/triggers.h"
#include "kern/ticks.h"
#include "kern/trigger.h"

#define PARANOID_FILE "/proc/sys/kernel/perf_event_paranoid"

static void describe_paranoid(char *text, size_t size, int *ret_level)
{
	_cleanup_fclose_ FILE *f = fopen(PARANOID_FILE, "re");

	*ret_level = 0;
	if (f && fscanf(f, "%d", ret_level) == 1)
		snprintf(text, size, "kernel.perf_event_paranoid is %d", *ret_level);
	else
		snprintf(text, size, "%s cannot be read", PARANOID_FILE);
}

static bool has_timers(void)
{
	return linux_is(6, 7) && !trigger_is_realtime_kernel();
}

bool triggers_need_admin(void)
{
	char paranoid[96];
	int level;

	describe_paranoid(paranoid, sizeof(paranoid), &level);
	return level > 2 && !has_timers();
}

void check_perf_events(struct examination *x, struct checked *ret)
{
	__u32 frequency = x->kernel.frequency;
	char paranoid[96];
	int level, err;

	describe_paranoid(paranoid, sizeof(paranoid), &level);
	ticks_limit_frequency(&frequency);
	err = ticks_probe(frequency, x->kernel.use_cycles);
	if (!err) {
		finding_say(ret, GRADE_OK, "they make the ticks (%s)", paranoid);
		return;
	}
	x->perf_refused = true;
	if (x->lacking & PRIVILEGE(CAP_PERFMON))
		finding_say(ret, GRADE_UNKNOWN, "refused without CAP_PERFMON (%s)", paranoid);
	else if (x->kernel.use_cycles && (err == -ENOENT || err == -EOPNOTSUPP))
		finding_say(ret, GRADE_MISSING, "this machine has no cycle counter: use --event cpu");
	else if (has_timers() && !x->kernel.use_cycles && x->kernel.trigger != TRIGGER_PERF)
		finding_say(ret, GRADE_NOTE, "refused: %s (%s); timers make the ticks in their place",
			    strerror(-err), paranoid);
	else
		finding_say(ret, GRADE_MISSING, "refused: %s (%s)", strerror(-err), paranoid);
	if (ret->grade == GRADE_OK || ret->grade == GRADE_UNKNOWN)
		return;
	if (level > 2)
		finding_mend(ret, "sudo sysctl kernel.perf_event_paranoid=2");
	finding_mend(ret, "in a container whose seccomp profile refuses it: docker run --security-opt "
			  "seccomp=unconfined");
}

void check_timers(struct examination *x, struct checked *ret)
{
	if (trigger_is_realtime_kernel())
		finding_say(ret, GRADE_NOTE, "not on a real-time kernel");
	else if (!linux_is(6, 7))
		finding_say(ret, GRADE_NOTE, "not before Linux 6.7");
	else if (x->perf_refused)
		finding_say(ret, GRADE_OK, "they make the ticks");
	else
		finding_say(ret, GRADE_OK, "this kernel has them; they are not needed");
}
