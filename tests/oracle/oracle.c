// SPDX-License-Identifier: GPL-2.0-only
/*
 * oracle.c - the line oracle: oracle PID DUMP. Reads every code object that tests/oracle/dump.py lists out of
 * the live interpreter, as the worker does, and compares names, and line and column of every
 * instruction, with what the interpreter itself says. Prints the counts; exit status 1 if anything differs, 2
 * if it cannot compare.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "python/capture_remote.h"
#include "names/codes.h"
#include "python/identify.h"
#include "python/line_index.h"
#include "proc/procfs.h"

#define SHOWN  20 /* differences that are printed */
#define SAMPLE 5  /* every so many instructions also go through codes_resolve() */

struct dump {
	const __u8 *at;
	const __u8 *end;
	__u32 version;
	__u32 count;
};

struct expected {
	__u64 address;
	__s32 first_line;
	__u32 name_size;
	__u32 file_size;
	__u32 runs;
	const char *name;
	const char *file;
	const __u8 *run; /* of struct run */
};

struct run {
	__u32 units; /* of code */
	__s32 line, column;
};

static struct {
	unsigned long codes, instructions, none, columns, resolved, large, differences;
} count;

static void differs(const struct expected *e, const char *what, long long is, long long should)
{
	if (count.differences++ < SHOWN)
		printf("%.*s:%d %.*s: %s: %lld, not %lld\n", (int)e->file_size, e->file, e->first_line,
		       (int)e->name_size, e->name, what, is, should);
}

static void differs_text(const struct expected *e, const char *what, const char *is)
{
	if (count.differences++ < SHOWN)
		printf("%.*s:%d %.*s: %s: '%s'\n", (int)e->file_size, e->file, e->first_line,
		       (int)e->name_size, e->name, what, is);
}

static const void *dump_take(struct dump *d, size_t size)
{
	const void *taken = d->at;

	if (size > (size_t)(d->end - d->at))
		return NULL;
	d->at += size;
	return taken;
}

static int dump_open(struct dump *d, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *magic;
	const void *words;
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	d->at = map;
	d->end = d->at + st.st_size;
	magic = dump_take(d, 4);
	words = dump_take(d, 8);
	if (!magic || !words || memcmp(magic, "PYLO", 4) != 0)
		return -EBADMSG;
	memcpy(&d->version, words, 4);
	memcpy(&d->count, (const char *)words + 4, 4);
	return 0;
}

static int dump_next(struct dump *d, struct expected *e)
{
	const void *fixed = dump_take(d, offsetof(struct expected, name));

	if (!fixed)
		return -EBADMSG;
	memcpy(e, fixed, offsetof(struct expected, name));
	e->name = dump_take(d, e->name_size);
	e->file = dump_take(d, e->file_size);
	e->run = dump_take(d, (size_t)e->runs * sizeof(struct run));
	return e->name && e->file && e->run ? 0 : -EBADMSG;
}

/* As the agent gets it, from the process itself; the interpreter's own word on its version must agree. */
static int oracle_layout(pid_t pid, __u32 version, struct layout *ret)
{
	static struct identity identity;
	__u64 start;
	int r;

	r = procfs_start_ticks(pid, &start);
	if (r)
		return r;
	r = identify(pid, start, &identity);
	if (r)
		return r;
	if (identity.verdict != VERDICT_PYTHON || identity.hexversion != version) {
		fprintf(stderr, "oracle: identified as '%s' (%s)\n", identity.version, identity.reason);
		return -ENOTSUP;
	}
	*ret = identity.layout;
	return 0;
}

static int text_is(const char *text, const char *expected, __u32 size)
{
	return strlen(text) == size && memcmp(text, expected, size) == 0;
}

static void compare_resolved(struct codes *codes, __u32 code, const struct expected *e, __u32 instr,
			     const struct run *run)
{
	int line = run->line ? run->line : e->first_line;
	struct code_line l;

	codes_resolve(codes, code, instr + 1, &l);
	count.resolved++;
	if (l.line != line)
		differs(e, "resolved line", l.line, line);
	if (l.column != run->column)
		differs(e, "resolved column", l.column, run->column);
	if (l.first_line != e->first_line)
		differs(e, "first line", l.first_line, e->first_line);
	if (!text_is(l.function, e->name, e->name_size))
		differs_text(e, "function", l.function);
	if (!text_is(l.file, e->file, e->file_size))
		differs_text(e, "file", l.file);
}

/* The index gives what the decoder from the start gives. */
static void compare_index(const struct line_index *index, const struct expected *e, const __u8 *table,
			  size_t len, __u32 instr, int should, const struct line_position *position)
{
	struct line_position got = { .line = -1, .column = -1 };
	int r = line_index_line(index, table, len, instr, &got);

	if (r != should || (!r && got.line != position->line))
		differs(e, "line by the index", r ? r : got.line, should ? should : position->line);
	if (!r && got.column != position->column)
		differs(e, "column by the index", got.column, position->column);
}

/* Every instruction by the decoder and by an index, some of them by the store. */
static void compare_positions(struct codes *codes, __u32 code, const struct expected *e, __u32 format,
			      const __u8 *table, size_t len)
{
	_cleanup_free_ struct line_index *index = NULL;
	linetable_fn *decode = linetable_for_format(format);
	struct line_position got;
	__u32 instr = 0;
	struct run run;
	int r;

	r = line_index_new(format, table, len, e->first_line, &index);
	if (r) {
		differs(e, "no index", r, 0);
		return;
	}
	for (__u32 at = 0; at < e->runs; at++) {
		memcpy(&run, e->run + at * sizeof(run), sizeof(run));
		for (__u32 i = 0; i < run.units; i++, instr++) {
			got = (struct line_position){ .line = -1, .column = -1 };
			r = decode(table, len, e->first_line, instr, &got);
			compare_index(index, e, table, len, instr, r, &got);
			if (r || got.line != run.line)
				differs(e, "line", r ? r : got.line, run.line);
			if (r || got.column != run.column)
				differs(e, "column", r ? r : got.column, run.column);
			if (instr % SAMPLE == 0)
				compare_resolved(codes, code, e, instr, &run);
			count.none += run.line == 0;
			count.columns += run.column != 0;
		}
	}
	count.instructions += instr;
	/* co_lnotab does not say where the bytecode ends. */
	r = decode(table, len, e->first_line, instr, &got);
	compare_index(index, e, table, len, instr, r, &got);
	if (r != (decode == linetable_line_lnotab || decode == linetable_line_27 ? 0 : -ENOENT))
		differs(e, "behind the last instruction", r, -ENOENT);
}

static int compare_code(pid_t pid, const struct layout *layout, struct codes *codes, __u32 code,
			const struct expected *e)
{
	_cleanup_free_ __u8 *table = NULL;
	static struct record_code record;
	size_t len;
	int r;

	r = capture_remote(pid, layout, e->address, &record);
	if (r)
		return r;
	record.code = code;
	r = codes_add(codes, &record, capture_remote_size(&record));
	if (r)
		return r;
	r = capture_remote_table(pid, layout, record.table.address, &table, &len);
	if (r)
		return r;
	if (codes_incomplete(&record)) {
		count.large++;
		r = codes_set_table(codes, code, table, len);
		if (r)
			return r;
	}
	compare_positions(codes, code, e, layout->line_format, table, len);
	return 0;
}

static int compare_all(pid_t pid, struct dump *d, const struct layout *layout)
{
	struct codes *codes;
	struct expected e;
	int r = codes_new(&codes, 0);

	if (r)
		return r;
	for (__u32 i = 0; i < d->count; i++) {
		r = dump_next(d, &e);
		if (r)
			break;
		r = compare_code(pid, layout, codes, CODE_FIRST + i, &e);
		if (r)
			differs(&e, "not read", r, 0);
		r = 0;
		count.codes++;
	}
	codes_free(codes);
	return r;
}

int main(int argc, char **argv)
{
	struct layout layout;
	struct dump d = { 0 };
	pid_t pid;
	int r;

	if (argc != 3) {
		fprintf(stderr, "usage: oracle PID DUMP\n");
		return 2;
	}
	pid = (pid_t)strtol(argv[1], NULL, 10);
	r = dump_open(&d, argv[2]);
	if (!r)
		r = oracle_layout(pid, d.version, &layout);
	if (!r)
		r = compare_all(pid, &d, &layout);
	if (r) {
		fprintf(stderr, "oracle: %s: %s\n", argv[2], strerror(-r));
		return 2;
	}
	printf("codes %lu instructions %lu none %lu columns %lu resolved %lu large %lu differences %lu\n",
	       count.codes, count.instructions, count.none, count.columns, count.resolved, count.large,
	       count.differences);
	return count.differences != 0;
}
