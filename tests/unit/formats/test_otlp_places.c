// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_otlp_places.c - stacks with their locations: types of frames, lines of functions that were inlined,
 * addresses in their mappings with build ids, and names that a reader is to find.
 */
#include <string.h>

#include "formats/otlp_places.h"
#include "profile/profile.h"
#include "tests/forge/otlp.h"
#include "tests/forge/test.h"

static struct profile *p;
static struct otlp_dictionary d;
static struct otlp_places places;

static void begin(bool bare_natives)
{
	const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU),
					   .period_ns = 1,
					   .bare_natives = bare_natives };

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(otlp_dictionary_open(&d), 0);
}

static void end(void)
{
	otlp_places_close(&places);
	otlp_dictionary_close(&d);
	profile_free(p);
}

static __u32 function(enum frame_kind kind, const char *name, const char *file)
{
	__u32 id;

	assert_int_equal(profile_function(p, kind, name, file, 7, &id), 0);
	return id;
}

static __u32 native(const char *file, const char *build_id, const __u64 *shift)
{
	__u32 id;

	assert_int_equal(profile_mapping_native(p, file, build_id, shift, &id), 0);
	return id;
}

/* Opens the places, since there are no more records, and finds the stack. */
static struct message find_stack(const __u32 *locations, __u32 n)
{
	const struct profile_stack stack = { .n = n, .locations = locations };
	__u32 index, again;

	assert_int_equal(otlp_places_open(&places, p, &d), 0);
	assert_int_equal(otlp_places_stack(&places, &stack, &index), 0);
	assert_int_equal(otlp_places_stack(&places, &stack, &again), 0);
	assert_int_equal(index, again);
	return otlp_record(&d, OTLP_STACK, index);
}

static struct message location_of(struct message stack, size_t nth)
{
	return otlp_record(&d, OTLP_LOCATION, otlp_packed(stack, OTLP_STACK_LOCATION_INDICES, nth));
}

static void assert_line(struct message location, size_t nth, const char *name, const char *file, __u64 number)
{
	struct message line = otlp_message(location, OTLP_LOCATION_LINES, nth);
	struct message f = otlp_record(&d, OTLP_FUNCTION, otlp_number(line, OTLP_LINE_FUNCTION_INDEX));

	assert_int_equal(otlp_number(line, OTLP_LINE_LINE), number);
	assert_string(&d, otlp_number(f, OTLP_FUNCTION_NAME), name);
	assert_string(&d, otlp_number(f, OTLP_FUNCTION_FILENAME), file);
	assert_int_equal(otlp_number(f, OTLP_FUNCTION_START_LINE), 7);
}

static void assert_type(struct message location, const char *type)
{
	if (type)
		assert_text_attribute(&d, otlp_packed(location, OTLP_LOCATION_ATTRIBUTE_INDICES, 0),
				      "profile.frame.type", type);
	else
		assert_int_equal(otlp_count(location, OTLP_LOCATION_ATTRIBUTE_INDICES), 0);
}

TEST(each_kind_of_frame_has_its_type)
{
	static const char *const types[FRAME_KINDS] = {
		[FRAME_PYTHON] = "cpython",
		[FRAME_NATIVE] = "native",
		[FRAME_SYSCALL] = "kernel",
		[FRAME_KERNEL] = "kernel",
	};
	__u32 locations[FRAME_KINDS];
	struct message stack;

	begin(false);
	for (int kind = 0; kind < FRAME_KINDS; kind++)
		assert_int_equal(
			profile_location(p, function(kind, "f", "/srv/x.py"), 3, 5, 0, &locations[kind]), 0);
	stack = find_stack(locations, FRAME_KINDS);
	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		struct message location = location_of(stack, kind);

		assert_type(location, types[kind]);
		assert_line(location, 0, "f", "/srv/x.py", 3);
		assert_int_equal(
			otlp_number(otlp_message(location, OTLP_LOCATION_LINES, 0), OTLP_LINE_COLUMN), 5);
		assert_int_equal(otlp_number(location, OTLP_LOCATION_MAPPING_INDEX), 0);
	}
	/* The same function is one, and kinds of one type in one place are one location. */
	assert_int_equal(HASH_COUNT(d.tables[OTLP_FUNCTION].records), 2);
	assert_int_equal(otlp_packed(stack, OTLP_STACK_LOCATION_INDICES, FRAME_SYSCALL),
			 otlp_packed(stack, OTLP_STACK_LOCATION_INDICES, FRAME_KERNEL));
	end();
}

TEST(addresses_lie_in_their_mapping)
{
	const __u64 shift = 0x400000;
	__u32 locations[2];
	struct message stack, location, mapping;

	begin(false);
	assert_int_equal(profile_location_native(p, function(FRAME_NATIVE, "deflate", ""),
						 native("/lib/libz.so", "c0ffee", &shift), 0x1234,
						 &locations[0]),
			 0);
	assert_int_equal(profile_location_native(p, function(FRAME_NATIVE, "inflate", ""),
						 native("/lib/liby.so", "", NULL), 0x99, &locations[1]),
			 0);
	stack = find_stack(locations, 2);
	location = location_of(stack, 0);
	mapping = otlp_record(&d, OTLP_MAPPING, otlp_number(location, OTLP_LOCATION_MAPPING_INDEX));
	assert_int_equal(otlp_number(location, OTLP_LOCATION_ADDRESS), 0x401234);
	assert_int_equal(otlp_number(mapping, OTLP_MAPPING_MEMORY_START), 0x400000);
	assert_int_equal(otlp_number(mapping, OTLP_MAPPING_MEMORY_LIMIT), 0x100400000);
	assert_string(&d, otlp_number(mapping, OTLP_MAPPING_FILENAME), "/lib/libz.so");
	assert_text_attribute(&d, otlp_packed(mapping, OTLP_MAPPING_ATTRIBUTE_INDICES, 0),
			      "process.executable.build_id.gnu", "c0ffee");
	location = location_of(stack, 1);
	mapping = otlp_record(&d, OTLP_MAPPING, otlp_number(location, OTLP_LOCATION_MAPPING_INDEX));
	assert_int_equal(otlp_number(location, OTLP_LOCATION_ADDRESS), 0x99);
	assert_int_equal(otlp_number(mapping, OTLP_MAPPING_MEMORY_LIMIT), 0x100000000);
	assert_int_equal(otlp_count(mapping, OTLP_MAPPING_ATTRIBUTE_INDICES), 0);
	end();
}

TEST(inlined_functions_are_lines_of_one_location)
{
	__u32 locations[3];
	struct message stack, location;
	__u32 mapping;

	begin(false);
	mapping = native("/lib/libz.so", "c0ffee", NULL);
	assert_int_equal(profile_location_line(p, function(FRAME_NATIVE, "outer", "z.c"), 20, mapping, 0x10,
					       0, &locations[1]),
			 0);
	assert_int_equal(profile_location_line(p, function(FRAME_NATIVE, "inner", "z.h"), 3, mapping, 0x10,
					       locations[1], &locations[0]),
			 0);
	assert_int_equal(profile_location(p, function(FRAME_PYTHON, "f", "x.py"), 1, 0, 0, &locations[2]), 0);
	stack = find_stack(locations, 3);
	location = location_of(stack, 0);
	assert_int_equal(otlp_count(location, OTLP_LOCATION_LINES), 2);
	assert_line(location, 0, "inner", "z.h", 3);
	assert_line(location, 1, "outer", "z.c", 20);
	assert_line(location_of(stack, 1), 0, "f", "x.py", 1);
	assert_int_equal(HASH_COUNT(d.tables[OTLP_LOCATION].records), 3);
	end();
}

/* --symbols server: of two names for one place nothing is left that a reader could see twice. */
TEST(names_that_a_server_finds_are_left_out)
{
	const __u64 shift = 0;
	__u32 locations[3], mapping;
	struct message stack;

	begin(true);
	mapping = native("/lib/libz.so", "c0ffee", &shift);
	for (int i = 0; i < 2; i++)
		assert_int_equal(profile_location_native(p, function(FRAME_NATIVE, i ? "a" : "b", ""),
							 mapping, 0x10, &locations[i]),
				 0);
	assert_int_equal(profile_location(p, function(FRAME_PYTHON, "f", "x.py"), 1, 0, 0, &locations[2]), 0);
	stack = find_stack(locations, 3);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(otlp_count(location_of(stack, i), OTLP_LOCATION_LINES), 0);
		assert_int_equal(otlp_number(location_of(stack, i), OTLP_LOCATION_ADDRESS), 0x10);
		assert_type(location_of(stack, i), "native");
	}
	assert_line(location_of(stack, 2), 0, "f", "x.py", 1);
	assert_int_equal(HASH_COUNT(d.tables[OTLP_LOCATION].records), 3);
	assert_int_equal(HASH_COUNT(d.tables[OTLP_FUNCTION].records), 2);
	end();
}

TEST(a_function_without_a_name_gets_one)
{
	struct message stack;
	__u32 location;

	begin(false);
	assert_int_equal(profile_location(p, function(FRAME_PYTHON, "", ""), 0, 0, 0, &location), 0);
	stack = find_stack(&location, 1);
	assert_line(location_of(stack, 0), 0, "?", "", 0);
	end();
}
