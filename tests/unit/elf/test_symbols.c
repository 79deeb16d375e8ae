// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_symbols.c - the order of symbols, and what it costs to look at those of a hostile file. Which symbols
 * are found is tested by test_functions.c and test_function_names.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/symbols.h"
#include "tests/forge/test.h"
#include "tests/unit/elf/forge_elf.h"

static struct forge f;

TEST(order)
{
	static const struct symbol sorted[] = {
		{ 10, 90, "outer", 0 }, { 10, 20, "worse", 2 }, { 10, 20, "a", 1 }, { 10, 20, "b", 1 },
		{ 11, 12, "a", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		for (size_t k = 0; k < ARRAY_SIZE(sorted); k++) {
			const int c = symbol_compare(&sorted[i], &sorted[k]);

			assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
		}
}

/* Names without an end are compared at their beginning only: they may be as long as the file. */
TEST(names_alike)
{
	struct symbol x = { 1, 2, NULL, 0 }, y = x;
	char one[200], other[200];

	memset(one, 'a', sizeof(one));
	memset(other, 'a', sizeof(other));
	one[sizeof(one) - 1] = other[sizeof(other) - 1] = '\0';
	x.name = one;
	y.name = other;
	other[63] = 'b';
	assert_true(symbol_compare(&x, &y) < 0);
	other[63] = 'a';
	other[64] = 'b';
	assert_int_equal(symbol_compare(&x, &y), 0);
}

/* What is read of a file has a limit for all of its tables together. */
TEST(budget_of_all_tables)
{
	struct elf_budget left = { 100 * sizeof(Elf64_Sym), 1000 }, before;
	_cleanup_(elf_file_cleanup) Elf *elf = NULL;
	Elf_Data *symbols, *names;
	_cleanup_close_ int fd = -1;
	GElf_Shdr header;
	Elf_Scn *section;

	forge_python(&f, 0x030d00f0);
	fd = forge_write(&f, FORGE_SIZE);
	assert_int_equal(elf_file_open(fd, &elf), 0);
	section = elf_getscn(elf, 1);
	assert_non_null(gelf_getshdr(section, &header));
	before = left;
	assert_int_equal(elf_file_symbols(elf, section, &header, &left, &symbols, &names), 0);
	assert_int_equal(before.symbols - left.symbols, 3 * sizeof(Elf64_Sym));
	assert_int_equal(before.names - left.names, f.strings);
	left.symbols = 3 * sizeof(Elf64_Sym) - 1;
	before = left;
	assert_int_equal(elf_file_symbols(elf, section, &header, &left, &symbols, &names), -EBADMSG);
	assert_memory_equal(&left, &before, sizeof(left));
	left = (struct elf_budget){ 3 * sizeof(Elf64_Sym), f.strings - 1 };
	assert_int_equal(elf_file_symbols(elf, section, &header, &left, &symbols, &names), -EBADMSG);
	left.names = f.strings;
	assert_int_equal(elf_file_symbols(elf, section, &header, &left, &symbols, &names), 0);
	assert_int_equal(left.symbols + left.names, 0);
}
