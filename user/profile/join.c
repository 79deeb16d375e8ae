// SPDX-License-Identifier: GPL-2.0-only
#include "profile/join.h"

#include <errno.h>

#include "profile/copy.h"

/* What is said of all of them. Where some lack ticks, a sample of these stands for more. */
static struct profile_info join_info(const struct profile *const *parts, size_t count)
{
	struct profile_info info = *profile_get_info(parts[0]);
	double samples = 0, ns = 0;

	info.duration_ns = 0;
	info.ticks_came = info.ticks_wanted = 0;
	for (int i = 0; i < FULL_TABLES; i++)
		info.full[i] = 0;
	for (size_t i = 0; i < count; i++) {
		const struct profile_info *part = profile_get_info(parts[i]);
		const double of_part = profile_total_of(parts[i], EVENT_CPU);

		info.duration_ns += part->duration_ns;
		info.ticks_came += part->ticks_came;
		info.ticks_wanted += part->ticks_wanted;
		for (int table = 0; table < FULL_TABLES; table++)
			info.full[table] += part->full[table];
		samples += of_part;
		ns += of_part * part->period_ns;
	}
	if (samples > 0)
		info.period_ns = ns / samples;
	return info;
}

static int add_accounts(const struct profile *part, struct profile *whole)
{
	int err = 0;

	for (__u32 id = 1; !err && id <= profile_count(part, PROFILE_OWNER); id++) {
		const struct profile_labels labels = profile_get_labels(part, id);
		const __u64 ns = profile_get_account(part, id);

		err = ns ? profile_account(whole, &labels, ns) : 0;
	}
	return err;
}

static int add_part(const struct profile *part, struct profile *whole)
{
	_cleanup_copier_ struct copier *c = NULL;
	int err = copier_new(&c, part);

	if (err)
		return err;
	copier_begin(c, whole);
	for (__u32 id = 1; !err && id <= profile_count(part, PROFILE_SAMPLE); id++) {
		const struct profile_stack s = profile_get_sample(part, id);
		const struct profile_labels labels = profile_get_labels(part, s.owner);

		err = copier_add(c, &s, &labels);
	}
	return err ?: add_accounts(part, whole);
}

int profile_join(const struct profile *const *parts, size_t count, struct profile **ret)
{
	_cleanup_profile_ struct profile *whole = NULL;
	struct profile_info info;
	int err;

	if (!count)
		return -EINVAL;
	info = join_info(parts, count);
	for (size_t i = 0; i < count; i++)
		if (profile_get_info(parts[i])->events & ~info.events)
			return -EINVAL;
	err = profile_new(&info, &whole);
	for (size_t i = 0; i < count && !err; i++)
		err = add_part(parts[i], whole);
	if (!err)
		*ret = TAKE_PTR(whole);
	return err;
}
