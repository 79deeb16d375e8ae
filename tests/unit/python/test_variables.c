// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_variables.c - the variables of 2.7 and 3.6 in the data of an image that is forged in this process's
 * own memory, stripped and not.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "python/variables.h"
#include "tests/forge/interpreter.h"
#include "tests/forge/test.h"

#define WORDS 4096
#define BIAS  0x100000

static __u64 data[WORDS]; /* the writable part of the image */
static struct image image;
static struct layout layout;

static __u64 file_address(const void *p)
{
	return py_address(p) - BIAS;
}

/* An image with data[10] as _PyThreadState_Current, and an interpreter with one thread. */
static void begin(__u32 minor)
{
	py_begin_with_thread(minor);
	memset(data, 0, sizeof(data));
	image = (struct image){
		.load_count = 1,
		.load[0] = { .address = file_address(data), .memory_size = sizeof(data), .flags = 6 },
		.old_thread = file_address(&data[10]),
	};
	layout = py.l;
	layout.runtime_interpreters = layout.runtime_main = 77;
}

static void *place(void)
{
	return (void *)variables_address(getpid(), &image, BIAS, &layout);
}

static const __u32 minors[] = { 0x0207, 0x0306 };

TEST(with_symbols)
{
	for (size_t v = 0; v < ARRAY_SIZE(minors); v++) {
		begin(minors[v]);
		image.old_interps = file_address(&data[4]);
		assert_ptr_equal(place(), &data[3]);
		assert_int_equal(layout.runtime_tstate, 7 * 8);
		assert_int_equal(layout.runtime_interpreters, 8);
		assert_int_equal(layout.runtime_main, 0);
		image.old_interps = file_address(&data[40]);
		assert_ptr_equal(place(), &data[9]);
		assert_int_equal(layout.runtime_interpreters, 31 * 8);
	}
}

TEST(stripped)
{
	for (size_t v = 0; v < ARRAY_SIZE(minors); v++) {
		/* At both ends of the data, and of what is read at once. */
		static const int places[] = { 0, 9, 11, 511, 512, WORDS - 1 };

		for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
			int offset;

			begin(minors[v]);
			data[places[i]] = py_address(py.interp);
			place();
			assert_int_equal(layout.runtime_interpreters, 0);
			offset = layout.runtime_main - layout.runtime_tstate;
			assert_int_equal(offset, 8 * (places[i] - 10));
			assert_true(layout.runtime_main && layout.runtime_tstate);
		}
	}
}

/* What looks like an interpreter, but is none, and words that lead nowhere. */
TEST(none_there)
{
	__u8 *tstate;

	for (size_t v = 0; v < ARRAY_SIZE(minors); v++) {
		begin(minors[v]);
		for (int i = 0; i < WORDS; i++)
			data[i] = i % 5 == 0   ? 0x7ffffffff000 /* not mapped */
				  : i % 5 == 1 ? py_address(&data[i])
				  : i % 5 == 2 ? py_address(py.threads[0].tstate)
				  : i % 5 == 3 ? 0x4141414141414141
					       : 1;
		assert_ptr_equal(place(), &data[9]);
		assert_int_equal(layout.runtime_tstate, 8);
		assert_int_equal(layout.runtime_main, 0);

		begin(minors[v]);
		data[100] = py_address(py.interp);
		tstate = py.threads[0].tstate;
		forge_put(tstate, py.l.tstate_thread_id, py_address(data), 8); /* is no thread's id */
		place();
		assert_int_equal(layout.runtime_main, 0);
		forge_put(tstate, py.l.tstate_thread_id, py_self(), 8);
		place();
		assert_int_not_equal(layout.runtime_main, 0);
		forge_put(tstate, py.l.tstate_interp, py_address(py.interp) + 8, 8);
		place();
		assert_int_equal(layout.runtime_main, 0);
		forge_put(py.interp, py.l.interp_threads, 0, 8); /* it has no thread yet */
		place();
		assert_int_equal(layout.runtime_main, 0);
	}
}

/* A hostile file says that its data has no end, or that it lies where nothing is. */
TEST(bounded)
{
	begin(0x0207);
	image.load[0].memory_size = UINT64_MAX - image.load[0].address;
	place();
	image.load[0].address = 8;
	image.load[0].memory_size = UINT64_MAX;
	place();
	assert_int_equal(layout.runtime_main, 0);
	image.load_count = 0;
	place();
	assert_int_equal(layout.runtime_main, 0);
}
