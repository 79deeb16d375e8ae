// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_loaded_elf.c - thread-local variables of libraries in this process's memory: those of its C library,
 * and of a forged one with each kind of relocation, which then has any words in it.
 */
#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "proc/loaded_elf.h"
#include "tests/forge/library.h"
#include "tests/forge/random.h"
#include "tests/forge/test.h"

#define NAME "a_variable"

/* --- a real one ----------------------------------------------------------------------------------------- */

struct found {
	const char *name;
	__u64 base;
	int libraries;
};

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct found *f = arg;
	struct loaded_tls tls;

	(void)size;
	f->libraries++;
	assert_true(loaded_elf_find(getpid(), info->dlpi_addr, "no variable", &tls) < 0);
	if (strstr(info->dlpi_name, f->name))
		f->base = info->dlpi_addr;
	return 0;
}

/* The C library has errno at an offset from the thread pointer that the loader has found. */
TEST(a_real_library)
{
	struct found f = { .name = "/libc.so" };
	struct loaded_tls tls;
	__s64 offset;

	dl_iterate_phdr(visit, &f);
	assert_true(f.libraries > 3);
#if defined(__x86_64__)
	assert_int_equal(loaded_elf_find(getpid(), f.base, "errno", &tls), 0);
	memcpy(&offset, (const void *)(uintptr_t)tls.words[LOADED_TLS_OFFSET], sizeof(offset));
	assert_ptr_equal((char *)__builtin_thread_pointer() + offset, &errno);
	assert_int_equal(loaded_elf_find(getpid(), f.base, "malloc", &tls), -ENOENT);
	assert_int_equal(loaded_elf_find(getpid(), f.base, "errn", &tls), -ENOENT);
#else
	(void)offset;
	assert_int_equal(loaded_elf_find(getpid(), f.base, "errno", &tls), -EBADMSG);
#endif
}

TEST(what_is_no_library)
{
	static const char text[4096] = "no header";
	struct loaded_tls tls;

	assert_int_equal(loaded_elf_find(getpid(), (uintptr_t)text, NAME, &tls), -EBADMSG);
	assert_int_equal(loaded_elf_find(getpid(), 8, NAME, &tls), -EFAULT);
	assert_int_equal(loaded_elf_find(1 << 30, (uintptr_t)text, NAME, &tls), -ESRCH);
}

/* --- a forged one --------------------------------------------------------------------------------------- */

static struct library library;

#define ABSOLUTE(member_) ((uintptr_t)&library.member_)

/* As glibc leaves it: what the dynamic section has are addresses of the process, but for one here. */
static int setup(void **state)
{
	(void)state;
	library_forge(&library, NAME);
	library.dynamic[0].d_un.d_ptr = ABSOLUTE(symbols);
	library.dynamic[1].d_un.d_ptr = ABSOLUTE(names);
	library.dynamic[3].d_un.d_ptr = ABSOLUTE(relocations);
	library.dynamic[6].d_un.d_ptr = ABSOLUTE(by_name);
	return 0;
}

static int find(struct loaded_tls *ret)
{
	return loaded_elf_find(getpid(), (uintptr_t)&library, NAME, ret);
}

TEST(each_kind_of_relocation, .setup = setup)
{
	static const __u32 types[] = { [LOADED_TLS_DESCRIPTOR] = R_X86_64_TLSDESC,
				       [LOADED_TLS_INDEX] = R_X86_64_DTPMOD64,
				       [LOADED_TLS_OFFSET] = R_X86_64_TPOFF64 };

	for (int kind = 0; kind < LOADED_TLS_KINDS; kind++) {
		for (__u32 symbol = 0; symbol <= 2; symbol += 2) {
			const __s64 addend = symbol || kind == LOADED_TLS_INDEX ? 0 : LIBRARY_OFFSET;
			struct loaded_tls tls;

			setup(state);
			/* One that is not looked at, and another variable's. */
			library.relocations[RELATIVE] = library_relocation(2, types[kind], 3, 0);
			library.relocations[FIRST] = library_relocation(1, types[kind], 0, 0);
			library.relocations[SECOND] = library_relocation(symbol, types[kind], 1, addend);
			assert_int_equal(find(&tls), 0);
			assert_int_equal(tls.offset, LIBRARY_OFFSET);
			for (int i = 0; i < LOADED_TLS_KINDS; i++)
				assert_int_equal(tls.words[i], i == kind ? (uintptr_t)&library.words[1] : 0);
			library.by_name[0] = library_relocation(2, types[kind], 2, 0);
			assert_int_equal(find(&tls), 0);
			assert_int_equal(tls.words[kind], (uintptr_t)&library.words[2]);
		}
	}
}

TEST(what_is_not_the_variable, .setup = setup)
{
	struct loaded_tls tls;

	assert_int_equal(find(&tls), 0);
	library.hash.filter = 0;
	assert_int_equal(find(&tls), -ENOENT);
	setup(NULL);
	library.names[4] = 'x';
	assert_int_equal(find(&tls), -ENOENT);
	setup(NULL);
	library.symbols[2].st_info = STT_OBJECT;
	assert_int_equal(find(&tls), -ENOENT);
	setup(NULL);
	library.symbols[2].st_shndx = SHN_UNDEF; /* another library has it */
	assert_int_equal(find(&tls), -ENOENT);
	setup(NULL);
	library.hash.chain[1] &= ~1U; /* no end, but for that of the bound */
	assert_true(find(&tls) <= 0);
}

TEST(sizes_that_lie, .setup = setup)
{
	struct loaded_tls tls;

	library.header.e_phnum = 65;
	assert_int_equal(find(&tls), -EBADMSG);
	setup(NULL);
	library.segments[1].p_memsz = 1ULL << 40;
	assert_int_equal(find(&tls), -EBADMSG);
	setup(NULL);
	library.hash.buckets = 0;
	assert_int_equal(find(&tls), -EBADMSG);
	setup(NULL);
	library.hash.words = 0;
	assert_int_equal(find(&tls), -EBADMSG);
	setup(NULL);
	library.hash.shift = 32;
	assert_int_equal(find(&tls), -EBADMSG);
	setup(NULL);
	library.dynamic[4].d_un.d_val = ~0ULL;
	assert_int_equal(find(&tls), -EBADMSG);
	setup(NULL);
	library.dynamic[5].d_un.d_val = RELOCATIONS + 1;
	assert_int_equal(find(&tls), -EBADMSG);
}

/* Whatever is there, a look ends. */
TEST(any_words, .setup = setup)
{
	for (int i = 0; i < 30000; i++) {
		struct loaded_tls tls;

		if (i % 4 == 0)
			setup(NULL);
		((__u64 *)&library)[random_word() % (sizeof(library) / sizeof(__u64))] =
			random_word() >> random_word() % 64;
		assert_true(find(&tls) <= 0);
	}
}
