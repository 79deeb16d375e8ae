// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(languages),
		cmocka_unit_test(longer_than_there_is_room),
		cmocka_unit_test(nested_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
