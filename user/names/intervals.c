// SPDX-License-Identifier: GPL-2.0-only
#include "names/intervals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fair.h"
#include "names/shares.h"

int intervals_open(struct intervals *s, __u32 max, __u64 low, __u64 high)
{
	struct intervals new = { .max = max, .low = low, .high = high, .next = low };

	new.list = calloc(max, sizeof(*new.list));
	new.order = calloc(max, sizeof(*new.order));
	if (!new.list || !new.order) {
		intervals_close(&new);
		return -ENOMEM;
	}
	*s = new;
	return 0;
}

void intervals_close(struct intervals *s)
{
	free(s->list);
	free(s->order);
	*s = (struct intervals){ 0 };
}

static const struct address_interval *in_order(const struct intervals *s, __u32 place)
{
	return &s->list[s->order[place]];
}

/* How many intervals begin at or before this position. */
static __u32 place_behind(const struct intervals *s, __u64 position)
{
	__u32 low = 0, high = s->count;

	while (low < high) {
		__u32 middle = (low + high) / 2;

		if (in_order(s, middle)->begin <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

__u32 intervals_at(const struct intervals *s, __u64 position)
{
	const __u32 place = place_behind(s, position);

	if (!place || position - in_order(s, place - 1)->begin >= in_order(s, place - 1)->size)
		return INTERVALS_NONE;
	return s->order[place - 1];
}

/* Where the first room of this size at or behind `from` is, and its place in the order. -ENOSPC. */
static int find_room(const struct intervals *s, __u64 from, __u64 size, __u64 *ret_begin, __u32 *ret_place)
{
	__u32 place = place_behind(s, from);
	__u64 begin = from;

	if (place && in_order(s, place - 1)->begin + in_order(s, place - 1)->size > begin)
		begin = in_order(s, place - 1)->begin + in_order(s, place - 1)->size;
	for (; place < s->count && in_order(s, place)->begin - begin < size; place++)
		begin = in_order(s, place)->begin + in_order(s, place)->size;
	if (size > s->high - begin)
		return -ENOSPC;
	*ret_begin = begin;
	*ret_place = place;
	return 0;
}

int intervals_take(struct intervals *s, __u64 size, __u32 *ret)
{
	__u32 place, number = s->unused_number;
	__u64 begin;

	if (s->count == s->max || size > s->high - s->low)
		return -ENOSPC;
	if (find_room(s, s->next, size, &begin, &place) && find_room(s, s->low, size, &begin, &place))
		return -ENOSPC;
	while (s->list[number].size)
		number++;
	memmove(s->order + place + 1, s->order + place, (s->count - place) * sizeof(*s->order));
	s->order[place] = number;
	s->list[number] = (struct address_interval){ begin, size, .turn = 0, .seen = true };
	s->count++;
	s->unused_number = number + 1;
	s->next = begin + size;
	s->taken += size;
	*ret = number;
	return 0;
}

void intervals_give_back(struct intervals *s, __u32 number)
{
	struct address_interval *i = &s->list[number];
	const __u32 place = place_behind(s, i->begin) - 1;

	s->taken -= i->size;
	s->count--;
	memmove(s->order + place, s->order + place + 1, (s->count - place) * sizeof(*s->order));
	*i = (struct address_interval){ 0 };
	if (number < s->unused_number)
		s->unused_number = number;
}

int intervals_take_shared(struct intervals *s, struct shares *shares, __u64 owner, __u64 size, __u32 *ret,
			  struct owner_share **ret_share)
{
	static const struct owner_share nothing;
	const struct owner_share *has = shares_find(shares, owner) ?: &nothing;
	int err;

	if (!fair_may(has->count, 1, s->max - s->count) ||
	    !fair_may(has->line, size, s->high - s->low - s->taken))
		return -ENOSPC;
	err = intervals_take(s, size, ret);
	if (err)
		return err;
	err = shares_take(shares, owner, size, ret_share);
	if (err)
		intervals_give_back(s, *ret);
	return err;
}

void intervals_give_back_shared(struct intervals *s, struct shares *shares, __u32 number,
				struct owner_share *share)
{
	shares_drop(shares, share, s->list[number].size);
	intervals_give_back(s, number);
}

void intervals_begin_look(struct intervals *s)
{
	for (__u32 i = 0; i < s->max; i++)
		s->list[i].seen = false;
}

void intervals_see(struct intervals *s, __u32 number)
{
	s->list[number].seen = true;
	s->list[number].turn = 0;
}

void intervals_end_look(struct intervals *s, __u32 turn)
{
	for (__u32 i = 0; i < s->max; i++) {
		struct address_interval *one = &s->list[i];

		if (one->size && !one->seen && !one->turn)
			one->turn = turn;
	}
}

bool intervals_may_go(const struct intervals *s, __u32 number, __u32 turn)
{
	const struct address_interval *i = &s->list[number];

	return i->size && i->turn && turn - i->turn >= INTERVALS_TURNS;
}

static double part(const struct intervals *s, __u32 count, __u64 bytes)
{
	return larger((double)count / s->max, (double)bytes / (s->high - s->low));
}

double intervals_fullness(const struct intervals *s)
{
	return part(s, s->count, s->taken);
}

double intervals_unused(const struct intervals *s)
{
	__u64 bytes = 0;
	__u32 count = 0;

	for (__u32 i = 0; i < s->max; i++)
		if (s->list[i].size && s->list[i].turn) {
			count++;
			bytes += s->list[i].size;
		}
	return part(s, count, bytes);
}
