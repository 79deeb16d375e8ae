/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forge_code.h - for tests of rows: a file with code in three regions, whose call frames are made by hand,
 * and what is made of one region of it. Include it behind cmocka.h.
 */
#ifndef PYPERF_TESTS_FORGE_CODE_H
#define PYPERF_TESTS_FORGE_CODE_H

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "elf/rows.h"
#include "elf/rule.h"
#include "tests/unit/elf/forge_elf.h"
#include "tests/unit/elf/forge_frames.h"

/* The file: headers, a segment of code, the sections behind it. Addresses are offsets plus BIAS. */
#define BIAS	 0x400000
#define CODE_AT	 0x1000
#define CODE_END 0x300000 /* three regions */

#define SP(words)     rule_make(RULE_SP, words, 0)
#define NONE	      rule_unknown()

static struct frames eh, debug;
static size_t eh_usual, debug_usual;
static size_t padding; /* bytes behind .eh_frame that belong to it */
static struct buf out;
static struct rows rows;

static inline int setup(void **state)
{
	(void)state;
	padding = 0;
	eh = (struct frames){ .address = BIAS + CODE_END };
	debug = (struct frames){ .debug = true };
	eh_usual = frames_usual(&eh);
	debug_usual = frames_common(&debug, "", "", 0, CODE(0x0c, 7, 8, 0x90, 1));
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	buf_free(&eh.bytes);
	buf_free(&debug.bytes);
	buf_free(&out);
	return 0;
}

/* A function at this offset. */
static inline void function(__u32 begin, __u32 end, const void *code, size_t size)
{
	frames_function(&eh, eh_usual, BIAS + begin, end - begin, code, size);
}

static inline void debug_function(__u64 begin, __u64 end, const void *code, size_t size)
{
	const __u64 range[] = { BIAS + begin, end - begin };
	const size_t place = debug.bytes.size;

	frames_put_u32(&debug, 0);
	frames_put_u32(&debug, debug_usual);
	frames_put(&debug, range, sizeof(range));
	frames_put(&debug, code, size);
	frames_close(&debug, place);
}

static inline void put_section(int fd, const struct frames *f, __u32 name, off_t at, Elf64_Shdr *header)
{
	*header = (Elf64_Shdr){ .sh_name = name,
				.sh_type = SHT_PROGBITS,
				.sh_flags = SHF_ALLOC,
				.sh_addr = f->address,
				.sh_offset = at,
				.sh_size = f->bytes.size,
				.sh_addralign = 8 };
	assert_int_equal(pwrite(fd, f->bytes.data, f->bytes.size, at), f->bytes.size);
}

/* Sections: null, names, .eh_frame, .debug_frame. */
static inline int write_file(__u16 machine)
{
	static const char names[] = "\0.shstrtab\0.eh_frame\0.debug_frame";
	const off_t eh_at = CODE_END, debug_at = eh_at + eh.bytes.size + padding,
		    names_at = debug_at + debug.bytes.size, sections_at = (names_at + sizeof(names) + 7) & ~7;
	Elf64_Phdr segment = { PT_LOAD, PF_R | PF_X, CODE_AT, BIAS + CODE_AT, 0, CODE_END - CODE_AT,
			       CODE_END - CODE_AT, 4096 };
	Elf64_Shdr sections[4] = { 0 };
	struct forge f = { 0 };
	int fd = memfd_create("forged", MFD_CLOEXEC);

	forge_headers(&f);
	forge_header(&f)->e_machine = machine;
	forge_header(&f)->e_phnum = 1;
	forge_header(&f)->e_shoff = sections_at;
	forge_header(&f)->e_shnum = 4;
	forge_header(&f)->e_shstrndx = 1;
	sections[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = names_at,
				    .sh_size = sizeof(names), .sh_addralign = 1 };
	put_section(fd, &eh, 11, eh_at, &sections[2]);
	sections[2].sh_size += padding;
	put_section(fd, &debug, 21, debug_at, &sections[3]);
	assert_int_equal(pwrite(fd, f.bytes, sizeof(Elf64_Ehdr), 0), sizeof(Elf64_Ehdr));
	assert_int_equal(pwrite(fd, &segment, sizeof(segment), sizeof(Elf64_Ehdr)), sizeof(segment));
	assert_int_equal(pwrite(fd, names, sizeof(names), names_at), sizeof(names));
	assert_int_equal(pwrite(fd, sections, sizeof(sections), sections_at), sizeof(sections));
	return fd;
}

static inline int try_read(__u32 region)
{
	_cleanup_close_ int fd = write_file(EM_X86_64);

	buf_clear(&out);
	return rows_read(fd, region, &out);
}

static inline void read_region(__u32 region)
{
	assert_int_equal(try_read(region), 0);
	assert_int_equal(rows_parse(out.data, out.size, &rows), 0);
	assert_int_equal(rows.region, region);
}

/* From an offset of the region up to another one, and not beyond on either side. */
static inline void holds(__u32 begin, __u32 end, __u32 rule)
{
	for (__u32 i = begin; i < end; i++)
		assert_int_equal(rows_find(&rows, i), rule);
	assert_true(!begin || rows_find(&rows, begin - 1) != rule);
	assert_true(end == 1 << REGION_SHIFT || rows_find(&rows, end) != rule);
}

#endif
