// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "elf/demangled.h"
#include "tests/forge/test.h"

static void check(const char *name, const char *expected)
{
	char text[64];

	demangled(name, text, sizeof(text));
	assert_string_equal(text, expected);
}

TEST(languages)
{
	check("PyDict_GetItem", "PyDict_GetItem");
	check("_Zebra", "_Zebra");
	check("_Rose", "_Rose");
	check("_ZN5numpy3sumEPKdm", "numpy::sum");
	check("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back");
	check("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	check("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	check("", "");
}

TEST(longer_than_there_is_room)
{
	char name[20000], text[16];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	demangled(name, text, sizeof(text));
	assert_string_equal(text, "xxxxxxxxxxxxxxx");
	memcpy(name, "_Z", 2); /* no parser gets it */
	demangled(name, text, sizeof(text));
	assert_string_equal(text, "_Zxxxxxxxxxxxxx");
}

/* Types within types: a bomb for whoever follows them without a bound. */
TEST(nested_without_end)
{
	char name[8000], text[64];

	memset(name, 'P', sizeof(name));
	memcpy(name, "_Z1fI", 5);
	name[sizeof(name) - 1] = '\0';
	demangled(name, text, sizeof(text));
	assert_memory_equal(text, "_Z1fI", 5);
}

/*
 * Each argument of the template is made of the one before, twice: what comes out doubles each time. Whoever
 * writes all of it ends in no lifetime.
 */
TEST(doubled_again_and_again)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[512] = "_ZN1AI1BIiiE", text[100];
	size_t at = strlen(name);

	for (int i = 1; i < 35; i++) /* A is S_, B is S0_, B<int, int> is S1_ */
		at += sprintf(name + at, "S0_IS%c_S%c_E", digits[i], digits[i]);
	strcpy(name + at, "E1fE");
	demangled(name, text, sizeof(text));
	assert_string_equal(text, "A<B<int, int>, B<B<int, int>, B<int, int> >, "
				  "B<B<B<int, int>, B<int, int> >, B<B<int, int>, B<int, ");
}

/* The same of Rust: tuples of twice the one before. A place in a name is counted from behind "_R". */
TEST(doubled_by_rust)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[512] = "_RINvC1a1fTmmE", text[40];
	size_t at = strlen(name), last = strlen("INvC1a1f");

	for (int i = 0; i < 40; i++) {
		const size_t here = at - 2, before = last - 1; /* a number of base 62 is one less */
		char back[8] = { 'B', digits[before % 62], '_' };

		if (before >= 62)
			snprintf(back, sizeof(back), "B%c%c_", digits[before / 62 - 1], digits[before % 62]);
		at += sprintf(name + at, "T%s%sE", back, back);
		last = here;
	}
	strcpy(name + at, "E");
	demangled(name, text, sizeof(text));
	assert_string_equal(text, "a::f::<(u32, u32), ((u32, u32), (u32, u");
}
