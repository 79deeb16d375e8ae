// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_context_targets.c - each Python process is asked for the context variables that are wanted, until all
 * are found; one question at a time; the kernel side is told what was found. It and the worker are the
 * test's.
 */
#include "tests/forge/test.h"
#include "tests/unit/remote_polls/stand_in.h"

#include "kern/contexts.h"
#include "remote_polls/context_targets.h"
#include "python/context_names.h"
#include "targets/registry.h"

#define PID 100

static struct kernel *const kernel = (struct kernel *)&programs;
static struct context_vars told; /* of process 5 */
static int times_told;
static __u32 version;

struct contexts *kernel_contexts(struct kernel *k)
{
	return (struct contexts *)k;
}

const struct context_vars *contexts_get(const struct contexts *t, __u32 contexts)
{
	(void)t;
	return contexts ? &told : NULL;
}

int contexts_set(struct contexts *t, __u32 pid, __u32 id, __u64 user, const struct context_vars *v)
{
	(void)user;
	(void)t;
	assert_int_equal(pid, PID);
	assert_int_equal(id, 5);
	told = *v;
	times_told++;
	return 0;
}

int kernel_get_process(struct kernel *k, __u32 pid, struct process *ret)
{
	(void)k;
	*ret = (struct process){ .id = pid - PID + 5, .state = PROCESS_PYTHON, .runtime = 0x7000, .layout = 3,
				 .contexts = times_told > 0 };
	return 0;
}

int kernel_get_layout(const struct kernel *k, __u32 index, struct layout *ret)
{
	(void)k;
	assert_int_equal(index, 3);
	*ret = (struct layout){ .version = version };
	return 0;
}

/* --- turns of the loop ---------------------------------------------------------------------------------- */

static struct context_names names;
static struct registry *registry;
static struct context_targets *targets;

static int setup(void **state)
{
	const struct registry_entry e = { .id = 5, .pid = PID, .layout = 3 };

	(void)state;
	asked = times_told = 0;
	version = 0x030c00f0;
	told = (struct context_vars){ 0 };
	loop = (struct loop){ 0 };
	if (context_names_parse("tenant,user", &names) || registry_new(&registry) ||
	    registry_add(registry, &e))
		return -1;
	return context_targets_new(&targets, kernel, registry, NULL, &names) ?:
	       context_targets_watch(targets, &loop);
}

static int teardown(void **state)
{
	(void)state;
	context_targets_free(TAKE_PTR(targets));
	registry_free(TAKE_PTR(registry));
	return 0;
}

static void turn_until_any(int times)
{
	turn_until(times);
	assert_int_equal(request.type, WORKER_CONTEXTS);
}

static void turn_until_asked(int times)
{
	turn_until_any(times);
	assert_int_equal(request.contexts.runtime, 0x7000);
	assert_string_equal(request.contexts.names.name[1], "user");
}

static void answer(int err, const struct context_vars *v, size_t size)
{
	answer_value(&note, err, v, sizeof(*v), size);
}

static struct context_vars found(__u64 address, __u8 label)
{
	return (struct context_vars){ .tstate_context = 208, .head = 16, .var_hash = 56, .count = 1,
				      .keys = { { address, 1 } }, .label = { label } };
}

TEST(until_all_are_found)
{
	struct context_vars v = found(0x8000, 0);

	turn_until_asked(1);
	turn();
	assert_int_equal(asked, 1); /* one at a time */
	answer(-ENOENT, NULL, 0);
	assert_int_equal(times_told, 0);
	turn_until_asked(2);
	answer(0, &v, sizeof(v));
	assert_int_equal(times_told, 1);
	turn_until_asked(3);
	answer(0, &v, sizeof(v)); /* nothing new */
	assert_int_equal(times_told, 1);
	turn_until_asked(4);
	v = found(0x9000, 1);
	answer(0, &v, sizeof(v));
	assert_int_equal(times_told, 2);
	assert_true(told.count == 2 && told.keys[0].address == 0x8000 && told.keys[1].address == 0x9000);
	for (int i = 0; i < 3; i++)
		turn();
	assert_int_equal(asked, 4); /* it is not due for long */
	assert_true(due_ms() > 0);
}

TEST(what_cannot_be_is_not_told)
{
	struct context_vars v = found(0x8000, 2);

	turn_until_asked(1);
	answer(0, &v, sizeof(v));
	v = found(0x8000, 0);
	turn_until_asked(2);
	answer(0, &v, sizeof(v) - 1);
	turn_until_asked(3);
	answer(0, &v, sizeof(v) + 1);
	turn_until_asked(4);
	v.count = 0;
	answer(0, &v, sizeof(v));
	assert_int_equal(times_told, 0);
}

/* What threads publish is read, until it is found out that it is not always true. */
TEST(what_threads_publish)
{
	struct context_vars v = { .head = 16, .var_hash = 56, .thread = { .kind = THREAD_CONTEXT_UNTRUE } };

	names.count = 0;
	names.trace = 1;
	for (int i = 1; i <= 2; i++) {
		turn_until_any(i);
		answer(0, &v, sizeof(v));
	}
	assert_int_equal(times_told, 0); /* there is nothing to be read */
	v.thread = (struct thread_context_place){ .kind = THREAD_CONTEXT_STATIC, .offset = -8 };
	turn_until_any(3);
	answer(0, &v, sizeof(v));
	assert_int_equal(times_told, 1);
	assert_int_equal(told.thread.kind, THREAD_CONTEXT_STATIC);
	assert_true(due_ms() > 1000); /* all is found */
}

TEST(what_is_untrue_later)
{
	struct context_vars v = { .head = 16, .var_hash = 56, .thread = { .kind = THREAD_CONTEXT_UNTRUE } };

	names.trace = 1; /* ... and variables, which are never found: it is asked again soon */
	told = v;
	told.thread = (struct thread_context_place){ .kind = THREAD_CONTEXT_STATIC, .offset = -8 };
	times_told = 1; /* it is known */
	turn_until_asked(1);
	answer(0, &v, sizeof(v));
	assert_int_equal(times_told, 2);
	assert_int_equal(told.thread.kind, THREAD_CONTEXT_UNTRUE);
}

TEST(nobody_asks_for_any)
{
	names.count = 0;
	for (int i = 0; i < 3; i++)
		turn();
	assert_int_equal(asked, 0);
	assert_int_equal(due_ms(), -1);
}

BY_ITSELF("it has functions of other rooms of its own");
AROUND_EACH(setup, teardown);
