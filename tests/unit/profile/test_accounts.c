// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_accounts.c - whose account and ticks differ by more than chance; a healthy program is never named,
 * however its ticks fall.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/accounts.h"
#include "profile/profile.h"
#include "tests/forge/test.h"

#define MS 1000000ULL
#define PERIOD (10 * MS)

static struct profile *new_profile(void)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU), .period_ns = PERIOD, .frequency = 100
	};
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	return p;
}

/* A thread with so many ticks, in stacks of two states, and so much time by the account; 0 = none. */
static void add(struct profile *p, __u32 pid, __u32 tid, __u64 ticks, __u64 ms)
{
	struct profile_labels l = { .pid = pid, .tid = tid, .comm = "web", .thread = tid ? "worker" : "" };
	__u32 function, location;

	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "a.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 2, 0, 0, &location), 0);
	if (ms)
		assert_int_equal(profile_account(p, &l, ms * MS), 0);
	l.gil = "holds";
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &l, ticks / 2), 0);
	l.gil = "released";
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &l, ticks - ticks / 2), 0);
}

static const char *lines(const struct profile *p)
{
	static struct buf text;
	struct accounts_found found;

	buf_clear(&text);
	assert_int_equal(accounts_find(p, &found), 0);
	assert_true(accounts_lines(&found) <= ACCOUNTS_LINES);
	for (__u32 i = 0; i < accounts_lines(&found); i++) {
		assert_int_equal(accounts_line(p, &found, i, &text), 0);
		assert_int_equal(buf_add_string(&text, "\n"), 0);
	}
	accounts_free(&found);
	assert_int_equal(buf_add(&text, "", 1), 0);
	return text.data;
}

TEST(who_differs)
{
	_cleanup_profile_ struct profile *p = new_profile();

	add(p, 7, 7, 20, 880);
	add(p, 7, 8, 88, 880);
	add(p, 9, 9, 200, 500); /* ticks of a time that is not in the account */
	assert_string_equal(lines(p),
			    "Thread 9 (worker): 0.50 s of CPU by the kernel's account, 2.00 s by ticks\n"
			    "Thread 7 (worker): 0.88 s of CPU by the kernel's account, 0.20 s by ticks\n");
}

/* Without accounts, as of --event cycles, nothing is said. */
TEST(looks_from_outside)
{
	_cleanup_profile_ struct profile *p = new_profile();
	struct profile_info info = *profile_get_info(p);

	add(p, 1, 1, 10, 1000);
	assert_string_not_equal(lines(p), "");
	info.outside = true;
	assert_int_equal(profile_set_info(p, &info), 0);
	assert_string_equal(lines(p), "");
}

TEST(no_accounts)
{
	_cleanup_profile_ struct profile *p = new_profile();

	add(p, 7, 7, 200, 0);
	assert_string_equal(lines(p), "");
}

/* Ticks as chance deals them, of threads of each length. */
TEST(chance)
{
	srand(1);
	for (int run = 0; run < 20; run++) {
		_cleanup_profile_ struct profile *p = new_profile();

		for (__u32 tid = 1; tid < 200; tid++) {
			const __u64 ms = 1ULL << rand() % 13;
			__u64 ticks = 0;

			for (__u64 i = 0; i < ms; i++)
				ticks += rand() % (PERIOD / MS) == 0;
			add(p, 1 + tid % 3, tid, ticks, ms);
		}
		assert_string_equal(lines(p), "");
	}
}

/* Threads of too little time to be judged alone. Those that nobody met are in the process's row. */
TEST(short_threads)
{
	_cleanup_profile_ struct profile *p = new_profile();

	for (__u32 tid = 1; tid <= 100; tid++)
		add(p, 3, tid, tid % 2, 10); /* 50 of 100 ticks */
	add(p, 3, 0, 0, 500);
	for (__u32 tid = 1000; tid < 1100; tid++)
		add(p, 4, tid, 1, 0);
	add(p, 4, 0, 0, 1000);
	assert_string_equal(lines(p), "Other threads of process 3 (web): "
				      "1.50 s of CPU by the kernel's account, 0.50 s by ticks\n");
}

/* Their ends may be missing in the account: that alone says nothing. */
TEST(ends_that_are_missing)
{
	_cleanup_profile_ struct profile *p = new_profile();

	for (__u32 tid = 1000; tid < 1500; tid++)
		add(p, 4, tid, 1, 0);
	add(p, 4, 0, 0, 1000);
	assert_string_equal(lines(p), "");
}

TEST(the_others_are_counted)
{
	_cleanup_profile_ struct profile *p = new_profile();
	struct accounts_found found;

	for (__u32 tid = 1; tid <= ACCOUNTS_SHOWN + 3; tid++)
		add(p, 3, tid, 0, 1000 + tid);
	assert_int_equal(accounts_find(p, &found), 0);
	assert_int_equal(found.n, ACCOUNTS_SHOWN + 3);
	assert_int_equal(found.rows[0].tid, ACCOUNTS_SHOWN + 3);
	accounts_free(&found);
	assert_non_null(strstr(lines(p), "The account and the ticks of 3 other threads differ, too\n"));
}
