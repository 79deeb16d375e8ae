// SPDX-License-Identifier: GPL-2.0-only
#include "elf/tail_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"

#define FUNCTIONS_MIN 100     /* CPython 3.14 has 225 instructions */
#define JUMPS_MAX     65536   /* of a file; CPython has 300 */
#define CODE_MAX      (64 << 20) /* bytes of a file that is looked through; the largest CPython has 18 MiB */
#define CHUNK	      65536
#define LEA_SIZE      7
#define LEA_BEFORE    64 /* bytes before a jump in which the table's address is loaded */
#define JUMP_SIZE     7  /* with an address in it */

/* A jump through a table of addresses of 8 bytes each. */
struct jump {
	__u64 table;
	__u32 part; /* that it is in */
};

struct tail_call_search {
	const __u32 *parts;
	size_t n;
	struct buf jumps; /* struct jump[] */
};

static void cleanup_jump_search(struct tail_call_search *s)
{
	buf_free(&s->jumps);
}

static __u32 part_at(const struct tail_call_search *s, __u32 offset)
{
	size_t low = 0, high = s->n;

	while (low + 1 < high) {
		const size_t middle = low + (high - low) / 2;

		if (s->parts[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* lea table(%rip), %base: REX.W 8D /r, with mod 0 and r/m 5. */
static bool is_lea(const __u8 *p, int base)
{
	return (p[0] & 0xfb) == 0x48 && p[1] == 0x8d && (p[2] & 0xc7) == 0x05 &&
	       ((p[2] >> 3 & 7) | (p[0] & 4) << 1) == base;
}

static __u64 signed_word(const __u8 *p)
{
	__s32 word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/*
 * The table of the jump at code[at], or 0. jmp *(%base,%index,8) is FF /4 with a SIB byte, after a REX prefix
 * if one of the registers is a new one; jmp *table(,%index,8) has the address in it.
 */
static __u64 table_of(const __u8 *code, size_t at, __u64 address)
{
	const __u8 sib = code[at + 2], rex = at && (code[at - 1] & 0xf0) == 0x40 ? code[at - 1] : 0;
	const int base = (sib & 7) | (rex & 1) << 3;

	if (sib >> 6 != 3)
		return 0;
	if ((sib & 7) == 5)
		return rex & 1 ? 0 : (__u32)signed_word(code + at + 3);
	for (size_t back = LEA_SIZE; back <= LEA_BEFORE && back <= at; back++)
		if (is_lea(code + at - back, base))
			return address - back + LEA_SIZE + signed_word(code + at - back + 3);
	return 0;
}

/* Looks at the jumps that begin in code[from..end); there are JUMP_SIZE bytes behind end. */
static int find_jumps(struct tail_call_search *s, const __u8 *code, size_t from, size_t end, __u64 address,
		      __u32 offset)
{
	int err = 0;

	for (size_t at = from; !err && at < end; at++) {
		const __u8 *next = memchr(code + at, 0xff, end - at);
		struct jump j;

		if (!next)
			break;
		at = next - code;
		if (next[1] != 0x24)
			continue;
		j = (struct jump){ table_of(code, at, address + at), part_at(s, offset + at) };
		if (j.table && s->jumps.size < JUMPS_MAX * sizeof(j))
			err = buf_add(&s->jumps, &j, sizeof(j));
	}
	return err;
}

/* In pieces, each of which begins with the end of the one before. */
static int search_load(struct tail_call_search *s, int fd, const struct code_load *l)
{
	_cleanup_free_ __u8 *code = calloc(1, LEA_BEFORE + CHUNK + JUMP_SIZE);
	int err = code ? 0 : -ENOMEM;

	for (__u64 at = 0; !err && at < l->size; at += CHUNK) {
		const __u64 before = at ? LEA_BEFORE : 0, rest = l->size - at;
		const size_t size = rest < CHUNK ? rest : CHUNK;
		const size_t behind = rest - size < JUMP_SIZE ? rest - size : JUMP_SIZE;

		memset(code + before + size, 0, JUMP_SIZE);
		err = elf_file_read(fd, code, before + size + behind, l->offset + at - before);
		err = err ?: find_jumps(s, code, before, before + size, l->address + at - before,
					l->offset + at - before);
	}
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct jump *x = a, *y = b;

	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	return (x->part > y->part) - (x->part < y->part);
}

/* Marks the functions that jump through one table, if they are enough. */
static void mark(const struct jump *jumps, size_t n, bool *ret_is)
{
	size_t functions = 0;

	for (size_t i = 0; i < n; i++)
		functions += !i || jumps[i].part != jumps[i - 1].part;
	for (size_t i = 0; functions >= FUNCTIONS_MIN && i < n; i++)
		ret_is[jumps[i].part] = true;
}

static void mark_all(struct tail_call_search *s, bool *ret_is)
{
	struct jump *jumps = (struct jump *)s->jumps.data;
	const size_t n = s->jumps.size / sizeof(*jumps);

	if (n)
		qsort(jumps, n, sizeof(*jumps), compare);
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first; end < n && jumps[end].table == jumps[first].table; end++)
			;
		mark(jumps + first, end - first, ret_is);
	}
}

int tail_calls_find(int fd, const struct code_loads *loads, const __u32 *parts, size_t n, bool *ret_is)
{
	_cleanup_(cleanup_jump_search) struct tail_call_search s = { .parts = parts, .n = n };
	__u64 size = 0;
	int err = 0;

	for (int i = 0; i < loads->count; i++)
		size += loads->list[i].size;
	if (size > CODE_MAX || !n)
		return 0;
	for (int i = 0; !err && i < loads->count; i++)
		err = search_load(&s, fd, &loads->list[i]);
	if (!err)
		mark_all(&s, ret_is);
	return err;
}
