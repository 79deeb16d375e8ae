// SPDX-License-Identifier: GPL-2.0-only
/*
 * profile_read.c - see profile.h: the functions by which encoders read a profile, and the moments of its
 * samples.
 */
#include <errno.h>

#include "profile/profile_records.h"

/* Beside its entries, which are the arena's. */
static size_t table_bytes(const struct profile_table *t)
{
	const UT_hash_table *hash = t->by_content ? t->by_content->hh.tbl : NULL;

	return t->capacity * sizeof(*t->by_id) +
	       (hash ? sizeof(*hash) + hash->num_buckets * sizeof(*hash->buckets) : 0);
}

size_t profile_bytes(const struct profile *p)
{
	size_t bytes = sizeof(*p) + p->bytes + p->scratch.capacity;

	for (int i = 0; i < PROFILE_KINDS; i++)
		bytes += table_bytes(&p->tables[i]);
	return bytes + p->counts_capacity * sizeof(*p->counts) + p->accounts_capacity * sizeof(*p->accounts) +
	       p->moments.capacity * sizeof(*p->moments.list);
}

__u32 profile_last_sample(const struct profile *p)
{
	return p->last_sample;
}

const struct moments *profile_moments(const struct profile *p)
{
	return &p->moments;
}

int profile_moment(struct profile *p, const struct moment *m)
{
	if (!m->sample || m->sample > p->tables[PROFILE_SAMPLE].n || m->kind >= EVENT_KINDS)
		return -EINVAL;
	return moments_add(&p->moments, m);
}

const struct profile_info *profile_get_info(const struct profile *p)
{
	return &p->info;
}

__u32 profile_count(const struct profile *p, enum profile_kind kind)
{
	return p->tables[kind].n;
}

static const struct entry *get(const struct profile *p, enum profile_kind kind, __u32 id)
{
	return p->tables[kind].by_id[id - 1];
}

const char *profile_get_string(const struct profile *p, __u32 id)
{
	return id ? get(p, PROFILE_STRING, id)->record : "";
}

const struct profile_mapping *profile_get_mapping(const struct profile *p, __u32 id)
{
	return (const void *)get(p, PROFILE_MAPPING, id)->record;
}

const struct profile_function *profile_get_function(const struct profile *p, __u32 id)
{
	return (const void *)get(p, PROFILE_FUNCTION, id)->record;
}

const struct profile_location *profile_get_location(const struct profile *p, __u32 id)
{
	return (const void *)get(p, PROFILE_LOCATION, id)->record;
}

const struct profile_owner *profile_get_owner(const struct profile *p, __u32 id)
{
	return (const void *)get(p, PROFILE_OWNER, id)->record;
}

static __u32 get_number(const struct profile *p, __u32 value)
{
	(void)p;
	return value;
}

static const char *get_text(const struct profile *p, __u32 id)
{
	return profile_get_string(p, id);
}

struct profile_labels profile_get_labels(const struct profile *p, __u32 owner)
{
	const struct profile_owner *o = profile_get_owner(p, owner);
	struct profile_labels labels = { .began_boot_ns = o->began_boot_ns, .user = o->user };

#define LABEL(key, kind, ...) labels.key = get_##kind(p, o->key);
#include "profile/labels.def"
#undef LABEL
	for (__u32 i = 0; i < p->info.extra_count; i++)
		labels.extra[i] = profile_get_string(p, o->extra[i]);
	return labels;
}

__u64 profile_get_account(const struct profile *p, __u32 owner)
{
	return owner <= p->account_count ? p->accounts[owner - 1] : 0;
}

bool profile_has_accounts(const struct profile *p)
{
	return p->account_count;
}

/* Which of its counts a stack is shown by. */
static __u32 shown_count(const struct profile *p)
{
	return profile_shown(p) == EVENT_CPU && p->info.timed ? PROFILE_TIME : profile_shown(p);
}

struct profile_stack profile_get_sample(const struct profile *p, __u32 id)
{
	const struct entry *e = get(p, PROFILE_SAMPLE, id);
	const __u32 *words = (const void *)e->record;

	return (struct profile_stack){
		.owner = words[0],
		.n = e->size / sizeof(*words) - 1,
		.locations = words + 1,
		.count = p->counts[id - 1][shown_count(p)],
		.counts = p->counts[id - 1],
	};
}

enum event_kind profile_shown(const struct profile *p)
{
	return __builtin_ctz(p->info.events);
}

enum event_unit profile_shown_unit(const struct profile *p)
{
	return shown_count(p) == PROFILE_TIME ? UNIT_NANOSECONDS : event_rows[profile_shown(p)].unit;
}

double profile_shown_amount(const struct profile *p, __u64 count)
{
	return shown_count(p) == PROFILE_TIME ? (double)count / 1e9 :
						event_amount(profile_shown(p), count, p->info.period_ns);
}

__u64 profile_total(const struct profile *p)
{
	return p->total[shown_count(p)];
}

__u64 profile_total_of(const struct profile *p, enum event_kind kind)
{
	return p->total[kind];
}

__u64 profile_booked(const struct profile *p, enum event_kind kind)
{
	return p->booked[kind];
}
