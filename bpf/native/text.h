/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - from an address of a process to the position of a function in the text space (abi/native.h). All
 * that is read here is our own table; a number in it that is wrong costs a name, and nothing else.
 */
#ifndef PYPERF_BPF_NATIVE_TEXT_H
#define PYPERF_BPF_NATIVE_TEXT_H

#include "bpf/maps.h"

#define MAPPING_STEPS  12 /* of a search by halves: 4,096 mappings */
#define FUNCTION_STEPS 13 /* a page has at most 4,096 functions, and one that began before it */

static __always_inline const union text_block *text_block_at(__u32 block)
{
	return bpf_map_lookup_elem(&texts, &block);
}

/* Word number `at` of those that begin with this block. */
static __always_inline __u32 text_word(__u32 block, __u32 at)
{
	const union text_block *b = text_block_at(block + at / TEXT_WORDS);

	at %= TEXT_WORDS;
	mem_opaque(at);
	return b && at < TEXT_WORDS ? b->word[at] : 0;
}

/* The mapping that holds this address, of the count that begin with this block; NULL if none does. */
static __always_inline const struct text_mapping *
text_find_mapping(volatile struct text_search *q, __u32 block, __u32 count, __u64 pc)
{
	const union text_block *b;

	q->low = 0;
	q->high = count;
	for (int i = 0; i < MAPPING_STEPS; i++) {
		__u32 low = q->low, high = q->high, middle = (low + high) / 2;

		if (low + 1 >= high)
			break;
		b = text_block_at(block + middle);
		if (!b)
			return NULL;
		if (b->mapping.start <= pc)
			q->low = middle;
		else
			q->high = middle;
	}
	b = count ? text_block_at(block + q->low) : NULL;
	return b && b->mapping.start <= pc && pc < b->mapping.end ? &b->mapping : NULL;
}

/* Of the offsets in these words, ascending, the number of the last that is not above; from q->low on. */
static __always_inline void text_search_offset(volatile struct text_search *q, __u32 words, __u32 first,
					       __u32 offset)
{
	for (int i = 0; i < FUNCTION_STEPS; i++) {
		__u32 low = q->low, high = q->high, middle = (low + high) / 2;

		if (low + 1 >= high)
			break;
		if (text_word(words, first + middle) <= offset)
			q->low = middle;
		else
			q->high = middle;
	}
}

/* The position of the function that holds this address; that of the mapping if the file says nothing. */
static __always_inline __u64 text_find_function(volatile struct text_search *q, const struct text_mapping *m,
						__u64 pc)
{
	const __u32 words = m->text + 1;
	const __u64 position = m->position;
	const union text_block *b;
	__u32 page, pages;
	__u64 base, offset;

	pc -= m->start;
	if (m->text == TEXT_NONE)
		return position;
	b = text_block_at(m->text);
	if (!b)
		return position;
	base = b->text.base;
	pages = b->text.pages;
	offset = pc + position - base;
	page = (offset >> 12) - b->text.first;
	if (page >= pages || offset >> 32)
		return position;
	q->low = text_word(words, page);
	q->high = text_word(words, page + 1) + 1;
	text_search_offset(q, words, pages + 1, offset);
	return base + text_word(words, pages + 1 + q->low);
}

#endif
