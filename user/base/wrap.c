// SPDX-License-Identifier: GPL-2.0-only
#include "base/wrap.h"

#include <string.h>

void wrap_text(FILE *f, const char *text, int column)
{
	int used = column;

	while (*text) {
		const int length = strcspn(text, " ");

		if (used > column && used + 1 + length > WRAP_COLUMNS) {
			fprintf(f, "\n%*s", column, "");
			used = column;
		}
		used += fprintf(f, "%s%.*s", used > column ? " " : "", length, text);
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', f);
}
