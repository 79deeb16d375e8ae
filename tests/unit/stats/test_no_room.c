// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_no_room.c - that a table is full is said once for each table. The counters of the kernel side are set.
 * Needs the right to load BPF.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"
#include "tests/forge/logged.h"

#include <bpf/libbpf.h>

#include "kern/object.h"
#include "pyperf.skel.h"
#include "stats/no_room.h"

static struct no_room said;

static void set_counters(const struct cpu_stats *s)
{
	const __u32 first = 0;

	assert_int_equal(
		bpf_map__update_elem(kernel->skel->maps.stats, &first, sizeof(first), s, sizeof(*s), BPF_ANY),
		0);
}

TEST(each_is_said_once)
{
	struct cpu_stats s = {};

	kernel = open_kernel(selected);
	assert_string_equal(LOGGED(no_room_check(&said, kernel)), "");
	s.waits_full = 12;
	set_counters(&s);
	assert_non_null(strstr(LOGGED(no_room_check(&said, kernel)), "12 waits of threads found no room"));
	s.waits_full = 13;
	set_counters(&s);
	assert_string_equal(LOGGED(no_room_check(&said, kernel)), "");
	s.memories_dropped = 1;
	set_counters(&s);
	assert_non_null(strstr(LOGGED(no_room_check(&said, kernel)), "--stats: memories_dropped"));
	assert_string_equal(LOGGED(no_room_check(&said, kernel)), "");
}

/* Who meets such a process says so already. */
TEST(what_is_said_elsewhere_is_not_said_again)
{
	const struct cpu_stats s = { .processes_full = 1 };

	kernel = open_kernel(selected);
	set_counters(&s);
	assert_string_equal(LOGGED(no_room_check(&(struct no_room){}, kernel)), "");
}

AROUND_EACH(NULL, teardown);
