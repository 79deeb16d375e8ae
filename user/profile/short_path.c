// SPDX-License-Identifier: GPL-2.0-only
#include "profile/short_path.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/path.h"

const char *short_path_in_packages(const char *path)
{
	static const char *const folders[] = { "/site-packages/", "/dist-packages/" };
	const char *below = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		for (const char *at = path; (at = strstr(at, folders[i]));) {
			at += strlen(folders[i]) - 1; /* its last slash can be the first of the next one */
			if (!below || at + 1 > below)
				below = at + 1;
		}
	return below;
}

/* "/python3.11/", "/python3.13t/": the folder, up to its second slash; NULL: it is none. */
static const char *end_of_version(const char *at)
{
	static const char python[] = "/python";

	if (strncmp(at, python, sizeof(python) - 1) || !isdigit((unsigned char)at[sizeof(python) - 1]))
		return NULL;
	at += sizeof(python) - 1;
	at += strspn(at, "0123456789.");
	at += *at == 't';
	return *at == '/' ? at : NULL;
}

const char *short_path_in_standard_library(const char *path)
{
	static const char *const folders[] = { "/lib", "/lib64" };
	const char *below = NULL, *end;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		for (const char *at = path; (at = strstr(at, folders[i]));) {
			at += strlen(folders[i]);
			end = end_of_version(at);
			if (end && (!below || end + 1 > below))
				below = end + 1;
		}
	return below;
}

/* "libc.so.6", "_json.cpython-311.so:7" */
static bool is_shared_object(const char *name)
{
	const char *at = strstr(name, ".so");

	return at && (!at[3] || at[3] == '.' || at[3] == ':');
}

static const char *last_two_parts(const char *path)
{
	const char *at = base_name(path);

	if (at > path + 1)
		for (at--; at > path && at[-1] != '/'; at--)
			;
	/* "/app.py" has one, and its slash says that there is no more. */
	return at == path + 1 && !strchr(at, '/') ? path : at;
}

const char *short_path_of(const char *path, const char *folder)
{
	const size_t size = folder ? strlen(folder) : 0;
	const char *below;

	if (!strncmp(path, "./", 2))
		return path + 2;
	if (*path != '/')
		return path;
	below = short_path_in_packages(path) ?: short_path_in_standard_library(path);
	if (below)
		return *below ? below : path;
	if (is_shared_object(base_name(path)))
		return base_name(path);
	if (size > 1 && !strncmp(path, folder, size) && path[size] == '/' && path[size + 1])
		return path + size + 1;
	return last_two_parts(path);
}

bool short_path_is_standard(const char *path)
{
	return *path == '/' && !short_path_in_packages(path) && short_path_in_standard_library(path);
}

static char from[PATH_MAX];
static bool begun;

void short_path_begin(const char *folder)
{
	snprintf(from, sizeof(from), "%s", folder ?: "");
	begun = true;
}

const char *short_path(const char *path)
{
	return begun ? short_path_of(path, from) : path;
}
