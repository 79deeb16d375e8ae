// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "bpf/abi.h"
#include "names/kernel_names.h"
#include "tests/forge/test.h"

static char path[] = "/tmp/kallsyms-XXXXXX";
static struct kernel_names *names;

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/kallsyms-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	close(fd);
	names = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	kernel_names_free(names);
	return unlink(path);
}

static void write_file(const char *text)
{
	_cleanup_fclose_ FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
}

static int read_text(const char *text)
{
	write_file(text);
	return kernel_names_open(&names, path, 0);
}

/* "function", "function [module]", or "" for a position without a name. */
static const char *at(__u64 position)
{
	static char text[128];
	struct kernel_name name;

	if (!kernel_names_find(names, position, &name))
		return "";
	snprintf(text, sizeof(text), *name.module ? "%s [%s]" : "%s", name.function, name.module);
	return text;
}

TEST(functions)
{
	assert_int_equal(read_text("0000000000001000 A percpu\n"
				   "ffffffff81000000 T first\n"
				   "ffffffff81000040 t second\n"
				   "ffffffff81009000 D some_data\n"
				   "ffffffff81009100 t third\n"),
			 0);
	assert_string_equal(at(0x80ffffff), "");
	assert_string_equal(at(0x81000000), "first");
	assert_string_equal(at(0x8100003f), "first");
	assert_string_equal(at(0x81000040), "second");
	assert_string_equal(at(0x81008fff), "second");
	assert_string_equal(at(0x81009000), "");
	assert_string_equal(at(0x81009100), "third");
	assert_string_equal(at(0x81009fff), "third");
	assert_string_equal(at(0x8100a000), ""); /* nobody knows where the last one ends */
	assert_string_equal(at(TEXT_KERNEL), "");
	assert_string_equal(at(TEXT_FILES), "");
	assert_string_equal(at(0), "");
}

TEST(modules)
{
	/* Of modules the file is in no order. */
	assert_int_equal(read_text("ffffffff81000000 T vfs_read\n"
				   "ffffffffc0100100 t ext4_last\t[ext4]\n"
				   "ffffffffc0100000 t ext4_first\t[ext4]\n"
				   "ffffffffc0001000 t xfs_only\t[xfs]\n"
				   "ffffffffc0200000 t bpf_prog_77\t[bpf]\n"),
			 0);
	assert_string_equal(at(0x81000fff), "vfs_read");
	assert_string_equal(at(0x81001000), "");
	assert_string_equal(at(0xc0001234), "xfs_only [xfs]");
	assert_string_equal(at(0xc00fffff), "");
	assert_string_equal(at(0xc0100000), "ext4_first [ext4]");
	assert_string_equal(at(0xc0100100), "ext4_last [ext4]");
	assert_string_equal(at(0xc0101000), "");
	assert_string_equal(at(0xc0200000), "bpf_prog_77 [bpf]");
}

/* arm64's kernel is anywhere, and begins in the middle of the positions. */
TEST(a_kernel_that_is_moved)
{
	assert_int_equal(read_text("ffffb2c400000000 t before_all\n"
				   "ffffb2c480010000 T _text\n"
				   "ffffb2c480010000 t _head\n"
				   "ffffb2c480020000 T _stext\n"
				   "ffffb2c480020000 T vfs_read\n"
				   "ffffb2c4c0010000 t behind_all\n"
				   "ffffb2c47a000000 t $x\t[ext4]\n"
				   "ffffb2c47a000000 t ext4_first\t[ext4]\n"
				   "ffffb2c47a000040 t $d\t[ext4]\n"
				   "ffff800080020000 t bpf_prog_77\t[bpf]\n"
				   "ffffffff81000000 t last\n"),
			 0);
	assert_int_equal(kernel_names_base(names), 0xffffb2c440010000);
	assert_int_equal(kernel_position(kernel_names_base(names), 0xffffb2c480010000), 0xc0000000);
	assert_string_equal(at(0xc0000000), "_text");
	assert_string_equal(at(0xc0010010), "_stext");
	assert_string_equal(at(0xb9ff0000), "ext4_first [ext4]");
	assert_string_equal(at(0xb9ff0048), "ext4_first [ext4]");
	assert_string_equal(at(TEXT_FILES - 1), "");
	assert_int_equal(kernel_position(kernel_names_base(names), 0xffff800080020000), TEXT_KERNEL);
	assert_int_equal(kernel_position(kernel_names_base(names), 0xffffb2c4c0010000), TEXT_KERNEL);
	assert_int_equal(kernel_position(kernel_names_base(names), 0xffffb2c440010000), TEXT_KERNEL);
}

/* x86-64's is in the last 2 GiB, whatever its text begins with. */
TEST(a_kernel_at_the_end)
{
	assert_int_equal(read_text("ffffffff9a000000 T _text\nffffffffc0100000 t ext4_first\t[ext4]\n"), 0);
	assert_int_equal(kernel_names_base(names), KERNEL_LAST);
	assert_string_equal(at(0x9a000000), "_text");
	assert_string_equal(at(0xc0100000), "ext4_first [ext4]");
}

TEST(several_names_of_one_place)
{
	assert_int_equal(read_text("ffffffff81000000 t local\n"
				   "ffffffff81000000 W weak\n"
				   "ffffffff81000000 T global\n"
				   "ffffffff81000000 T global_too\n"
				   "ffffffff81000100 T __ia32_sys_getpid\n"
				   "ffffffff81000100 T __x64_sys_getpid\n"
				   "ffffffff81000200 D data\n"
				   "ffffffff81000200 W weak_only\n"),
			 0);
	assert_string_equal(at(0x81000000), "global");
	assert_string_equal(at(0x81000180), "__x64_sys_getpid");
	assert_string_equal(at(0x81000200), "weak_only");
}

TEST(addresses_are_not_shown)
{
	assert_int_equal(read_text("0000000000000000 T _stext\n0000000000000000 t x\t[ext4]\n"), -EACCES);
	assert_int_equal(read_text(""), -EACCES);
	assert_int_equal(kernel_names_open(&names, "/nonexistent", 0), -ENOENT);
	assert_null(names);
}

TEST(lines_of_nothing)
{
	assert_int_equal(read_text("\n\n \nffffffff81000000\nffffffff81000000 \nffffffff81000000 T\n"
				   "ffffffff81000000 T \nxyz T name\nffffffff81000000Tname\n"
				   "ffffffff81000010 T good\t[\nffffffff81000020 T better\t[m\n"
				   "ffffffff81000030 T unfinished"),
			 0);
	assert_string_equal(at(0x81000000), "");
	assert_string_equal(at(0x81000010), "good");
	assert_string_equal(at(0x81000030), "better [m]");
}

/* Longer than any line of the kernel's: nothing of such a file is used. */
TEST(a_line_without_end)
{
	_cleanup_free_ char *text = malloc(300001);

	assert_non_null(text);
	memset(text, 'f', 300000);
	text[300000] = '\0';
	assert_int_equal(read_text(text), -EBADMSG);
	strcpy(text, "ffffffff81000000 T first\n");
	text[25] = 'f';
	assert_int_equal(read_text(text), -EBADMSG);
}

TEST(too_many)
{
	_cleanup_fclose_ FILE *f = fopen(path, "w");

	for (__u32 i = 0; i < KERNEL_SYMBOLS_MAX + 1; i++)
		fprintf(f, "%llx t f\n", 0xffffffff80000001ULL + i);
	assert_int_equal(fflush(f), 0);
	assert_int_equal(kernel_names_open(&names, path, 0), -E2BIG);
	/* One line less. */
	assert_int_equal(ftruncate(fileno(f), ftell(f) - strlen("ffffffff80100001 t f\n")), 0);
	assert_int_equal(kernel_names_open(&names, path, 0), 0);
}

/* A thread reads the file: what it finds is there soon. */
static void assert_soon(__u32 address, const char *expected)
{
	const __u64 begin = clock_ns();

	while (strcmp(at(address), expected) && clock_ns() - begin < 60 * NS_PER_SECOND)
		usleep(1000);
	assert_string_equal(at(address), expected);
}

/* Modules that were loaded since: the file is read again when something has no name. */
TEST(read_again)
{
	assert_int_equal(read_text("ffffffff81000000 T old\n"), 0);
	write_file("ffffffff81000000 T old\nffffffffc0000000 t new\t[m]\n");
	assert_string_equal(at(0x81000000), "old");
	assert_string_equal(at(0xc0000000), "");    /* from now on it is to be read again */
	assert_string_equal(at(0x81000000), "old"); /* meanwhile the names stay */
	assert_soon(0xc0000000, "new [m]");
	write_file("0000000000000000 T old\n"); /* the right was taken away */
	assert_string_equal(at(0xd0000000), "");
	assert_soon(0x81000000, "");
	write_file("ffffffff81000000 T old\n");
	assert_soon(0x81000000, "old");
}

TEST(not_at_every_miss)
{
	write_file("ffffffff81000000 T old\n");
	assert_int_equal(kernel_names_open(&names, path, KERNEL_NAMES_PAUSE_NS), 0);
	write_file("ffffffff81000000 T old\nffffffffc0000000 t new\t[m]\n");
	for (int i = 0; i < 100; i++)
		assert_string_equal(at(0xc0000000), "");
}

/* This machine's own: what it shows depends on our rights. */
TEST(of_this_kernel)
{
	int err = kernel_names_open(&names, "/proc/kallsyms", KERNEL_NAMES_PAUSE_NS);
	_cleanup_fclose_ FILE *f = fopen("/proc/kallsyms", "r");
	char line[1024], type, name[512];
	unsigned long long address;
	int found = 0;

	if (err == -EACCES || !f) {
		print_message("SKIP: /proc/kallsyms shows no addresses\n");
		skip();
	}
	assert_int_equal(err, 0);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %c %511s", &address, &type, name) == 3 && type == 'T' &&
		    !strcmp(name, "vfs_read")) {
			assert_string_equal(at(kernel_position(kernel_names_base(names), address)),
					    "vfs_read");
			found++;
		}
	assert_int_equal(found, 1);
}

AROUND_EACH(setup, teardown);
