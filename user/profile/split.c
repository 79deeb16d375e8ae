// SPDX-License-Identifier: GPL-2.0-only
#include "profile/split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Upper bounds of what a record takes in pprof beside its strings: tag and length of the message, then for each
 * field its tag and the longest number it can have. Ids and string indices are below 2^28, 4 bytes.
 */
#define HEADER_BYTES   256 /* types, period, times, the words of the format itself */
#define SAMPLE_BYTES   48
#define FRAME_BYTES    4
#define LOCATION_BYTES 32
#define FUNCTION_BYTES 32
#define MAPPING_BYTES  64
#define STRING_BYTES   6

/* What the part at hand has already, by id in the whole: the part's number, and the id it has there. */
struct known {
	__u32 part, id;
};

struct splitter {
	const struct profile *whole;
	const struct split_limits *limits;
	struct profile *part;
	__u32 number; /* of the part, from 1 */
	size_t bytes; /* of it, at most */
	struct known *strings, *mappings, *functions, *locations;
	__u32 *frames; /* of the sample at hand */
	size_t frames_capacity;
};

/* Marks it as known to this part. Returns the bytes it adds, 0 if it was there. */
static size_t add_known(struct splitter *s, struct known *known, __u32 id, size_t bytes)
{
	if (!id || known[id].part == s->number)
		return 0;
	known[id] = (struct known){ .part = s->number };
	return bytes;
}

static size_t add_string(struct splitter *s, __u32 id)
{
	return id ? add_known(s, s->strings, id, STRING_BYTES + strlen(profile_get_string(s->whole, id))) : 0;
}

static size_t add_location(struct splitter *s, __u32 id)
{
	const struct profile_location *l = profile_get_location(s->whole, id);
	const struct profile_function *f = profile_get_function(s->whole, l->function);
	const struct profile_mapping *m = l->mapping ? profile_get_mapping(s->whole, l->mapping) : NULL;
	size_t bytes = add_known(s, s->locations, id, LOCATION_BYTES);

	if (!bytes)
		return 0;
	if (add_known(s, s->functions, l->function, FUNCTION_BYTES))
		bytes += FUNCTION_BYTES + add_string(s, f->name) + add_string(s, f->file);
	if (m && add_known(s, s->mappings, l->mapping, MAPPING_BYTES))
		bytes += MAPPING_BYTES + add_string(s, m->file) + add_string(s, m->build_id);
	return bytes;
}

static size_t add_stack(struct splitter *s, const struct profile_stack *stack)
{
	size_t bytes = SAMPLE_BYTES + (size_t)stack->n * FRAME_BYTES;

	for (__u32 i = 0; i < stack->n; i++)
		bytes += add_location(s, stack->locations[i]);
	return bytes;
}

static int begin_part(struct splitter *s)
{
	struct profile_info info = *profile_get_info(s->whole);
	int err;

	info.extra_count = 0;
	err = profile_new(&info, &s->part);

	if (err)
		return err;
	s->number++;
	s->bytes = HEADER_BYTES;
	return 0;
}

static int copy_mapping(struct splitter *s, __u32 id, __u32 *ret)
{
	const struct profile_mapping *m;
	int err = 0;

	*ret = 0;
	if (!id)
		return 0;
	m = profile_get_mapping(s->whole, id);
	if (!s->mappings[id].id)
		err = profile_mapping(s->part, profile_get_string(s->whole, m->file),
				      profile_get_string(s->whole, m->build_id), &s->mappings[id].id);
	*ret = s->mappings[id].id;
	return err;
}

static int copy_function(struct splitter *s, __u32 id, __u32 *ret)
{
	const struct profile_function *f = profile_get_function(s->whole, id);
	int err = 0;

	if (!s->functions[id].id)
		err = profile_function(s->part, f->kind, profile_get_string(s->whole, f->name),
				       profile_get_string(s->whole, f->file), f->start_line, &s->functions[id].id);
	*ret = s->functions[id].id;
	return err;
}

static int copy_location(struct splitter *s, __u32 id, __u32 *ret)
{
	const struct profile_location *l = profile_get_location(s->whole, id);
	__u32 function, mapping;
	int err = 0;

	if (!s->locations[id].id) {
		err = copy_function(s, l->function, &function);
		if (!err)
			err = copy_mapping(s, l->mapping, &mapping);
		if (!err)
			err = profile_location(s->part, function, l->line, l->column, mapping,
					       &s->locations[id].id);
	}
	*ret = s->locations[id].id;
	return err;
}

static int reserve_frames(struct splitter *s, size_t n)
{
	__u32 *grown;

	if (n <= s->frames_capacity)
		return 0;
	grown = reallocarray(s->frames, n, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->frames = grown;
	s->frames_capacity = n;
	return 0;
}

static int copy_stack(struct splitter *s, const struct profile_stack *stack)
{
	static const struct profile_labels nobody;
	int err = reserve_frames(s, stack->n);

	for (__u32 i = 0; !err && i < stack->n; i++)
		err = copy_location(s, stack->locations[i], &s->frames[i]);
	return err ?: profile_sample(s->part, s->frames, stack->n, &nobody, stack->count);
}

static int end_part(struct splitter *s, const struct split_service *service,
		    int (*fn)(void *context, const struct split_service *service, const struct profile *part), void *context)
{
	int result = s->part && profile_total(s->part) ? fn(context, service, s->part) : 0;

	profile_free(TAKE_PTR(s->part));
	return result;
}

/* Puts a stack into the part at hand, or, if it does not fit, into a new one. */
static int place(struct splitter *s, const struct profile_stack *stack, const struct split_service *service,
		 int (*fn)(void *context, const struct split_service *service, const struct profile *part), void *context)
{
	size_t more;
	int err = s->part ? 0 : begin_part(s);

	if (err)
		return err;
	more = add_stack(s, stack);
	if (profile_total(s->part) && (profile_count(s->part, PROFILE_SAMPLE) >= s->limits->samples ||
				       s->bytes + more > s->limits->bytes)) {
		err = end_part(s, service, fn, context) ?: begin_part(s);
		if (err)
			return err;
		more = add_stack(s, stack);
	}
	s->bytes += more;
	return copy_stack(s, stack);
}

/* --- services ----------------------------------------------------------------------------------------- */

struct place {
	struct split_service service;
	__u32 sample;
};

static struct split_service service_of(const struct profile *p, __u32 owner)
{
	const struct profile_owner *o = profile_get_owner(p, owner);
	struct split_service s = {
		.container = profile_get_string(p, o->container),
		.pod = profile_get_string(p, o->pod),
		.namespace = profile_get_string(p, o->namespace),
	};

	for (__u32 i = 0; i < profile_get_info(p)->extra_count; i++)
		s.extra[i] = profile_get_string(p, o->extra[i]);
	s.name = *s.container ? s.container : *s.pod ? s.pod : profile_get_string(p, o->comm);
	if (!*s.name)
		s.name = "unknown";
	return s;
}

static int compare_services(const struct split_service *x, const struct split_service *y)
{
	int order = strcmp(x->name, y->name) ?: strcmp(x->namespace, y->namespace) ?: strcmp(x->pod, y->pod) ?:
		    strcmp(x->container, y->container);

	for (size_t i = 0; !order && i < PROFILE_EXTRA_MAX && x->extra[i]; i++)
		order = strcmp(x->extra[i], y->extra[i]);
	return order;
}

static int by_service(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return compare_services(&x->service, &y->service) ?: (x->sample > y->sample) - (x->sample < y->sample);
}

static struct place *sort_samples(const struct profile *p, __u32 n)
{
	struct place *places = calloc(n, sizeof(*places));

	for (__u32 i = 0; places && i < n; i++)
		places[i] = (struct place){ service_of(p, profile_get_sample(p, i + 1).owner), i + 1 };
	if (places)
		qsort(places, n, sizeof(*places), by_service);
	return places;
}

static int split_all(struct splitter *s, const struct place *places, __u32 n,
		     int (*fn)(void *context, const struct split_service *service, const struct profile *part), void *context)
{
	int err = 0;

	for (__u32 i = 0; !err && i < n; i++) {
		struct profile_stack stack = profile_get_sample(s->whole, places[i].sample);

		err = place(s, &stack, &places[i].service, fn, context);
		if (!err && (i + 1 == n || compare_services(&places[i + 1].service, &places[i].service)))
			err = end_part(s, &places[i].service, fn, context);
	}
	return err;
}

static struct known *new_known(const struct profile *p, enum profile_kind kind)
{
	return calloc(profile_count(p, kind) + 1, sizeof(struct known));
}

int profile_split(const struct profile *p, const struct split_limits *limits,
		  int (*fn)(void *context, const struct split_service *service, const struct profile *part), void *context)
{
	__u32 n = profile_count(p, PROFILE_SAMPLE);
	_cleanup_free_ struct known *strings = new_known(p, PROFILE_STRING), *mappings = new_known(p, PROFILE_MAPPING);
	_cleanup_free_ struct known *functions = new_known(p, PROFILE_FUNCTION);
	_cleanup_free_ struct known *locations = new_known(p, PROFILE_LOCATION);
	_cleanup_free_ struct place *places = n ? sort_samples(p, n) : NULL;
	struct splitter s = {
		.whole = p,
		.limits = limits,
		.strings = strings,
		.mappings = mappings,
		.functions = functions,
		.locations = locations,
	};
	int err;

	if (!n)
		return 0;
	if (!strings || !mappings || !functions || !locations || !places)
		return -ENOMEM;
	err = split_all(&s, places, n, fn, context);
	profile_free(s.part);
	free(s.frames);
	return err;
}
