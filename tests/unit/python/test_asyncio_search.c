// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_asyncio_search.c - machine code of getters as compilers write it, and as nobody does; a process that
 * has no interpreter; a module whose objects are not what they should be. That real ones are found is shown
 * by tests/e2e/tasks/test_tasks_found.py.
 */
#include <errno.h>

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
	assert_int_equal(OFFSET_IN("\x48\x8b\x47\xf8"), 0); /* before the object */
	assert_int_equal(OFFSET_IN("\x48\x8b\x46\x70"), 0); /* of %rsi */
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

static int begin_all(void **state)
{
	(void)state;
	return 0;
}

AROUND_EACH(begin, NULL);
AROUND_ALL(begin_all, NULL);
