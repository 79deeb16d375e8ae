// SPDX-License-Identifier: GPL-2.0-only
#include "formats/formats.h"

#include <stdbool.h>
#include <string.h>

#include "base/path.h"
#include "formats/firefox.h"
#include "formats/folded.h"
#include "formats/html.h"
#include "formats/otlp.h"
#include "formats/pprof.h"
#include "formats/speedscope.h"
#include "formats/svg.h"

#define ENDING_DIGITS "0123456789"
#define ENDING_BYTES  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" ENDING_DIGITS

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

const char format_endings[] =
#define DEFAULT_FORMAT(NAME, name, suffix, ...) suffix
#define FORMAT(NAME, name, suffix, ...) ", " suffix
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

static bool ends_in(const char *path, const char *ending, size_t n)
{
	const size_t length = strlen(path);

	return length > n && !strncmp(path + length - n, ending, n);
}

/* In one of several endings, with spaces between. */
static bool ends_in_one(const char *path, const char *endings)
{
	for (size_t n; endings && *endings; endings += n + strspn(endings + n, " ")) {
		n = strcspn(endings, " ");
		if (ends_in(path, endings, n))
			return true;
	}
	return false;
}

/* The name has letters behind its last dot: those of a date, or of a number, are none. */
static bool has_ending(const char *path)
{
	const char *name = base_name(path), *dot = strrchr(name, '.');

	return dot && dot > name && dot[1] && !dot[1 + strspn(dot + 1, ENDING_BYTES)] &&
	       strcspn(dot + 1, ENDING_DIGITS);
}

int format_of_file(const char *path)
{
	for (int i = 0; i < FORMATS; i++)
		if (!strcmp(base_name(path), format_rows[i].suffix))
			return 0;
	for (int i = 0; i < FORMATS; i++)
		if (ends_in_one(path, format_rows[i].suffix))
			return i;
	for (int i = 0; i < FORMATS; i++)
		if (ends_in_one(path, format_rows[i].also))
			return i;
	return has_ending(path) ? -1 : 0;
}

int format_add_how_to_open(enum format format, const char *path, struct buf *out)
{
	const char *text = format_rows[format].open, *file = strstr(text, "FILE");

	if (!file)
		return buf_add_string(out, text);
	return buf_printf(out, "%.*s%s%s", (int)(file - text), text, path, file + strlen("FILE"));
}
