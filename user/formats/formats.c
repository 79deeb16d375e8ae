// SPDX-License-Identifier: GPL-2.0-only
#include "formats/formats.h"

#include <string.h>

#include "formats/firefox.h"
#include "formats/folded.h"
#include "formats/html.h"
#include "formats/otlp.h"
#include "formats/pprof.h"
#include "formats/speedscope.h"
#include "formats/svg.h"

const struct format_row format_rows[FORMATS] = {
#define FORMAT(NAME, word, end, ...) \
	[FORMAT_##NAME] = { .name = word, .suffix = end, .file = "profile" end, __VA_ARGS__ },
#include "formats/formats.def"
#undef FORMAT
};

const char format_choices[] =
#define DEFAULT_FORMAT(NAME, name, suffix, ...) name
#define FORMAT(NAME, name, suffix, ...) "|" name
#include "formats/formats.def"
#undef FORMAT
	;

const char format_names[] =
#define DEFAULT_FORMAT(NAME, name, suffix, ...) name
#define FORMAT(NAME, name, suffix, ...) " or " name
#include "formats/formats.def"
#undef FORMAT
	;

const char format_help[] = "default: by FILE's suffix"
#define DEFAULT_FORMAT(NAME, name, suffix, ...)
#define FORMAT(NAME, name, suffix, ...) ", " suffix
#include "formats/formats.def"
#undef FORMAT
			   " or else "
#define DEFAULT_FORMAT(NAME, name, suffix, ...) name
#define FORMAT(NAME, name, suffix, ...)
#include "formats/formats.def"
#undef FORMAT
	;

int format_find(const char *name)
{
	for (int i = 0; i < FORMATS; i++)
		if (!strcmp(format_rows[i].name, name))
			return i;
	return -1;
}

enum format format_of_file(const char *path)
{
	size_t length = strlen(path);

	for (int i = 0; i < FORMATS; i++) {
		size_t n = strlen(format_rows[i].suffix);

		if (length > n && !strcmp(path + length - n, format_rows[i].suffix))
			return i;
	}
	return 0;
}

int format_add_how_to_open(enum format format, const char *path, struct buf *out)
{
	const char *text = format_rows[format].open, *file = strstr(text, "FILE");

	if (!file)
		return buf_add_string(out, text);
	return buf_printf(out, "%.*s%s%s", (int)(file - text), text, path, file + strlen("FILE"));
}
