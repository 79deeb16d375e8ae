/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replay.h - a fuzz target as a unit test, with any compiler: the inputs that are kept, and some thousands
 * made of them by small damage. The damage is the same in every run, so that a failure comes again.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "tests/fuzz/fuzz.h"

#define INPUT_MAX (1 << 16)
#define DAMAGED	  5000 /* inputs made of each */

static uint64_t state_ = 88172645463325252;

static uint64_t random_number(void)
{
	state_ ^= state_ << 13;
	state_ ^= state_ >> 7;
	return state_ ^= state_ << 17;
}

/* One to eight changes: a bit, a byte, a word of ones, a piece doubled or left out, an end cut off. */
static size_t damage(uint8_t *data, size_t size)
{
	for (int n = random_number() % 8 + 1; n-- && size;) {
		size_t at = random_number() % size, piece = random_number() % (size - at) + 1;

		switch (random_number() % 6) {
		case 0:
			data[at] ^= 1 << random_number() % 8;
			break;
		case 1:
			data[at] = random_number();
			break;
		case 2:
			memset(data + at, 0xff, piece < 8 ? piece : 8);
			break;
		case 3:
			if (size + piece > INPUT_MAX)
				break;
			memmove(data + at + piece, data + at, size - at);
			size += piece;
			break;
		case 4:
			memmove(data + at, data + at + piece, size - at - piece);
			size -= piece;
			break;
		default:
			if (random_number() % 4 == 0)
				size = at;
		}
	}
	return size;
}

static void replay_one(const uint8_t *seed, size_t size)
{
	static uint8_t data[INPUT_MAX];

	LLVMFuzzerTestOneInput(seed, size);
	for (int i = 0; i < DAMAGED; i++) {
		memcpy(data, seed, size);
		LLVMFuzzerTestOneInput(data, damage(data, size));
	}
}

static void replay(void **state)
{
	static uint8_t seed[INPUT_MAX];
	struct dirent *e;
	char path[512];
	int seeds = 0;
	DIR *d;

	(void)state;
	snprintf(path, sizeof(path), "tests/fuzz/corpus/%s", fuzz_corpus);
	d = opendir(path);
	if (!d)
		fail_msg("%s: run it in the top of the tree", path);
	while ((e = readdir(d))) {
		FILE *f;

		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "tests/fuzz/corpus/%s/%s", fuzz_corpus, e->d_name);
		f = fopen(path, "re");
		assert_non_null(f);
		replay_one(seed, fread(seed, 1, sizeof(seed), f));
		fclose(f);
		seeds++;
	}
	closedir(d);
	assert_true(seeds > 0);
	LLVMFuzzerTestOneInput(seed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(replay) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
