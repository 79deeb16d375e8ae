// SPDX-License-Identifier: GPL-2.0-only
#include "formats/firefox_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "profile/profile.h"

/* The slot of this stack, or a free one. */
static __u32 *find_slot(const struct firefox_stacks *s, const struct firefox_stack *one)
{
	__u32 at = hash_bytes(one, sizeof(*one));

	for (;; at++) {
		__u32 *slot = &s->slots[at & (s->slot_count - 1)];

		if (!*slot || !memcmp(&s->list[*slot - 1], one, sizeof(*one)))
			return slot;
	}
}

/* At most half of the slots are in use. */
static int grow(struct firefox_stacks *s)
{
	const __u32 capacity = s->capacity ? 2 * s->capacity : 1024;
	struct firefox_stack *list = reallocarray(s->list, capacity, sizeof(*list));
	__u32 *slots;

	if (!list)
		return -ENOMEM;
	s->list = list;
	slots = calloc(2 * (size_t)capacity, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(s->slots);
	s->slots = slots;
	s->slot_count = 2 * capacity;
	s->capacity = capacity;
	for (__u32 i = 0; i < s->count; i++)
		*find_slot(s, &s->list[i]) = i + 1;
	return 0;
}

static int intern(struct firefox_stacks *s, const struct firefox_stack *one, __u32 *ret)
{
	__u32 *slot;
	int err = s->count == s->capacity ? grow(s) : 0;

	if (err)
		return err;
	slot = find_slot(s, one);
	if (!*slot) {
		s->list[s->count++] = *one;
		*slot = s->count;
	}
	*ret = *slot;
	return 0;
}

int firefox_stacks_new(struct firefox_stacks *s, const struct profile *p)
{
	const __u32 n = profile_count(p, PROFILE_SAMPLE);
	int err;

	*s = (struct firefox_stacks){ .of_sample = calloc((size_t)n + 1, sizeof(*s->of_sample)) };
	err = s->of_sample ? 0 : -ENOMEM;
	for (__u32 id = 1; id <= n && !err; id++) {
		const struct profile_stack stack = profile_get_sample(p, id);
		__u32 at = 0;

		for (__u32 i = stack.n; i-- && !err;)
			err = intern(s, &(struct firefox_stack){ at, stack.locations[i] - 1 }, &at);
		s->of_sample[id - 1] = at - 1;
	}
	if (err)
		firefox_stacks_free(s);
	return err;
}

void firefox_stacks_free(struct firefox_stacks *s)
{
	free(s->list);
	free(s->slots);
	free(s->of_sample);
	*s = (struct firefox_stacks){};
}

int firefox_stacks_write(const struct firefox_stacks *s, struct buf *out)
{
	int err = buf_add_string(out, "\"stackTable\":{\"frame\":[");

	for (__u32 i = 0; i < s->count && !err; i++)
		err = buf_printf(out, i ? ",%u" : "%u", s->list[i].frame);
	err = err ?: buf_add_string(out, "],\"prefixOffset\":["); /* how far back the caller is; 0 = a root */
	for (__u32 i = 0; i < s->count && !err; i++)
		err = buf_printf(out, i ? ",%u" : "%u", s->list[i].prefix ? i + 1 - s->list[i].prefix : 0);
	return err ?: buf_printf(out, "],\"length\":%u},\n", s->count);
}
