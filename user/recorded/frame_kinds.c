// SPDX-License-Identifier: GPL-2.0-only
#include "recorded/frame_kinds.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/path.h"
#include "profile/frames.h"

/* Frames that stand at equal distances, in the rows of a table. */
static bool is_among(const char *name, const char *const *frames, size_t bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, *(const char *const *)((const char *)frames + i * bytes)))
			return true;
	return false;
}

#define IS_AMONG(name, rows) is_among(name, &(rows)->frame, sizeof(*(rows)), ARRAY_SIZE(rows))

/* Of a name in brackets, without a file and an address. */
static enum frame_kind kind_of_bracketed(const char *name)
{
	if (!strncmp(name, "[syscall ", 9))
		return FRAME_SYSCALL;
	if (IS_AMONG(name, wait_rows))
		return FRAME_WAIT;
	if (IS_AMONG(name, native_rows))
		return FRAME_UNPLACED;
	if (!strcmp(name, outcome_rows[OUTCOME_C_THREAD].frame))
		return FRAME_C_THREAD;
	if (IS_AMONG(name, outcome_rows) || !strcmp(name, "[unknown]") || !strcmp(name, FRAME_ALL_HIDDEN))
		return FRAME_MARKER;
	return FRAME_PYTHON;
}

enum frame_kind frame_kinds_find(const struct frame_facts *f)
{
	/* The file of native code is that of its mapping, where no debugging information says another. */
	const bool is_of_mapping = *f->mapping && !strcmp(f->file, f->mapping);

	/* This program names modules so, without a file of their own; perf has [kernel.kallsyms]. */
	if (*f->mapping == '[' && strcmp(f->mapping, "[vdso]") &&
	    (is_of_mapping || !strncmp(f->mapping, "[kernel", 7)))
		return FRAME_KERNEL;
	if (f->address || is_of_mapping)
		return FRAME_NATIVE;
	if (*f->name == '[' && !*f->file)
		return kind_of_bracketed(f->name);
	return FRAME_PYTHON;
}

bool frame_kinds_is_python(const char *file)
{
	const char *name = base_name(file), *suffix = strrchr(name, '.');

	if (*file == '<' || !suffix)
		return *file;
	return !strcmp(suffix, ".py") || !strcmp(suffix, ".pyx") || !strcmp(suffix, ".ipynb");
}
