// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <cmocka.h>

#include "kern/texts.h"
#include "symbols/vdso.h"

#define BLOCKS 4096

static void is_one_function_with_rows(void **state)
{
	struct texts t = { .count = BLOCKS, .used = 2, .with_rows = true };
	__u32 text = 0;
	int err;

	(void)state;
	t.blocks = calloc(BLOCKS, sizeof(*t.blocks));
	assert_non_null(t.blocks);
	err = vdso_add(&t, &text);
	if (!getauxval(AT_SYSINFO_EHDR) || err == -EOPNOTSUPP) {
		assert_int_equal(text, 0);
		free(t.blocks);
		skip();
	}
	assert_int_equal(err, 0);
	assert_int_equal(t.blocks[text].text.count, 1);
	assert_int_equal(t.blocks[text].text.base, TEXT_VDSO);
	assert_false(texts_want_rows(&t, text, TEXT_VDSO + 0x800));
	free(t.blocks);
}

static void no_room(void **state)
{
	struct texts t = { .count = 3, .used = 2, .with_rows = true };
	__u32 text = 7;

	(void)state;
	t.blocks = calloc(3, sizeof(*t.blocks));
	assert_non_null(t.blocks);
	assert_int_not_equal(vdso_add(&t, &text), 0);
	assert_int_equal(text, 7);
	free(t.blocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_one_function_with_rows),
		cmocka_unit_test(no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
