// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_verdicts_excluded.c - of a process that is not profiled, as its name says, nobody is told that it
 * could not be looked at.
 */
#include "tests/forge/test.h"
#include "tests/unit/targets/parts.h"
#include "tests/forge/logged.h"

#include "base/log.h"
#include "targets/selection.h"
#include "targets/unlooked.h"
#include "targets/verdicts.h"

static struct verdicts *verdicts;
static struct selection selection;

static int teardown(void **state)
{
	verdicts_free(TAKE_PTR(verdicts));
	return close_parts(state);
}

/* What it becomes, when the worker has this error. */
static __u32 told(const struct record_process *p, int error)
{
	const struct worker_reply r = { .type = WORKER_IDENTIFY, .pid = p->pid, .error = error };

	unlooked_asked(registry_unlooked(registry), p->pid, USER_BY_UID | 1000, clock_ns());
	unlooked_failed(registry_unlooked(registry), p->pid);
	verdicts_reply(verdicts, p, &r);
	return verdicts_find(verdicts, p->pid);
}

TEST(named_and_closed)
{
	static const int errors[] = { -EPERM, -EACCES, -ETIME, -EAGAIN };
	struct record_process target;

	need_kernel();
	assert_int_equal(verdicts_new(&verdicts, kernel, registry, &selection, false, NULL, NULL), 0);
	target = process_of(start_child(NULL));
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		selection = (struct selection){ .comm = "nothing-is-called-so" };
		begin_log();
		assert_int_equal(told(&target, errors[i]), PROCESS_EXCLUDED);
		assert_string_equal(end_log(), "");
		assert_int_equal(registry_count_unlooked(registry), 0);
	}
	selection = (struct selection){ .pod = "nothing-is-called-so" }; /* where it runs is not known */
	begin_log();
	assert_int_equal(told(&target, -EPERM), PROCESS_WANTED);
	assert_non_null(strstr(end_log(), "CAP_SYS_PTRACE"));
	assert_int_equal(registry_count_unlooked(registry), 1);
}

AROUND_EACH(open_parts, teardown);
