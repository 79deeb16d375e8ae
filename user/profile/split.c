// SPDX-License-Identifier: GPL-2.0-only
#include "profile/split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/copy.h"
#include "profile/moments.h"
#include "profile/series_names.h"

/*
 * Upper bounds of what a record takes in pprof beside its strings: tag and length of the message, then for
 * each field its tag and the longest number it can have. Ids and string indices are below 2^28, 4 bytes.
 */
#define HEADER_BYTES   512 /* types, period, times, the words of the format itself, the keys of labels */
#define SAMPLE_BYTES   48
#define FRAME_BYTES    4
#define LOCATION_BYTES 32
#define FUNCTION_BYTES 32
#define MAPPING_BYTES  64
#define STRING_BYTES   6

enum {
	LABEL_KEYS_BYTES = 0
#define LABEL(key, kind, ...) +sizeof(#key) + 1
#include "profile/labels.def"
#undef LABEL
};
_Static_assert(LABEL_KEYS_BYTES <= HEADER_BYTES / 2, "HEADER_BYTES has no room for all keys of labels");

struct splitter {
	const struct profile *whole;
	const struct split_limits *limits;
	int (*fn)(void *context, const struct split_service *service, const struct profile *part);
	void *context;
	struct profile *part;
	__u32 number;		   /* of the part, from 1 */
	size_t bytes;		   /* of it, at most */
	__u64 moments;		   /* of it, as OTLP has them */
	struct sorted_moments all; /* of the whole profile; none: they are not kept */
	struct copier *copier;
	__u32 *strings, *mappings, *functions, *locations; /* by id: the last part that has this record */
};

/* Marks the record as known to this part. Returns how many bytes it adds; 0 if it was there. */
static size_t add_known(struct splitter *s, __u32 *known, __u32 id, size_t bytes)
{
	if (!id || known[id] == s->number)
		return 0;
	known[id] = s->number;
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

/* Also one that calls itself so. */
static bool is_more(const struct split_service *service)
{
	return !strcmp(service->name, SPLIT_MORE);
}

static int begin_part(struct splitter *s, const struct split_service *service)
{
	struct profile_info info = *profile_get_info(s->whole);
	int err;

	if (!s->limits->keeps_labels)
		info.extra_count = info.extra_in_series = 0;
	if (is_more(service))
		info.services = (struct service_order){}; /* labels_of() */
	err = profile_new(&info, &s->part);
	if (err)
		return err;
	copier_begin(s->copier, s->part);
	s->number++;
	s->bytes = HEADER_BYTES;
	s->moments = 0;
	return 0;
}

static int end_part(struct splitter *s, const struct split_service *service)
{
	bool any = s->part && profile_count(s->part, PROFILE_SAMPLE);
	int result = any ? s->fn(s->context, service, s->part) : 0;

	profile_free(TAKE_PTR(s->part));
	return result;
}

/* How many moments a sample has, each tick of a run one. */
static __u64 count_moments(const struct splitter *s, __u32 sample)
{
	__u64 sum = 0;

	if (!s->all.list)
		return 0;
	for (size_t i = s->all.first[sample]; i < s->all.first[sample + 1]; i++) {
		const struct moment *m = &s->all.list[i];

		sum += m->end > m->begin && event_rows[m->kind].unit == UNIT_COUNT ? m->amount : 1;
	}
	return sum;
}

static int split_moments(struct splitter *s, __u32 sample)
{
	int err = 0;

	for (size_t i = s->all.first[sample]; !err && i < s->all.first[sample + 1]; i++) {
		struct moment m = s->all.list[i];

		m.sample = profile_last_sample(s->part);
		err = profile_moment(s->part, &m);
	}
	return err;
}

static bool is_full(const struct splitter *s, size_t more, __u64 moments)
{
	const __u32 there = profile_count(s->part, PROFILE_SAMPLE);

	return there && (there >= s->limits->samples || s->bytes + more > s->limits->bytes ||
			 (s->all.list && s->moments + moments > s->limits->moments));
}

/* A label in which services would be told apart, or a process, is not kept of what is beyond the bound. */
static struct profile_labels labels_of(const struct splitter *s, __u32 owner,
				       const struct split_service *service)
{
	if (!s->limits->keeps_labels)
		return (struct profile_labels){};
	if (is_more(service))
		return (struct profile_labels){ .service = SPLIT_MORE };
	return profile_get_labels(s->whole, owner);
}

/* Puts a stack into the present part or, if it does not fit, into a new one. */
static int put_stack(struct splitter *s, __u32 sample, const struct split_service *service)
{
	const struct profile_stack stack = profile_get_sample(s->whole, sample);
	const __u64 moments = count_moments(s, sample);
	const struct profile_labels labels = labels_of(s, stack.owner, service);
	size_t more;
	int err = s->part ? 0 : begin_part(s, service);

	if (err)
		return err;
	more = add_stack(s, &stack);
	if (is_full(s, more, moments)) {
		err = end_part(s, service) ?: begin_part(s, service);
		if (err)
			return err;
		more = add_stack(s, &stack);
	}
	s->bytes += more;
	s->moments += moments;
	err = copier_add(s->copier, &stack, &labels);
	return err || !moments || moments > s->limits->moments ? err : split_moments(s, sample);
}

/* --- services ----------------------------------------------------------------------------------------- */

struct service_sample {
	struct split_service service;
	__u32 sample;
};

static struct split_service service_of(const struct profile *p, __u32 owner)
{
	const struct profile_owner *o = profile_get_owner(p, owner);
	struct split_service s = { .name = service_name(p, o), .user = o->user };

	for (int i = 0; i < LABEL_COUNT; i++)
		s.label[i] = profile_get_string(p, label_rows[i].outputs & IN_SERIES ? o->label[i] : 0);
	for (__u32 i = 0; i < profile_get_info(p)->extra_in_series; i++)
		s.extra[i] = profile_get_string(p, o->extra[i]);
	return s;
}

static int compare_services(const struct split_service *x, const struct split_service *y)
{
	int order = strcmp(x->name, y->name);

	for (int i = LABEL_COUNT; !order && i-- > 0;)
		order = strcmp(x->label[i], y->label[i]);
	for (size_t i = 0; !order && i < PROFILE_EXTRA_MAX && x->extra[i]; i++)
		order = strcmp(x->extra[i], y->extra[i]);
	return order;
}

static int by_service(const void *a, const void *b)
{
	const struct service_sample *x = a, *y = b;

	return compare_services(&x->service, &y->service) ?:
	       (x->service.user > y->service.user) - (x->service.user < y->service.user) ?:
	       (x->sample > y->sample) - (x->sample < y->sample);
}

static struct service_sample *sort_samples(const struct profile *p, __u32 n)
{
	struct service_sample *samples = calloc(n, sizeof(*samples));

	for (__u32 i = 0; samples && i < n; i++)
		samples[i] = (struct service_sample){ service_of(p, profile_get_sample(p, i + 1).owner),
						       i + 1 };
	if (samples)
		qsort(samples, n, sizeof(*samples), by_service);
	return samples;
}

/* Samples of one service and one user, from the first one on, when they are sorted. */
struct group {
	__u64 user, count;
	__u32 first, n;
	__u32 service; /* the first sample of the service, whoever's */
};

static int by_user(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static __u32 group_samples(const struct profile *p, const struct service_sample *samples, __u32 n,
			   struct group *groups)
{
	__u32 count = 0, service = 0;

	for (__u32 i = 0; i < n; i++) {
		const __u64 user = samples[i].service.user;
		const bool is_next = i && compare_services(&samples[i - 1].service, &samples[i].service);

		if (is_next)
			service = i;
		if (!i || is_next || user != samples[i - 1].service.user)
			groups[count++] =
				(struct group){ .user = user, .first = i, .service = service };
		groups[count - 1].count += profile_get_sample(p, samples[i].sample).count;
		groups[count - 1].n++;
	}
	return count;
}

/* With a key that nobody knows (base/hash.h). */
static __u64 add_to_hash(__u64 hash, const char *text)
{
	const __u64 both[] = { hash, hash_bytes(text, strlen(text)) };

	return hash_bytes(both, sizeof(both));
}

static __u64 hash_service(const struct split_service *s)
{
	__u64 hash = add_to_hash(0, s->name);

	for (int i = 0; i < LABEL_COUNT; i++)
		hash = add_to_hash(hash, s->label[i]);
	for (size_t i = 0; i < PROFILE_EXTRA_MAX && s->extra[i]; i++)
		hash = add_to_hash(hash, s->extra[i]);
	return hash;
}

/*
 * Says which services have their names, by their first sample. What several users have is taken from none by
 * another one: it is enough if one of them may have it.
 */
static void choose(const struct split_limits *limits, const struct service_sample *samples,
		   const struct group *groups, __u32 count, bool *ret_taken)
{
	__u32 of_user = 0;

	for (__u32 i = 0; i < count; i++) {
		const struct group *g = &groups[i];

		if (i && groups[i - 1].user != g->user)
			of_user = 0;
		if (of_user >= limits->services ||
		    (limits->names &&
		     !series_names_take(limits->names, g->user, hash_service(&samples[g->service].service))))
			continue;
		ret_taken[g->service] = true;
		of_user++;
	}
}

static void take_name(const struct profile *p, struct split_service *s)
{
	s->name = SPLIT_MORE;
	for (int i = 0; i < LABEL_COUNT; i++)
		s->label[i] = "";
	for (__u32 i = 0; i < profile_get_info(p)->extra_in_series; i++)
		s->extra[i] = "";
}

/* What a user has beyond its number of services is one for all users. 0 or -ENOMEM. */
static int bound_services(const struct profile *p, const struct split_limits *limits,
			  struct service_sample *samples, __u32 n)
{
	_cleanup_free_ struct group *groups = calloc(n, sizeof(*groups));
	_cleanup_free_ bool *taken = calloc(n, sizeof(*taken));
	__u32 count, left = 0;

	if (!groups || !taken)
		return -ENOMEM;
	count = group_samples(p, samples, n, groups);
	qsort(groups, count, sizeof(*groups), by_user);
	choose(limits, samples, groups, count, taken);
	for (__u32 i = 0; i < count; i++) {
		const struct group *g = &groups[i];

		left += g->first == g->service && !taken[g->service];
		for (__u32 at = 0; !taken[g->service] && at < g->n; at++)
			take_name(p, &samples[g->first + at].service);
	}
	if (limits->names)
		series_names_leave(limits->names, left);
	qsort(samples, n, sizeof(*samples), by_service);
	return 0;
}

static int split_all(struct splitter *s, const struct service_sample *samples, __u32 n)
{
	int err = 0;

	for (__u32 i = 0; !err && i < n; i++) {
		const struct split_service *service = &samples[i].service;

		err = put_stack(s, samples[i].sample, service);
		if (!err && (i + 1 == n || compare_services(&samples[i + 1].service, service)))
			err = end_part(s, service);
	}
	return err;
}

static __u32 *new_known(const struct profile *p, enum profile_kind kind)
{
	return calloc((size_t)profile_count(p, kind) + 1, sizeof(__u32));
}

int profile_split(const struct profile *p, const struct split_limits *limits,
		  int (*fn)(void *context, const struct split_service *service, const struct profile *part),
		  void *context)
{
	__u32 n = profile_count(p, PROFILE_SAMPLE);
	_cleanup_free_ __u32 *strings = new_known(p, PROFILE_STRING);
	_cleanup_free_ __u32 *mappings = new_known(p, PROFILE_MAPPING);
	_cleanup_free_ __u32 *functions = new_known(p, PROFILE_FUNCTION);
	_cleanup_free_ __u32 *locations = new_known(p, PROFILE_LOCATION);
	_cleanup_free_ struct service_sample *samples = n ? sort_samples(p, n) : NULL;
	_cleanup_copier_ struct copier *copier = NULL;
	struct splitter s = {
		.whole = p,
		.limits = limits,
		.fn = fn,
		.context = context,
		.strings = strings,
		.mappings = mappings,
		.functions = functions,
		.locations = locations,
	};
	int err = 0;

	if (!n)
		return 0;
	if (!strings || !mappings || !functions || !locations || !samples || copier_new(&copier, p))
		return -ENOMEM;
	s.copier = copier;
	if (limits->keeps_labels && profile_moments(p)->count)
		err = moments_sort(profile_moments(p), n, &s.all);
	if (!err && limits->services)
		err = bound_services(p, limits, samples, n);
	err = err ?: split_all(&s, samples, n);
	profile_free(s.part);
	sorted_moments_free(&s.all);
	return err;
}
