// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_memory.c - reads this process's own memory, as that of another: what is there, what is not, and what
 * may not be read. What the last look has read is read at once, and nothing older than what was asked before.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hosted/memory.h"
#include "tests/forge/test.h"

BY_ITSELF("it has a process_vm_readv() of its own");

#define WORDS 64

static __u64 words[WORDS][4];
static struct memory_places places;
static int calls;
static void (*before_call)(void);

/* In place of the C library's. */
ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long to_count, const struct iovec *from,
			 unsigned long from_count, unsigned long flags)
{
	calls++;
	if (before_call)
		before_call();
	return syscall(SYS_process_vm_readv, pid, to, to_count, from, from_count, flags);
}

static int setup(void **state)
{
	(void)state;
	places = (struct memory_places){ 0 };
	before_call = NULL;
	for (int i = 0; i < WORDS; i++)
		words[i][0] = i + 1;
	return 0;
}

AROUND_EACH(setup, NULL);

static __u64 address(int i)
{
	return (__u64)(unsigned long)words[i];
}

static void begin(void)
{
	memory_begin(getpid(), &places);
	calls = 0;
}

static __u64 get(int i)
{
	__u64 got = ~0ULL;

	assert_int_equal(memory_read(&got, sizeof(got), address(i)), 0);
	return got;
}

TEST(what_is_there_and_what_is_not)
{
	__u64 got[2] = { 1, 1 };

	begin();
	words[1][0] = 77;
	assert_int_equal(memory_read(got, 8, address(1)), 0);
	assert_int_equal(got[0], 77);
	assert_int_equal(got[1], 1);
	assert_int_equal(memory_read(got, sizeof(got), 4096), -EFAULT);
	assert_int_equal(got[0], 0);
	assert_int_equal(got[1], 0);
	assert_int_equal(memory_refused(), 0);
}

TEST(half_of_it)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u64 got[2] = { 1, 1 };

	assert_ptr_not_equal(p, MAP_FAILED);
	memset(p, 1, 8192);
	munmap(p + 4096, 4096);
	begin();
	assert_int_equal(memory_read(got, sizeof(got), (__u64)(unsigned long)p + 4088), -EFAULT);
	assert_int_equal(got[0], 0); /* nothing of two moments, or of half an object */
	munmap(p, 4096);
}

/* The second look has one call, and what is there then. */
TEST(a_look_like_the_last_one)
{
	begin();
	for (int i = 0; i < 5; i++)
		assert_int_equal(get(i), i + 1);
	assert_int_equal(calls, 5);
	for (int i = 0; i < 5; i++)
		words[i][0] = 100 + i;
	begin();
	for (int i = 0; i < 5; i++)
		assert_int_equal(get(i), 100 + i);
	assert_int_equal(calls, 1);
	/* One place is another one, and one is left out. */
	begin();
	assert_int_equal(get(0), 100);
	assert_int_equal(get(9), 10);
	assert_int_equal(get(3), 103);
	assert_int_equal(get(4), 104);
	assert_int_equal(calls, 2);
	/* Other bytes of a place are another place. */
	begin();
	assert_int_equal(get(0), 100);
	assert_int_equal(memory_read(&(__u64[2]){ 0 }, 16, address(3)), 0);
	assert_int_equal(calls, 2);
}

static void change(void)
{
	words[0][0]++;
}

/* What is read before and after another thing tells whether that has changed meanwhile. */
TEST(a_change_meanwhile_is_seen)
{
	begin();
	get(0);
	get(1);
	get(0);
	before_call = change;
	begin();
	assert_int_equal(get(0), 2);
	assert_int_equal(get(7), 8); /* by a call of its own, before which it changes */
	assert_int_equal(get(0), 3);
	assert_int_equal(calls, 2);
	/* Nor is one served that comes before another one. */
	begin();
	assert_int_equal(get(7), 8);
	assert_int_equal(get(0), 4);
	assert_int_equal(get(0), 5);
}

static __u64 time_now;

static void pass(void)
{
	time_now++;
	for (int i = 0; i < WORDS; i++)
		words[i][0] = time_now;
}

/* Looks at places by chance, now and then more than are remembered: no read is older than one before it. */
TEST(nothing_goes_back)
{
	unsigned int random = 1;
	int most = 0;

	before_call = pass;
	for (int look = 0; look < 2000; look++) {
		const int n = 1 + rand_r(&random) % (look % 8 ? 2 * MEMORY_PLACES : 6);
		const int of = 1 + rand_r(&random) % WORDS;
		__u64 last;

		begin();
		last = time_now + 1;
		for (int i = 0; i < n; i++) {
			const __u64 got = get(rand_r(&random) % of);

			assert_true(got >= last && got <= time_now);
			last = got;
		}
		most = n - calls > most ? n - calls : most;
	}
	assert_true(most > 4); /* or nothing was tried */
}

/* A page that is gone ends what is read at once; what is behind it is read all the same. */
TEST(a_page_that_is_gone)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u64 got = 1;

	assert_ptr_not_equal(p, MAP_FAILED);
	for (int look = 0; look < 4; look++) {
		if (look == 2)
			munmap(p, 4096);
		begin();
		assert_int_equal(get(0), 1);
		assert_int_equal(memory_read(&got, 8, (__u64)(unsigned long)p), look < 2 ? 0 : -EFAULT);
		assert_int_equal(got, 0);
		assert_int_equal(get(2), 3);
	}
	assert_int_equal(memory_refused(), 0);
}

/* Places that have no room beside each other, and more than one look remembers. */
TEST(what_has_no_room)
{
	static char large[4][4096], got[4096];

	for (int look = 0; look < 3; look++) {
		memset(large, 'a' + look, sizeof(large));
		begin();
		for (int i = 0; i < 4; i++) {
			assert_int_equal(memory_read(got, 4096, (__u64)(unsigned long)large[i]), 0);
			assert_int_equal(got[0], 'a' + look);
			assert_int_equal(got[4095], 'a' + look);
		}
		for (int i = 0; i < WORDS; i++)
			assert_int_equal(get(i), i + 1);
	}
}

/* No right: the memory of a process of another user, asked by one that has given up its rights. */
static int read_as_nobody(pid_t other)
{
	__u64 got = 1;

	if (setgid(65534) || setuid(65534))
		return 1;
	memory_begin(other, &places);
	if (memory_read(&got, sizeof(got), address(0)) != -EFAULT || got)
		return 2;
	if (memory_refused() != 1)
		return 3;
	memory_begin(other, &places);
	return memory_refused() ? 4 : 0;
}

TEST(no_right)
{
	int status;
	pid_t child;

	if (getuid()) {
		print_message("SKIP unit: only root becomes somebody else\n");
		skip();
	}
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(read_as_nobody(getppid()));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}
