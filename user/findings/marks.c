// SPDX-License-Identifier: GPL-2.0-only
#include "findings/marks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/package.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "profile/frames.h"
#include "profile/short_path.h"
#include "recorded/frame_kinds.h"
#include "recorded/recorded.h"

enum where { IN_STANDARD, IN_PACKAGE, IN_NATIVE, IN_LIBRARY, IN_FRAME };

static const struct known_mark {
	enum mark mark;
	enum where where;
	const char *name, *file;
} list[] = {
#define MARK(mark, where, name, file) { MARK_##mark, IN_##where, name, file },
#include "findings/marks.def"
};

/* What is known of a frame. */
struct marks_seen {
	const char *name, *file, *mapping;
	const char *standard;		   /* the file within the standard library, or NULL */
	char package[RECORDED_STRING_MAX]; /* "" = not of an installed one */
	bool is_python, is_native;
};

static bool is_named(const char *name, const char *of)
{
	const size_t n = strlen(name), k = strlen(of);

	return !k || !strcmp(name, of) || (n > k && name[n - k - 1] == '.' && !strcmp(name + n - k, of));
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_known(const struct marks_seen *s, const struct known_mark *k)
{
	switch (k->where) {
	case IN_STANDARD:
		return s->is_python && s->standard && !strcmp(s->standard, k->file) &&
		       is_named(s->name, k->name);
	case IN_PACKAGE:
		return !strcmp(s->package, k->file);
	case IN_NATIVE:
		return s->is_native && begins(s->name, k->name);
	case IN_LIBRARY:
		return s->is_native && begins(base_name(s->mapping), k->name);
	case IN_FRAME:
		return !*s->file && !strcmp(s->name, k->name);
	}
	return false;
}

static const char *in_standard(const char *file)
{
	if (begins(file, "<frozen "))
		return file;
	return short_path_in_packages(file) ? NULL : short_path_in_standard_library(file);
}

static __u32 marks_of(const struct recorded *r, const struct recorded_place *p)
{
	const struct recorded_function *f = recorded_get_function(r, p->function);
	struct marks_seen s = {
		.name = recorded_get_string(r, f->name),
		.file = recorded_get_string(r, f->file),
		.mapping = "",
		.is_native = p->kind == FRAME_NATIVE,
	};
	enum package_kind kind;
	__u32 marks = 0;

	if (p->mapping)
		s.mapping = recorded_get_string(r, recorded_get_mapping(r, p->mapping)->file);
	s.is_python = p->kind == FRAME_PYTHON && frame_kinds_is_python(s.file);
	s.standard = in_standard(s.file);
	kind = package_of(s.is_native ? s.mapping : s.file, s.package, sizeof(s.package));
	if (s.is_python)
		marks |= MARK_PYTHON | (kind == PACKAGE_PROGRAM ? MARK_PROGRAM : 0);
	if (s.is_native)
		marks |= MARK_NATIVE;
	if (p->kind == FRAME_MARKER)
		marks |= MARK_MARKER;
	if (kind != PACKAGE_INSTALLED)
		s.package[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		if (is_known(&s, &list[i]))
			marks |= list[i].mark;
	return marks;
}

int marks_make(const struct recorded *r, __u32 **ret)
{
	__u32 *marks = calloc((size_t)r->places.count + 1, sizeof(*marks));

	if (!marks)
		return -ENOMEM;
	for (__u32 i = 1; i <= r->places.count; i++)
		marks[i - 1] = marks_of(r, recorded_get_place(r, i));
	*ret = marks;
	return 0;
}
