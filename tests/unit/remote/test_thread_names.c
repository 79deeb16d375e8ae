// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_thread_names.c - names of threads in this process's own memory, forged as each version has the module
 * threading: those of living threads are found, and whatever is there instead ends the look and is no name.
 */
#include "tests/forge/objects.h"

#include "base/cleanup.h"
#include "remote/thread_names.h"
#include "tests/forge/test.h"

enum { T_MODULE = OWN_TYPES, T_THREAD, TYPES };
static const char *const type_names[TYPES] = { "type", "dict", "str", "int", "module", "Thread" };
static const __u32 versions[] = { 0x030800f0, 0x030900f0, 0x030a00f0, 0x030b00f0, 0x030c00f0, 0x030d00f0 };

#define IDENT(n) (0x7f0012345000 + 4096ULL * (n))

static __u64 *runtime;
static struct thread_states states;
static struct proc_thread threads[3];

static __u64 *module(const struct pair *pairs, size_t count)
{
	__u64 *at = object(T_MODULE, 2);

	at[2] = address_of(dict(pairs, count));
	return at;
}

static __u64 *thread_of(const void *name)
{
	return instance(T_THREAD, (const __u64 *const[]){ NULL, name }, 2);
}

/* A dict with numbers as its keys. */
static __u64 *by_ident(const struct pair *pairs, const __u64 *idents, size_t count)
{
	__u64 *at = object(T_DICT, 4), *keys = table(pairs, count, 0), *entry = keys + (is_old() ? 6 : 5);

	for (size_t i = 0; i < count; i++)
		entry[3 * i + 1] = address_of(int_of(idents[i]));
	at[4] = address_of(keys);
	return at;
}

/* An interpreter that has loaded this module under that name, and three threads. */
static void load(const char *name, const struct pair *in_module)
{
	const struct pair modules[] = { { "sys", module(NULL, 0) }, { "builtins", module(NULL, 0) },
					{ name, module(in_module, 1) } };
	const struct task_facts *facts = layout_task_facts(&layout);
	__u64 *interpreter = make(2000);

	interpreter[facts->interp_modules / 8] = address_of(dict(modules, 3));
	runtime = make(2);
	runtime[1] = address_of(interpreter);
	layout.runtime_interpreters = 8;
	states.count = 3;
	for (int i = 0; i < 3; i++) {
		states.list[i] = (struct thread_state){ .id = IDENT(i), .own_tid = 10 + i };
		threads[i] = (struct proc_thread){ .tid = 100 + i, .own_tid = 10 + i };
	}
}

static void begin(__u32 version)
{
	static const struct pair attributes[] = { { "_target", NULL }, { "_name", NULL } };

	forge_begin(version, type_names, TYPES);
	types[T_STR][FLAGS] |= OBJECTS_STR;
	give_attributes(T_THREAD, attributes, 2);
}

static int look(struct buf *out, const struct thread_name **ret, size_t *ret_count)
{
	int err = thread_names_read(getpid(), &layout, address_of(runtime), &states, threads, 3, out);

	if (!err)
		assert_int_equal(thread_names_parse(out->data, out->size, ret, ret_count), 0);
	return err;
}

TEST(each_version)
{
	static const __u64 idents[] = { IDENT(0), IDENT(7), IDENT(2), IDENT(1) };

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		_cleanup_buf_ struct buf out = { 0 };
		const struct thread_name *names;
		size_t count;
		struct pair in_module = { "_active", NULL }, active[4] = { { "", NULL } };

		begin(versions[i]);
		active[0] = (struct pair){ "", thread_of(text("MainThread")) };
		active[1] = (struct pair){ "", thread_of(text("of no thread here")) };
		active[2] = (struct pair){ "", thread_of(text("a-worker-with-a-long-name")) };
		active[3] = (struct pair){ "", thread_of(int_of(5)) }; /* no text: it has no name */
		in_module.value = by_ident(active, idents, 4);
		load("threading", &in_module);
		assert_int_equal(look(&out, &names, &count), 0);
		assert_int_equal(count, 2);
		assert_int_equal(names[0].tid, 100);
		assert_string_equal(names[0].name, "MainThread");
		assert_int_equal(names[1].tid, 102);
		assert_string_equal(names[1].name, "a-worker-with-a-long-name");
	}
}

TEST(without_the_module)
{
	const struct pair in_module = { "_active", NULL };
	_cleanup_buf_ struct buf out = { 0 };
	const struct thread_name *names;
	size_t count;

	begin(0x030b00f0);
	load("threadings", &in_module);
	assert_int_equal(look(&out, &names, &count), -ENOENT);
	load("threading", &in_module);
	assert_int_equal(look(&out, &names, &count), -ENOENT);
	layout.version = 0x030e00f0;
	assert_int_equal(look(&out, &names, &count), -EOPNOTSUPP);
	layout.version = 0x030700f0;
	assert_int_equal(look(&out, &names, &count), -EOPNOTSUPP);
	assert_int_equal(out.size, 0);
}

/* Whatever is in memory, it ends, and what comes out can be parsed. */
TEST(spoilt_memory)
{
	static const __u64 idents[] = { IDENT(0), IDENT(1) };

	for (int i = 0; i < 3000; i++) {
		_cleanup_buf_ struct buf out = { 0 };
		const struct thread_name *names;
		size_t count;
		struct pair in_module = { "_active", NULL }, active[2];

		begin(versions[i % ARRAY_SIZE(versions)]);
		active[0] = (struct pair){ "", thread_of(text("one")) };
		active[1] = (struct pair){ "", thread_of(text("two")) };
		in_module.value = by_ident(active, idents, 2);
		load("threading", &in_module);
		spoil(i % 40);
		look(&out, &names, &count);
	}
}

TEST(answers_that_are_none)
{
	struct thread_name n[2] = { { .tid = 1, .name = "a" }, { .tid = 2, .name = "b" } };
	const struct thread_name *names;
	size_t count;

	assert_int_equal(thread_names_parse(n, sizeof(n), &names, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(thread_names_parse(NULL, 0, &names, &count), 0);
	assert_int_equal(thread_names_parse(n, sizeof(n) - 1, &names, &count), -EBADMSG);
	assert_int_equal(thread_names_parse(n, THREAD_NAMES_BYTES_MAX + sizeof(*n), &names, &count),
			 -EBADMSG);
	n[1].tid = 0;
	assert_int_equal(thread_names_parse(n, sizeof(n), &names, &count), -EBADMSG);
	n[1].tid = 2;
	memset(n[1].name, 'x', sizeof(n[1].name));
	assert_int_equal(thread_names_parse(n, sizeof(n), &names, &count), -EBADMSG);
}

/* This process has no interpreter. */
TEST(a_whole_look)
{
	const struct layout l = { .version = 0x030d0000, .runtime_interpreters = 8 };
	_cleanup_buf_ struct buf out = { 0 };

	assert_int_equal(thread_names_look(getpid(), getpid(), &l, 4096, &out), -ENOENT);
	assert_int_equal(thread_names_look(1 << 30, 1 << 30, &l, 4096, &out), -ESRCH);
}
