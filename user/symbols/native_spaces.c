// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/native_spaces.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kern/texts.h"

static bool has_room(struct native_spaces *s)
{
	const size_t room = s->room ? 2 * s->room : 64;
	struct native_space *grown;

	if (s->count < s->room)
		return true;
	grown = realloc(s->list, room * sizeof(*grown));
	if (!grown)
		return false;
	s->list = grown;
	s->room = room;
	return true;
}

int native_spaces_add(struct native_spaces *s, const struct native_space *space)
{
	if (!has_room(s))
		return -ENOMEM;
	s->list[s->count++] = *space;
	return 0;
}

struct native_space *native_spaces_find(const struct native_spaces *s, __u32 block)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->list[middle].block == block)
			return &s->list[middle];
		if (s->list[middle].block < block)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

void native_spaces_begin_look(struct native_spaces *s)
{
	for (size_t i = 0; i < s->count; i++)
		s->list[i].live = false;
}

void native_spaces_end_look(struct native_spaces *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct native_space *one = &s->list[i];

		one->idle = one->live ? 0 : one->idle + 1;
		if (one->idle < NATIVE_SPACES_IDLE)
			s->list[kept++] = *one;
		else
			free(one->files);
	}
	s->count = kept;
}

void native_spaces_clear(struct native_spaces *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->list[i].files);
	s->count = 0;
}

void native_spaces_free(struct native_spaces *s)
{
	native_spaces_clear(s);
	free(s->list);
	*s = (struct native_spaces){ 0 };
}

void native_spaces_publish(const struct native_spaces *s, struct texts *texts, __u32 file, __u32 text)
{
	for (size_t i = 0; i < s->count; i++)
		for (__u32 m = 0; m < s->list[i].count; m++)
			if (s->list[i].files[m] == file)
				texts_set_text(texts, s->list[i].block + 1 + m, text);
}

__u32 native_space_file(const struct native_space *s, const struct texts *texts, __u64 address,
			__u64 *ret_position)
{
	for (__u32 i = 0; i < s->count; i++) {
		const struct text_mapping *m = texts_mapping(texts, s->block + 1 + i);

		if (address < m->start || address >= m->end)
			continue;
		*ret_position = m->position + (address - m->start);
		return s->files[i];
	}
	return NATIVE_NO_FILE;
}

__u64 native_space_address(const struct native_space *s, const struct texts *texts, __u32 file)
{
	for (__u32 i = 0; i < s->count; i++)
		if (s->files[i] == file)
			return texts_mapping(texts, s->block + 1 + i)->start;
	return 0;
}
