// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "kern/texts.h"
#include "symbols/vdso.h"
#include "tests/forge/test.h"

#define BLOCKS 4096

TEST(is_one_function_with_rows)
{
	struct texts t = { .count = BLOCKS, .used = 2, .with_rows = true };
	__u32 text = 0;
	int err;

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

TEST(no_room)
{
	struct texts t = { .count = 3, .used = 2, .with_rows = true };
	__u32 text = 7;

	t.blocks = calloc(3, sizeof(*t.blocks));
	assert_non_null(t.blocks);
	assert_int_not_equal(vdso_add(&t, &text), 0);
	assert_int_equal(text, 7);
	free(t.blocks);
}
