// SPDX-License-Identifier: GPL-2.0-only
#include "tree/native_frame.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/path.h"
#include "bpf/abi.h"
#include "names/kernel_names.h"
#include "names/native_lines.h"
#include "names/natives.h"
#include "proc/syscall_names.h"
#include "profile/profile.h"

int harvest_named(struct profile *p, enum frame_kind kind, const char *name, __u32 *ret)
{
	__u32 function;
	int err = profile_function(p, kind, name, "", 0, &function);

	return err ?: profile_location(p, function, 0, 0, 0, ret);
}

int harvest_marker(struct profile *p, const char *name, __u32 *ret)
{
	return harvest_named(p, FRAME_MARKER, name, ret);
}

int native_frame_end(struct profile *p, __u32 end, __u32 *ret)
{
	const char *name = end < NATIVE_ENDS ? native_rows[end].frame : "[unknown]";

	return harvest_named(p, FRAME_UNPLACED, name, ret);
}

int native_frame_syscall(struct profile *p, __u32 number, __u32 *ret)
{
	const char *known = syscall_name(number);
	char name[64];

	if (known)
		snprintf(name, sizeof(name), "[syscall %s]", known);
	else
		snprintf(name, sizeof(name), "[syscall %u]", number);
	return harvest_named(p, FRAME_SYSCALL, name, ret);
}

/* The location has no address: addresses of the kernel's functions would tell where it lies in memory. */
int native_frame_kernel(struct kernel_names *n, struct profile *p, __u64 position, __u32 *ret)
{
	struct kernel_name name = { "[kernel]", "" };
	char file[80] = "[kernel]";
	__u32 function, mapping;
	int err;

	if (n && kernel_names_find(n, position, &name) && *name.module)
		snprintf(file, sizeof(file), "[%s]", name.module);
	err = profile_function(p, FRAME_KERNEL, name.function, file, 0, &function);
	err = err ?: profile_mapping_native(p, file, "", NULL, &mapping);
	return err ?: profile_location(p, function, 0, 0, mapping, ret);
}

/* The name for a function that has none: the file, and the offset in it. */
static void name_by_place(const struct native_place *place, char *ret, size_t size)
{
	const char *file = base_name(place->path);

	if (place->begin)
		snprintf(ret, size, "%.200s!0x%llx", file, place->begin);
	else
		snprintf(ret, size, "%.200s", file);
}

/*
 * With -X perf an interpreter calls each Python function by a few instructions made for it, which it names
 * "py::FUNCTION:FILE": the Python frame tells the same.
 */
static bool is_trampoline(const struct native_place *place)
{
	return !place->offset && !strncmp(place->name, "py::", 4);
}

/*
 * A place with lines: the functions that were inlined there, and the one that holds them, which keeps the
 * name of its symbol. *ret is the innermost.
 */
static int add_lines(struct profile *p, const struct native_place *place, __u32 mapping,
		     const struct native_line *lines, __u32 count, __u32 *ret)
{
	__u32 around = 0, function;
	int err = 0;

	for (__u32 i = count; !err && i--;) {
		const bool is_inlined = i + 1 < count && *lines[i].name;

		err = profile_function(p, FRAME_NATIVE, is_inlined ? lines[i].name : place->name,
				       *lines[i].file ? lines[i].file : place->path, 0, &function);
		err = err ?: profile_location_line(p, function, lines[i].line, mapping, place->offset, around,
						   &around);
	}
	*ret = around;
	return err;
}

int native_frame_function(const struct natives *n, bool interpreter, struct profile *p, __u64 position,
			  __u32 *ret)
{
	struct native_place place;
	const struct native_line *lines;
	__u32 function, mapping, count = 0;
	char name[256];
	int err;

	if (!n || !natives_find(n, position, &place))
		return native_frame_end(p, NATIVE_UNKNOWN, ret);
	/* This function runs a Python frame, or leads to one that does. No Python frame calls it. */
	if (!interpreter && (natives_is_loop(place.name) || is_trampoline(&place))) {
		*ret = FRAME_HIDDEN;
		return 0;
	}
	if (natives_lines(n))
		count = native_lines_find(natives_lines(n), position, &lines);
	if (!*place.name && count)
		place.name = lines[count - 1].name;
	if (!*place.name) {
		name_by_place(&place, name, sizeof(name));
		place.name = name;
	}
	err = profile_mapping_native(p, place.path, place.build_id, place.is_even ? &place.shift : NULL,
				     &mapping);
	if (count)
		return err ?: add_lines(p, &place, mapping, lines, count, ret);
	err = err ?: profile_function(p, FRAME_NATIVE, place.name, place.path, 0, &function);
	return err ?: profile_location_native(p, function, mapping, place.offset, ret);
}
