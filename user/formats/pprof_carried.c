// SPDX-License-Identifier: GPL-2.0-only
#include "formats/pprof_carried.h"

#include "base/protobuf.h"
#include "formats/pprof_header.h"
#include "formats/pprof_stream.h"
#include "formats/pprof_strings.h"

/* A frame of its own, with a function of the same number behind those that are there. */
static int write_frame(const struct pprof_header *h, struct pprof_stream *s, __u32 number, const char *name)
{
	const __u32 function = profile_count(h->profile, PROFILE_FUNCTION) + number;
	const __u32 location = profile_count(h->profile, PROFILE_LOCATION) + number;

	return pprof_stream_put_function(s, function, pprof_strings_word(h->strings, name), 0, 0) ?:
	       pprof_stream_add_location(s, location, 0, 0) ?: pprof_stream_add_line(s, function, 0, 0) ?:
	       pprof_stream_put(s, PPROF_LOCATION);
}

static int write_carried_sample(const struct pprof_header *h, struct pprof_stream *s, __u32 number,
				__u64 amount)
{
	const __u32 before = profile_count(h->profile, PROFILE_LOCATION);
	int err = protobuf_add_varint(&s->part, before + number) ?:
		  protobuf_add_varint(&s->part, before + 1) ?:
		  pprof_stream_put_numbers(s, PPROF_SAMPLE_LOCATIONS);

	for (size_t i = 0; i < h->type_count && !err; i++)
		err = protobuf_add_varint(&s->part, h->types[i].is_carried ? amount : 0);
	return err ?: pprof_stream_put_numbers(s, PPROF_SAMPLE_VALUES) ?: pprof_stream_put(s, PPROF_SAMPLE);
}

int pprof_carried_write(const struct pprof_header *h, struct pprof_stream *stream)
{
	int err = h->carried_count ? write_frame(h, stream, 1, CARRIED_ROOT) : 0;

	for (__u32 i = 0; i < h->carried_count && !err; i++)
		err = write_frame(h, stream, 2 + i, h->carried[i].name) ?:
		      write_carried_sample(h, stream, 2 + i, h->carried[i].amount);
	return err;
}
