// SPDX-License-Identifier: GPL-2.0-only
#include "views/svg_text.h"

#include "views/table_cell.h"

static const char *escape_of(char c)
{
	return c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : NULL;
}

int svg_text(struct buf *out, struct buf *scratch, const char *text, size_t columns, bool is_path)
{
	struct table_cell c;
	int err;

	buf_clear(scratch);
	err = buf_add_shown(scratch, text, false);
	if (err)
		return err;
	if (!is_path)
		table_cell_drop_locals(scratch);
	c = table_cell_cut(scratch, columns, is_path);
	err = buf_add_string(out, c.before);
	for (size_t i = 0; i < c.size && !err; i++) {
		const char *escape = escape_of(c.text[i]);

		err = escape ? buf_add_string(out, escape) : buf_add(out, &c.text[i], 1);
	}
	return err ?: buf_add_string(out, c.behind);
}
