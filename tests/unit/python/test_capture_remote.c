// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_capture_remote.c - a code object read out of another process, which stands still: its contents, its
 * pages that were never touched or are not there, and what is said of a process that is gone or that is not
 * ours to read.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"
#include "tests/unit/python/forge_capture.h"

static const size_t page = 4096;
static pid_t other;

static __u64 here(const void *p)
{
	return (uintptr_t)p;
}

/* The forged objects refer to each other by number; here they are at their own addresses. */
static int setup_other(void **state)
{
	int err = setup(state);

	put_usual();
	put64(&code, layout.code_qualname, here(&qualname));
	put64(&code, layout.code_filename, here(&file));
	put64(&file, layout.str_data, here(file_text));
	put64(&code, layout.code_linetable, here(&table));
	return err;
}

/* Another process with the objects as they are now. Afterwards they are gone from this one's memory. */
static void fork_other(void)
{
	other = fork();
	assert_true(other >= 0);
	if (!other) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	memset(&code, 0, sizeof(code));
	memset(&qualname, 0, sizeof(qualname));
	memset(&file, 0, sizeof(file));
	memset(&table, 0, sizeof(table));
}

static int teardown_other(void **state)
{
	if (other > 0) {
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
	}
	other = 0;
	return teardown(state);
}

/* All of the record but whose it is, as capture.h makes it of the same memory on the kernel side. */
TEST(same_as_the_kernel_side)
{
	_cleanup_free_ struct record_code *expected = calloc(1, sizeof(*expected));

	assert_non_null(expected);
	region_count = 0;
	map(here(&code), &code, sizeof(code));
	map(here(&qualname), &qualname, sizeof(qualname));
	map(here(&file), &file, sizeof(file));
	map(here(file_text), file_text, sizeof(file_text));
	map(here(&table), &table, sizeof(table));
	assert_int_equal(capture_code(expected, &layout, here(&code)), 0);
	fork_other();
	assert_int_equal(capture_remote(other, &layout, here(&code), record), 0);
	assert_int_equal(capture_remote_size(record), capture_size(expected));
	expected->type = RECORD_CODE;
	expected->pid = other;
	assert_memory_equal(record, expected, capture_size(expected));
}

TEST(reads_another_process)
{
	_cleanup_free_ __u8 *bytes = NULL;
	size_t size = 0;

	fork_other();
	assert_int_equal(capture_remote(other, &layout, here(&code), record), 0);
	assert_int_equal(record->type, RECORD_CODE);
	assert_int_equal(record->pid, other);
	assert_int_equal(record->address, here(&code));
	assert_int_equal(record->first_line, 42);
	assert_int_equal(record->version, 7777);
	assert_int_equal(record->code, 0);
	assert_int_equal(record->process, 0);
	assert_true(record->fingerprint == 0);
	part_is(&record->name, here(&qualname), 7, 7, 1, 0);
	part_is(&record->file, here(&file), 3, 6, 2, 0);
	part_is(&record->table, here(&table), 5, 5, 0, 0);
	assert_memory_equal(record->data, "A.b.<c>", 7);
	assert_memory_equal(record->data + 7, file_text, 6);
	assert_memory_equal(record->data + 13, table_bytes, 5);
	assert_int_equal(capture_remote_size(record), offsetof(struct record_code, data) + 18);
	assert_int_equal(capture_remote_table(other, &layout, here(&table), &bytes, &size), 0);
	assert_int_equal(size, 5);
	assert_memory_equal(bytes, table_bytes, 5);
}

/* Such a page is what the kernel side cannot read, and what it asks the worker for. */
TEST(page_that_was_never_touched)
{
	char path[] = "/tmp/pyperf-capture.XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);
	unsigned char present = 1;
	void *mapped;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(write(fd, &code, layout.code_size), layout.code_size);
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	mapped = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	fork_other();
	if (!mincore(mapped, page, &present) && present & 1)
		print_message("the file's page stayed in memory; still, nobody has it mapped\n");
	assert_int_equal(capture_remote(other, &layout, here(mapped), record), 0);
	assert_int_equal(record->first_line, 42);
	assert_memory_equal(record->data, "A.b.<c>", 7);
	munmap(mapped, page);
}

TEST(sizes_of_tables)
{
	static __u8 object[32 + LINETABLE_MAX];
	const __u64 refused[] = { LINETABLE_MAX + 1, 1ULL << 62, 1ULL << 63, ~0ULL };
	const size_t taken[] = { 0, 1, page, LINETABLE_MAX };
	__u8 *bytes, *untouched = object;
	size_t size;

	for (size_t i = 32; i < sizeof(object); i++)
		object[i] = i * 7 + (i >> 9);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++) {
		memcpy(object + 16, &taken[i], 8);
		assert_int_equal(capture_remote_table(getpid(), &layout, here(object), &bytes, &size), 0);
		assert_int_equal(size, taken[i]);
		assert_non_null(bytes);
		assert_memory_equal(bytes, object + 32, taken[i]);
		free(bytes);
	}
	size = 77;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		memcpy(object + 16, &refused[i], 8);
		assert_int_equal(capture_remote_table(getpid(), &layout, here(object), &untouched, &size),
				 -E2BIG);
		assert_ptr_equal(untouched, object);
		assert_int_equal(size, 77);
	}
}

/* A part that cannot be read does not spoil the others; the object itself must be there as a whole. */
TEST(pages_that_are_not_there)
{
	char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u8 *bytes = NULL;
	size_t size = 0;
	__u64 length = 100;

	assert_ptr_not_equal(two, MAP_FAILED);
	assert_int_equal(mprotect(two + page, page, PROT_NONE), 0);
	put64(&code, layout.code_filename, here(two + page));
	fork_other();
	assert_int_equal(capture_remote(other, &layout, here(&code), record), 0);
	part_is(&record->name, here(&qualname), 7, 7, 1, 0);
	part_is(&record->file, here(two + page), 0, 0, 0, PART_FAULT);
	part_is(&record->table, here(&table), 5, 5, 0, 0);
	assert_memory_equal(record->data + 7, table_bytes, 5);

	memset(record, 0x5a, sizeof(*record));
	assert_int_equal(capture_remote(other, &layout, here(two + page), record), -EFAULT);
	assert_int_equal(capture_remote(other, &layout, here(two + page - 100), record), -EFAULT);
	assert_int_equal(capture_remote(other, &layout, 0, record), -EFAULT);
	assert_int_equal(record->type, 0x5a5a5a5a);
	/* The size is there, the bytes run off the page. */
	memcpy(two + page - 64 + layout.bytes_size, &length, sizeof(length));
	assert_int_equal(capture_remote_table(getpid(), &layout, here(two + page - 64), &bytes, &size),
			 -EFAULT);
	assert_null(bytes);
	assert_int_equal(munmap(two, 2 * page), 0);
}

TEST(process_that_is_gone)
{
	__u8 *bytes = NULL;
	size_t size = 0;

	fork_other();
	kill(other, SIGKILL);
	assert_int_equal(waitpid(other, NULL, 0), other);
	assert_int_equal(capture_remote(other, &layout, here(&code), record), -ESRCH);
	assert_int_equal(capture_remote_table(other, &layout, here(&table), &bytes, &size), -ESRCH);
	assert_int_equal(record->type, 0x5a5a5a5a);
	assert_null(bytes);
	other = 0;
}

/* As a user who is not root, of a process of root's. */
TEST(process_of_another_user)
{
	pid_t reader;
	int status;

	if (geteuid()) {
		print_message("SKIP: only root can become another user\n");
		skip();
	}
	reader = fork();
	assert_true(reader >= 0);
	if (!reader) {
		__u8 *bytes;
		size_t size;

		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(2);
		_exit(capture_remote(getppid(), &layout, here(&code), record) != -EPERM ||
		      capture_remote_table(getppid(), &layout, here(&table), &bytes, &size) != -EPERM);
	}
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
}

TEST(memory_runs_short)
{
	__u8 *bytes = NULL;
	size_t size = 77;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	allocations_left = 0;
	assert_int_equal(capture_remote(getpid(), &layout, here(&code), record), -ENOMEM);
	assert_int_equal(capture_remote_table(getpid(), &layout, here(&table), &bytes, &size), -ENOMEM);
	allocations_left = -1;
	assert_int_equal(record->type, 0x5a5a5a5a);
	assert_null(bytes);
	assert_int_equal(size, 77);
}

AROUND_EACH(setup_other, teardown_other);
