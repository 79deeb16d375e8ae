// SPDX-License-Identifier: GPL-2.0-only
#include "recorded/growths.h"

#include "recorded/recorded.h"

int recorded_growths_begin(struct recorded_growths *g, __s64 start_ns, __s64 duration_ns)
{
	const struct recorded_stretch stretch = { start_ns > 0 ? start_ns : 0,
						  duration_ns > 0 ? duration_ns : 0 };

	if (recorded_growths_profiles(g) == RECORDED_GROWTHS_MAX)
		return 0;
	return buf_add(&g->profiles, &stretch, sizeof(stretch));
}

int recorded_growths_add(struct recorded_growths *g, __s64 pid, __s64 grown, __s64 shrunk)
{
	const struct recorded_growth row = { .profile = (__u32)recorded_growths_profiles(g) - 1, .pid = pid };
	const __u64 key[] = { row.profile, (__u64)pid };
	__u32 id = interned_find(&g->keys, key, sizeof(key));
	struct recorded_growth *known;
	int err;

	if (!id) {
		if (recorded_growths_rows(g) == RECORDED_GROWTHS_MAX)
			return 0;
		err = buf_reserve(&g->rows, sizeof(row)) ?: interned_add(&g->keys, key, sizeof(key), &id) ?:
		      buf_add(&g->rows, &row, sizeof(row));
		if (err)
			return err;
	}
	known = (struct recorded_growth *)g->rows.data + id - 1;
	known->grown = recorded_sum(known->grown, grown);
	known->shrunk = recorded_sum(known->shrunk, shrunk);
	return 0;
}

void recorded_growths_free(struct recorded_growths *g)
{
	interned_free(&g->keys);
	buf_free(&g->profiles);
	buf_free(&g->rows);
}
