// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_image.c - the ELF reader on forged interpreters: whole ones, lying ones, garbage. Run it under ASan
 * too.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "elf/image.h"
#include "tests/forge/test.h"
#include "tests/unit/elf/forge_elf.h"

static struct forge f;

static int read_forged(size_t size, struct image *ret)
{
	_cleanup_close_ int fd = forge_write(&f, size);

	return image_read(fd, ret);
}

TEST(whole)
{
	struct image image;

	forge_python(&f, 0x030d00f0);
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.runtime, FORGE_RUNTIME_ADDRESS);
	assert_int_equal(image.version, 0x030d00f0);
	assert_int_equal(image.load_count, 3);
	assert_int_equal(image.build_id_size, 20);
	assert_int_equal(image.build_id[19], 0xab);
	assert_false(image.fixed);
}

TEST(section_or_symbol_alone)
{
	struct image image;

	/* Stripped of everything but the section. */
	forge_python(&f, 0x030e00f0);
	forge_section(&f, 1)->sh_type = SHT_PROGBITS;
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.runtime, FORGE_RUNTIME_ADDRESS);
	assert_int_equal(image.version, 0);

	/* The symbol alone, in the big table only. */
	forge_python(&f, 0x030b00f0);
	forge_section(&f, 1)->sh_type = SHT_SYMTAB;
	forge_section(&f, 3)->sh_name = 1;
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.runtime, FORGE_RUNTIME_ADDRESS);
	assert_int_equal(image.version, 0x030b00f0);

	/* Before _PyRuntime */
	forge_python(&f, 0);
	forge_section(&f, 3)->sh_name = 1;
	memcpy(f.bytes + FORGE_STRINGS + 1, "_XyRuntime", 10);
	forge_symbol(&f, "_PyThreadState_Current", FORGE_RUNTIME_ADDRESS, 8);
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.runtime, 0);
	assert_int_equal(image.old_thread, FORGE_RUNTIME_ADDRESS);
	assert_int_equal(image.old_interps, 0);
	assert_int_equal(image.version, 0);
	forge_old_python(&f, "cpython-36", "3.6.15");
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.runtime, 0);
	assert_int_equal(image.old_thread, FORGE_RUNTIME_ADDRESS + 0x20);
	assert_int_equal(image.old_interps, FORGE_RUNTIME_ADDRESS + 0x10);
	assert_int_equal(image.version, 0x03060ff0);
	assert_false(image.classes);
	forge_old_python(&f, "", "2.7.18");
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.old_thread, FORGE_RUNTIME_ADDRESS + 0x20);
	assert_true(image.classes);
	assert_int_equal(image.version, 0x020712f0);
}

/* A runtime must be writable data; a version must be in the file. */
TEST(lies)
{
	static const __u64 addresses[] = { 0,	   1,	   FORGE_VERSION, FORGE_TEXT, FORGE_DATA,
					   0x3ff9, 0x4000, 1ULL << 63,	  ~0ULL };
	struct image image;

	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		forge_python(&f, 0);
		forge_section(&f, 3)->sh_addr = addresses[i];
		((Elf64_Sym *)(f.bytes + FORGE_SYMBOLS))[1].st_value = addresses[i];
		forge_symbol(&f, "Py_Version", addresses[i], 8);
		assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
		assert_int_equal(image.runtime, 0);
		if (addresses[i] != 1 && addresses[i] != 0)
			assert_int_equal(image.version, 0);
	}
	/* Beyond 32 bits, or in the part of a segment that the file does not have. */
	forge_python(&f, 0x030d00f0);
	f.bytes[FORGE_VERSION + 4] = 1;
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.version, 0);
	forge_python(&f, 0x030d00f0);
	forge_segment(&f, 0)->p_filesz = FORGE_VERSION + 7;
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.version, 0);
	/* Not defined here, or code. */
	forge_python(&f, 0x030d00f0);
	forge_section(&f, 3)->sh_name = 1;
	((Elf64_Sym *)(f.bytes + FORGE_SYMBOLS))[1].st_shndx = SHN_UNDEF;
	((Elf64_Sym *)(f.bytes + FORGE_SYMBOLS))[2].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.runtime, 0);
	assert_int_equal(image.version, 0);
}

TEST(not_for_us)
{
	static const struct {
		size_t offset;
		unsigned char value;
	} changes[] = {
		{ 0, 0 },
		{ EI_CLASS, ELFCLASS32 },
		{ EI_DATA, ELFDATA2MSB },
		{ EI_VERSION, 2 },
		{ offsetof(Elf64_Ehdr, e_type), ET_REL },
		{ offsetof(Elf64_Ehdr, e_type), ET_CORE },
		{ offsetof(Elf64_Ehdr, e_machine), EM_386 },
	};
	struct image image;

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		forge_python(&f, 0x030d00f0);
		f.bytes[changes[i].offset] = changes[i].value;
		assert_int_equal(read_forged(FORGE_SIZE, &image), -ENOEXEC);
	}
	assert_int_equal(read_forged(0, &image), -ENOEXEC);
	forge_python(&f, 0x030d00f0);
	assert_int_equal(read_forged(sizeof(Elf64_Ehdr) - 1, &image), -ENOEXEC);
	forge_header(&f)->e_phnum = 0;
	assert_int_equal(read_forged(FORGE_SIZE, &image), -ENOEXEC);
}

/* Each number in a header that sizes something, at its extremes. */
TEST(hostile_counts)
{
	static const __u64 values[] = { 1, 0xff, 0xffff, 1ULL << 31, 1ULL << 32, (1ULL << 63) - 1, ~0ULL };
	struct image image;

	forge_python(&f, 0x030d00f0);
	forge_header(&f)->e_shnum = 0; /* the real number is in section 0: 2^32 */
	forge_section(&f, 0)->sh_size = 1ULL << 32;
	assert_int_equal(read_forged(FORGE_SIZE, &image), -EBADMSG);
	forge_python(&f, 0x030d00f0);
	forge_header(&f)->e_phnum = PN_XNUM;
	forge_section(&f, 0)->sh_info = 1U << 31;
	assert_int_equal(read_forged(FORGE_SIZE, &image), -EBADMSG);
	forge_python(&f, 0x030d00f0);
	forge_header(&f)->e_shoff = 1ULL << 62;
	assert_true(read_forged(FORGE_SIZE, &image) <= 0);

	for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
		for (int section = 0; section < 5; section++) {
			for (size_t word = 0; word < sizeof(Elf64_Shdr) / 8; word++) {
				forge_python(&f, 0x030d00f0);
				((__u64 *)forge_section(&f, section))[word] = values[v];
				assert_true(read_forged(FORGE_SIZE, &image) <= 0);
			}
		}
		for (size_t word = 0; word < 4 * sizeof(Elf64_Phdr) / 8; word++) {
			forge_python(&f, 0x030d00f0);
			((__u64 *)forge_segment(&f, 0))[word] = values[v];
			assert_true(read_forged(FORGE_SIZE, &image) <= 0);
		}
		for (size_t word = 3; word < sizeof(Elf64_Ehdr) / 8; word++) {
			forge_python(&f, 0x030d00f0);
			((__u64 *)f.bytes)[word] = values[v];
			assert_true(read_forged(FORGE_SIZE, &image) <= 0);
		}
	}
}

TEST(strings_without_end)
{
	struct image image;

	forge_python(&f, 0x030d00f0);
	forge_section(&f, 3)->sh_name = 1; /* else .PyRuntime is enough */
	f.bytes[FORGE_STRINGS + f.strings - 1] = 'x';
	assert_int_equal(read_forged(FORGE_SIZE, &image), -EBADMSG);
	forge_python(&f, 0x030d00f0);
	forge_section(&f, 3)->sh_name = 1;
	((Elf64_Sym *)(f.bytes + FORGE_SYMBOLS))[1].st_name = 0xfffffff0;
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.runtime, 0);
}

static bool is_in_a_load(const struct image *image, __u64 address, __u64 size)
{
	for (int i = 0; i < image->load_count; i++)
		if (address >= image->load[i].address &&
		    address - image->load[i].address <= image->load[i].memory_size &&
		    size <= image->load[i].memory_size - (address - image->load[i].address))
			return true;
	return false;
}

/* Every length of the file, and many single wrong bytes: no crash, and never an address outside. */
TEST(truncated_and_flipped)
{
	struct image image;
	__u32 random = 1;
	size_t size;

	for (size = 0; size < FORGE_SIZE; size += size < 512 ? 1 : 61) {
		forge_python(&f, 0x030d00f0);
		assert_true(read_forged(size, &image) <= 0);
	}
	for (int i = 0; i < 20000; i++) {
		static const size_t areas[][2] = { { 0, 288 },
						   { FORGE_NOTE, 36 },
						   { FORGE_SYMBOLS, 96 },
						   { FORGE_STRINGS, 40 },
						   { FORGE_SECTIONS, 320 } };
		const size_t *area;

		random = random * 1664525 + 1013904223;
		area = areas[(random >> 8) % ARRAY_SIZE(areas)];
		forge_python(&f, 0x030d00f0);
		f.bytes[area[0] + (random >> 12) % area[1]] = random >> 24;
		memset(&image, 0, sizeof(image));
		if (read_forged(FORGE_SIZE, &image))
			continue;
		if (image.runtime)
			assert_true(is_in_a_load(&image, image.runtime, 8));
		assert_int_equal(image_parse(&image, sizeof(image), &image), 0);
	}
}

/* Each promise of image_read() that another process could break. */
TEST(bytes_of_another_process)
{
	struct image good, bad, taken;
	char *const byte = (char *)&bad;

	forge_python(&f, 0x030d00f0);
	assert_int_equal(read_forged(FORGE_SIZE, &good), 0);
	memset(&taken, 0x55, sizeof(taken));
	assert_int_equal(image_parse(&good, sizeof(good), &taken), 0);
	assert_memory_equal(&taken, &good, sizeof(good));
	memset(&taken, 0x55, sizeof(taken));
#define REFUSED(change)                                                                                      \
	do {                                                                                                 \
		bad = good;                                                                                  \
		change;                                                                                      \
		assert_int_equal(image_parse(&bad, sizeof(bad), &taken), -EBADMSG);                          \
	} while (0)
	REFUSED(bad.machine = EM_386);
	REFUSED(bad.load_count = 0);
	REFUSED(bad.load_count = IMAGE_LOADS_MAX + 1);
	REFUSED(bad.build_id_size = IMAGE_BUILD_ID_MAX + 1);
	REFUSED(byte[offsetof(struct image, fixed)] = 2);
	REFUSED(byte[offsetof(struct image, classes)] = 0x80);
	REFUSED(bad.load[2].file_size = bad.load[2].memory_size + 1);
	REFUSED(bad.load[1].memory_size = bad.load[1].file_size = 0);
	REFUSED(bad.load[0].address = UINT64_MAX);
	REFUSED(bad.load[0].offset = INT64_MAX);
	REFUSED(bad.runtime = FORGE_TEXT); /* it is not writable */
	REFUSED(bad.old_thread = UINT64_MAX);
	REFUSED(bad.old_interps = 1);
	REFUSED(bad.asyncio = FORGE_TEXT);
#undef REFUSED
	assert_int_equal(image_parse(&good, sizeof(good) - 1, &taken), -EBADMSG);
	assert_int_equal(image_parse(&good, 0, &taken), -EBADMSG);
	assert_int_equal(((char *)&taken)[0], 0x55);
}

/* A file has one table of a kind. Thousands, all of the same bytes, would be read for seconds. */
TEST(one_table_of_a_kind)
{
	struct image image;

	forge_python(&f, 0x030d00f0);
	*forge_section(&f, 3) = *forge_section(&f, 1);
	forge_section(&f, 1)->sh_size = sizeof(Elf64_Sym); /* the first one names nothing */
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.runtime, 0);
	forge_section(&f, 3)->sh_type = SHT_SYMTAB;
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.runtime, FORGE_RUNTIME_ADDRESS);
}

/* And one Py_Version: each would be read from the file. */
TEST(one_version)
{
	struct image image;

	forge_python(&f, 0);
	forge_symbol(&f, "Py_Version", FORGE_DATA - 4, 8); /* in no segment */
	memcpy(f.bytes + FORGE_VERSION, &(__u64){ 0x030d00f0 }, 8);
	forge_symbol(&f, "Py_Version", FORGE_VERSION, 8);
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.version, 0);
}

/* libelf looks through all of them for each. */
TEST(long_names_of_sections)
{
	struct image image;

	forge_python(&f, 0x030d00f0);
	forge_section(&f, 4)->sh_size = (256 << 10) + 1;
	assert_int_equal(read_forged(FORGE_SIZE, &image), -EBADMSG);
}

TEST(bias)
{
	struct image image;
	__u64 value = 1;

	forge_python(&f, 0x030d00f0);
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image_bias(&image, 0x7f0000001000, FORGE_TEXT, true, &value), 0);
	assert_int_equal(value, 0x7f0000000000);
	assert_int_equal(image_bias(&image, 0x7f0000000000, 0, false, &value), 0);
	assert_int_equal(value, 0x7f0000000000);
	value = 1;
	/* The whole file mapped as data or as code; a mapping of a part that is not loaded. */
	assert_int_equal(image_bias(&image, 0x7f0000000000, 0, true, &value), -ENOENT);
	assert_int_equal(image_bias(&image, 0x7f0000000000, FORGE_DATA, false, &value), -ENOENT);
	assert_int_equal(image_bias(&image, 0x7f0000000000, FORGE_SYMBOLS, true, &value), -ENOENT);
	assert_int_equal(value, 1);
	/* A program for a fixed address is there or nowhere. */
	image.fixed = true;
	assert_int_equal(image_bias(&image, 0x7f0000001000, FORGE_TEXT, true, &value), -ENOENT);
	assert_int_equal(image_bias(&image, FORGE_TEXT, FORGE_TEXT, true, &value), 0);
	assert_int_equal(value, 0);
}

/* asyncio's offsets: in a library of its own, and where they could not be. */
TEST(asyncio_section)
{
	static const char name[] = ".AsyncioDebug";
	struct image image;

	forge_python(&f, 0);
	memcpy(f.bytes + FORGE_STRINGS + 1, "_XyRuntime", 10);
	memcpy(f.bytes + FORGE_NAMES + 64, name, sizeof(name));
	forge_section(&f, 4)->sh_size = 64 + sizeof(name);
	forge_section(&f, 3)->sh_name = 64;
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.asyncio, FORGE_RUNTIME_ADDRESS);
	assert_int_equal(image.runtime, 0);
	forge_section(&f, 3)->sh_addr = FORGE_TEXT; /* not writable */
	assert_int_equal(read_forged(FORGE_SIZE, &image), 0);
	assert_int_equal(image.asyncio, 0);
}

/* This test itself: a real file, without Python. */
TEST(real_program)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct image image;

	assert_int_equal(image_read(fd, &image), 0);
	assert_int_equal(image.runtime, 0);
	assert_true(image.load_count >= 2);
}
