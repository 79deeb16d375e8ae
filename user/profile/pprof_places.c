// SPDX-License-Identifier: GPL-2.0-only
#include "profile/pprof_places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "profile/pprof_stream.h"
#include "profile/pprof_strings.h"
#include "profile/profile.h"

#define LINES_MAX 64 /* of a location; far above what a place in machine code has */

enum { HAS_LINES = 1, HAS_INLINED = 2 };

struct places {
	const struct profile *profile;
	const struct pprof_strings *strings;
	struct pprof_stream *stream;
	struct buf found; /* by mapping, what its locations have: HAS_LINES and HAS_INLINED */
};

/* Whether readers are to find the names of what is in this file. */
static bool is_bare(const struct places *places, __u32 id)
{
	const struct profile_mapping *m = id ? profile_get_mapping(places->profile, id) : NULL;

	return profile_get_info(places->profile)->bare_natives && m && m->is_even && m->build_id;
}

/*
 * Addresses are offsets in the file from here on. They are made up: the upper half is the mapping's id.
 * Readers merge mappings that touch or are empty, so these do not. Where readers are to find the names they
 * are addresses of the file, as if it were loaded there.
 */
static uint64_t mapping_start(const struct places *places, __u32 id)
{
	return is_bare(places, id) ? profile_get_mapping(places->profile, id)->shift : (uint64_t)id << 33;
}

/* Which mappings have lines of source, and functions that were put into others. */
static int find_lines(struct places *places)
{
	const struct profile *p = places->profile;
	const size_t size = profile_count(p, PROFILE_MAPPING) + 1;
	int err = buf_reserve(&places->found, size);

	if (err)
		return err;
	memset(places->found.data, 0, size);
	for (__u32 id = 1; id <= profile_count(p, PROFILE_LOCATION); id++) {
		const struct profile_location *l = profile_get_location(p, id);

		places->found.data[l->mapping] |= (l->line ? HAS_LINES : 0) | (l->around ? HAS_INLINED : 0);
	}
	return 0;
}

static int write_mapping(const struct places *places, __u32 id)
{
	const struct profile_mapping *m = profile_get_mapping(places->profile, id);
	Pyperf__Mapping mapping = PYPERF__MAPPING__INIT, *list = &mapping;
	Pyperf__Profile part = PYPERF__PROFILE__INIT;

	mapping.id = id;
	mapping.memory_start = mapping_start(places, id);
	mapping.memory_limit = mapping.memory_start + (1ULL << 32);
	mapping.filename = pprof_strings_text(places->strings, m->file);
	mapping.build_id = pprof_strings_text(places->strings, m->build_id);
	/*
	 * With one of them set pprof leaves the mapping alone. Otherwise it looks for the binary, and takes
	 * the nearest symbol for the name of what has none.
	 */
	mapping.has_functions = !is_bare(places, id);
	mapping.has_filenames = mapping.has_line_numbers =
		!m->is_native || (mapping.has_functions && places->found.data[id] & HAS_LINES);
	mapping.has_inline_frames = mapping.has_functions && places->found.data[id] & HAS_INLINED;
	part.n_mapping = 1;
	part.mapping = &list;
	return pprof_stream_add(places->stream, &part);
}

/*
 * system_name stays empty. When it equals the name, `go tool pprof` takes "<module>" or "<lambda>" for C++
 * template arguments and strips it to nothing (internal/symbolizer, demangleSingleFunction).
 */
static int write_function(const struct places *places, __u32 id)
{
	const struct profile_function *f = profile_get_function(places->profile, id);
	Pyperf__Function function = PYPERF__FUNCTION__INIT, *list = &function;
	Pyperf__Profile part = PYPERF__PROFILE__INIT;

	function.id = id;
	function.name = pprof_strings_text(places->strings, f->name);
	function.filename = pprof_strings_text(places->strings, f->file);
	function.start_line = f->start_line;
	part.n_function = 1;
	part.function = &list;
	return pprof_stream_add(places->stream, &part);
}

/* Functions that were inlined, innermost first, and the one that holds them. Returns how many. */
static size_t location_lines(const struct profile *p, __u32 id, Pyperf__Line lines[LINES_MAX])
{
	size_t n = 0;

	for (const struct profile_location *l; id && n < LINES_MAX; id = l->around) {
		l = profile_get_location(p, id);
		pyperf__line__init(&lines[n]);
		lines[n].function_id = l->function;
		lines[n].line = l->line;
		lines[n].column = l->column;
		n++;
	}
	return n;
}

static int write_location(const struct places *places, __u32 id)
{
	const struct profile_location *l = profile_get_location(places->profile, id);
	Pyperf__Line lines[LINES_MAX], *line_list[LINES_MAX];
	Pyperf__Location location = PYPERF__LOCATION__INIT, *list = &location;
	Pyperf__Profile part = PYPERF__PROFILE__INIT;

	location.id = id;
	location.mapping_id = l->mapping;
	/*
	 * Frames of Python have no offset, and stand at the mapping's start. At address 0, before it, Parca
	 * took them all for one place that has an address, and merged them into the first (0.21).
	 */
	if (l->mapping && (l->offset || !is_bare(places, l->mapping)))
		location.address = mapping_start(places, l->mapping) + l->offset;
	if (!is_bare(places, l->mapping))
		location.n_line = location_lines(places->profile, id, lines);
	for (size_t i = 0; i < location.n_line; i++)
		line_list[i] = &lines[i];
	location.line = line_list;
	part.n_location = 1;
	part.location = &list;
	return pprof_stream_add(places->stream, &part);
}

static int write_all(const struct places *places, enum profile_kind kind,
		     int (*write_one)(const struct places *, __u32))
{
	__u32 n = profile_count(places->profile, kind);
	int err = 0;

	for (__u32 id = 1; id <= n && !err; id++)
		err = write_one(places, id);
	return err;
}

int pprof_places_write(const struct profile *p, const struct pprof_strings *strings,
		       struct pprof_stream *stream)
{
	struct places places = { .profile = p, .strings = strings, .stream = stream };
	int err = find_lines(&places);

	if (!err)
		err = write_all(&places, PROFILE_MAPPING, write_mapping);
	if (!err)
		err = write_all(&places, PROFILE_LOCATION, write_location);
	if (!err)
		err = write_all(&places, PROFILE_FUNCTION, write_function);
	buf_free(&places.found);
	return err;
}
