// SPDX-License-Identifier: GPL-2.0-only
#include "doctor/checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"

const struct check_row check_rows[CHECKS] = {
#define CHECK(name, function, whose, text, about) { text, CHECK_##whose, function },
#include "doctor/checks.def"
};

static void add(struct buf *b, const char *format, va_list args)
{
	_cleanup_free_ char *text = NULL;

	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	if (text)
		buf_add_string(b, text);
}

void finding_say(struct checked *f, enum grade grade, const char *format, ...)
{
	va_list args;

	f->grade = grade;
	buf_clear(&f->says);
	va_start(args, format);
	add(&f->says, format, args);
	va_end(args);
}

void finding_mend(struct checked *f, const char *format, ...)
{
	va_list args;

	for (size_t i = 0; i < ARRAY_SIZE(f->mend); i++) {
		if (f->mend[i].size)
			continue;
		va_start(args, format);
		add(&f->mend[i], format, args);
		va_end(args);
		return;
	}
}

void finding_free(struct checked *f)
{
	buf_free(&f->says);
	for (size_t i = 0; i < ARRAY_SIZE(f->mend); i++)
		buf_free(&f->mend[i]);
}
