// SPDX-License-Identifier: GPL-2.0-only
#include "profile/timed.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "profile/copy.h"
#include "profile/moments.h"
#include "profile/profile.h"

/* What a thread has, or a process whose threads are not told apart. */
struct timed_share {
	struct share_key {
		__u32 pid, tid;
	} key;
	__u64 ns;	     /* of the account */
	__u64 ticks, passed; /* of the log, and of those the ones that have their part */
	UT_hash_handle hh;
};

struct timed_maker {
	const struct profile *whole, *log;
	struct profile *made;
	struct timed_share *shares;
	__u32 *id_of; /* by sample of the log: of the one that was made; 0 = there is none */
};

bool timed_can_be(const struct profile *p)
{
	return !event_sums(profile_get_info(p)->events);
}

/* --- CPU time of the account ---------------------------------------------------------------------------- */

static bool has_account(const struct timed_maker *m)
{
	const struct profile_info *info = profile_get_info(m->whole);

	return info->timed && info->events & EVENT_BIT(EVENT_CPU);
}

static struct timed_share *find_share(const struct timed_maker *m, const struct profile *p, __u32 owner)
{
	const struct profile_owner *o = profile_get_owner(p, owner);
	const struct share_key key = { o->pid, o->tid };
	struct timed_share *share;

	HASH_FIND(hh, m->shares, &key, sizeof(key), share);
	return share;
}

static int add_share(struct timed_maker *m, const struct profile *p, __u32 owner, struct timed_share **ret)
{
	const struct profile_owner *o = profile_get_owner(p, owner);
	struct timed_share *share = find_share(m, p, owner);

	if (!share) {
		share = calloc(1, sizeof(*share));
		if (!share)
			return -ENOMEM;
		share->key = (struct share_key){ o->pid, o->tid };
		HASH_ADD(hh, m->shares, key, sizeof(share->key), share);
		if (!share->hh.tbl) {
			free(share);
			return -ENOMEM;
		}
	}
	*ret = share;
	return 0;
}

static void free_shares(struct timed_maker *m)
{
	struct timed_share *share, *next;

	HASH_ITER(hh, m->shares, share, next) {
		HASH_DEL(m->shares, share);
		free(share);
	}
}

static int find_shares(struct timed_maker *m)
{
	struct timed_share *share;
	int err = 0;

	for (__u32 id = 1; !err && id <= profile_count(m->whole, PROFILE_SAMPLE); id++) {
		const struct profile_stack s = profile_get_sample(m->whole, id);

		err = add_share(m, m->whole, s.owner, &share);
		if (!err)
			share->ns += s.counts[PROFILE_TIME];
	}
	for (__u32 id = 1; !err && id <= profile_count(m->log, PROFILE_SAMPLE); id++) {
		const struct profile_stack s = profile_get_sample(m->log, id);

		share = find_share(m, m->log, s.owner);
		if (share)
			share->ticks += s.counts[EVENT_CPU];
	}
	return err;
}

/* All parts together are the whole. */
static __u64 next_part(struct timed_share *share, __u64 ticks)
{
	const __u64 before = (unsigned __int128)share->ns * share->passed / share->ticks;

	share->passed += ticks;
	return (unsigned __int128)share->ns * share->passed / share->ticks - before;
}

static int add_time(struct timed_maker *m, const struct profile_stack *s, const struct profile_labels *labels,
		    __u32 made)
{
	struct timed_share *share = has_account(m) && s->counts[EVENT_CPU] ? find_share(m, m->log,
						s->owner) : NULL;
	const struct profile_stack to = profile_get_sample(m->made, made);

	if (!share)
		return 0;
	return profile_sample(m->made, PROFILE_TIME, to.locations, to.n, labels,
			      next_part(share, s->counts[EVENT_CPU]));
}

/* Time of threads of which the log has no tick, as that which no tick has seen. */
static int add_rest(struct timed_maker *m)
{
	const __u32 n = has_account(m) ? profile_count(m->whole, PROFILE_SAMPLE) : 0;
	_cleanup_copier_ struct copier *copier = NULL;
	int err = n ? copier_new(&copier, m->whole) : 0;

	if (err || !n)
		return err;
	copier_begin(copier, m->made);
	for (__u32 id = 1; !err && id <= n; id++) {
		struct profile_stack s = profile_get_sample(m->whole, id);
		const __u64 counts[EVENT_KINDS + 1] = { [PROFILE_TIME] = s.counts[PROFILE_TIME] };
		const struct profile_labels labels = profile_get_labels(m->whole, s.owner);

		if (find_share(m, m->whole, s.owner)->ticks)
			continue;
		s.counts = counts;
		err = copier_add(copier, &s, &labels);
	}
	return err;
}

/* --- samples of the log --------------------------------------------------------------------------------- */

static bool is_made_of(const struct timed_maker *m, __u32 kind)
{
	return profile_get_info(m->made)->events & EVENT_BIT(kind);
}

static bool has_any(const struct timed_maker *m, const struct profile_stack *s)
{
	for (__u32 kind = 0; kind < EVENT_KINDS; kind++)
		if (is_made_of(m, kind) && s->counts[kind])
			return true;
	return false;
}

static int add_samples(struct timed_maker *m)
{
	_cleanup_copier_ struct copier *copier = NULL;
	int err = copier_new(&copier, m->log);

	if (err)
		return err;
	copier_begin(copier, m->made);
	for (__u32 id = 1; !err && id <= profile_count(m->log, PROFILE_SAMPLE); id++) {
		const struct profile_stack s = profile_get_sample(m->log, id);
		const struct profile_labels labels = profile_get_labels(m->log, s.owner);

		if (!has_any(m, &s))
			continue;
		err = copier_add(copier, &s, &labels);
		m->id_of[id] = err ? 0 : profile_last_sample(m->made);
		err = err ?: add_time(m, &s, &labels, m->id_of[id]);
	}
	return err;
}

static int copy_log_moments(struct timed_maker *m)
{
	const struct moments *all = profile_moments(m->log);
	int err = 0;

	for (size_t i = 0; !err && i < all->count; i++) {
		struct moment one = all->list[i];

		one.sample = m->id_of[one.sample];
		if (one.sample && is_made_of(m, one.kind))
			err = profile_moment(m->made, &one);
	}
	return err;
}

/* When it was is said by the log: its stretches follow each other without a gap. */
static struct profile_info info_of(const struct timed_maker *m)
{
	struct profile_info info = *profile_get_info(m->whole);

	info.start_unix_ns = profile_get_info(m->log)->start_unix_ns;
	info.duration_ns = profile_get_info(m->log)->duration_ns;
	return info;
}

int timed_make(const struct profile *p, const struct profile *log, struct profile **ret)
{
	_cleanup_free_ __u32 *id_of = calloc((size_t)profile_count(log, PROFILE_SAMPLE) + 1, sizeof(*id_of));
	struct timed_maker m = { .whole = p, .log = log, .id_of = id_of };
	const struct profile_info info = info_of(&m);
	int err = id_of ? profile_new(&info, &m.made) : -ENOMEM;

	if (!err && has_account(&m))
		err = find_shares(&m);
	err = err ?: add_samples(&m) ?: copy_log_moments(&m) ?: add_rest(&m);
	free_shares(&m);
	if (err)
		profile_free(m.made);
	else
		*ret = m.made;
	return err;
}
