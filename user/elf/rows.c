// SPDX-License-Identifier: GPL-2.0-only
/*
 * rows.c - first all functions that overlap the region are collected and sorted, then their instructions are
 * executed, each once: the rows come out in order, and the work is bounded by the size of the sections.
 */
#include "elf/rows.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "elf/cfi.h"
#include "elf/code_file.h"
#include "elf/gaps.h"
#include "elf/rule.h"

#define REGION_SIZE  (1U << REGION_SHIFT)
#define PAGE_BYTES   4096U
#define SECTIONS_MAX 4

/* A function that overlaps the region. */
struct range {
	__u32 begin, end; /* offsets in the file */
	__u32 section;	  /* the list is in order of these two at first */
	__u32 offset;
};

struct building {
	__u16 machine; /* EM_X86_64 or EM_AARCH64 */
	struct code_loads loads;
	struct gaps gaps;
	struct eh_frame sections[SECTIONS_MAX];
	__u32 section_count;
	struct buf ranges;
	__u32 begin; /* of the region */

	struct buf *out;
	__u32 index[REGION_INDEX];
	__u32 count;		   /* rows that were appended */
	__u32 last;		   /* rule of the last one */
	__u32 done;		   /* the rows reach so far into the region */
	const struct range *range; /* whose instructions are executed */
	__u64 address;		   /* of its begin */
	size_t work;		   /* bytes of instructions */
};

static void cleanup_building(struct building *b)
{
	buf_free(&b->ranges);
}

/* --- which functions there are -------------------------------------------------------------------------- */

static int on_function(void *context, const struct eh_function *f)
{
	struct building *b = context;
	struct range range = { .section = b->section_count - 1, .offset = f->offset };

	if (!code_loads_find(&b->loads, f->address, f->size, &range.begin, &range.end) ||
	    range.end <= b->begin || (range.begin >= b->begin && range.begin - b->begin >= REGION_SIZE))
		return 0;
	if (b->ranges.size == ROWS_FUNCTIONS_MAX * sizeof(range))
		return -E2BIG;
	return buf_add(&b->ranges, &range, sizeof(range));
}

static int on_section(void *context, const struct eh_frame *section)
{
	struct building *b = context;
	int err;

	if (b->section_count == SECTIONS_MAX)
		return 0;
	b->sections[b->section_count++] = *section;
	err = eh_frame_each(section, on_function, b);
	return err == -EBADMSG ? 0 : err; /* what was there before is of use */
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* --- their rows ----------------------------------------------------------------------------------------- */

static int add_row(struct building *b, __u32 rule)
{
	const __u32 row = row_make(b->done % PAGE_BYTES, rule);

	if (b->count == REGION_ROWS)
		return -E2BIG;
	b->count++;
	b->last = rule;
	return buf_add(b->out, &row, sizeof(row));
}

/* An offset of the file as one in the region, or the nearest that is. */
static __u32 in_region(const struct building *b, __u32 offset)
{
	if (offset < b->begin)
		return 0;
	return offset - b->begin < REGION_SIZE ? offset - b->begin : REGION_SIZE;
}

/* The rule holds from where the rows end up to this offset in the region. */
static int fill(struct building *b, __u32 to, __u32 rule)
{
	int err = 0;

	while (!err && b->done < to) {
		const __u32 page = b->done / PAGE_BYTES, page_end = (page + 1) * PAGE_BYTES;

		if (b->done % PAGE_BYTES == 0)
			b->index[page] = b->count;
		if (b->done % PAGE_BYTES == 0 || rule != b->last)
			err = add_row(b, rule);
		b->done = to < page_end ? to : page_end;
	}
	return err;
}

/* No function is from where the rows end up to this offset in the region. */
static int fill_gap(struct building *b, __u32 to)
{
	int err = 0;

	for (int i = 0; !err && i < b->gaps.count; i++) {
		const struct gap *g = &b->gaps.list[i];
		const __u32 begin = in_region(b, g->begin), end = in_region(b, g->end);

		if (end <= b->done || begin >= to)
			continue;
		err = fill(b, begin, rule_unknown()) ?: fill(b, end < to ? end : to, g->rule);
	}
	return err ?: fill(b, to, rule_unknown());
}

struct executed {
	struct building *building;
	bool signal;
};

static int on_state(void *context, __u64 begin, __u64 end, const struct cfi_state *state)
{
	const struct executed *x = context;
	struct building *b = x->building;

	(void)begin; /* that is where the last one ended, or this is before the region */
	if (b->done == REGION_SIZE)
		return 1;
	return fill(b, in_region(b, b->range->begin + (end - b->address)),
		    b->machine == EM_AARCH64 ? rule_of_arm64(state) : rule_of(state, x->signal));
}

static int execute_function(struct building *b, const struct range *range)
{
	const struct eh_frame *section = &b->sections[range->section];
	struct executed x = { .building = b };
	struct eh_function f;
	int err = eh_frame_read(section, range->offset, &f);

	if (err || f.common.return_register != (b->machine == EM_AARCH64 ? CFI_X30 : CFI_RIP))
		return 0;
	b->work += reader_left(&f.common.instructions) + reader_left(&f.instructions);
	if (b->work > ROWS_WORK_MAX)
		return -E2BIG;
	b->range = range;
	b->address = f.address;
	x.signal = f.common.signal;
	err = cfi_run(section, &f, on_state, &x);
	return err == -EBADMSG || err > 0 ? 0 : err;
}

static int execute_functions(struct building *b)
{
	const struct range *list = (const struct range *)b->ranges.data;
	const size_t count = b->ranges.size / sizeof(*list);
	int err = 0;

	if (count)
		qsort(b->ranges.data, count, sizeof(*list), compare_ranges);
	for (size_t i = 0; !err && i < count; i++) {
		const __u32 begin = in_region(b, list[i].begin), end = in_region(b, list[i].end);

		if (end <= b->done) /* earlier ones cover it */
			continue;
		err = fill_gap(b, begin) ?: execute_function(b, &list[i]);
		err = err ?: fill(b, end, rule_unknown()); /* what its instructions did not reach */
	}
	return err ?: fill_gap(b, REGION_SIZE);
}

static int write_rows(struct building *b, __u32 region)
{
	const size_t begin = b->out->size;
	struct rows_header h = { .region = region };
	int err = buf_add(b->out, &h, sizeof(h)) ?: buf_add(b->out, b->index, sizeof(b->index));

	err = err ?: execute_functions(b);
	if (err)
		return err;
	h.count = b->index[REGION_PAGES] = b->count;
	memcpy(b->out->data + begin, &h, sizeof(h));
	memcpy(b->out->data + begin + sizeof(h), b->index, sizeof(b->index));
	return 0;
}

int rows_read(int fd, __u32 region, struct buf *out)
{
	_cleanup_(elf_file_cleanup) Elf *elf = NULL;
	_cleanup_(cleanup_building) struct building b = { .begin = region << REGION_SHIFT, .out = out };
	const size_t size = out->size;
	Elf64_Ehdr header;
	int err;

	if (region >= ROWS_REGIONS)
		return -ERANGE;
	err = elf_file_header(fd, &header);
	err = err ?: code_loads_read(fd, &header, &b.loads);
	err = err ?: elf_file_open(fd, &elf);
	b.machine = err ? EM_NONE : header.e_machine;
	if (b.machine == EM_AARCH64)
		err = gaps_find(fd, elf, &b.loads, &b.gaps);
	err = err ?: code_frames_each(elf, on_section, &b);
	err = err ?: write_rows(&b, region);
	if (err)
		out->size = size;
	return err;
}

/* rows_read() of an ELF file in memory, of this size. */
static int read_image(const void *image, size_t size, __u32 region, struct buf *out)
{
	_cleanup_close_ int fd = memfd_create("image", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	for (size_t done = 0; done < size;) {
		ssize_t n = pwrite(fd, (const char *)image + done, size - done, done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? n : 0;
	}
	return rows_read(fd, region, out);
}

/* Its table of sections is the last thing in it, as compilers write it. */
int rows_read_vdso(__u32 region, struct buf *out)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);

	if (!header)
		return -ENOENT;
	return read_image(header, header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr), region, out);
}

/* --- the receiving side --------------------------------------------------------------------------------- */

static bool is_sane_page(const __u32 *rows, __u32 count)
{
	if (!count || row_offset(rows[0]))
		return false;
	for (__u32 i = 0; i < count; i++)
		if (!rule_is_sane(row_rule(rows[i])) || (i && row_offset(rows[i]) <= row_offset(rows[i - 1])))
			return false;
	return true;
}

static bool is_sane_region(const struct rows *r)
{
	const __u32 *index = r->words, *rows = r->words + REGION_INDEX;

	if (index[0] || index[REGION_PAGES] != r->count)
		return false;
	for (__u32 page = 0; page < REGION_PAGES; page++)
		if (index[page + 1] <= index[page] || index[page + 1] > r->count ||
		    !is_sane_page(rows + index[page], index[page + 1] - index[page]))
			return false;
	return true;
}

int rows_parse(const void *bytes, size_t size, struct rows *ret)
{
	struct rows_header h;
	struct rows rows;

	if (size < sizeof(h))
		return -EBADMSG;
	memcpy(&h, bytes, sizeof(h));
	if (h.region >= ROWS_REGIONS || h.count > REGION_ROWS ||
	    size != sizeof(h) + (REGION_INDEX + h.count) * sizeof(__u32))
		return -EBADMSG;
	rows = (struct rows){ h.region, h.count, (const __u32 *)((const char *)bytes + sizeof(h)) };
	if (!is_sane_region(&rows))
		return -EBADMSG;
	*ret = rows;
	return 0;
}

__u32 rows_find(const struct rows *r, __u32 offset)
{
	const __u32 *index = r->words + offset / PAGE_BYTES, *rows = r->words + REGION_INDEX;
	__u32 low = index[0], high = index[1];

	while (low + 1 < high) {
		__u32 middle = (low + high) / 2;

		if (row_offset(rows[middle]) <= offset % PAGE_BYTES)
			low = middle;
		else
			high = middle;
	}
	return row_rule(rows[low]);
}
