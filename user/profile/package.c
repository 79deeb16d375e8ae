// SPDX-License-Identifier: GPL-2.0-only
#include "profile/package.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "profile/short_path.h"

const char *package_kind_name(enum package_kind kind)
{
	static const char *const names[] = {
		[PACKAGE_PROGRAM] = "program", [PACKAGE_INSTALLED] = "package", [PACKAGE_STANDARD] = "stdlib",
		[PACKAGE_LIBRARY] = "library", [PACKAGE_KERNEL] = "kernel",
	};

	return names[kind];
}

/* "numpy/core/x.py" and "numpy.libs/y.so" are numpy's, "six.py" and "_cffi.cpython-311.so" their own. */
static void first_part(const char *path, char *name, size_t size)
{
	snprintf(name, size, "%.*s", (int)strcspn(path, "/."), path);
}

static int is_library(const char *file)
{
	const char *at = strstr(base_name(file), ".so");

	return at && (!at[3] || at[3] == '.');
}

enum package_kind package_of(const char *file, char *name, size_t size)
{
	const char *below = short_path_in_packages(file);

	if (below && *below && *below != '.') {
		first_part(below, name, size);
		return PACKAGE_INSTALLED;
	}
	if (short_path_in_standard_library(file) || !strncmp(file, "<frozen ", 8)) {
		snprintf(name, size, "stdlib");
		return PACKAGE_STANDARD;
	}
	if (*file == '[') {
		snprintf(name, size, "%s", file);
		return PACKAGE_KERNEL;
	}
	if (is_library(file)) {
		snprintf(name, size, "%s", base_name(file));
		return PACKAGE_LIBRARY;
	}
	snprintf(name, size, "program");
	return PACKAGE_PROGRAM;
}
