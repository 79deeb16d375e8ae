// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_asyncio_search.c - machine code of getters as compilers write it, and as nobody does; a process that
 * has no interpreter; a module whose objects are not what they should be, or not yet. That real ones are
 * found is shown by tests/e2e/tasks/test_tasks_found.py.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "python/asyncio_search.h"
#include "python/identify.h"
#include "tests/forge/test.h"
#include "tests/unit/python/forge_objects.h"

static __u16 offset_in(const char *code, size_t size)
{
	__u8 bytes[ASYNCIO_GETTER_BYTES];

	memset(bytes, 0x90, sizeof(bytes));
	memcpy(bytes, code, size);
	return asyncio_search_getter(bytes);
}

#define OFFSET_IN(code) offset_in(code, sizeof(code) - 1)

#ifdef __x86_64__
TEST(machine_code)
{
	/* mov 0x88(%rdi),%rax; mov 0x70(%rdi),%rax; after endbr64 */
	assert_int_equal(OFFSET_IN("\x48\x8b\x87\x88\0\0\0\x48\x85\xc0"), 0x88);
	assert_int_equal(OFFSET_IN("\xf3\x0f\x1e\xfa\x48\x8b\x47\x70\xc3"), 0x70);
	/* push %rbx; mov %rdi,%rbx; mov 0x98(%rbx),%rax */
	assert_int_equal(OFFSET_IN("\x53\x48\x89\xfb\x48\x8b\x83\x98\0\0\0"), 0x98);
	/* mov 0x88(%rdi),%r8 */
	assert_int_equal(OFFSET_IN("\x4c\x8b\x87\x88\0\0\0"), 0x88);
	assert_int_equal(OFFSET_IN("\x48\x8b\x87\0\0\1\0"), 0); /* further away than a task is long */
	assert_int_equal(OFFSET_IN("\x48\x8b\x47\xf8"), 0);	/* before the object */
	assert_int_equal(OFFSET_IN("\x48\x8b\x46\x70"), 0);	/* of %rsi */
	assert_int_equal(OFFSET_IN("\xc3"), 0);
}
#else
TEST(machine_code)
{
	/* ldr x0, [x0, #0x88]; mov x19, x0; ldr x0, [x19, #0x70] */
	assert_int_equal(OFFSET_IN("\0\x44\x40\xf9"), 0x88);
	assert_int_equal(OFFSET_IN("\xf3\x03\0\xaa\x60\x3a\x40\xf9"), 0x70);
	assert_int_equal(OFFSET_IN("\x20\x44\x40\xf9"), 0); /* of x1 */
	assert_int_equal(OFFSET_IN("\x1f\x20\x03\xd5"), 0);
}
#endif

/* Whatever bytes there are, an offset lies in what is read of a task. */
TEST(any_bytes)
{
	__u8 code[ASYNCIO_GETTER_BYTES];
	__u32 random = 1;

	for (int i = 0; i < 20000; i++) {
		for (size_t k = 0; k < sizeof(code); k++) {
			random = random * 1103515245 + 12345;
			code[k] = random >> 16 & 3 ? random >> 20 & 0xff : random >> 24 & 1 ? 0x8b : 0x48;
		}
		assert_true(asyncio_search_getter(code) < ASYNCIO_TASK_READ);
	}
}

static int begin(void **state)
{
	(void)state;
	forge_objects_begin();
	return 0;
}

TEST(no_interpreter)
{
	static __u64 nothing[512];
	struct layout later = *forged_objects.layout;

	assert_int_equal(asyncio_search_module(getpid(), forged_objects.layout, at(nothing)), 0);
	assert_int_equal(asyncio_search_module(getpid(), forged_objects.layout, 4096), 0);
	assert_int_equal(asyncio_search_module(1 << 30, forged_objects.layout, at(nothing)), 0);
	later.version = 0x030e06f0; /* it says it itself */
	assert_int_equal(asyncio_search_module(getpid(), &later, at(nothing)), 0);
}

/* From the interpreter over sys.modules, which stands elsewhere than expected, to the module's dict. */
TEST(a_module)
{
	static __u64 interp[512], runtime[8], module[8];
	static struct forged_dict modules, its_dict;
	static forged_object texts[3];
	const struct task_facts *f = forged_objects.facts;
	struct identity i = { .layout = *forged_objects.layout, .runtime = at(runtime) };

	runtime[forged_objects.layout->runtime_interpreters / 8] = at(interp);
	interp[f->interp_modules / 8 + 3] = forge_dict(&modules);
	module[2] = forge_dict(&its_dict);
	forge_item(&modules, forge_text(texts[0], "sys"), at(module));
	forge_item(&modules, forge_text(texts[1], "builtins"), at(module));
	assert_int_equal(asyncio_search_module(getpid(), forged_objects.layout, at(runtime)), 0);
	forge_item(&modules, forge_text(texts[2], "_asyncio"), at(module));
	assert_int_equal(asyncio_search_module(getpid(), forged_objects.layout, at(runtime)), at(&its_dict));
	identify_tasks(getpid(), &i);
	assert_int_equal(i.asyncio, at(&its_dict));
	assert_int_equal(i.tasks.task_size, 0); /* the module has none */
	i.asyncio = 0;
	identify_tasks(1 << 30, &i);
	assert_int_equal(i.asyncio, 0);
	forge_text(texts[1], "builtin_"); /* it is another dict */
	assert_int_equal(asyncio_search_module(getpid(), forged_objects.layout, at(runtime)), 0);
}

TEST(a_module_that_is_not_asyncio)
{
	static struct forged_dict dict;
	static forged_object texts[4];
	static const char *const names[] = { "Task", "Future", "_current_tasks", "_all_tasks" };
	struct asyncio_layout l = { .task_size = 1 };
	const struct layout *layout = forged_objects.layout;

	assert_int_equal(asyncio_search_layout(getpid(), layout, 4096, forge_dict(&dict), &l), -EAGAIN);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		forge_item(&dict, forge_text(texts[i], names[i]),
			   i < 2 ? at(forged_types[i ? FORGED_FUTURE : FORGED_TASK]) : at(texts[i]));
		assert_int_equal(asyncio_search_layout(getpid(), layout, 4096, at(&dict), &l),
				 i + 1 < ARRAY_SIZE(names) ? -EAGAIN : -EPROTO);
	}
	assert_int_equal(asyncio_search_layout(getpid(), layout, 4096, 8, &l), -EPROTO);
	assert_int_equal(asyncio_search_layout(1 << 30, layout, 4096, at(&dict), &l), -ESRCH);
	assert_int_equal(l.task_size, 1);
}

/* --- a program that runs ------------------------------------------------------------------------------- */

static forged_object task;
static int gone; /* so many reads of the task find that it has ended, and something else is in its place */

/* What the profiler reads with: between two reads the program runs. */
ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long locals,
			 const struct iovec *remote, unsigned long remotes, unsigned long flags)
{
	for (unsigned long i = 0; i < remotes; i++)
		if ((uintptr_t)remote[i].iov_base == at(task))
			task[OBJECT_TYPE / 8] = gone && gone-- ? at(forged_types[FORGED_OTHER])
							       : at(forged_types[FORGED_TASK]);
	return syscall(SYS_process_vm_readv, pid, local, locals, remote, remotes, flags);
}

#ifdef __x86_64__
/* mov 0x40(%rdi),%rax; ret; and the same of 0x48 */
static const __u8 code_of_waiter[ASYNCIO_GETTER_BYTES] = { 0x48, 0x8b, 0x47, 0x40, 0xc3 };
static const __u8 code_of_coro[ASYNCIO_GETTER_BYTES] = { 0x48, 0x8b, 0x47, 0x48, 0xc3 };
#else
/* ldr x0, [x0, #0x40]; and the same of 0x48 */
static const __u8 code_of_waiter[ASYNCIO_GETTER_BYTES] = { 0x00, 0x20, 0x40, 0xf9 };
static const __u8 code_of_coro[ASYNCIO_GETTER_BYTES] = { 0x00, 0x24, 0x40, 0xf9 };
#endif

enum { WAITER = 0x40, CORO = 0x48 }; /* in a task, as that code says */

static __u64 of_type(__u64 *object, __u64 *type, const char *name)
{
	type[(OBJECT_HEAD + TYPE_NAME) / 8] = at(name);
	object[OBJECT_TYPE / 8] = at(type);
	return at(object);
}

static void forge_task(void)
{
	static forged_object coro, coro_type, name, context, context_type;

	forge_object(task, FORGED_TASK);
	task[CORO / 8] = of_type(coro, coro_type, "coroutine");
	task[CORO / 8 + 1] = forge_text(name, "Task-1");
	task[CORO / 8 + 2] = of_type(context, context_type, "Context");
}

/* The module's types, and its set of weak references with one task. Returns the module's dict. */
static __u64 forge_module(void)
{
	static struct forged_dict dict, set_dict, current;
	static forged_object texts[5], weak_set, set, slots, reference;
	static const char *const names[] = { "Task", "Future", "_current_tasks", "_all_tasks" };
	static const __u64 getters[2][5] = {
		{ (uintptr_t)"_fut_waiter", (uintptr_t)code_of_waiter },
		{ (uintptr_t)"_coro", (uintptr_t)code_of_coro },
	};
	const __u64 values[] = { at(forged_types[FORGED_TASK]), at(forged_types[FORGED_FUTURE]),
				 forge_dict(&current), forge_object(weak_set, FORGED_INSTANCE) };

	forged_types[FORGED_FUTURE][(OBJECT_HEAD + TYPE_BASIC_SIZE) / 8] = WAITER;
	forged_types[FORGED_TASK][(OBJECT_HEAD + TYPE_BASIC_SIZE) / 8] = CORO + 24;
	forged_types[FORGED_TASK][(OBJECT_HEAD + TYPE_GETTERS) / 8] = at(getters);
	forge_dict(&dict);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		forge_item(&dict, forge_text(texts[i], names[i]), values[i]);
	weak_set[2] = forge_dict(&set_dict);
	forge_item(&set_dict, forge_text(texts[4], "data"), forge_object(set, FORGED_SET));
	set[(OBJECT_HEAD + SET_USED) / 8] = set[OBJECT_FIRST / 8] = 1;
	set[(OBJECT_HEAD + SET_MASK) / 8] = 7;
	set[(OBJECT_HEAD + SET_TABLE) / 8] = at(slots);
	slots[0] = forge_object(reference, FORGED_OTHER);
	reference[2] = at(task);
	return at(&dict);
}

/* Each task that was listed has ended before it was read: that says nothing of the build. */
TEST(tasks_that_end_while_they_are_read)
{
	const struct layout *layout = forged_objects.layout;
	struct asyncio_layout l = { 0 };
	const __u64 dict = forge_module();

	forge_task();
	for (int i = 0; i < 8; i++) {
		gone = i;
		assert_int_equal(asyncio_search_layout(getpid(), layout, 4096, dict, &l), 0);
		assert_int_equal(gone, 0);
		assert_int_equal(l.found.waiter, WAITER);
		assert_int_equal(l.task_coro, CORO);
	}
	/* Where it is so again and again, it is another build. The search ends. */
	l.task_coro = 1;
	gone = 1 << 20;
	assert_int_equal(asyncio_search_layout(getpid(), layout, 4096, dict, &l), -EPROTO);
	assert_true(gone > (1 << 20) - 100);
	assert_int_equal(l.task_coro, 1);
}

static int begin_all(void **state)
{
	(void)state;
	return 0;
}

BY_ITSELF("it has a process_vm_readv() of its own");
AROUND_EACH(begin, NULL);
AROUND_ALL(begin_all, NULL);
