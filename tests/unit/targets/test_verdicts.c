// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_verdicts.c - forged answers of the worker about real processes, and what the kernel side, the registry
 * and the user are told then.
 */
#include "tests/forge/test.h"
#include "tests/unit/targets/parts.h"
#include "tests/forge/logged.h"

#include "base/log.h"
#include "kern/process_table.h"
#include "targets/selection.h"
#include "targets/unlooked.h"
#include "targets/verdicts.h"

#define SECOND NS_PER_SECOND

static struct verdicts *verdicts;
static struct selection selection;
static struct record_process target; /* a child that waits */

static int setup(void **state)
{
	selection = (struct selection){ 0 };
	return open_parts(state);
}

static int teardown(void **state)
{
	verdicts_free(TAKE_PTR(verdicts));
	return close_parts(state);
}

static void begin_with(bool programs)
{
	need_kernel();
	assert_int_equal(verdicts_new(&verdicts, kernel, registry, &selection, programs, NULL, NULL), 0);
	target = process_of(start_child(NULL));
}

static void begin(void)
{
	begin_with(false);
}

static struct worker_reply answer(enum verdict verdict, __u32 hexversion, const char *reason)
{
	struct worker_reply r = { .type = WORKER_IDENTIFY, .pid = target.pid };
	const struct cpython *c = layout_find(hexversion);

	r.identity.verdict = verdict;
	r.identity.hexversion = hexversion;
	r.identity.runtime = 0x7f0000001000;
	if (c)
		r.identity.layout = c->layout;
	snprintf(r.identity.version, sizeof(r.identity.version), "3.13.0");
	snprintf(r.identity.path, sizeof(r.identity.path), "/opt/python3.13");
	snprintf(r.identity.build_id, sizeof(r.identity.build_id), "c0ffee");
	snprintf(r.identity.reason, sizeof(r.identity.reason), "%s", reason);
	snprintf(r.container.names.pod, sizeof(r.container.names.pod), "web-0");
	return r;
}

static struct worker_reply failure(int err)
{
	return (struct worker_reply){ .type = WORKER_IDENTIFY, .pid = target.pid, .error = err };
}

/* What the kernel side knows of the target after this answer. */
static struct process told(struct worker_reply r)
{
	struct process p = { 0 };

	verdicts_reply(verdicts, &target, &r);
	assert_int_equal(kernel_get_process(kernel, target.pid, &p), 0);
	assert_int_equal(p.start_time, target.start_time);
	assert_int_equal(p.exec_id, target.exec_id);
	return p;
}

/* Whether it is to be asked about again, which is then between now and 30 s from now. */
static bool is_asked_again(const struct process *p)
{
	return p->check_after && p->check_after <= clock_ns() + 30 * SECOND;
}

TEST(python)
{
	const struct registry_entry *e;
	struct layout l;
	struct process p;

	begin();
	assert_int_equal(verdicts_find(verdicts, target.pid), 0);
	p = told(answer(VERDICT_PYTHON, 0x030d00f0, ""));
	assert_int_equal(p.state, PROCESS_PYTHON);
	assert_int_equal(p.runtime, 0x7f0000001000);
	assert_int_equal(p.check_after, 0);
	assert_int_equal(kernel_get_layout(kernel, p.layout, &l), 0);
	assert_memory_equal(&l, &layout_find(0x030d00f0)->layout, sizeof(l));
	assert_int_equal(verdicts_find(verdicts, target.pid), PROCESS_PYTHON);
	e = registry_find(registry, p.id);
	assert_non_null(e);
	assert_int_equal(e->pid, target.pid);
	assert_int_equal(e->layout, p.layout);
	assert_int_equal(e->start_time, target.start_time);
	assert_string_equal(e->binary, "/opt/python3.13");
	assert_string_equal(e->build_id, "c0ffee");
	assert_string_equal(e->comm, target.comm);
	assert_string_equal(e->label[LABEL_pod], "web-0");
	assert_false(e->ended);
}

TEST(not_python)
{
	struct process p;

	begin();
	p = told(answer(VERDICT_NOT_PYTHON, 0, ""));
	assert_int_equal(p.state, PROCESS_NOT_PYTHON);
	assert_true(is_asked_again(&p)); /* a program that starts may still map an interpreter */
	assert_int_equal(verdicts_find(verdicts, target.pid), PROCESS_NOT_PYTHON);
	assert_int_equal(registry_held(registry), 0);
}

/* --all: it stays the one that it was however often it is looked at, and its code is not read anew. */
TEST(program)
{
	const struct registry_entry *e;
	struct process p, again;

	begin_with(true);
	p = told(answer(VERDICT_NOT_PYTHON, 0, ""));
	assert_int_equal(p.state, PROCESS_PROGRAM);
	assert_true(is_asked_again(&p));
	assert_int_equal(verdicts_find(verdicts, target.pid), PROCESS_PROGRAM);
	e = registry_find(registry, p.id);
	assert_non_null(e);
	assert_int_equal(e->pid, target.pid);
	assert_int_equal(e->layout, -1);
	assert_string_equal(e->comm, target.comm);
	assert_string_equal(e->label[LABEL_pod], "web-0");
	p.space = 77;
	assert_int_equal(kernel_set_process(kernel, target.pid, &p), 0);
	again = told(answer(VERDICT_NOT_PYTHON, 0, ""));
	assert_int_equal(again.id, p.id);
	assert_int_equal(again.space, 77);
	assert_int_equal(registry_held(registry), 1);
	/* It has loaded one. */
	again = told(answer(VERDICT_PYTHON, 0x030d00f0, ""));
	assert_int_equal(again.state, PROCESS_PYTHON);
	assert_int_not_equal(again.id, p.id);
	assert_true(registry_find(registry, p.id)->ended);
	assert_false(registry_find(registry, again.id)->ended);
}

/* One that could not be looked at has no name, and no samples. */
TEST(program_that_is_closed)
{
	begin_with(true);
	assert_int_equal(told(failure(-EPERM)).state, PROCESS_FORBIDDEN);
	assert_int_equal(registry_held(registry), 0);
}

TEST(program_that_is_not_selected)
{
	begin_with(true);
	selection.comm = "nothing-is-called-so";
	assert_int_equal(told(answer(VERDICT_NOT_PYTHON, 0, "")).state, PROCESS_EXCLUDED);
	assert_int_equal(registry_held(registry), 0);
}

TEST(not_selected)
{
	struct process p;

	begin();
	selection.pod = "api-*,web-1";
	p = told(answer(VERDICT_PYTHON, 0x030d00f0, ""));
	assert_int_equal(p.state, PROCESS_EXCLUDED);
	assert_int_equal(p.check_after, 0);
	assert_int_equal(verdicts_find(verdicts, target.pid), PROCESS_EXCLUDED);
	assert_int_equal(registry_held(registry), 0);
	selection.pod = "api-*,web-*";
	assert_int_equal(told(answer(VERDICT_PYTHON, 0x030d00f0, "")).state, PROCESS_PYTHON);
}

/* It is asked about again until something speaks for the layout. */
TEST(not_proved_yet)
{
	struct process p;

	begin();
	p = told(answer(VERDICT_UNPROVED, 0x030d00f0, ""));
	assert_int_equal(p.state, PROCESS_WANTED);
	assert_true(is_asked_again(&p));
	assert_int_equal(verdicts_find(verdicts, target.pid), 0);
	assert_int_equal(registry_held(registry), 0);
	assert_int_equal(told(answer(VERDICT_PYTHON, 0x030d00f0, "")).state, PROCESS_PYTHON);
}

/* A release that is known is believed after a second in which nothing spoke for its layout or against it. */
TEST(never_proved)
{
	double end;

	begin();
	assert_int_equal(told(answer(VERDICT_UNPROVED, 0x030d00f0, "")).state, PROCESS_WANTED);
	end = clock_seconds() + 1;
	while (clock_seconds() < end)
		usleep(10000);
	assert_int_equal(told(answer(VERDICT_UNPROVED, 0x030d00f0, "unusual")).state, PROCESS_WANTED);
	assert_int_equal(told(answer(VERDICT_UNPROVED, 0x030d00f0, "")).state, PROCESS_PYTHON);
}

static int lines(const char *text)
{
	int n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

/*
 * Its number stays the same while it is refused: there are samples by it. A warning comes once for each
 * reason.
 */
TEST(refused)
{
	struct process first, again, other;
	const char *text;

	begin();
	begin_log();
	first = told(answer(VERDICT_NO_LAYOUT, 0x030d00f0, "offsets are contradicted"));
	again = told(answer(VERDICT_NO_LAYOUT, 0x030d00f0, "offsets are contradicted"));
	other = told(answer(VERDICT_NO_LAYOUT, 0x030d00f0, "no such version"));
	text = end_log();
	assert_int_equal(lines(text), 2);
	assert_non_null(strstr(text, "/opt/python3.13 (3.13.0): offsets are contradicted\n"));
	assert_non_null(strstr(text, "/opt/python3.13 (3.13.0): no such version\n"));
	assert_int_equal(first.state, PROCESS_NO_LAYOUT);
	assert_true(is_asked_again(&first));
	assert_int_equal(again.id, first.id);
	assert_int_equal(other.id, first.id);
	assert_int_equal(registry_held(registry), 1);
	assert_int_equal(registry_find(registry, first.id)->layout, -1);
	assert_int_equal(verdicts_find(verdicts, target.pid), PROCESS_NO_LAYOUT);
}

/* Whoever copies an interpreter under a million names fills no log with it, nor memory. */
TEST(of_another_path)
{
	const char *text;

	begin();
	begin_log();
	for (int i = 0; i < 1000; i++) {
		struct worker_reply r = answer(VERDICT_NO_LAYOUT, 0x030d00f0, "offsets are contradicted");

		snprintf(r.identity.path, sizeof(r.identity.path), "/tmp/%d", i);
		verdicts_reply(verdicts, &target, &r);
	}
	text = end_log();
	assert_int_equal(lines(text), 1);
	assert_non_null(strstr(text, "/tmp/0 (3.13.0): offsets are contradicted\n"));
}

/* Of reasons there is a limit too: one more line says so, and at the end how often it was needed. */
TEST(more_reasons_than_are_said)
{
	const char *text;
	char reason[32];

	begin();
	for (int i = 0; i < 300; i++) {
		snprintf(reason, sizeof(reason), "r%d", i);
		begin_log();
		told(answer(VERDICT_NO_LAYOUT, 0x030d00f0, reason));
		text = end_log();
		assert_int_equal(lines(text), i <= 256);
		assert_int_equal(!strstr(text, "only counted"), i != 256);
	}
	begin_log();
	verdicts_free(TAKE_PTR(verdicts));
	text = end_log();
	assert_int_equal(lines(text), 1);
	assert_non_null(strstr(text, "44 more times"));
}

TEST(may_not_be_looked_at)
{
	const char *text;

	begin();
	begin_log();
	assert_int_equal(told(failure(-EPERM)).state, PROCESS_FORBIDDEN);
	assert_int_equal(told(failure(-EACCES)).state, PROCESS_FORBIDDEN);
	text = end_log();
	assert_int_equal(lines(text), 1);
	assert_non_null(strstr(text, "CAP_SYS_PTRACE"));
	assert_int_equal(verdicts_find(verdicts, target.pid), PROCESS_WANTED);
	assert_int_equal(registry_held(registry), 0);
}

/* A sampler from outside has found that it must not read it any more. */
TEST(may_no_longer_be_looked_at)
{
	struct process p, later;

	begin();
	p = told(answer(VERDICT_PYTHON, 0x030d00f0, ""));
	p.state = PROCESS_WANTED;
	assert_int_equal(kernel_set_process(kernel, target.pid, &p), 0);
	begin_log();
	later = told(failure(-EPERM));
	assert_int_equal(lines(end_log()), 1);
	assert_int_equal(later.state, PROCESS_FORBIDDEN);
	assert_true(is_asked_again(&later));
	assert_int_not_equal(later.id, p.id);
	assert_true(registry_find(registry, p.id)->ended);
	later = told(answer(VERDICT_PYTHON, 0x030d00f0, "")); /* now it may again */
	assert_int_equal(later.state, PROCESS_PYTHON);
	assert_false(registry_find(registry, later.id)->ended);
}

/* The worker hung or crashed over it. */
TEST(could_not_be_looked_at)
{
	struct process p;
	const char *text;

	begin();
	unlooked_asked(registry_unlooked(registry), target.pid, USER_BY_UID | 1000, clock_ns());
	begin_log();
	p = told(failure(-EAGAIN)); /* a part of its many files was read */
	assert_string_equal(end_log(), "");
	assert_true(is_asked_again(&p));
	begin_log();
	p = told(failure(-ETIMEDOUT));
	told(failure(-ETIMEDOUT));
	text = end_log();
	assert_int_equal(registry_count_unlooked(registry), 1);
	assert_int_equal(lines(text), 1);
	assert_non_null(strstr(text, "(it took too long); asked again later"));
	assert_int_equal(p.state, PROCESS_WANTED);
	assert_true(is_asked_again(&p));
	assert_int_equal(verdicts_find(verdicts, target.pid), 0);
	told(failure(0)); /* no Python */
	assert_int_equal(registry_count_unlooked(registry), 0);
}

/* Nothing is said of a process that has ended, nor when memory was short: the kernel side asks again. */
TEST(says_nothing)
{
	static const int errors[] = { -ESRCH, -ENOMEM };
	struct process p;

	begin();
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct worker_reply r = failure(errors[i]);

		verdicts_reply(verdicts, &target, &r);
		assert_int_equal(kernel_get_process(kernel, target.pid, &p), -ENOENT);
		assert_int_equal(verdicts_find(verdicts, target.pid), 0);
	}
}

/* It ended after the worker had looked, and the record of that may have come before the entry was made. */
TEST(ended_meanwhile)
{
	struct worker_reply r;
	struct process p;

	begin();
	r = answer(VERDICT_PYTHON, 0x030d00f0, "");
	end_child(target.pid);
	verdicts_reply(verdicts, &target, &r);
	assert_int_equal(kernel_get_process(kernel, target.pid, &p), -ENOENT);
	assert_int_equal(verdicts_find(verdicts, target.pid), 0);
	assert_int_equal(registry_held(registry), 1); /* there may be samples of it */
	assert_true(registry_after(registry, 0)->ended);
}

static struct record_fork fork_of(__u32 parent_id)
{
	return (struct record_fork){ RECORD_FORK, 4000001, SECOND, 1, 4001, parent_id, "child" };
}

#define ABSENT 1000000 /* pids from there on, which nobody has */

/* It runs and runs, and is asked about each time: the worker looks once a second, not fifty times. */
TEST(no_room)
{
	/* All of one user: none makes room for another. */
	const struct process other = { .state = PROCESS_PYTHON, .user = target.user };
	struct worker_reply r;
	struct process p;
	__u64 before;
	__u32 pid = ABSENT;

	begin();
	r = answer(VERDICT_PYTHON, 0x030d00f0, "");
	while (!kernel_set_process(kernel, pid, &other))
		pid++;
	assert_false(verdicts_again(verdicts, &target));
	before = clock_ns();
	for (int i = 0; i < 2; i++) {
		const char *said = LOGGED(verdicts_reply(verdicts, &target, &r));

		assert_int_equal(!strstr(said, "more processes than the table of them has room for"), i);
	}
	assert_true(kernel_get_process(kernel, target.pid, &p) < 0);
	assert_true(verdicts_again(verdicts, &target) || clock_ns() > before + SECOND);
	usleep(1100000);
	assert_false(verdicts_again(verdicts, &target));
	while (pid-- > ABSENT)
		kernel_remove_process(kernel, pid);
	assert_int_equal(told(answer(VERDICT_PYTHON, 0x030d00f0, "")).state, PROCESS_PYTHON);
}

TEST(forks)
{
	const struct registry_entry *e;
	struct record_fork f = fork_of(4000);
	struct process p;

	begin();
	verdicts_fork(verdicts, &f); /* of a process that is not known */
	assert_null(registry_find(registry, 4001));
	assert_int_equal(verdicts_find(verdicts, 4000001), 0);
	p = told(answer(VERDICT_PYTHON, 0x030d00f0, ""));
	registry_end(registry, p.id);
	f = fork_of(p.id);
	verdicts_fork(verdicts, &f);
	e = registry_find(registry, 4001);
	assert_non_null(e);
	assert_int_equal(e->pid, 4000001);
	assert_int_equal(e->start_time, SECOND);
	assert_int_equal(e->loads_from, target.start_time); /* it has what its parent had loaded */
	assert_int_equal(e->layout, p.layout);
	assert_string_equal(e->comm, "child");
	assert_string_equal(e->binary, "/opt/python3.13");
	assert_string_equal(e->label[LABEL_pod], "web-0");
	assert_false(e->ended);
	assert_int_equal(verdicts_find(verdicts, 4000001), PROCESS_PYTHON);
}

TEST(forks_of_one_that_is_refused)
{
	struct record_fork f;

	begin();
	begin_log();
	f = fork_of(told(answer(VERDICT_NO_LAYOUT, 0x030d00f0, "no")).id);
	end_log();
	verdicts_fork(verdicts, &f);
	assert_int_equal(verdicts_find(verdicts, 4000001), PROCESS_NO_LAYOUT);
	assert_int_equal(registry_find(registry, 4001)->layout, -1);
}

TEST(ends)
{
	struct record_exit e = { RECORD_EXIT, 0, 0, 0 };

	begin();
	e.pid = target.pid;
	e.id = told(answer(VERDICT_PYTHON, 0x030d00f0, "")).id;
	verdicts_exit(verdicts, &e);
	assert_true(registry_find(registry, e.id)->ended);
	assert_int_equal(verdicts_find(verdicts, target.pid), 0);
}

AROUND_EACH(setup, teardown);
AROUND_ALL(NULL, close_kernel);
