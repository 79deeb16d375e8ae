// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "elf/demangled.h"

static void check(const char *name, const char *expected)
{
	char text[64];

	demangled(name, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void languages(void **state)
{
	(void)state;
	check("PyDict_GetItem", "PyDict_GetItem");
	check("_Zebra", "_Zebra");
	check("_Rose", "_Rose");
	check("_ZN5numpy3sumEPKdm", "numpy::sum");
	check("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back");
	check("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	check("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	check("", "");
}

static void longer_than_there_is_room(void **state)
{
	char name[20000], text[16];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	demangled(name, text, sizeof(text));
	assert_string_equal(text, "xxxxxxxxxxxxxxx");
	memcpy(name, "_Z", 2); /* no parser gets it */
	demangled(name, text, sizeof(text));
	assert_string_equal(text, "_Zxxxxxxxxxxxxx");
}

/* Types within types: a bomb for whoever follows them without a bound. */
static void nested_without_end(void **state)
{
	char name[8000], text[64];

	(void)state;
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
static void doubled_again_and_again(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[512] = "_ZN1AI1BIiiE", text[100];
	size_t at = strlen(name);

	(void)state;
	for (int i = 1; i < 35; i++) /* A is S_, B is S0_, B<int, int> is S1_ */
		at += sprintf(name + at, "S0_IS%c_S%c_E", digits[i], digits[i]);
	strcpy(name + at, "E1fE");
	demangled(name, text, sizeof(text));
	assert_string_equal(text, "A<B<int, int>, B<B<int, int>, B<int, int> >, "
				  "B<B<B<int, int>, B<int, int> >, B<B<int, int>, B<int, ");
}

/* The same of Rust: tuples of twice the one before. A place in a name is counted from behind "_R". */
static void doubled_by_rust(void **state)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[512] = "_RINvC1a1fTmmE", text[40];
	size_t at = strlen(name), last = strlen("INvC1a1f");

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(languages),
		cmocka_unit_test(longer_than_there_is_room),
		cmocka_unit_test(nested_without_end),
		cmocka_unit_test(doubled_again_and_again),
		cmocka_unit_test(doubled_by_rust),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
