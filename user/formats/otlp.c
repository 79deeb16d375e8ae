// SPDX-License-Identifier: GPL-2.0-only
/*
 * otlp.c - see otlp.h. Here are the profiles and their samples; otlp_owners.h has whose they are,
 * otlp_places.h their stacks, otlp_dictionary.h the tables of all of it. What is measured is said by pprof's
 * header.
 */
#include "formats/otlp.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/protobuf.h"
#include "formats/otlp_dictionary.h"
#include "formats/otlp_owners.h"
#include "formats/otlp_places.h"
#include "formats/otlp_times.h"
#include "formats/pprof_header.h"
#include "formats/pprof_strings.h"

/* What is known of a sample, in the order of the profile's ids. */
struct sample {
	__u32 stack;	/* in the dictionary */
	__u32 owner;	/* in the profile */
	__u32 resource; /* in the table of resources, or NOT_WRITTEN */
};

#define NOT_WRITTEN (~0U) /* it has no value of any type */

struct otlp_encoder {
	const struct profile *profile;
	struct pprof_strings words; /* of the header */
	struct pprof_header header;
	struct otlp_dictionary dictionary;
	struct otlp_owners owners;
	struct otlp_places places;
	struct otlp_times times;
	struct sample *samples; /* id - 1 */
	__u32 *order;	     /* ids, those of a resource together, and in it those of a stack and an owner */
	__u32 written;	     /* how many of them */
	struct buf comments; /* indices of attributes that all profiles have, a packed list */
	struct gzip_stream gzip;
};

/* --- what there is -------------------------------------------------------------------------------------- */

static bool has_values(const struct otlp_encoder *e, const struct profile_stack *stack)
{
	for (size_t i = 0; i < e->header.type_count; i++)
		if (pprof_header_value(&e->header, i, stack))
			return true;
	return false;
}

static int find_samples(struct otlp_encoder *e)
{
	const __u32 n = profile_count(e->profile, PROFILE_SAMPLE);
	int err = 0;

	for (__u32 id = 1; !err && id <= n; id++) {
		const struct profile_stack stack = profile_get_sample(e->profile, id);
		struct sample *s = &e->samples[id - 1];
		const struct otlp_owner *owner;

		s->resource = NOT_WRITTEN;
		if (!has_values(e, &stack))
			continue;
		err = otlp_owners_get(&e->owners, stack.owner, &owner);
		err = err ?: otlp_places_stack(&e->places, &stack, &s->stack);
		if (err)
			break;
		s->owner = stack.owner;
		s->resource = owner->resource;
		e->written++;
	}
	return err;
}

static int by_resource(const void *a, const void *b, void *context)
{
	const struct otlp_encoder *e = context;
	const __u32 x = *(const __u32 *)a, y = *(const __u32 *)b;
	const struct sample *s = &e->samples[x - 1], *t = &e->samples[y - 1];

	return number_order(s->resource, t->resource) ?: number_order(s->stack, t->stack) ?:
	       number_order(s->owner, t->owner) ?: number_order(x, y);
}

static int sort_samples(struct otlp_encoder *e)
{
	const __u32 n = profile_count(e->profile, PROFILE_SAMPLE);
	__u32 at = 0;

	e->order = calloc((size_t)e->written + 1, sizeof(*e->order));
	if (!e->order)
		return -ENOMEM;
	for (__u32 i = 0; i < n; i++)
		if (e->samples[i].resource != NOT_WRITTEN)
			e->order[at++] = i + 1;
	qsort_r(e->order, at, sizeof(*e->order), by_resource, e);
	return 0;
}

/* Texts that a reader has to know, such as of ticks that are missing. */
static int find_comments(struct otlp_encoder *e)
{
	_cleanup_buf_ struct buf array = {}, any = {};
	__u32 index;
	int err = 0;

	if (!e->header.comment_count || !e->written)
		return 0;
	for (size_t i = 0; !err && i < e->header.comment_count; i++) {
		_cleanup_buf_ struct buf text = {};

		err = protobuf_add_text(&text, OTLP_ANY_STRING, e->header.comments[i]);
		err = err ?: protobuf_add_bytes(&array, OTLP_ARRAY_VALUES, text.data, text.size);
	}
	err = err ?: protobuf_add_bytes(&any, OTLP_ANY_ARRAY, array.data, array.size);
	err = err ?: otlp_dictionary_attribute(&e->dictionary, "pprof.profile.comment", &any, &index);
	return err ?: protobuf_add_varint(&e->comments, index);
}

/* --- messages ------------------------------------------------------------------------------------------- */

/*
 * How many of these are one sample: of one owner, and their stacks became one, where the names that told them
 * apart are left to the reader.
 */
static __u32 count_same(const struct otlp_encoder *e, const __u32 *ids, __u32 n)
{
	const struct sample *first = &e->samples[ids[0] - 1];
	__u32 same = 1;

	while (same < n && e->samples[ids[same] - 1].stack == first->stack &&
	       e->samples[ids[same] - 1].owner == first->owner)
		same++;
	return same;
}

static __u64 sum_values(const struct otlp_encoder *e, size_t type, const __u32 *ids, __u32 n)
{
	__u64 sum = 0;

	for (__u32 i = 0; i < n; i++) {
		const struct profile_stack stack = profile_get_sample(e->profile, ids[i]);

		sum += pprof_header_value(&e->header, type, &stack);
		sum = sum > INT64_MAX ? INT64_MAX : sum;
	}
	return sum;
}

struct timed_values {
	struct buf values, times; /* a varint for each, and ns since 1970 as fixed64 */
};

static int add_timed(void *context, __s64 value, __u64 unix_ns)
{
	const __u64 at = htole64(unix_ns);
	struct timed_values *to = context;

	return protobuf_add_varint(&to->values, value) ?: buf_add(&to->times, &at, sizeof(at));
}

/* A value for each time at which it was counted, or one for all of it. */
static int add_otlp_values(const struct otlp_encoder *e, struct buf *sample, size_t type, const __u32 *ids,
			   __u32 n)
{
	const struct pprof_type *t = &e->header.types[type];
	const struct profile_info *info = profile_get_info(e->profile);
	const __u64 scale = !t->is_time ? 1 : info->timed ? 0 : info->period_ns;
	struct timed_values all = {};
	const struct otlp_times_taker taker = { add_timed, &all };
	int err = 0;

	if (!otlp_times_are_there(&e->times))
		err = protobuf_add_varint(&all.values, sum_values(e, type, ids, n));
	for (__u32 i = 0; !err && otlp_times_are_there(&e->times) && i < n; i++)
		err = otlp_times_give(&e->times, ids[i], t->kind, scale, &taker);
	err = err ?: protobuf_add_bytes(sample, OTLP_SAMPLE_VALUES, all.values.data, all.values.size);
	if (!err && all.times.size)
		err = protobuf_add_bytes(sample, OTLP_SAMPLE_TIMESTAMPS_UNIX_NANO, all.times.data,
					 all.times.size);
	buf_free(&all.values);
	buf_free(&all.times);
	return err;
}

static int add_sample(const struct otlp_encoder *e, struct buf *profile, size_t type, const __u32 *ids,
		      __u32 n)
{
	const struct sample *s = &e->samples[ids[0] - 1];
	const struct otlp_owner *owner = &e->owners.owners[s->owner];
	_cleanup_buf_ struct buf sample = {};
	int err = protobuf_add_number(&sample, OTLP_SAMPLE_STACK_INDEX, s->stack);

	if (!err && owner->size)
		err = protobuf_add_bytes(&sample, OTLP_SAMPLE_ATTRIBUTE_INDICES,
					 e->owners.indices.data + owner->start, owner->size);
	err = err ?: protobuf_add_number(&sample, OTLP_SAMPLE_LINK_INDEX, owner->link);
	err = err ?: add_otlp_values(e, &sample, type, ids, n);
	return err ?: protobuf_add_bytes(profile, OTLP_PROFILE_SAMPLES, sample.data, sample.size);
}

static int add_resource_samples(const struct otlp_encoder *e, struct buf *profile, size_t type,
				const __u32 *ids, __u32 n)
{
	int err = 0;

	for (__u32 i = 0, same; !err && i < n; i += same) {
		same = count_same(e, ids + i, n - i);
		if (sum_values(e, type, ids + i, same))
			err = add_sample(e, profile, type, ids + i, same);
	}
	return err;
}

static int add_value_type(struct otlp_encoder *e, struct buf *profile, unsigned int field,
			  const struct pprof_type *t)
{
	_cleanup_buf_ struct buf message = {};
	__u32 type, unit;
	int err = otlp_dictionary_string(&e->dictionary, e->words.words[t->type], &type) ?:
		  otlp_dictionary_string(&e->dictionary, e->words.words[t->unit], &unit);

	err = err ?: protobuf_add_number(&message, OTLP_VALUE_TYPE_TYPE, type);
	err = err ?: protobuf_add_number(&message, OTLP_VALUE_TYPE_UNIT, unit);
	return err ?: protobuf_add_bytes(profile, field, message.data, message.size);
}

/*
 * The period stands with the times that are made of it. A profile of samples that has one is made into one of
 * times by Pyroscope, which would then have them twice.
 */
static int add_facts(struct otlp_encoder *e, struct buf *profile, size_t type)
{
	const struct profile_info *info = profile_get_info(e->profile);
	const struct pprof_type *t = &e->header.types[type];
	int err = add_value_type(e, profile, OTLP_PROFILE_SAMPLE_TYPE, t);

	err = err ?: protobuf_add_fixed64(profile, OTLP_PROFILE_TIME_UNIX_NANO, info->start_unix_ns);
	err = err ?: protobuf_add_number(profile, OTLP_PROFILE_DURATION_NANO, info->duration_ns);
	if (!err && t->is_time)
		err = add_value_type(e, profile, OTLP_PROFILE_PERIOD_TYPE, t) ?:
		      protobuf_add_number(profile, OTLP_PROFILE_PERIOD, info->period_ns);
	if (!err && e->comments.size)
		err = protobuf_add_bytes(profile, OTLP_PROFILE_ATTRIBUTE_INDICES, e->comments.data,
					 e->comments.size);
	return err;
}

/* One type of a resource's samples; nothing if it has none. */
static int add_profile_of_type(struct otlp_encoder *e, struct buf *scope, size_t type, const __u32 *ids,
			       __u32 n)
{
	_cleanup_buf_ struct buf profile = {};
	int err = add_resource_samples(e, &profile, type, ids, n);

	if (err || !profile.size)
		return err;
	err = add_facts(e, &profile, type);
	return err ?: protobuf_add_bytes(scope, OTLP_SCOPE_PROFILES_PROFILES, profile.data, profile.size);
}

static int make_scope(struct otlp_encoder *e, const __u32 *ids, __u32 n, struct buf *ret)
{
	_cleanup_buf_ struct buf scope = {};
	int err = protobuf_add_text(&scope, OTLP_SCOPE_NAME, "pyperf-bpf") ?:
		  protobuf_add_text(&scope, OTLP_SCOPE_VERSION, PYPERF_VERSION);

	err = err ?: protobuf_add_bytes(ret, OTLP_SCOPE_PROFILES_SCOPE, scope.data, scope.size);
	for (size_t type = 0; !err && type < e->header.type_count; type++)
		err = add_profile_of_type(e, ret, type, ids, n);
	return err;
}

static int write_resource(struct otlp_encoder *e, const struct otlp_record *resource, const __u32 *ids,
			  __u32 n)
{
	_cleanup_buf_ struct buf scope = {}, message = {}, field = {};
	int err = make_scope(e, ids, n, &scope);

	err = err ?: protobuf_add_bytes(&message, OTLP_RESOURCE_PROFILES_RESOURCE, resource->data,
					resource->size);
	err = err ?: protobuf_add_bytes(&message, OTLP_RESOURCE_PROFILES_SCOPE_PROFILES, scope.data,
					scope.size);
	err = err ?: protobuf_add_bytes(&field, OTLP_DATA_RESOURCE_PROFILES, message.data, message.size);
	return err ?: gzip_stream_add(&e->gzip, field.data, field.size);
}

static int write_resources(struct otlp_encoder *e)
{
	const struct otlp_record *r = e->owners.resources.records;
	__u32 start = 0, end = 0;
	int err = 0;

	for (; !err && r; r = r->hh.next, start = end) {
		while (end < e->written && e->samples[e->order[end] - 1].resource == r->index)
			end++;
		err = write_resource(e, r, e->order + start, end - start);
	}
	return err;
}

/* --- all of it ------------------------------------------------------------------------------------------ */

static int open_encoder(struct otlp_encoder *e, const char *host)
{
	int err = otlp_dictionary_open(&e->dictionary);

	err = err ?: otlp_owners_open(&e->owners, e->profile, host, &e->dictionary);
	err = err ?: otlp_places_open(&e->places, e->profile, &e->dictionary);
	err = err ?: otlp_times_open(&e->times, e->profile);
	if (err)
		return err;
	pprof_strings_open(&e->words, e->profile);
	pprof_header_open(&e->header, e->profile, false, &e->words);
	e->samples = calloc((size_t)profile_count(e->profile, PROFILE_SAMPLE) + 1, sizeof(*e->samples));
	return e->samples ? 0 : -ENOMEM;
}

static void close_encoder(struct otlp_encoder *e)
{
	otlp_times_close(&e->times);
	otlp_places_close(&e->places);
	otlp_owners_close(&e->owners);
	otlp_dictionary_close(&e->dictionary);
	free(e->samples);
	free(e->order);
	buf_free(&e->comments);
}

static int write_otlp(struct otlp_encoder *e, struct buf *out)
{
	int err = gzip_stream_open(&e->gzip, out);

	if (err)
		return err;
	err = write_resources(e) ?: otlp_dictionary_write(&e->dictionary, &e->gzip);
	err = err ?: gzip_stream_finish(&e->gzip);
	gzip_stream_close(&e->gzip);
	return err;
}

int otlp_encode_of_host(const struct profile *p, const char *host, struct buf *out)
{
	struct otlp_encoder e = { .profile = p };
	const size_t start = out->size;
	int err = open_encoder(&e, host) ?: find_samples(&e) ?: sort_samples(&e) ?: find_comments(&e);

	err = err ?: write_otlp(&e, out);
	close_encoder(&e);
	if (err)
		out->size = start;
	return err;
}

int otlp_encode(const struct profile *p, struct buf *out)
{
	return otlp_encode_of_host(p, NULL, out);
}
