// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_task_targets.c - each Python process is asked whether it has asyncio, and if it has, its tasks are
 * looked at again and again; one question at a time. What a look becomes is shown by test_task_stacks.c. The
 * kernel side and the worker are the test's.
 */
#include "tests/forge/test.h"
#include "tests/unit/remote_polls/stand_in.h"

#include "kern/task_layouts.h"
#include "remote_polls/task_targets.h"
#include "remote/task_waits.h"
#include "python/task_layout.h"
#include "targets/registry.h"

#define PAUSE_NS    (200 * NS_PER_MS) /* before asyncio is looked for again */
#define ASYNCIO	    0x9000
#define PID	    100
#define USER	    77

/* --- the kernel side ------------------------------------------------------------------------------------ */

static struct kernel *const kernel = (struct kernel *)&programs;
static bool takes_tasks, layouts_wanted, no_room;
static __u32 version, set_pid;
static int none, looks;

bool asleep_takes_tasks(const struct asleep_programs *a)
{
	(void)a;
	return takes_tasks;
}

int asleep_give_tasks(const struct asleep_programs *a)
{
	(void)a;
	none += outside.none;
	looks += outside.looks;
	return 0;
}

struct task_layouts *kernel_task_layouts(struct kernel *k)
{
	return (struct task_layouts *)k;
}

bool task_layouts_are_wanted(const struct task_layouts *l)
{
	(void)l;
	return layouts_wanted;
}

__u32 task_layouts_add(struct task_layouts *l, const struct task_layout *layout, __u64 user)
{
	(void)l;
	(void)layout;
	assert_int_equal(user, USER);
	return layouts_wanted && !no_room;
}

int task_layouts_set(const struct task_layouts *l, __u32 pid, __u32 id, __u32 number)
{
	(void)l;
	assert_int_equal(id, 5);
	assert_int_equal(number, 1);
	set_pid = pid;
	return 0;
}

int kernel_get_process(struct kernel *k, __u32 pid, struct process *ret)
{
	(void)k;
	*ret = (struct process){
		.id = pid - PID + 5, .state = PROCESS_PYTHON, .runtime = 0x7000, .layout = 3, .user = USER
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

void captures_given(struct captures *c, const struct asleep *of, const struct seen_code *code, __u32 number)
{
	(void)c;
	(void)of;
	(void)code;
	(void)number;
}

/* --- the worker ----------------------------------------------------------------------------------------- */

static void answer(struct worker_reply *reply)
{
	reply->type = request.type;
	reply->pid = request.pid;
	reply->cpu_ns = 1;
	question.answer(question.asker, &note, reply);
	free(reply->table);
}

static __u16 task_size; /* that the worker finds */

static void answer_identity(__u64 asyncio)
{
	static struct worker_reply reply;

	reply = (struct worker_reply){ 0 };
	reply.identity.asyncio = asyncio;
	reply.identity.tasks.task_size = task_size;
	answer(&reply);
}

static void answer_look(void)
{
	static struct worker_reply reply;
	struct task_waits *head = calloc(1, sizeof(*head));

	head->at_ns = clock_ns();
	reply = (struct worker_reply){ .table = (__u8 *)head, .table_size = sizeof(*head) };
	answer(&reply);
}

static void answer_error(int err)
{
	static struct worker_reply reply;

	reply = (struct worker_reply){ .error = err };
	answer(&reply);
}

/* --- turns of the loop ---------------------------------------------------------------------------------- */

static struct registry *registry;
static struct task_targets *targets;

static void add_process(__u32 id, bool ended)
{
	const struct registry_entry e = { .id = id, .pid = id - 5 + PID, .ended = ended, .layout = 3 };

	assert_int_equal(registry_add(registry, &e), 0);
}

static int setup(void **state)
{
	(void)state;
	asked = refusal = none = looks = 0;
	set_pid = 0;
	task_size = 256;
	takes_tasks = true;
	layouts_wanted = no_room = false;
	version = 0x030e00f0;
	if (registry_new(&registry))
		return -1;
	add_process(5, false);
	loop = (struct loop){ 0 };
	return task_targets_new(&targets, kernel, registry, NULL, NULL) ?:
	       task_targets_watch(targets, &loop);
}

static int teardown(void **state)
{
	(void)state;
	task_targets_free(TAKE_PTR(targets));
	registry_free(TAKE_PTR(registry));
	return 0;
}

TEST(nobody_wants_tasks)
{
	takes_tasks = false;
	for (int i = 0; i < 3; i++)
		turn();
	assert_int_equal(asked, 0);
	assert_int_equal(due_ms(), -1);
}

TEST(first_whether_there_is_asyncio_and_then_looks)
{
	turn_until(1);
	assert_int_equal(request.type, WORKER_IDENTIFY);
	assert_true(request.identity.tasks && request.identity.again);
	assert_int_equal(request.pid, PID);
	assert_true(question.uncounted);
	for (int i = 0; i < 3; i++)
		turn();
	assert_int_equal(asked, 1); /* one at a time */
	answer_identity(ASYNCIO);
	turn_until(2);
	assert_int_equal(request.type, WORKER_TASK_WAITS);
	assert_int_equal(request.threads.asyncio, ASYNCIO);
	assert_int_equal(request.threads.runtime, 0x7000);
	assert_int_equal(request.threads.layout.version, version);
	answer_look();
	assert_int_equal(due_ms(), 0);
	while (!looks)
		turn();
	turn_until(3); /* again */
	assert_int_equal(request.type, WORKER_TASK_WAITS);
}

TEST(one_that_has_no_asyncio_yet)
{
	__u64 before;

	before = turn_until(1);
	answer_identity(0);
	assert_true(turn_until(2) >= before + PAUSE_NS);
	assert_int_equal(request.type, WORKER_IDENTIFY);
	before = clock_ns();
	answer_identity(0);
	assert_true(turn_until(3) >= before + 2 * PAUSE_NS);
}

TEST(a_look_that_fails)
{
	__u64 before;

	turn_until(1);
	answer_identity(ASYNCIO);
	before = turn_until(2);
	answer_error(-ETIMEDOUT);
	assert_true(turn_until(3) >= before + PAUSE_NS);
	assert_int_equal(request.type, WORKER_TASK_WAITS);
}

/* A program that runs may have changed what was being read: one such look is no verdict, a few are. */
TEST(one_whose_objects_look_strange)
{
	const int strange_max = 3;
	__u64 begin;

	turn_until(1);
	answer_identity(ASYNCIO);
	for (int i = 1; i < strange_max; i++) {
		turn_until(asked + 1);
		answer_error(-EPROTO);
		assert_int_equal(none, 0);
	}
	turn_until(asked + 1);
	answer_look();
	for (int i = 1; i <= strange_max; i++) {
		assert_int_equal(none, 0);
		turn_until(asked + 1);
		assert_int_equal(request.type, WORKER_TASK_WAITS);
		answer_error(-EPROTO);
	}
	assert_int_equal(none, 1);
	begin = clock_ns();
	for (asked = 0; clock_ns() - begin < 2 * PAUSE_NS;)
		turn();
	assert_int_equal(asked, 0);
}

TEST(a_worker_without_room)
{
	refusal = -EAGAIN;
	for (int i = 0; i < 5; i++)
		turn();
	refusal = 0;
	turn_until(1);
}

/* The answer comes when nobody is there any more that it is about. */
TEST(one_that_has_ended)
{
	const __u64 begin = clock_ns();

	turn_until(1);
	add_process(5, true);
	add_process(6, false);
	while (clock_ns() - begin < 2 * PAUSE_NS) /* until it is forgotten */
		turn();
	answer_identity(ASYNCIO);
	turn_until(2);
	assert_int_equal(request.pid, PID + 1);
}

/* Its version does not say where its tasks are: that is said, and counted, once. */
TEST(one_that_is_too_old)
{
	const __u64 begin = clock_ns();

	version = 0x030700f0;
	while (clock_ns() - begin < 2 * PAUSE_NS)
		turn();
	assert_int_equal(asked, 0);
	assert_int_equal(none, 1);
}

/* With --async the kernel side reads tasks: it is told where they are, and nobody looks. */
TEST(where_the_kernel_side_finds_them)
{
	const __u64 begin = clock_ns();

	takes_tasks = false;
	layouts_wanted = true;
	turn_until(1);
	answer_identity(ASYNCIO);
	assert_int_equal(set_pid, PID);
	while (clock_ns() - begin < 2 * PAUSE_NS)
		turn();
	assert_int_equal(asked, 1);
}

/* Until a task lives it may be that the kernel side cannot be told where tasks are: that is asked again. */
TEST(when_no_task_lives_yet)
{
	__u64 before;

	takes_tasks = false;
	layouts_wanted = true;
	task_size = 0;
	before = turn_until(1);
	answer_identity(ASYNCIO);
	assert_int_equal(set_pid, 0);
	assert_true(turn_until(2) >= before + PAUSE_NS);
	assert_int_equal(request.type, WORKER_IDENTIFY);
	task_size = 256;
	answer_identity(ASYNCIO);
	assert_int_equal(set_pid, PID);
}

/* Others have all the room: it is tried again, and there may be some then. */
TEST(when_there_is_no_room)
{
	__u64 before;

	takes_tasks = false;
	layouts_wanted = no_room = true;
	before = turn_until(1);
	answer_identity(ASYNCIO);
	assert_int_equal(set_pid, 0);
	assert_true(turn_until(2) >= before + PAUSE_NS);
	no_room = false;
	answer_identity(ASYNCIO);
	assert_int_equal(set_pid, PID);
}

/* Whoever looks from outside needs no room of the kernel side. */
TEST(looks_need_no_room)
{
	layouts_wanted = no_room = true;
	turn_until(1);
	answer_identity(ASYNCIO);
	assert_int_equal(set_pid, 0);
	turn_until(2);
	assert_int_equal(request.type, WORKER_TASK_WAITS);
}

BY_ITSELF("it has functions of other rooms of its own");
AROUND_EACH(setup, teardown);
