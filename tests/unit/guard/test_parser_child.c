// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_parser_child.c - the parser's own side: it says of a file what the same functions say here, has given
 * up everything before it sees one, and ends with its socket and with its parent.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/functions.h"
#include "elf/image.h"
#include "elf/rows.h"
#include "guard/confine.h"
#include "guard/parser.h"
#include "tests/forge/test.h"
#include "tests/unit/elf/forge_elf.h"
#include "tests/unit/guard/child_side.h"

#ifdef __x86_64__
#define ON_X86 1
#else
#define ON_X86 0
#endif

static void start_child(pid_t parent)
{
	int pair[2], landlock = confine_version();

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		parser_child_run(pair[1], parent, landlock);
	close(pair[1]);
	ours = pair[0];
}

static int teardown(void **state)
{
	(void)state;
	stop_child();
	return 0;
}

static int ask(enum parse parse, int fd, struct buf *out)
{
	const struct parser_question q = { .parse = parse, .region = 1 };

	return parser_ask(ours, &q, fd, out);
}

/* --- what it answers ------------------------------------------------------------------------------------ */

/* The C library: the file that this function is mapped from. */
static int open_libc(void)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char line[512], path[256];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %255s", &start, &end, path) == 3 &&
		    (uintptr_t)memfd_create >= start && (uintptr_t)memfd_create < end)
			return open(path, O_RDONLY | O_CLOEXEC);
	fail_msg("no C library is mapped");
	return -1;
}

TEST(functions_as_here)
{
	_cleanup_buf_ struct buf here = { 0 }, there = { 0 };
	_cleanup_close_ int fd = open_libc();

	assert_int_equal(functions_read(fd, -1, &here), 0);
	assert_true(here.size > 1 << 16); /* more than one message */
	for (int i = 0; i < 3; i++) {
		buf_clear(&there);
		assert_int_equal(ask(PARSE_FUNCTIONS, fd, &there), 0);
		assert_int_equal(there.size, here.size);
		assert_memory_equal(there.data, here.data, here.size);
	}
}

/* A copy of this program without .symtab, as strip leaves it. */
static int open_stripped(int self)
{
	_cleanup_free_ char *bytes = NULL;
	struct stat stat;
	Elf64_Shdr *sections;
	int fd = memfd_create("stripped", MFD_CLOEXEC);

	assert_int_equal(fstat(self, &stat), 0);
	bytes = malloc(stat.st_size);
	assert_int_equal(pread(self, bytes, stat.st_size, 0), stat.st_size);
	sections = (Elf64_Shdr *)(bytes + ((Elf64_Ehdr *)bytes)->e_shoff);
	for (int i = 0; i < ((Elf64_Ehdr *)bytes)->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB)
			sections[i].sh_type = SHT_PROGBITS;
	assert_int_equal(write(fd, bytes, stat.st_size), stat.st_size);
	return fd;
}

/* A file that was sent before is for one question. */
TEST(with_a_debug_file)
{
	_cleanup_buf_ struct buf without = { 0 }, with = { 0 }, there = { 0 };
	_cleanup_close_ int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), fd = open_stripped(self);
	struct functions f;

	assert_int_equal(functions_read(fd, -1, &without), 0);
	assert_int_equal(functions_parse(without.data, without.size, &f), 0);
	assert_false(f.has_symbols);
	if (!f.build_id_size) {
		print_message("SKIP: the linker gave this program no build id\n");
		return;
	}
	assert_int_equal(functions_read(fd, self, &with), 0);
	assert_int_equal(functions_parse(with.data, with.size, &f), 0);
	assert_true(f.has_symbols);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ask(PARSE_BESIDE, self, &there), 0);
		assert_int_equal(there.size, 0);
		assert_int_equal(ask(PARSE_BESIDE, self, &there), 0); /* takes the place of the first */
		assert_int_equal(ask(PARSE_FUNCTIONS, fd, &there), 0);
		assert_int_equal(there.size, with.size);
		assert_memory_equal(there.data, with.data, with.size);
		buf_clear(&there);
		assert_int_equal(ask(PARSE_FUNCTIONS, fd, &there), 0);
		assert_int_equal(there.size, without.size);
		assert_memory_equal(there.data, without.data, without.size);
		buf_clear(&there);
	}
}

/* The C library has code in its second MiB, too. */
TEST(rows_as_here)
{
	_cleanup_buf_ struct buf here = { 0 }, there = { 0 };
	_cleanup_close_ int fd = open_libc();
	int err = rows_read(fd, 1, &here);

	assert_int_equal(err, ON_X86 ? 0 : -EOPNOTSUPP);
	assert_int_equal(ask(PARSE_ROWS, fd, &there), err);
	assert_int_equal(there.size, here.size);
	assert_memory_equal(there.data, here.data, here.size);
}

TEST(image_as_here)
{
	static struct forge f;
	struct image here, there;

	forge_python(&f, 0x030d00f0);
	for (int i = 0; i < 100; i++) { /* no descriptor stays: it may have one of a file */
		_cleanup_close_ int fd = i % 2 ? open_libc() : forge_write(&f, FORGE_SIZE);
		_cleanup_buf_ struct buf out = { 0 };

		memset(&here, 0, sizeof(here));
		assert_int_equal(image_read(fd, &here), 0);
		assert_int_equal(ask(PARSE_IMAGE, fd, &out), 0);
		assert_int_equal(image_parse(out.data, out.size, &there), 0);
		assert_int_equal(there.runtime, i % 2 ? 0 : FORGE_RUNTIME_ADDRESS);
		assert_int_equal(there.load_count, here.load_count);
		assert_memory_equal(there.load, here.load, sizeof(here.load));
		assert_memory_equal(there.build_id, here.build_id, sizeof(here.build_id));
	}
}

TEST(files_that_are_none)
{
	_cleanup_close_ int fd = memfd_create("empty", MFD_CLOEXEC);
	_cleanup_buf_ struct buf out = { 0 };

	assert_int_equal(ask(PARSE_IMAGE, fd, &out), -ENOEXEC);
	assert_int_equal(ask(PARSE_FUNCTIONS, fd, &out), -ENOEXEC);
	assert_int_equal(ask(PARSE_IMAGE, -1, &out), -EINVAL);
	assert_int_equal(out.size, 0);
	image_as_here(state);
}

/* --- what it gives up ----------------------------------------------------------------------------------- */

static const char *proc_line(const char *name, const char *begin)
{
	_cleanup_fclose_ FILE *f = NULL;
	static char line[512];

	snprintf(line, sizeof(line), "/proc/%d/%s", child, name);
	f = fopen(line, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, begin, strlen(begin)))
			return line + strlen(begin);
	fail_msg("/proc/PID/%s: no %s", name, begin);
	return NULL;
}

TEST(no_capability)
{
	static const char *const sets[] = { "CapEff:", "CapPrm:", "CapInh:", "CapAmb:" };

	files_that_are_none(state);
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		assert_string_equal(proc_line("status", sets[i]), "\t0000000000000000\n");
	assert_string_equal(proc_line("status", "NoNewPrivs:"), "\t1\n");
	assert_string_equal(proc_line("status", "Seccomp:"), "\t2\n");
	assert_string_equal(proc_line("status", "Name:"), "\tpyperf-parser\n");
}

static int open_files(void)
{
	int count = 0;
	char path[64];
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", child);
	d = opendir(path);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		count += *e->d_name != '.';
	closedir(d);
	return count;
}

/* It answers before it closes the file that it was asked about. */
TEST(nothing_open_but_its_socket)
{
	files_that_are_none(state);
	for (int i = 0; i < 1000 && open_files() != 4; i++)
		usleep(10000);
	assert_int_equal(open_files(), 4);
}

TEST(little_memory_and_few_files)
{
	unsigned long long soft, hard;

	files_that_are_none(state);
	assert_int_equal(sscanf(proc_line("limits", "Max open files"), "%llu %llu", &soft, &hard), 2);
	assert_true(soft == 6 && hard == 6);
	assert_int_equal(sscanf(proc_line("limits", "Max core file size"), "%llu %llu", &soft, &hard), 2);
	assert_true(soft == 0 && hard == 0);
#ifdef __SANITIZE_ADDRESS__
	print_message("SKIP: the sanitizer needs terabytes of address space\n");
	skip();
#endif
	assert_int_equal(sscanf(proc_line("limits", "Max address space"), "%llu %llu", &soft, &hard), 2);
	assert_true(soft == hard && soft > 256 << 20 && soft < 1ULL << 32);
}

/* --- its end -------------------------------------------------------------------------------------------- */

TEST(ends_with_its_socket)
{
	files_that_are_none(state);
	close_ours();
	assert_int_equal(end_of_child(), 0);
}

TEST(ends_on_a_question_that_is_none)
{
	assert_int_equal(send(ours, "x", 1, MSG_NOSIGNAL), 1);
	assert_int_equal(end_of_child(), 0);
}

TEST(ends_without_its_parent)
{
	teardown(state);
	start_child(getppid());
	assert_int_equal(end_of_child(), 1 << 8);
}

AROUND_EACH(setup, teardown);
ENDS_IN(120);
