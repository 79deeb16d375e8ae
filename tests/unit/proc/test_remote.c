// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_remote.c - the memory of a real child: whole, up to the end of a mapping, where there is none, after
 * its end, and for a user who may not.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "proc/remote.h"
#include "tests/forge/test.h"

#define PAGE 4096

static pid_t child;
/* two of the child: the first is all 'c' there, and 'p' here; the second may not be read */
static char *pages;

static __u64 address(const void *p)
{
	return (uintptr_t)p;
}

static int setup(void **state)
{
	int ready[2];
	char byte;

	(void)state;
	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE) || pipe(ready))
		return -1;
	memset(pages, 'p', PAGE);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		memset(pages, 'c', PAGE);
		byte = write(ready[1], "", 1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (child < 0 || read(ready[0], &byte, 1) != 1)
		return -1;
	close(ready[0]);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	munmap(pages, 2 * PAGE);
	return 0;
}

TEST(memory_of_the_other)
{
	char bytes[PAGE], expected[PAGE];

	memset(expected, 'c', sizeof(expected));
	assert_int_equal(remote_read(child, address(pages), bytes, PAGE), 0);
	assert_memory_equal(bytes, expected, PAGE);
	assert_int_equal(remote_read(child, address(pages) + 1, bytes, 1), 0);
	assert_int_equal(bytes[0], 'c');
	assert_int_equal(pages[0], 'p');
}

TEST(up_to_where_the_mapping_ends)
{
	char bytes[100] = "";

	assert_int_equal(remote_read_some(child, address(pages + PAGE - 10), bytes, sizeof(bytes)), 10);
	assert_memory_equal(bytes, "cccccccccc", 11);
	assert_int_equal(remote_read(child, address(pages + PAGE - 10), bytes, sizeof(bytes)), -EFAULT);
	assert_int_equal(remote_read(child, address(pages + PAGE - 10), bytes, 10), 0);
}

TEST(where_nothing_is)
{
	static const __u64 nowhere[] = { 0, 1, 1ULL << 46, 1ULL << 62, 1ULL << 63, ~0ULL };
	char bytes[8];

	for (size_t i = 0; i < ARRAY_SIZE(nowhere); i++) {
		assert_int_equal(remote_read_some(child, nowhere[i], bytes, sizeof(bytes)), -EFAULT);
		assert_int_equal(remote_read(child, nowhere[i], bytes, sizeof(bytes)), -EFAULT);
	}
	assert_int_equal(remote_read_some(child, address(pages + PAGE), bytes, sizeof(bytes)), -EFAULT);
}

TEST(process_that_has_ended)
{
	siginfo_t info;
	char bytes[8];

	kill(child, SIGKILL);
	/* A zombie has no memory any more; later there is no process at all. */
	assert_int_equal(waitid(P_PID, child, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(remote_read(child, address(pages), bytes, sizeof(bytes)), -ESRCH);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(remote_read(child, address(pages), bytes, sizeof(bytes)), -ESRCH);
	assert_int_equal(remote_read_some(child, address(pages), bytes, sizeof(bytes)), -ESRCH);
	child = 0;
}

TEST(user_who_may_not)
{
	pid_t reader;
	char bytes[8];
	int status;

	if (geteuid()) {
		print_message("SKIP: only root can become another user\n");
		skip();
	}
	reader = fork();
	assert_true(reader >= 0);
	if (!reader) {
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(2);
		_exit(remote_read(child, address(pages), bytes, sizeof(bytes)) != -EPERM);
	}
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
}

/* What is not there leaves the others as they are, wherever it stands. */
TEST(many_parts)
{
	const __u64 there = address(pages), missing = address(pages + PAGE);
	char bytes[REMOTE_PARTS][8];
	struct remote_part parts[REMOTE_PARTS + 1];

	for (int first = 0; first < REMOTE_PARTS - 1; first++) {
		memset(bytes, 'x', sizeof(bytes));
		for (int i = 0; i < REMOTE_PARTS; i++)
			parts[i] = (struct remote_part){ there, bytes[i], 8, 99 };
		parts[first].address = missing;
		parts[REMOTE_PARTS - 1].address = missing - 4;
		assert_int_equal(remote_read_parts(child, parts, REMOTE_PARTS), 0);
		for (int i = 0; i < REMOTE_PARTS - 1; i++) {
			assert_int_equal(parts[i].got, i == first ? 0 : 8);
			assert_int_equal(bytes[i][7], i == first ? 'x' : 'c');
		}
		assert_int_equal(parts[REMOTE_PARTS - 1].got, 4);
	}
	assert_int_equal(remote_read_parts(child, parts, REMOTE_PARTS + 1), -E2BIG);
	assert_int_equal(remote_read_parts(1 << 30, parts, 1), -ESRCH);
}

AROUND_EACH(setup, teardown);
