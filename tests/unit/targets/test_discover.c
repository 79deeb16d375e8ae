// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_discover.c - the whole of discovery: the kernel side's records go in, a real worker looks at real
 * processes, and what it says reaches the subject that asked.
 */
#include "tests/forge/test.h"
#include "tests/unit/targets/discovering.h"

#include "base/loop.h"
#include "kern/banks.h"
#include "kern/process_table.h"
#include "proc/procfs.h"
#include "targets/discover.h"
#include "targets/verdicts.h"

static int states; /* bits by enum process_state */

static int note_state(void *pid, const struct registry_entry *e)
{
	if (e->pid == *(__u32 *)pid)
		states |= 1 << (e->layout >= 0 ? PROCESS_PYTHON : PROCESS_NO_LAYOUT);
	return 0;
}

TEST(record_of_a_process)
{
	struct record_process p;

	begin();
	assert_int_equal(verdicts_find(discover_verdicts(discover), getpid()), 0);
	p = process_of(getpid());
	p.type = RECORD_PROCESS;
	assert_int_equal(discover_record(discover, &p, sizeof(p)), 0);
	assert_int_equal(discover_pending(discover), 1);
	take_replies();
	assert_int_equal(verdicts_find(discover_verdicts(discover), getpid()), PROCESS_NOT_PYTHON);
}

TEST(interpreter)
{
	struct loop loop;
	__u32 pid;

	begin();
	pid = start_interpreter();
	registry_each(registry, note_state, &pid);
	assert_int_equal(states, 1 << PROCESS_PYTHON);
	assert_non_null(strstr(registry_after(registry, 0)->binary, "python3"));
	/* Where it is, is asked again each second, for which this stands. */
	assert_int_equal(loop_open(&loop, 1), 0);
	assert_int_equal(discover_watch(discover, &loop), 0);
	while (!discover_pending(discover))
		assert_int_equal(loop_turn(&loop, -1), 0);
	loop_close(&loop);
	assert_int_equal(discover_pending(discover), 1);
	take_replies();
	assert_int_equal(verdicts_find(discover_verdicts(discover), pid), PROCESS_PYTHON);
}

TEST(wanted)
{
	struct record_process p;
	struct process known;

	begin();
	p = process_of(start_child(NULL));
	assert_int_equal(discover_want(discover, &p), 0);
	assert_int_equal(kernel_get_process(kernel, p.pid, &known), 0);
	assert_int_equal(known.state, PROCESS_WANTED);
	assert_int_equal(known.start_time, p.start_time);
	assert_int_equal(known.exec_id, p.exec_id);
	assert_int_not_equal(known.id, 0);
	assert_int_equal(discover_pending(discover), 0);
	assert_int_equal(verdicts_find(discover_verdicts(discover), p.pid), 0);
}

TEST(fork_and_exit)
{
	struct registry_entry parent = { .id = 70, .pid = 4000000, .layout = 0, .comm = "parent" };
	struct record_fork f = { RECORD_FORK, 4000001, 5, 1, 71, 70, "child" };
	struct record_exit e = { RECORD_EXIT, 4000001, 71, 0 };

	begin();
	assert_int_equal(registry_add(registry, &parent), 0);
	assert_int_equal(discover_record(discover, &f, sizeof(f)), 0);
	assert_int_equal(verdicts_find(discover_verdicts(discover), f.pid), PROCESS_PYTHON);
	assert_int_equal(discover_record(discover, &e, sizeof(e)), 0);
	assert_int_equal(verdicts_find(discover_verdicts(discover), f.pid), 0);
	assert_true(registry_find(registry, 71)->ended);
	assert_false(registry_find(registry, 70)->ended);
}

/* --- subjects of rooms above ---------------------------------------------------------------------------- */

static struct {
	int answered, caught_up, records;
	size_t waiting;
	bool on_its_way;
	__u32 forgotten;
} subject;

static void on_answered(void *s)
{
	assert_ptr_equal(s, &subject);
	subject.answered++;
}

static size_t on_waiting(const void *s)
{
	assert_ptr_equal(s, &subject);
	return subject.waiting;
}

static bool on_catch_up(void *s)
{
	assert_ptr_equal(s, &subject);
	subject.caught_up++;
	return subject.on_its_way;
}

static void on_forget(void *s, struct kernel_range range)
{
	assert_ptr_equal(s, &subject);
	subject.forgotten = range.first;
}

static double on_fullness(const void *s)
{
	assert_ptr_equal(s, &subject);
	return subject.waiting / 4.0;
}

static void on_record(void *s, const void *record, size_t size)
{
	assert_ptr_equal(s, &subject);
	assert_int_equal(*(const __u32 *)record, RECORD_NATIVE);
	assert_int_equal(size, sizeof(struct record_native));
	subject.records++;
}

TEST(a_subject_takes_part)
{
	const struct discover_subject all = {
		on_answered, on_waiting, on_catch_up, on_forget, on_fullness, &subject
	};
	const struct discover_subject none = { .subject = &subject };
	struct record_native record = { .type = RECORD_NATIVE };

	begin();
	memset(&subject, 0, sizeof(subject));
	assert_int_equal(discover_record(discover, &record, sizeof(record)), 0); /* nobody takes it yet */
	assert_int_equal(discover_join(discover, &none), 0);
	assert_int_equal(discover_join(discover, &all), 0);
	discover_on_record(discover, RECORD_NATIVE, sizeof(record), on_record, &subject);
	for (int i = 0; i < 2; i++) {
		subject.waiting = 3 * i;
		subject.on_its_way = i;
		assert_int_equal(discover_pending(discover), 3 * i);
		assert_true(discover_fullness(discover) == 0.75 * i);
		assert_int_equal(discover_catch_up(discover), i);
		discover_replies(discover);
		discover_forget_codes(discover, (struct kernel_range){ 7 + i, 9 });
		assert_int_equal(discover_record(discover, &record, sizeof(record)), 0);
		assert_int_equal(discover_record(discover, &record, sizeof(record) - 1), 0);
		assert_int_equal(subject.answered, i + 1);
		assert_int_equal(subject.caught_up, i + 1);
		assert_int_equal(subject.forgotten, 7 + i);
		assert_int_equal(subject.records, i + 1);
	}
	while (!discover_join(discover, &none))
		; /* there is an end of them */
}

TEST(records_cut_short)
{
	static const size_t sizes[] = { 0, sizeof(struct record_process), sizeof(struct record_code),
					sizeof(struct record_fork), sizeof(struct record_exit),
					sizeof(struct record_native), 64 };
	_cleanup_free_ struct record_code *c = calloc(1, sizeof(*c));
	struct registry_entry zero = { .pid = 77 }; /* of the number that is in all of the records */

	assert_non_null(c);
	begin();
	assert_int_equal(registry_add(registry, &zero), 0);
	for (__u32 type = 0; type < ARRAY_SIZE(sizes); type++) {
		c->type = type;
		for (size_t size = 0; size < sizes[type]; size++)
			assert_int_equal(discover_record(discover, c, size), 0);
		assert_int_equal(discover_pending(discover), 0);
		assert_int_equal(registry_find(registry, 0)->pid, 77);
		assert_false(registry_find(registry, 0)->ended);
	}
}

AROUND_EACH(open_parts, teardown);
AROUND_ALL(NULL, close_kernel);
