// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_sleepers.c - what comes from a worker is checked, whatever it is. That what it sees is right is shown
 * by tests/e2e/waits/test_asleep.py.
 */
#include <errno.h>
#include <string.h>

#include "remote/sleepers.h"
#include "tests/forge/test.h"

struct answer {
	struct sleepers head;
	struct sleeper threads[2];
	struct seen_code codes[2];
	struct seen_frame frames[3];
};

static struct answer good(void)
{
	return (struct answer){
		.head = { .threads = 2, .codes = 2, .frames = 3 },
		.threads = { { .tid = 5, .count = 2, .outcome = OUTCOME_WHOLE },
			     { .tid = 6, .first = 2, .count = 1, .outcome = OUTCOME_TRUNCATED } },
		.codes = { { .address = 0x10000, .fingerprint = 1 },
			   { .address = 0x10040, .fingerprint = 3 } },
		.frames = { { .instr = 1 }, { .code = 1, .instr = INSTR_UNKNOWN }, { .code = 1 } },
	};
}

static int parse(const struct answer *a, size_t size)
{
	const struct sleepers *head;
	const struct sleeper *threads;
	const struct seen_code *codes;
	const struct seen_frame *frames;

	return sleepers_parse(a, size, &head, &threads, &codes, &frames);
}

TEST(pointers_into_a_good_answer)
{
	const struct answer a = good();
	const struct sleepers *head;
	const struct sleeper *threads;
	const struct seen_code *codes;
	const struct seen_frame *frames;

	assert_int_equal(sleepers_parse(&a, sizeof(a), &head, &threads, &codes, &frames), 0);
	assert_ptr_equal(head, &a.head);
	assert_ptr_equal(threads, a.threads);
	assert_ptr_equal(codes, a.codes);
	assert_ptr_equal(frames, a.frames);
}

TEST(sizes_that_are_wrong)
{
	const struct answer a = good();
	struct answer bad;

	for (size_t size = 0; size < sizeof(a); size++)
		assert_int_equal(parse(&a, size), -EBADMSG);
	bad = a;
	bad.head.threads = UINT32_MAX;
	assert_int_equal(parse(&bad, sizeof(bad)), -EBADMSG);
	bad = a;
	bad.head.codes = SEEN_CODES_MAX + 1;
	assert_int_equal(parse(&bad, sizeof(bad)), -EBADMSG);
	bad = a;
	bad.head.frames = SLEEPERS_FRAMES_MAX + 1;
	assert_int_equal(parse(&bad, sizeof(bad)), -EBADMSG);
}

/* Each of these is the only thing that is wrong. */
TEST(numbers_that_are_impossible)
{
	struct answer bad[8];

	for (size_t i = 0; i < 8; i++)
		bad[i] = good();
	bad[0].threads[1].count = 2;
	bad[1].threads[0].first = 4;
	bad[2].threads[0].outcome = OUTCOME_NOT_PYTHON; /* it would have no place in the profile */
	bad[3].threads[1].outcome = OUTCOME_COUNT;
	bad[4].codes[1].address = 1ULL << 50; /* its bits would be those of another process */
	bad[5].codes[0].fingerprint = FINGERPRINT_UNREAD;
	bad[6].frames[2].code = 2;
	bad[7].frames[0].instr = INSTR_UNKNOWN + 1;
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(parse(&bad[i], sizeof(bad[i])), -EBADMSG);
}
