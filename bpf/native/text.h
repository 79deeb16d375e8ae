/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - from an address of a process to the position of a function in the text space (abi/native.h). All
 * that is read here is our own table; a number in it that is wrong costs a name, and nothing else.
 */
#ifndef PYPERF_BPF_NATIVE_TEXT_H
#define PYPERF_BPF_NATIVE_TEXT_H

#include "bpf/base/mem.h"
#include "bpf/data/maps.h"

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
static __always_inline const struct text_mapping *text_find_mapping(volatile struct text_search *q,
								    __u32 block, __u32 count, __u64 pc)
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

/*
 * These words are ascending offsets. Searches, from number q->low on, for the last one that is not above
 * `offset`, and leaves its number in q->low.
 */
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
	__u32 page, pages, regions;
	__u64 base, offset;

	pc -= m->start;
	if (m->text == TEXT_NONE)
		return position;
	b = text_block_at(m->text);
	if (!b)
		return position;
	base = b->text.base;
	pages = b->text.pages;
	regions = b->text.regions;
	offset = pc + position - base;
	page = (offset >> 12) - b->text.first;
	if (page >= pages || offset >> 32)
		return position;
	page += regions;
	q->low = text_word(words, page);
	q->high = text_word(words, page + 1) + 1;
	text_search_offset(q, words, regions + pages + 1, offset);
	return base + text_word(words, regions + pages + 1 + q->low);
}

#define RULE_NOT_LOADED (~0U) /* no rule has so many bits */

/* Of the rows of this region, the rule that holds at an offset in the file. */
static __always_inline __u32 text_row_rule(volatile struct text_search *q, __u32 region, __u32 offset)
{
	const __u32 page = offset >> 12 & (REGION_PAGES - 1);

	q->low = text_word(region, page);
	q->high = text_word(region, page + 1);
	text_search_offset(q, region, REGION_INDEX, row_make(offset & 4095, row_rule(~0U)));
	return row_rule(text_word(region, REGION_INDEX + q->low));
}

/*
 * The rule that leads to the caller from this offset of a file with this struct text; RULE_NOT_LOADED if user
 * space has not sent the region's rows.
 */
static __always_inline __u32 text_find_rule(volatile struct text_search *q, const union text_block *b,
					    __u32 block, __u32 offset)
{
	const __u32 number = (offset >> REGION_SHIFT) - (b->text.first >> (REGION_SHIFT - 12));
	__u32 region;

	if (number >= b->text.regions)
		return rule_unknown();
	region = text_word(block + 1, number);
	if (region == TEXT_NOT_LOADED)
		return RULE_NOT_LOADED;
	return region == TEXT_NONE ? rule_unknown() : text_row_rule(q, region, offset);
}

/* Whether this offset of the file is in the interpreter's loop. */
static __always_inline int text_is_loop(const union text_block *b, __u32 offset)
{
	int is = 0;

	for (int i = 0; i < LOOP_PARTS; i++)
		is |= offset - b->text.loop[i].begin < b->text.loop[i].size;
	return is;
}

#endif
