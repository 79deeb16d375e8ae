// SPDX-License-Identifier: GPL-2.0-only
#include "kern/texts.h"

#include <errno.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "kern/object.h"
#include "pyperf.skel.h"

#define FIRST	     2 /* blocks 0 and 1 mean something else: TEXT_NOT_LOADED, TEXT_NONE */
#define MAPPINGS_MAX 4096
#define PAGE_SHIFT   12

int texts_size(struct pyperf *skel, const struct kernel_options *o)
{
	const size_t count = o->native ? o->native_memory / sizeof(union text_block) : 0;

	if (!count)
		return 0;
	return bpf_map__set_max_entries(skel->maps.texts, count < SPACE_BLOCK_MAX ? count : SPACE_BLOCK_MAX);
}

int texts_open(struct texts *t, struct kernel *k)
{
	const struct table *texts = &k->side.texts;
	void *blocks;
	int err;

	if (!k->options.native)
		return 0;
	err = table_map(texts, true, &blocks);
	if (err)
		return err;
	*t = (struct texts){ .kernel = k,
			     .blocks = blocks,
			     .count = texts->entries,
			     .used = FIRST,
			     .with_rows = k->options.native >= NATIVE_MODE_TOP };
	return 0;
}

void texts_close(struct texts *t)
{
	if (t->blocks)
		table_unmap(&t->kernel->side.texts, t->blocks);
	t->blocks = NULL;
}

static int take_blocks(struct texts *t, size_t count, __u32 *ret)
{
	if (count > t->count - t->used)
		return -ENOSPC;
	if (count + t->reserved > t->count - t->used)
		return -EDQUOT;
	*ret = t->used;
	t->used += count;
	return 0;
}

int texts_add_space(struct texts *t, const struct text_mapping *mappings, __u32 count, __u32 *ret)
{
	__u64 pages = 0;
	__u32 block;
	int err;

	if (count > MAPPINGS_MAX)
		return -EINVAL;
	err = take_blocks(t, 1 + count, &block);
	if (err)
		return err;
	for (__u32 i = 0; i < count; i++) {
		t->blocks[block + 1 + i] = (union text_block){ .mapping = mappings[i] };
		if (!mappings[i].writable)
			pages += (mappings[i].end - mappings[i].start) >> PAGE_SHIFT;
	}
	t->blocks[block] = (union text_block){ .space = { count, pages } };
	*ret = block;
	return 0;
}

static void set_word(union text_block *words, __u32 at, __u32 value)
{
	words[at / TEXT_WORDS].word[at % TEXT_WORDS] = value;
}

static __u32 word_at(const union text_block *words, __u32 at)
{
	return __atomic_load_n(&words[at / TEXT_WORDS].word[at % TEXT_WORDS], __ATOMIC_RELAXED);
}

static __u32 offset_at(const struct text_functions *f, __u32 i)
{
	return *(const __u32 *)((const char *)f->offsets + i * f->stride);
}

/* The words of a struct text, in order. */
static void write_text(union text_block *words, const struct text *text, const struct text_functions *f)
{
	__u32 at = 0, word = 0;

	while (word < text->regions)
		set_word(words, word++, TEXT_NOT_LOADED);
	for (__u32 page = 0; page < text->pages; page++) {
		while (at + 1 < f->count && offset_at(f, at + 1) <= (text->first + page) << PAGE_SHIFT)
			at++;
		set_word(words, word++, at);
	}
	set_word(words, word++, f->count - 1);
	for (__u32 i = 0; i < f->count; i++)
		set_word(words, word++, offset_at(f, i));
}

int texts_add_text(struct texts *t, __u64 base, const struct text_functions *f, __u32 *ret)
{
	const __u32 begin = offset_at(f, 0), last = f->end - 1;
	struct text text = {
		.base = base,
		.first = begin >> PAGE_SHIFT,
		.pages = (last >> PAGE_SHIFT) - (begin >> PAGE_SHIFT) + 1,
		.count = f->count,
		.regions = t->with_rows ? (last >> REGION_SHIFT) - (begin >> REGION_SHIFT) + 1 : 0,
	};
	const __u64 words = (__u64)text.regions + text.pages + 1 + text.count;
	__u32 block;
	int err = take_blocks(t, 1 + (words + TEXT_WORDS - 1) / TEXT_WORDS, &block);

	if (err)
		return err;
	write_text(&t->blocks[block + 1], &text, f);
	t->blocks[block] = (union text_block){ .text = text };
	*ret = block;
	return 0;
}

int texts_add_loop(struct texts *t, __u32 text, __u32 begin, __u32 end)
{
	struct text *b = &t->blocks[text].text;

	for (int i = 0; i < LOOP_PARTS; i++)
		if (!b->loop[i].size) {
			b->loop[i].begin = begin;
			b->loop[i].size = end - begin;
			return 0;
		}
	return -ENOSPC;
}

int texts_add_rows(struct texts *t, __u32 text, __u32 region, const __u32 *words, __u32 rows)
{
	const struct text *b = &t->blocks[text].text;
	const __u32 count = REGION_INDEX + rows, at = region - (b->first >> (REGION_SHIFT - PAGE_SHIFT));
	__u32 block = TEXT_NONE;
	int err;

	if (at >= b->regions)
		return -ERANGE;
	if (words) {
		err = take_blocks(t, (count + TEXT_WORDS - 1) / TEXT_WORDS, &block);
		if (err)
			return err;
		memcpy(t->blocks[block].word, words, count * sizeof(*words));
	}
	/* The rows are written before what leads to them. */
	__atomic_store_n(&t->blocks[text + 1 + at / TEXT_WORDS].word[at % TEXT_WORDS], block,
			 __ATOMIC_RELEASE);
	return 0;
}

bool texts_want_rows(const struct texts *t, __u32 text, __u64 position)
{
	const struct text *b = &t->blocks[text].text;
	const __u64 at = ((position - b->base) >> REGION_SHIFT) - (b->first >> (REGION_SHIFT - PAGE_SHIFT));

	return at < b->regions && word_at(&t->blocks[text + 1], at) == TEXT_NOT_LOADED;
}

void texts_set_text(struct texts *t, __u32 mapping_block, __u32 text)
{
	/* The blocks that a number leads to are written before it. */
	__atomic_store_n(&t->blocks[mapping_block].mapping.text, text, __ATOMIC_RELEASE);
}

const struct text_mapping *texts_mapping(const struct texts *t, __u32 mapping_block)
{
	return &t->blocks[mapping_block].mapping;
}

static __u32 edition(const struct texts *t)
{
	return t->kernel->side.bss->texts_edition;
}

__u32 texts_space(const struct texts *t, __u32 block)
{
	return space_number(edition(t), block);
}

int texts_set_space(struct texts *t, __u32 pid, __u32 id, __u32 block)
{
	const struct number_request request = { pid, id, NUMBER_SPACE, block ? texts_space(t, block) : 0 };

	return t->kernel->home->set_number(t->kernel, &request);
}

__u32 texts_space_block(const struct texts *t, __u32 space)
{
	const __u32 block = space & SPACE_BLOCK_MAX;

	return space == space_number(edition(t), block) && block < t->used ? block : 0;
}

void texts_begin_edition(struct texts *t)
{
	__atomic_add_fetch(&t->kernel->side.bss->texts_edition, 1, __ATOMIC_SEQ_CST);
	t->used = t->count; /* until no tick reads what was there */
}

void texts_reuse(struct texts *t)
{
	t->used = FIRST;
}

struct texts *kernel_texts(struct kernel *k)
{
	return &k->texts;
}
