// SPDX-License-Identifier: GPL-2.0-only
#include "kern/texts.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "pyperf.skel.h"

#define FIRST	     2 /* blocks 0 and 1 mean something else: TEXT_NOT_LOADED, TEXT_NONE */
#define MAPPINGS_MAX 4096
#define PAGE_SHIFT   12

int texts_size(struct pyperf *skel, size_t bytes)
{
	const size_t count = bytes / sizeof(union text_block);

	bpf_program__set_autoload(skel->progs.set_space, count);
	skel->rodata->opt_native = count ? NATIVE_MODE_LEAF : NATIVE_MODE_OFF;
	if (!count)
		return 0;
	return bpf_map__set_max_entries(skel->maps.texts, count < SPACE_BLOCK_MAX ? count : SPACE_BLOCK_MAX);
}

static size_t table_bytes(__u32 count)
{
	const size_t page = sysconf(_SC_PAGESIZE);

	return (count * sizeof(union text_block) + page - 1) / page * page;
}

int texts_open(struct texts *t, struct pyperf *skel)
{
	const struct bpf_map *map = skel->maps.texts;
	void *p;

	if (!skel->rodata->opt_native)
		return 0;
	p = mmap(NULL, table_bytes(bpf_map__max_entries(map)), PROT_READ | PROT_WRITE, MAP_SHARED,
		 bpf_map__fd(map), 0);
	if (p == MAP_FAILED)
		return -errno;
	*t = (struct texts){ skel, p, bpf_map__max_entries(map), FIRST };
	return 0;
}

void texts_close(struct texts *t)
{
	if (t->blocks)
		munmap(t->blocks, table_bytes(t->count));
	t->blocks = NULL;
}

static int take_blocks(struct texts *t, size_t count, __u32 *ret)
{
	if (count > t->count - t->used)
		return -ENOSPC;
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

static __u32 offset_at(const __u32 *offsets, size_t stride, __u32 i)
{
	return *(const __u32 *)((const char *)offsets + i * stride);
}

int texts_add_text(struct texts *t, __u64 base, const __u32 *offsets, size_t stride, __u32 count, __u32 end,
		   __u32 *ret)
{
	const __u32 first = offset_at(offsets, stride, 0) >> PAGE_SHIFT;
	const __u32 pages = ((end - 1) >> PAGE_SHIFT) - first + 1;
	union text_block *words;
	__u32 block, at = 0;
	int err;

	err = take_blocks(t, 1 + ((__u64)pages + 1 + count + TEXT_WORDS - 1) / TEXT_WORDS, &block);
	if (err)
		return err;
	words = &t->blocks[block + 1];
	for (__u32 page = 0; page < pages; page++) {
		while (at + 1 < count && offset_at(offsets, stride, at + 1) <= (first + page) << PAGE_SHIFT)
			at++;
		set_word(words, page, at);
	}
	set_word(words, pages, count - 1);
	for (__u32 i = 0; i < count; i++)
		set_word(words, pages + 1 + i, offset_at(offsets, stride, i));
	t->blocks[block] = (union text_block){ .text = { base, first, pages, count } };
	*ret = block;
	return 0;
}

void texts_set_text(struct texts *t, __u32 mapping_block, __u32 text)
{
	/* What it leads to is written before it. */
	__atomic_store_n(&t->blocks[mapping_block].mapping.text, text, __ATOMIC_RELEASE);
}

const struct text_mapping *texts_mapping(const struct texts *t, __u32 mapping_block)
{
	return &t->blocks[mapping_block].mapping;
}

static __u32 generation(const struct texts *t)
{
	return t->skel->bss->texts_generation;
}

int texts_set_space(struct texts *t, __u32 pid, __u32 id, __u32 block)
{
	struct space_request request = { pid, id, block ? space_number(generation(t), block) : 0, 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &request, .ctx_size_in = sizeof(request));

	if (bpf_prog_test_run_opts(bpf_program__fd(t->skel->progs.set_space), &opts))
		return -errno;
	return opts.retval ? -ESRCH : 0;
}

__u32 texts_space_block(const struct texts *t, __u32 space)
{
	const __u32 block = space & SPACE_BLOCK_MAX;

	return space == space_number(generation(t), block) && block < t->used ? block : 0;
}

void texts_begin_generation(struct texts *t)
{
	__atomic_add_fetch(&t->skel->bss->texts_generation, 1, __ATOMIC_SEQ_CST);
	t->used = t->count; /* until no tick reads what was there */
}

void texts_reuse(struct texts *t)
{
	t->used = FIRST;
}
