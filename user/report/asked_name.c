// SPDX-License-Identifier: GPL-2.0-only
#include "report/asked_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/distance.h"
#include "profile/short_path.h"
#include "recorded/recorded.h"

/* A name, or the end of one behind a dot. */
static bool is_named(const char *name, const char *of)
{
	const size_t n = strlen(name), k = strlen(of);

	return !strcmp(name, of) || (k && n > k && name[n - k - 1] == '.' && !strcmp(name + n - k, of));
}

/* How much of a file's path its module's name is made of: without the suffix, and without __init__. */
static size_t module_length(const char *file)
{
	static const char package[] = "/__init__.py", frozen[] = "<frozen ";
	const char *slash = strrchr(file, '/');
	const char *dot = strrchr(slash ? slash : file, '.');
	const size_t n = strlen(file);

	if (!strncmp(file, frozen, strlen(frozen)))
		return n - 1;
	if (n > strlen(package) && !strcmp(file + n - strlen(package), package))
		return n - strlen(package);
	return dot ? (size_t)(dot - file) : n;
}

/* Whether a file is that of the module whose name, or the end of it, has these n letters. */
static bool is_module(const char *file, const char *of, size_t n)
{
	const size_t k = module_length(file);
	const char *at;

	if (!n || k < n)
		return false;
	at = file + k - n;
	if (k > n && !strchr("/. ", at[-1]))
		return false;
	for (size_t i = 0; i < n; i++)
		if (at[i] != of[i] && !(at[i] == '/' && of[i] == '.'))
			return false;
	return true;
}

bool asked_name_is(const char *name, const char *file, const char *of)
{
	if (is_named(name, of))
		return true;
	for (const char *dot = strchr(of, '.'); dot; dot = strchr(dot + 1, '.'))
		if (is_named(name, dot + 1) && is_module(file, of, dot - of))
			return true;
	return false;
}

bool asked_name_is_plain(const char *of)
{
	if (!*of)
		return false;
	for (const char *c = of; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
			return false;
	return true;
}

static const char *last_word(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot[1] ? dot + 1 : name;
}

/* The one whose last word is most alike, the first of several; NULL: none is. */
static const struct recorded_function *find_nearest(const struct recorded *r, const char *of)
{
	const struct recorded_function *nearest = NULL;
	const char *word = last_word(of);
	size_t left = distance_begin(word);

	for (__u32 id = 1; id <= r->functions.count && left; id++) {
		const struct recorded_function *f = recorded_get_function(r, id);

		if (distance_is_nearer(word, last_word(recorded_get_string(r, f->name)), &left))
			nearest = f;
	}
	return nearest;
}

static bool is_there(const struct recorded *r, const char *of)
{
	for (__u32 id = 1; id <= r->functions.count; id++) {
		const struct recorded_function *f = recorded_get_function(r, id);

		if (asked_name_is(recorded_get_string(r, f->name), recorded_get_string(r, f->file), of))
			return true;
	}
	return false;
}

void asked_name_explain(const struct recorded *r, const char *of, const char *event, char *error, size_t size)
{
	const struct recorded_function *nearest;
	const char *name, *file;
	int used;

	if (is_there(r, of)) {
		snprintf(error, size, "'%.100s' is in no stack of %.40s that was asked for", of, event);
		return;
	}
	used = snprintf(error, size, "no function is called '%.100s'; ", of);
	nearest = find_nearest(r, of);
	if (nearest && (size_t)used < size) {
		name = recorded_get_string(r, nearest->name);
		file = nearest->file ? short_path(recorded_get_string(r, nearest->file)) : "no file";
		used += snprintf(error + used, size - used, "the nearest is '%.100s' (%.100s); ", name, file);
	}
	if ((size_t)used < size)
		snprintf(error + used, size - used, "--by function --top 1000 lists them");
}
