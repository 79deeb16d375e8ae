// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_minidebug.c - a symbol table that is packed into a section, and what a hostile file could have in
 * its place.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <lzma.h>

#include "base/buf.h"
#include "elf/functions.h"
#include "elf/minidebug.h"
#include "tests/forge/test.h"

#define SECTIONS 0x100 /* offset of the headers; the packed bytes are behind them */
#define NAMES	 0x200
#define PACKED	 0x300

static struct buf file; /* what is made, and its descriptor */
static int fd = -1;
static Elf *elf;
static struct minidebug mini;

/* A file with nothing but this section, which says that it has so many bytes. */
static void make(const void *packed, size_t size, size_t said)
{
	static const char names[] = "\0.gnu_debugdata";
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				      EV_CURRENT },
			 .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			 .e_ehsize = sizeof(h), .e_phentsize = sizeof(Elf64_Phdr),
			 .e_shoff = SECTIONS, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3,
			 .e_shstrndx = 2 };
	Elf64_Shdr sections[3] = {
		[1] = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = PACKED, .sh_size = said },
		[2] = { .sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = sizeof(names) },
	};
	Elf64_Ehdr checked;

	buf_clear(&file);
	assert_int_equal(buf_reserve(&file, PACKED + size), 0);
	memset(file.data, 0, PACKED);
	memcpy(file.data, &h, sizeof(h));
	memcpy(file.data + SECTIONS, sections, sizeof(sections));
	memcpy(file.data + NAMES, names, sizeof(names));
	memcpy(file.data + PACKED, packed, size);
	fd = memfd_create("elf", MFD_CLOEXEC);
	assert_int_equal(write(fd, file.data, PACKED + size), PACKED + size);
	assert_int_equal(elf_file_header(fd, &checked), 0);
	assert_int_equal(elf_file_open(fd, &elf), 0);
}

static int setup(void **state)
{
	(void)state;
	fd = -1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	minidebug_cleanup(&mini);
	elf_file_cleanup(&elf);
	elf = NULL;
	if (fd >= 0)
		close(fd);
	return 0;
}

static uint8_t *pack(const void *bytes, size_t size, __u32 preset, size_t *ret_size)
{
	const size_t room = lzma_stream_buffer_bound(size);
	uint8_t *packed = malloc(room);

	*ret_size = 0;
	assert_non_null(packed);
	assert_int_equal(
		lzma_easy_buffer_encode(preset, LZMA_CHECK_CRC32, NULL, bytes, size, packed, ret_size, room),
		LZMA_OK);
	return packed;
}

static int open_packed(const void *bytes, size_t size, __u32 preset)
{
	size_t packed_size;
	_cleanup_free_ uint8_t *packed = pack(bytes, size, preset, &packed_size);

	make(packed, packed_size, packed_size);
	return minidebug_open(elf, &mini);
}

static bool has_symbol(const char *wanted)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(mini.elf, section))) {
		Elf_Data *data, *text;
		GElf_Shdr header;
		GElf_Sym symbol;
		struct elf_budget all = { SIZE_MAX, SIZE_MAX };

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB ||
		    elf_file_symbols(mini.elf, section, &header, &all, &data, &text))
			continue;
		for (int i = 0; gelf_getsym(data, i, &symbol); i++)
			if (!strcmp((char *)text->d_buf + symbol.st_name, wanted))
				return true;
	}
	return false;
}

/* A file with one symbol, as distributions pack it: nothing but the table and its names. */
struct small {
	Elf64_Ehdr header;
	Elf64_Shdr sections[3];
	Elf64_Sym symbols[2];
	char names[32];
};

TEST(a_symbol)
{
	struct small s = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
					 EV_CURRENT },
			    .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(s.header), .e_phentsize = sizeof(Elf64_Phdr),
			    .e_shoff = offsetof(struct small, sections),
			    .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2 },
		.sections = { [1] = { .sh_type = SHT_SYMTAB, .sh_offset = offsetof(struct small, symbols),
				      .sh_size = sizeof(s.symbols), .sh_link = 2,
				      .sh_entsize = sizeof(Elf64_Sym) },
			      [2] = { .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct small, names),
				      .sh_size = sizeof(s.names) } },
		.symbols = { [1] = { .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				     .st_shndx = SHN_ABS, .st_value = 0x1000, .st_size = 16 } },
		.names = "\0packed_function",
	};

	assert_int_equal(open_packed(&s, sizeof(s), 1), 0);
	assert_true(has_symbol("packed_function"));
	assert_false(has_symbol("another_function"));
}

TEST(there_is_none)
{
	make("", 0, 0);
	memcpy(file.data + NAMES + 1, ".gnu_debuglink", 14);
	assert_int_equal(pwrite(fd, file.data, PACKED, 0), PACKED);
	assert_int_equal(minidebug_open(elf, &mini), -ENOENT);
	assert_null(mini.elf);
}

/* A few kilobytes that become more than is allowed. */
TEST(bomb)
{
	char *zeros = calloc(1, MINIDEBUG_MAX + 1);

	assert_non_null(zeros);
	assert_int_equal(open_packed(zeros, MINIDEBUG_MAX + 1, 0), -E2BIG);
	assert_null(mini.bytes);
	free(zeros);
}

/* Unpacking it would take 64 MiB beside what comes out: the program that packed it says so in the header. */
TEST(dictionary)
{
	assert_int_equal(open_packed("12345", 5, 9), -E2BIG);
}

TEST(damaged)
{
	size_t size;
	uint8_t *packed;
	Elf64_Ehdr none = { 0 };
	static const char text[] = "no ELF file, but longer than the header of one, which has 64 bytes";

	assert_int_equal(open_packed(text, sizeof(text), 1), -EBADMSG);
	teardown(NULL);
	assert_int_equal(open_packed(&none, sizeof(none), 1), -EBADMSG);
	teardown(NULL);
	assert_int_equal(open_packed("", 0, 1), -EBADMSG);
	packed = pack("0123456789", 10, 1, &size);
	for (size_t left = 0; left < size; left++) { /* cut short */
		teardown(NULL);
		make(packed, left, left);
		assert_true(minidebug_open(elf, &mini) < 0);
	}
	for (size_t i = 0; i < size; i++) {
		teardown(NULL);
		packed[i] ^= 0x11;
		make(packed, size, size);
		assert_true(minidebug_open(elf, &mini) < 0);
		packed[i] ^= 0x11;
	}
	teardown(NULL);
	make(packed, size, size + 1); /* longer than the file */
	assert_int_equal(minidebug_open(elf, &mini), -EBADMSG);
	teardown(NULL);
	make(packed, size, MINIDEBUG_PACKED_MAX + 1);
	assert_int_equal(minidebug_open(elf, &mini), -E2BIG);
	free(packed);
}

AROUND_EACH(setup, teardown);
