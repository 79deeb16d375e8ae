// SPDX-License-Identifier: GPL-2.0-only
#include "formats/pprof_places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/protobuf.h"
#include "formats/pprof_stream.h"
#include "formats/pprof_strings.h"
#include "profile/profile.h"

enum { HAS_LINES = 1, HAS_INLINED = 2 };

struct places {
	const struct profile *profile;
	const struct pprof_strings *strings;
	struct pprof_stream *stream;
	struct buf found; /* by mapping, what its locations have: HAS_LINES and HAS_INLINED */
};

bool pprof_places_is_bare(const struct profile *p, __u32 mapping)
{
	const struct profile_mapping *m = mapping ? profile_get_mapping(p, mapping) : NULL;

	return profile_get_info(p)->bare_natives && m && m->is_even && m->build_id;
}

/* FNV-1a: the same text has the same number in each run, and on each machine. */
static uint64_t number_of_text(const char *text)
{
	uint64_t n = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		n = (n ^ (unsigned char)*text) * 0x100000001b3ULL;
	return n;
}

/*
 * Addresses are offsets in the file from here on. They are made up: the upper half is a number of the file,
 * by its build id, or else its name. A Parca (0.21) knows mappings by these, and moves the addresses of one
 * that begins elsewhere than where it saw it first, those of Python away from 0: then it takes all of them
 * for one place. So it is the same in all profiles, of whichever run and machine. Readers merge mappings that
 * touch or are empty, so these do not. Where readers are to find the names they are addresses of the file, as
 * if it were loaded there.
 */
static uint64_t mapping_start(const struct profile *p, __u32 id)
{
	const struct profile_mapping *m = profile_get_mapping(p, id);

	if (pprof_places_is_bare(p, id))
		return m->shift;
	return (1 + number_of_text(profile_get_string(p, m->build_id ?: m->file)) % ((1ULL << 29) - 1)) << 33;
}

/*
 * Frames of Python have no offset, and stand at the mapping's start. At address 0, before it, Parca took them
 * all for one place that has an address, and merged them into the first (0.21).
 */
uint64_t pprof_places_address(const struct profile *p, const struct profile_location *l)
{
	if (!l->mapping || (!l->offset && pprof_places_is_bare(p, l->mapping)))
		return 0;
	return mapping_start(p, l->mapping) + l->offset;
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
	const uint64_t start = mapping_start(places->profile, id);
	/*
	 * With one of them set pprof leaves the mapping alone. Otherwise it looks for the binary, and takes
	 * the nearest symbol for the name of what has none.
	 */
	const bool has_functions = !pprof_places_is_bare(places->profile, id);
	const bool has_lines = !m->is_native || (has_functions && places->found.data[id] & HAS_LINES);
	const bool has_inlined = has_functions && places->found.data[id] & HAS_INLINED;
	struct buf *b = &places->stream->record;

	return protobuf_add_number(b, PPROF_MAPPING_ID, id) ?:
	       protobuf_add_number(b, PPROF_MAPPING_START, start) ?:
	       protobuf_add_number(b, PPROF_MAPPING_LIMIT, start + (1ULL << 32)) ?:
	       protobuf_add_number(b, PPROF_MAPPING_FILE, pprof_strings_text(places->strings, m->file)) ?:
	       protobuf_add_number(b, PPROF_MAPPING_BUILD_ID,
				   pprof_strings_text(places->strings, m->build_id)) ?:
	       protobuf_add_number(b, PPROF_MAPPING_HAS_FUNCTIONS, has_functions) ?:
	       protobuf_add_number(b, PPROF_MAPPING_HAS_FILES, has_lines) ?:
	       protobuf_add_number(b, PPROF_MAPPING_HAS_LINES, has_lines) ?:
	       protobuf_add_number(b, PPROF_MAPPING_HAS_INLINED, has_inlined) ?:
	       pprof_stream_put(places->stream, PPROF_MAPPING);
}

static int write_function(const struct places *places, __u32 id)
{
	const struct profile_function *f = profile_get_function(places->profile, id);

	return pprof_stream_put_function(places->stream, id, pprof_strings_text(places->strings, f->name),
					 pprof_strings_text(places->strings, f->file), f->start_line);
}

/* Functions that were inlined, innermost first, and the one that holds them. */
static int add_pprof_lines(const struct places *places, __u32 id)
{
	const struct profile_location *l;
	int err = 0;

	for (size_t n = 0; id && n < PPROF_LINES_MAX && !err; n++, id = l->around) {
		l = profile_get_location(places->profile, id);
		err = pprof_stream_add_line(places->stream, l->function, l->line, l->column);
	}
	return err;
}

static int write_location(const struct places *places, __u32 id)
{
	const struct profile_location *l = profile_get_location(places->profile, id);
	int err = pprof_stream_add_location(places->stream, id, l->mapping,
					    pprof_places_address(places->profile, l));

	if (!err && !pprof_places_is_bare(places->profile, l->mapping))
		err = add_pprof_lines(places, id);
	return err ?: pprof_stream_put(places->stream, PPROF_LOCATION);
}

static int write_records(const struct places *places, enum profile_kind kind,
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
		err = write_records(&places, PROFILE_MAPPING, write_mapping);
	if (!err)
		err = write_records(&places, PROFILE_LOCATION, write_location);
	if (!err)
		err = write_records(&places, PROFILE_FUNCTION, write_function);
	buf_free(&places.found);
	return err;
}
