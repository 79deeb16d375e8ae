// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_trigger.c - which trigger is chosen and what is said where none works, on kernels that refuse what a
 * test has them refuse. test_trigger_ticks.c has what the trigger does then. Needs the right to load BPF.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/privileges.h"
#include "kern/ticks.h"
#include "kern/timers.h"
#include "kern/trigger.h"
#include "tests/forge/refuse.h"
#include "tests/forge/all_rights.h"
#include "tests/forge/test.h"

#define HZ 997

/* Each choice is made in a process of its own, to which the kernel refuses something for good. */

struct choice {
	enum trigger_kind wanted;
	bool use_cycles;
	int refused_with;	  /* errno of perf_event_open; 0 = it is not refused */
	bool realtime;		  /* the kernel says that it is one */
	bool paranoid;		  /* kernel.perf_event_paranoid is 3 */
	__u64 without;		  /* capabilities that are taken away */
	enum trigger_kind chosen; /* AUTO = none */
	int err;
	const char *reason, *no_reason; /* what the reason says, and does not; NULL = any */
};

enum { CHILD_OK, CHILD_NOT_SET_UP, CHILD_OTHER_RESULT, CHILD_OTHER_KIND, CHILD_OTHER_REASON };

static bool write_to(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	return f && fputs(text, f) >= 0 && !fclose(f);
}

static bool own_mounts(void)
{
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

/* A mount namespace with another /sys/kernel. */
static bool forge_realtime(void)
{
	return own_mounts() && !mount("none", "/sys/kernel", "tmpfs", 0, NULL) &&
	       write_to("/sys/kernel/realtime", "1\n");
}

/* One in which the sysctl is what Debian has. */
static bool forge_paranoid(void)
{
	return own_mounts() && !mount("none", "/mnt", "tmpfs", 0, NULL) && write_to("/mnt/3", "3\n") &&
	       !mount("/mnt/3", "/proc/sys/kernel/perf_event_paranoid", NULL, MS_BIND, NULL);
}

static int choose(const struct choice *c)
{
	struct trigger t = { .wanted = c->wanted, .frequency = HZ, .use_cycles = c->use_cycles };
	int err;

	if (c->realtime && !forge_realtime())
		return CHILD_NOT_SET_UP;
	if (c->paranoid && !forge_paranoid())
		return CHILD_NOT_SET_UP;
	if (c->without && privileges_keep(~c->without))
		return CHILD_NOT_SET_UP;
	if (c->refused_with && refuse(SYS_perf_event_open, REFUSE_ANY, c->refused_with))
		return CHILD_NOT_SET_UP;
	err = trigger_choose(&t);
	if (err != c->err) {
		fprintf(stderr, "%d: %s\n", err, t.reason);
		return CHILD_OTHER_RESULT;
	}
	if (!err)
		return t.kind == c->chosen && t.frequency == HZ ? CHILD_OK : CHILD_OTHER_KIND;
	if ((c->reason && !strstr(t.reason, c->reason)) || (c->no_reason && strstr(t.reason, c->no_reason)) ||
	    strchr(t.reason, '\n') || strlen(t.reason) > sizeof(t.reason) - 20) {
		fprintf(stderr, "%s\n", t.reason);
		return CHILD_OTHER_REASON;
	}
	return CHILD_OK;
}

static void choice_is(struct choice c)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(choose(&c));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, CHILD_OK << 8);
}

static void needs_perf_events(void)
{
	struct trigger t = { .wanted = TRIGGER_PERF, .frequency = HZ };

	if (!trigger_choose(&t))
		return;
	print_message("SKIP: %s\n", t.reason);
	skip();
}

TEST(perf_events_where_they_are_allowed)
{
	needs_perf_events();
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .chosen = TRIGGER_PERF });
	choice_is((struct choice){ .wanted = TRIGGER_PERF, .chosen = TRIGGER_PERF });
	choice_is((struct choice){ .wanted = TRIGGER_PERF, .realtime = true, .chosen = TRIGGER_PERF });
	choice_is((struct choice){ .wanted = TRIGGER_TIMER, .chosen = TRIGGER_TIMER });
}

/* By a distribution's sysctl, by seccomp, or by a kernel without them. */
TEST(timers_in_their_place)
{
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .refused_with = EACCES, .chosen = TRIGGER_TIMER });
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .refused_with = EPERM, .chosen = TRIGGER_TIMER });
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .refused_with = ENOSYS, .chosen = TRIGGER_TIMER });
	choice_is(
		(struct choice){ .wanted = TRIGGER_TIMER, .refused_with = EACCES, .chosen = TRIGGER_TIMER });
}

TEST(says_what_to_do_where_they_are_refused)
{
	/* What is missing is not a right: they are refused to whoever asks. */
	static const char forbidden[] = "CAP_PERFMON is there, so it is seccomp";

	need_all_rights();
	choice_is((struct choice){
		.wanted = TRIGGER_PERF, .refused_with = EACCES, .err = -EACCES, .reason = forbidden });
	choice_is((struct choice){ .wanted = TRIGGER_PERF,
				   .refused_with = EACCES,
				   .err = -EACCES,
				   .reason = forbidden,
				   .no_reason = "paranoid" });
	choice_is((struct choice){ .wanted = TRIGGER_PERF,
				   .refused_with = ENOSYS,
				   .err = -ENOSYS,
				   .reason = "the kernel has no perf events, or seccomp hides them" });
	/* Timers do not count cycles. */
	choice_is((struct choice){ .wanted = TRIGGER_AUTO,
				   .use_cycles = true,
				   .refused_with = EPERM,
				   .err = -EPERM,
				   .reason = forbidden,
				   .no_reason = "timer" });
}

TEST(names_the_capability_that_is_missing)
{
	if (geteuid()) {
		print_message("SKIP: only root has them to give up\n");
		skip();
	}
	/* Timers would lack it, too. */
	choice_is((struct choice){ .wanted = TRIGGER_PERF,
				   .without = PRIVILEGE(CAP_PERFMON) | PRIVILEGE(CAP_SYS_ADMIN),
				   .refused_with = EACCES,
				   .err = -EACCES,
				   .reason = "refused: CAP_PERFMON is missing",
				   .no_reason = "timer" });
	/* The least that a kernel like Debian's wants. */
	choice_is((struct choice){ .wanted = TRIGGER_PERF,
				   .without = PRIVILEGE(CAP_SYS_ADMIN),
				   .paranoid = true,
				   .refused_with = EACCES,
				   .err = -EACCES,
				   .reason = "kernel.perf_event_paranoid (it is 3) to 2 or less "
					     "(otherwise CAP_SYS_ADMIN" });
	choice_is((struct choice){ .wanted = TRIGGER_PERF,
				   .refused_with = EACCES,
				   .err = -EACCES,
				   .reason = ", or use --trigger timer" });
}

/* Other errors are no refusal, and timers are not tried in their stead. */
TEST(errors_that_are_no_refusal)
{
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .refused_with = EMFILE, .err = -EMFILE,
				   .reason = "a perf event cannot be opened: Too many open files" });
	choice_is((struct choice){ .wanted = TRIGGER_AUTO,
				   .use_cycles = true,
				   .refused_with = ENOENT,
				   .err = -ENOENT,
				   .reason = "no cycle counter: use --event cpu" });
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .use_cycles = true, .refused_with = EOPNOTSUPP,
				   .err = -EOPNOTSUPP, .reason = "no cycle counter: use --event cpu" });
}

/* There a timer runs in a thread of its own and sees nobody's stack. */
TEST(no_timers_on_a_realtime_kernel)
{
	if (geteuid()) {
		print_message("SKIP: only root can show another /sys/kernel\n");
		skip();
	}
	choice_is((struct choice){ .wanted = TRIGGER_TIMER, .realtime = true, .err = -EOPNOTSUPP,
				   .reason = "not a real-time kernel: use --trigger perf" });
	choice_is((struct choice){ .wanted = TRIGGER_AUTO,
				   .realtime = true,
				   .refused_with = EACCES,
				   .err = -EOPNOTSUPP,
				   .reason = "perf_event_open is refused",
				   .no_reason = "use --trigger" });
}

static __u32 sysctl_limit(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	__u32 limit = 0;

	return f && fscanf(f, "%u", &limit) == 1 ? limit : 0;
}

TEST(frequency_is_lowered_to_the_limit)
{
	struct trigger t = { .wanted = TRIGGER_TIMER, .frequency = 1000000000 };
	__u32 limit = sysctl_limit();

	assert_int_equal(trigger_choose(&t), 0);
	assert_true(t.frequency <= TIMERS_FREQUENCY_MAX && t.frequency > 0);
	needs_perf_events();
	t = (struct trigger){ .wanted = TRIGGER_PERF, .frequency = 1000000000 };
	if (!limit) {
		print_message("SKIP: no sysctl kernel.perf_event_max_sample_rate\n");
		skip();
	}
	assert_int_equal(trigger_choose(&t), 0);
	assert_int_equal(t.frequency, limit < TICKS_FREQUENCY_MAX ? limit : TICKS_FREQUENCY_MAX);
}
