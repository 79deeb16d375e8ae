// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_asleep.c - threads that sleep are listed once a second and looked at process by process; what was seen
 * of them goes back to the kernel side; one that cannot be looked at is left alone for longer each time.
 * The kernel side and the worker are the test's: that their parts are right is shown by
 * tests/unit/kern/test_asleep.c and tests/unit/remote/test_sleepers.c.
 */
#include "tests/forge/test.h"
#include "tests/unit/remote_polls/stand_in.h"

#include "remote_polls/asleep.h"

/* --- the kernel side ------------------------------------------------------------------------------------ */

static bool is_open;
static __u32 generation;
static struct asleep list[2 * SLEEPERS_MAX];
static size_t list_count;
static int lists, gone_process;

static struct outside_stack kept[8];
static unsigned int kept_count, named;

bool asleep_is_open(const struct asleep_programs *a)
{
	return a == &programs && is_open;
}

__u32 asleep_generation(const struct asleep_programs *a)
{
	(void)a;
	return generation;
}

int asleep_list(const struct asleep_programs *a, struct buf *out)
{
	(void)a;
	lists++;
	return buf_add(out, list, list_count * sizeof(list[0]));
}

int asleep_give(const struct asleep_programs *a)
{
	(void)a;
	for (__u32 i = 0; i < outside.depth; i++) {
		outside.frames[i].code = 100 + i;
		outside.frames[i].unnamed = i == 0;
	}
	if (kept_count < ARRAY_SIZE(kept))
		kept[kept_count] = outside;
	kept_count++;
	return OUTSIDE_TAKEN;
}

int kernel_get_process(struct kernel *k, __u32 pid, struct process *ret)
{
	(void)k;
	if ((int)pid == gone_process)
		return -ENOENT;
	*ret = (struct process){ .id = pid + 1000, .start_time = 5, .runtime = 0x7000, .layout = 3 };
	return 0;
}

int kernel_get_layout(const struct kernel *k, __u32 index, struct layout *ret)
{
	(void)k;
	assert_int_equal(index, 3);
	*ret = (struct layout){ .version = 0x030e00f0 };
	return 0;
}

void captures_given(struct captures *c, const struct asleep *of, const struct seen_code *code, __u32 number)
{
	(void)c;
	(void)of;
	assert_int_equal(number, 100);
	assert_int_equal(code->address, 0x10000);
	named++;
}

/* --- the worker ----------------------------------------------------------------------------------------- */

static void answer_with(__u8 *table, size_t size, int err)
{
	struct worker_reply reply = {
		.type = request.type, .pid = request.pid, .error = err, .table = table, .table_size = size,
		.cpu_ns = 1
	};

	question.answer(question.asker, question.note, &reply);
	free(reply.table);
}

/* Each thread that was asked for has the same two frames. */
static void answer(void)
{
	static struct {
		struct sleepers head;
		struct sleeper threads[SLEEPERS_MAX];
	} a;
	const struct seen_code codes[] = { { .address = 0x10000, .fingerprint = 1 },
					   { .address = 0x10040, .fingerprint = 3 } };
	const struct seen_frame frames[] = { { 0, 7 }, { 1, 9 } };
	const __u32 count = request.sleepers.question.count;
	struct buf bytes = { 0 };

	a.head = (struct sleepers){ .threads = count, .codes = 2, .frames = 2 };
	for (__u32 i = 0; i < count; i++)
		a.threads[i] = (struct sleeper){
			.tid = request.sleepers.question.tids[i], .outcome = OUTCOME_WHOLE, .count = 2
		};
	assert_int_equal(buf_add(&bytes, &a.head, sizeof(a.head)), 0);
	assert_int_equal(buf_add(&bytes, a.threads, count * sizeof(a.threads[0])), 0);
	assert_int_equal(buf_add(&bytes, codes, sizeof(codes)), 0);
	assert_int_equal(buf_add(&bytes, frames, sizeof(frames)), 0);
	answer_with((__u8 *)bytes.data, bytes.size, 0);
}

/* --- turns of the loop ---------------------------------------------------------------------------------- */

static struct asleep_targets *targets;

static int setup(void **state)
{
	(void)state;
	lists = asked = gone_process = 0;
	kept_count = named = 0;
	list_count = 0;
	generation = 1;
	is_open = true;
	loop = (struct loop){ 0 };
	return asleep_targets_new(&targets, NULL, NULL, NULL) ?:
	       asleep_watch(targets, &loop);
}

static int teardown(void **state)
{
	(void)state;
	asleep_targets_free(TAKE_PTR(targets));
	return 0;
}

static void add_thread(__u32 tid, __u32 pid)
{
	list[list_count++] = (struct asleep){ .tid = tid, .pid = pid, .process = pid + 1000 };
}

TEST(nothing_before_waits_are_seen)
{
	is_open = false;
	add_thread(11, 10);
	turn();
	assert_int_equal(lists, 0);
	assert_int_equal(due_ms(), -1);
	is_open = true;
	assert_int_equal(due_ms(), 0);
	turn();
	assert_int_equal(lists, 1);
}

TEST(what_was_seen_goes_back)
{
	add_thread(11, 10);
	add_thread(12, 10);
	turn_until(1);
	assert_int_equal(request.type, WORKER_SLEEPERS);
	assert_int_equal(request.pid, 10);
	assert_int_equal(request.start_ticks, 5);
	assert_int_equal(request.sleepers.runtime, 0x7000);
	assert_int_equal(request.sleepers.layout.version, 0x030e00f0);
	assert_int_equal(request.sleepers.question.max_depth, 64);
	assert_int_equal(request.sleepers.question.count, 2);
	assert_int_equal(request.sleepers.question.tids[1], 12);
	assert_true(question.uncounted);
	assert_int_equal(due_ms(), -1); /* until the answer is there */
	answer();
	assert_int_equal(due_ms(), 0);
	while (kept_count < 2) /* a turn ends early where there is no CPU */
		turn();
	assert_int_equal(kept_count, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kept[i].asleep.tid, 11 + i);
		assert_int_equal(kept[i].asleep.process, 1010);
		assert_int_equal(kept[i].outcome, OUTCOME_WHOLE);
		assert_int_equal(kept[i].depth, 2);
		assert_int_equal(kept[i].frames[0].address, 0x10000);
		assert_int_equal(kept[i].frames[1].instr, 9);
	}
	assert_int_equal(named, 2); /* the code object that nobody has named, each time */
}

/* A look is at one process, and at so many threads as an answer may have. */
TEST(process_by_process)
{
	static const __u32 pids[] = { 10, 20, 20 }, counts[] = { 1, SLEEPERS_MAX, 3 };
	unsigned int given_so_far = 0;

	add_thread(11, 10);
	for (__u32 i = 0; i < SLEEPERS_MAX + 3; i++)
		add_thread(21 + i, 20);
	for (int i = 0; i < 3; i++) {
		turn_until(i + 1);
		assert_int_equal(request.pid, pids[i]);
		assert_int_equal(request.sleepers.question.count, counts[i]);
		answer();
		given_so_far += counts[i];
		while (kept_count < given_so_far)
			turn();
	}
}

/* The next list begins behind the last thread that was looked at. */
TEST(nobody_is_always_first)
{
	add_thread(11, 10);
	add_thread(21, 20);
	turn_until(1);
	assert_int_equal(request.pid, 10);
	generation++; /* the tree was emptied: all are listed again, soon */
	answer();
	turn_until(2);
	assert_int_equal(request.pid, 20);
	answer();
	generation++;
	turn_until(3);
	assert_int_equal(request.pid, 10);
}

TEST(one_that_cannot_be_looked_at)
{
	__u64 begin;

	add_thread(11, 10);
	turn_until(1);
	begin = clock_ns();
	answer_with(NULL, 0, -ETIMEDOUT);
	turn_until(2);
	assert_true(clock_ns() - begin >= NS_PER_SECOND);
	begin = clock_ns();
	answer_with((__u8 *)strdup("nonsense"), 8, 0);
	turn_until(3);
	assert_true(clock_ns() - begin >= 2 * NS_PER_SECOND);
	assert_int_equal(kept_count, 0);
}

/* It has ended, or is another one by now. */
TEST(one_that_is_gone)
{
	add_thread(11, 10);
	add_thread(21, 20);
	gone_process = 10;
	turn_until(1);
	assert_int_equal(request.pid, 20);
}

TEST(freed_with_an_answer_at_hand)
{
	add_thread(11, 10);
	turn_until(1);
	answer();
	/* A sanitizer sees what the teardown leaves. */
}

BY_ITSELF("it has functions of other rooms of its own");
AROUND_EACH(setup, teardown);
