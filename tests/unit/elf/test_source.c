// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_source.c - the lines and the inlined functions of this very program, which are written down here, and
 * the bytes that a worker could send in their place. Files whose sections are damaged in place, so that
 * it is DWARF that is wrong. More of these: tests/fuzz/source.c, tests/e2e/native/test_native_lines.py.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/path.h"
#include "elf/source.h"
#include "tests/forge/test.h"
#include "tests/unit/elf/own_code.h"

static int self = -1;
static struct buf bytes;

/* Each instruction that is looked for has a name of its own. Whoever moves these lines changes no number. */
extern const char in_innermost[], in_inlined[], in_compiled[], in_deep[];

enum {
	LINE_INNERMOST = __LINE__ + 4, /* the instruction */
};
static inline __attribute__((always_inline)) int innermost_inlined(int n)
{
	__asm__ volatile(".global in_innermost\nin_innermost: nop" : "+r"(n));
	return n + 1;
}

enum {
	LINE_INLINED = __LINE__ + 5, /* the instruction */
	LINE_CALL_INNERMOST = __LINE__ + 5,
};
static inline __attribute__((always_inline)) int middle_inlined(int n)
{
	__asm__ volatile(".global in_inlined\nin_inlined: nop" : "+r"(n));
	return innermost_inlined(n * 3) + 2;
}

enum {
	LINE_COMPILED = __LINE__ + 5, /* the instruction */
	LINE_CALL_MIDDLE = __LINE__ + 5,
};
static __attribute__((noinline, noclone)) int compiled_by_itself(int n)
{
	__asm__ volatile(".global in_compiled\nin_compiled: nop" : "+r"(n));
	return middle_inlined(n + 7);
}

/* More levels than are kept: 20 functions that call the next, all in one. */
#define LEVEL(name, next)                                                                                    \
	static inline __attribute__((always_inline)) int name(int n)                                        \
	{                                                                                                    \
		return next(n + 1) + 1;                                                                      \
	}
static inline __attribute__((always_inline)) int deep_0(int n)
{
	__asm__ volatile(".global in_deep\nin_deep: nop" : "+r"(n));
	return n;
}
LEVEL(deep_1, deep_0)
LEVEL(deep_2, deep_1)
LEVEL(deep_3, deep_2)
LEVEL(deep_4, deep_3)
LEVEL(deep_5, deep_4)
LEVEL(deep_6, deep_5)
LEVEL(deep_7, deep_6)
LEVEL(deep_8, deep_7)
LEVEL(deep_9, deep_8)
LEVEL(deep_10, deep_9)
LEVEL(deep_11, deep_10)
LEVEL(deep_12, deep_11)
LEVEL(deep_13, deep_12)
LEVEL(deep_14, deep_13)
LEVEL(deep_15, deep_14)
LEVEL(deep_16, deep_15)
LEVEL(deep_17, deep_16)
static __attribute__((noinline, noclone)) int deepest(int n)
{
	return deep_17(n) + 5;
}

static int setup_group(void **state)
{
	(void)state;
	self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	return self < 0;
}

static int teardown_group(void **state)
{
	(void)state;
	buf_free(&bytes);
	return close(self);
}

static struct source read_these(const __u32 *offsets, __u32 count)
{
	struct source s;

	buf_clear(&bytes);
	assert_int_equal(source_read(self, -1, offsets, count, &bytes), 0);
	assert_int_equal(source_parse(bytes.data, bytes.size, &s), 0);
	assert_int_equal(s.count, count);
	return s;
}

static void check(const struct source *s, const struct source_frame *f, const char *name, __u32 line)
{
	assert_string_equal(s->strings + f->name, name);
	assert_string_equal(base_name(s->strings + f->file), "test_source.c");
	assert_int_equal(s->strings[f->file], '/'); /* it was given to the compiler without the directory */
	assert_int_equal(f->line, line);
}

TEST(lines_and_inlined_functions)
{
	/* In no order, and one that is no code. */
	const __u32 offsets[] = { offset_of(in_inlined), 0, offset_of(in_innermost), offset_of(in_compiled) };
	struct source s;

	assert_int_equal(compiled_by_itself(1), 27);
	s = read_these(offsets, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(s.places[i].offset, offsets[i]);
	assert_int_equal(s.places[0].count, 2);
	check(&s, &s.places[0].frames[0], "middle_inlined", LINE_INLINED);
	check(&s, &s.places[0].frames[1], "compiled_by_itself", LINE_CALL_MIDDLE);
	assert_int_equal(s.places[1].count, 0);
	assert_int_equal(s.places[2].count, 3);
	check(&s, &s.places[2].frames[0], "innermost_inlined", LINE_INNERMOST);
	check(&s, &s.places[2].frames[1], "middle_inlined", LINE_CALL_INNERMOST);
	check(&s, &s.places[2].frames[2], "compiled_by_itself", LINE_CALL_MIDDLE);
	assert_int_equal(s.places[3].count, 1);
	check(&s, &s.places[3].frames[0], "compiled_by_itself", LINE_COMPILED);
}

/* The outermost are kept, and the innermost of these has the line at which it calls the next. */
TEST(too_many_levels)
{
	const __u32 offset = offset_of(in_deep);
	const struct source_frame *f;
	struct source s;

	assert_int_equal(deepest(1), 40);
	s = read_these(&offset, 1);
	assert_int_equal(s.places[0].count, SOURCE_FRAMES_MAX);
	f = s.places[0].frames;
	assert_string_equal(s.strings + f[SOURCE_FRAMES_MAX - 1].name, "deepest");
	assert_string_equal(s.strings + f[SOURCE_FRAMES_MAX - 2].name, "deep_17");
	assert_string_equal(s.strings + f[0].name, "deep_3");
	assert_int_equal(f[0].line + 1, f[1].line);
}

TEST(impossible_questions)
{
	static __u32 many[SOURCE_ASKED_MAX + 1];
	_cleanup_close_ int text = memfd_create("text", MFD_CLOEXEC);

	buf_clear(&bytes);
	assert_int_equal(source_read(self, -1, many, 0, &bytes), -EINVAL);
	assert_int_equal(source_read(self, -1, many, SOURCE_ASKED_MAX + 1, &bytes), -EINVAL);
	assert_int_equal(write(text, "no ELF", 6), 6);
	assert_int_equal(source_read(text, -1, many, 1, &bytes), -ENOEXEC);
	assert_int_equal(bytes.size, 0);
}

/* A copy of this program after a change by objcopy, which may be of another architecture (tests/arm64.sh). */
static int copy_after(const char *change)
{
	char path[] = "/tmp/test_source.XXXXXX", program[512] = "", line[1200];
	int fd = mkstemp(path);

	assert_true(fd >= 0 && readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
	close(fd);
	snprintf(line, sizeof(line), "objcopy %s '%s' %s", change, program, path);
	if (system(line)) {
		unlink(path);
		print_message("SKIP: objcopy cannot read this program\n");
		skip();
	}
	fd = open(path, O_RDWR | O_CLOEXEC);
	unlink(path);
	assert_true(fd >= 0);
	return fd;
}

TEST(files_without)
{
	const __u32 offset = offset_of(in_innermost);
	_cleanup_close_ int bare = copy_after("--strip-debug");
	_cleanup_close_ int debug = copy_after("--only-keep-debug");
	struct source s;

	buf_clear(&bytes);
	assert_int_equal(source_read(bare, -1, &offset, 1, &bytes), -ENODATA);
	assert_int_equal(source_read(bare, debug, &offset, 1, &bytes), 0);
	assert_int_equal(source_parse(bytes.data, bytes.size, &s), 0);
	assert_int_equal(s.places[0].count, 3);
	check(&s, &s.places[0].frames[0], "innermost_inlined", LINE_INNERMOST);
}

/* Sections that were packed by the linker or by objcopy. */
TEST(packed)
{
	const __u32 offset = offset_of(in_innermost);
	_cleanup_close_ int fd = copy_after("--compress-debug-sections=zlib");
	struct source s;

	buf_clear(&bytes);
	assert_int_equal(source_read(fd, -1, &offset, 1, &bytes), 0);
	assert_int_equal(source_parse(bytes.data, bytes.size, &s), 0);
	check(&s, &s.places[0].frames[0], "innermost_inlined", LINE_INNERMOST);
}

#define DAMAGED	    2000
#define CODE_BEGIN  0x200 /* offsets in both files */
#define DWARF_BEGIN 0x1000

static __u32 random_number(void)
{
	static __u64 state = 88172645463325252ULL; /* the same in each run */

	state ^= state << 13;
	state ^= state >> 7;
	return (state ^= state << 17) >> 16;
}

/* Returns how many of the damaged files could be read all the same. */
static int read_damaged(const char *path)
{
	_cleanup_close_ int from = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int fd = memfd_create("damaged", MFD_CLOEXEC);
	__u32 offsets[SOURCE_ASKED_MAX];
	unsigned char whole[16384], data[sizeof(whole)];
	const ssize_t size = read(from, whole, sizeof(whole));
	const ElfW(Ehdr) *header = (const void *)whole;
	int readable = 0;

	assert_in_range(size, 4096, sizeof(whole) - 1);
	for (__u32 i = 0; i < SOURCE_ASKED_MAX; i++)
		offsets[i] = CODE_BEGIN + i;
	for (int i = 0; i < DAMAGED; i++) {
		struct source s;
		int err;

		memcpy(data, whole, size);
		for (int n = 1 << random_number() % 6; n--;)
			data[DWARF_BEGIN + random_number() % (header->e_shoff - DWARF_BEGIN)] =
				random_number() % 2 ? 0xff : random_number();
		assert_int_equal(pwrite(fd, data, size, 0), size);
		buf_clear(&bytes);
		err = source_read(fd, -1, offsets, SOURCE_ASKED_MAX, &bytes);
		assert_true(err <= 0);
		assert_int_equal(err ? (int)bytes.size : source_parse(bytes.data, bytes.size, &s), 0);
		readable += !err;
	}
	return readable;
}

TEST(damaged)
{
	assert_in_range(read_damaged("tests/fuzz/corpus/source/dwarf4.so"), DAMAGED / 4, DAMAGED);
	assert_in_range(read_damaged("tests/fuzz/corpus/source/dwarf5.so"), DAMAGED / 4, DAMAGED);
}

/* The section of this name. */
static const ElfW(Shdr) *section_of(const unsigned char *file, const char *name)
{
	const ElfW(Ehdr) *h = (const void *)file;
	const ElfW(Shdr) *sections = (const void *)(file + h->e_shoff);
	const char *names = (const char *)file + sections[h->e_shstrndx].sh_offset;

	for (int i = 0; i < h->e_shnum; i++)
		if (!strcmp(names + sections[i].sh_name, name))
			return &sections[i];
	fail_msg("no %s", name);
	return NULL;
}

/* libdw reads on beyond the end of such a section. */
TEST(strings_without_end)
{
	static const char *const names[] = { ".debug_str", ".debug_line_str" };
	_cleanup_close_ int from = open("tests/fuzz/corpus/source/dwarf5.so", O_RDONLY | O_CLOEXEC);
	_Alignas(ElfW(Ehdr)) unsigned char whole[16384];
	const ssize_t size = read(from, whole, sizeof(whole));
	const __u32 offset = CODE_BEGIN;

	assert_in_range(size, 4096, sizeof(whole) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const ElfW(Shdr) *s = section_of(whole, names[i]);
		_cleanup_close_ int fd = memfd_create("endless", MFD_CLOEXEC);
		unsigned char *last = whole + s->sh_offset + s->sh_size - 1;

		assert_int_equal(*last, 0);
		*last = 'x';
		assert_int_equal(write(fd, whole, size), size);
		*last = 0;
		buf_clear(&bytes);
		assert_int_equal(source_read(fd, -1, &offset, 1, &bytes), -EBADMSG);
		assert_int_equal(pwrite(fd, whole, size, 0), size);
		assert_int_equal(source_read(fd, -1, &offset, 1, &bytes), 0);
	}
}

TEST(nonsense)
{
	const __u32 offset = offset_of(in_innermost);
	struct source s = read_these(&offset, 1);
	struct source_place *p = (struct source_place *)s.places;
	struct source_header *h = (struct source_header *)bytes.data;
	const struct source_place was = *p;

	assert_int_equal(source_parse(bytes.data, bytes.size - 1, &s), -EBADMSG);
	assert_int_equal(source_parse(bytes.data, 3, &s), -EBADMSG);
	p->count = SOURCE_FRAMES_MAX + 1;
	assert_int_equal(source_parse(bytes.data, bytes.size, &s), -EBADMSG);
	*p = was;
	p->frames[1].name = h->strings_size;
	assert_int_equal(source_parse(bytes.data, bytes.size, &s), -EBADMSG);
	*p = was;
	p->frames[2].file = UINT32_MAX;
	assert_int_equal(source_parse(bytes.data, bytes.size, &s), -EBADMSG);
	*p = was;
	p->frames[0].line = 1U << 31;
	assert_int_equal(source_parse(bytes.data, bytes.size, &s), -EBADMSG);
	*p = was;
	bytes.data[bytes.size - 1] = 'x';
	assert_int_equal(source_parse(bytes.data, bytes.size, &s), -EBADMSG);
	bytes.data[bytes.size - 1] = 0;
	h->count = UINT32_MAX;
	assert_int_equal(source_parse(bytes.data, bytes.size, &s), -EBADMSG);
	h->count = 1;
	assert_int_equal(source_parse(bytes.data, bytes.size, &s), 0);
}

AROUND_ALL(setup_group, teardown_group);
