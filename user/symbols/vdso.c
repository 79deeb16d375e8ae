// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/vdso.h"

#include "base/buf.h"
#include "elf/rows.h"
#include "kern/texts.h"

#define VDSO_END (TEXT_JIT - TEXT_VDSO) /* it has some pages */

int vdso_add(struct texts *t, __u32 *ret)
{
	static const __u32 begin = 0;
	const struct text_functions whole = { &begin, sizeof(begin), 1, VDSO_END };
	_cleanup_buf_ struct buf bytes = { 0 };
	struct rows rows;
	__u32 text;
	int err = rows_read_vdso(0, &bytes);

	err = err ?: rows_parse(bytes.data, bytes.size, &rows);
	err = err ?: texts_add_text(t, TEXT_VDSO, &whole, &text);
	err = err ?: texts_add_rows(t, text, 0, rows.words, rows.count);
	if (!err)
		*ret = text;
	return err;
}
