// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_called_targets.c - names of threads are asked for once threads were sampled that nobody has looked
 * at, one question at a time; nobody asks for one that has a name, nor for one without many times, nor a
 * version that tells the kernel. The worker, the kernel side and its table of owners are the test's.
 */
#include "tests/forge/test.h"
#include "tests/unit/remote_polls/stand_in.h"

#include "kern/banks.h"
#include "remote_polls/called_targets.h"
#include "names/called.h"
#include "remote/thread_names.h"
#include "targets/registry.h"

#define PID 100

static struct owner owners[8];
static struct kernel_tables tables = { .owners = owners, .owner_count = ARRAY_SIZE(owners) };
static __u32 version;
static struct registry *registry;
static struct called *called;
static struct called_targets *targets;

const struct kernel_tables *kernel_tables(const struct kernel *k)
{
	(void)k;
	return &tables;
}

int kernel_get_process(struct kernel *k, __u32 pid, struct process *ret)
{
	(void)k;
	*ret = (struct process){
		.id = pid - PID + 5, .state = PROCESS_PYTHON, .runtime = 0x7000, .layout = 3
	};
	return 0;
}

int kernel_get_layout(const struct kernel *k, __u32 index, struct layout *ret)
{
	(void)k;
	assert_int_equal(index, 3);
	*ret = (struct layout){ .version = version };
	return 0;
}

static int setup(void **state)
{
	const struct registry_entry e = { .id = 5, .pid = PID, .start_time = 77, .layout = 3 };

	(void)state;
	asked = 0;
	version = 0x030b0000;
	loop = (struct loop){ 0 };
	memset(owners, 0, sizeof(owners));
	if (registry_new(&registry) || registry_add(registry, &e) || called_new(&called))
		return -1;
	return called_targets_new(&targets, NULL, registry, NULL, called) ?:
	       called_targets_watch(targets, &loop);
}

static int teardown(void **state)
{
	(void)state;
	called_targets_free(TAKE_PTR(targets));
	called_free(TAKE_PTR(called));
	registry_free(TAKE_PTR(registry));
	return 0;
}

static void sampled(int at, __u32 tid)
{
	owners[at] = (struct owner){ .key = owner_key(EVENT_CPU, tid), .process = 5, .tid = tid };
}

static void turn_until_asked(int times)
{
	turn_until(times);
	assert_int_equal(request.type, WORKER_THREAD_NAMES);
	assert_int_equal(request.pid, PID);
	assert_int_equal(request.threads.runtime, 0x7000);
}

/* So long as it would take to ask, several times over. */
static void nothing_is_asked(void)
{
	const __u64 begin = clock_ns();
	const int before = asked;

	while (clock_ns() - begin < 600 * NS_PER_MS)
		turn();
	assert_int_equal(asked, before);
}

static void answer(int err, const struct thread_name *names, size_t size)
{
	struct worker_reply reply = { .pid = request.pid, .error = err, .table_size = size };

	reply.table = calloc(1, size + 1);
	assert_non_null(reply.table);
	if (size)
		memcpy(reply.table, names, size);
	question.answer(question.asker, &note, &reply);
	free(reply.table);
}

TEST(only_threads_that_were_sampled)
{
	const struct thread_name names[] = { { .tid = 101, .name = "worker" },
					     { .tid = 102, .name = "not sampled yet" } };

	nothing_is_asked();
	sampled(0, 101);
	turn_until_asked(1);
	nothing_is_asked(); /* one at a time */
	answer(0, names, sizeof(names));
	assert_string_equal(called_find(called, 5, 101), "worker");
	assert_string_equal(called_find(called, 5, 102), "not sampled yet");
	sampled(2, 102);
	nothing_is_asked();
	sampled(3, 104);
	turn_until_asked(2);
}

/* Of two threads that had one number, one after the other, the one that the look has met has the name. */
TEST(threads_of_one_number)
{
	const __u64 second = 1000 * NS_PER_SECOND;
	const __u64 ticks = clock_ticks_of(second);
	const struct thread_name name = { .tid = 101, .name = "second", .start_ticks = ticks };

	sampled(0, 101);
	sampled(1, 101);
	owners[1].began = second;
	turn_until_asked(1);
	answer(0, &name, sizeof(name));
	assert_null(called_find(called, 5, called_thread(101, 0)));
	assert_string_equal(called_find(called, 5, called_thread(101, name.start_ticks)), "second");
}

/* One of C has none. One of Python may have been sampled before threading had it in its list. */
TEST(a_thread_without_a_name_is_asked_for_again)
{
	const struct thread_name late[] = { { .tid = 101, .name = "late" } };

	sampled(0, 101);
	sampled(1, 103);
	turn_until_asked(1);
	answer(0, NULL, 0);
	turn_until_asked(2);
	answer(0, late, sizeof(late));
	assert_string_equal(called_find(called, 5, 101), "late");
	for (int i = 3; i <= CALLED_LOOKS; i++) {
		assert_null(called_find(called, 5, 103));
		turn_until_asked(i);
		answer(0, NULL, 0);
	}
	assert_string_equal(called_find(called, 5, 103), "");
	nothing_is_asked();
}

TEST(what_cannot_be_is_not_taken)
{
	struct thread_name name = { .tid = 101, .name = "worker" };

	sampled(0, 101);
	turn_until_asked(1);
	answer(0, &name, sizeof(name) - 1);
	assert_null(called_find(called, 5, 101));
	turn_until_asked(2);
	answer(-ENOENT, NULL, 0); /* the module is not there yet */
	turn_until_asked(3);
	answer(0, &name, sizeof(name));
	assert_string_equal(called_find(called, 5, 101), "worker");
}

TEST(a_version_that_tells_the_kernel)
{
	version = 0x030e0000;
	sampled(0, 101);
	nothing_is_asked();
	assert_int_equal(asked, 0);
	assert_int_equal(due_ms(), -1);
}

BY_ITSELF("it has functions of other rooms of its own");
AROUND_EACH(setup, teardown);
