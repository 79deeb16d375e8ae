// SPDX-License-Identifier: GPL-2.0-only
#include "proc/perf_map.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/small_file.h"
#include "proc/procfs.h"
#include "proc/safe_open.h"

#define ADDRESS_BITS 56
#define READ_STEP    (1 << 20) /* bytes that are asked for at a time */
#define STATUS_MAX   16384 /* bytes of /proc/PID/status; it has 1,500 */

/* The bytes that are sent: this, count struct perf_map_function, names. */
struct sent_perf_map {
	__u32 count, names_size;
};

/* The pid in the innermost namespace; 0 = it is not known. */
static pid_t own_pid(pid_t tid)
{
	_cleanup_free_ char *text = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	return small_file_read(path, STATUS_MAX, &text) ? 0 : procfs_parse_own_id(text, "NStgid");
}

int perf_map_open(pid_t tid, struct stat *ret)
{
	const pid_t pid = own_pid(tid);
	char path[64];
	int fd;

	if (pid <= 0)
		return -ENOENT;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	fd = safe_open_named(tid, path, SAFE_OPEN_OWN, ret);
	return fd < 0 ? -ENOENT : fd;
}

struct perf_map_reading {
	struct buf text;
	struct buf list;  /* struct perf_map_function[], one for each line */
	struct buf parts; /* struct perf_map_function[] that do not overlap */
	struct buf names;
};

static void cleanup_reading(struct perf_map_reading *r)
{
	buf_free(&r->text);
	buf_free(&r->list);
	buf_free(&r->parts);
	buf_free(&r->names);
}

/* Up to the bound or the end, which is not where it was when it was opened. */
static int read_whole_map(int fd, struct buf *text)
{
	while (text->size < PERF_MAP_FILE_MAX) {
		ssize_t n;

		if (buf_reserve(text, READ_STEP))
			return -ENOMEM;
		n = pread(fd, text->data + text->size, READ_STEP, text->size);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			break;
		text->size += n > 0 ? n : 0;
	}
	return 0;
}

static bool take_number(const char **at, __u64 *ret)
{
	char *end;

	if (**at == ' ' || **at == '\t' || **at == '-' || **at == '+')
		return false;
	errno = 0;
	*ret = strtoull(*at, &end, 16);
	if (end == *at || errno || *end != ' ')
		return false;
	*at = end + 1;
	return true;
}

/* A line, which ends with a NUL. */
static int add_function(struct perf_map_reading *r, const char *line)
{
	struct perf_map_function f = { .name = r->names.size };
	__u64 size;

	if (!take_number(&line, &f.begin) || !take_number(&line, &size) || !*line || !size ||
	    size > UINT32_MAX || f.begin >> ADDRESS_BITS)
		return 0;
	f.size = size;
	return buf_add(&r->list, &f, sizeof(f)) ?:
	       buf_add(&r->names, line, strnlen(line, PERF_MAP_NAME_SIZE - 1)) ?: buf_add(&r->names, "", 1);
}

static bool has_room(const struct perf_map_reading *r)
{
	return r->list.size < PERF_MAP_COUNT_MAX * sizeof(struct perf_map_function) &&
	       r->names.size <= PERF_MAP_NAMES_MAX - PERF_MAP_NAME_SIZE;
}

/* Without the last line if that is not whole yet. */
static int read_lines(struct perf_map_reading *r)
{
	char *line = r->text.data, *end;
	int err = buf_add(&r->names, "", 1);

	for (; !err && r->text.size && has_room(r); line = end + 1) {
		end = memchr(line, '\n', r->text.data + r->text.size - line);
		if (!end)
			break;
		*end = '\0';
		err = add_function(r, line);
	}
	return err;
}

static int compare_begins(const void *a, const void *b)
{
	const struct perf_map_function *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int compare_bounds(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

/* Functions that cover a place: a heap. The newest, whose name is furthest behind, is on top. */
struct map_cover {
	const struct perf_map_function **list;
	size_t count;
};

static void sift_down(struct map_cover *c, size_t at)
{
	for (size_t child; (child = 2 * at + 1) < c->count; at = child) {
		const struct perf_map_function *f = c->list[at];

		if (child + 1 < c->count && c->list[child + 1]->name > c->list[child]->name)
			child++;
		if (f->name > c->list[child]->name)
			return;
		c->list[at] = c->list[child];
		c->list[child] = f;
	}
}

static void push(struct map_cover *c, const struct perf_map_function *f)
{
	size_t at = c->count++;

	for (; at && c->list[(at - 1) / 2]->name < f->name; at = (at - 1) / 2)
		c->list[at] = c->list[(at - 1) / 2];
	c->list[at] = f;
}

/* The newest that has not ended before this address, or NULL. */
static const struct perf_map_function *newest(struct map_cover *c, __u64 address)
{
	while (c->count && c->list[0]->begin + c->list[0]->size <= address) {
		c->list[0] = c->list[--c->count];
		sift_down(c, 0);
	}
	return c->count ? c->list[0] : NULL;
}

/* A part of f, which may go on with what the last one was. */
static int add_part(struct buf *out, const struct perf_map_function *f, __u64 begin, __u64 end)
{
	struct perf_map_function *last =
		out->size ? (struct perf_map_function *)(out->data + out->size) - 1 : NULL;
	const struct perf_map_function part = { begin, end - begin, f->name };

	if (last && last->name == f->name && last->begin + last->size == begin) {
		last->size += end - begin;
		return 0;
	}
	return out->size < PERF_MAP_COUNT_MAX * sizeof(part) ? buf_add(out, &part, sizeof(part)) : 0;
}

/* Memory is used again for other code: of each place the later line tells. bounds: begins and ends. */
static int sweep(const struct perf_map_function *list, size_t n, const __u64 *bounds, struct map_cover *cover,
		 struct buf *out)
{
	int err = 0;

	for (size_t i = 0, next = 0; !err && i + 1 < 2 * n; i++) {
		const struct perf_map_function *f;

		while (next < n && list[next].begin <= bounds[i])
			push(cover, &list[next++]);
		f = newest(cover, bounds[i]);
		if (f && bounds[i] < bounds[i + 1])
			err = add_part(out, f, bounds[i], bounds[i + 1]);
	}
	return err;
}

static int part_overlapping(struct buf *lines, struct buf *out)
{
	struct perf_map_function *list = (struct perf_map_function *)lines->data;
	const size_t n = lines->size / sizeof(*list);
	_cleanup_free_ __u64 *bounds = calloc(2 * n + 1, sizeof(*bounds));
	_cleanup_free_ const struct perf_map_function **heap = calloc(n + 1, sizeof(*heap));
	struct map_cover cover = { heap, 0 };

	if (!bounds || !heap)
		return -ENOMEM;
	if (!n)
		return 0;
	qsort(list, n, sizeof(*list), compare_begins);
	for (size_t i = 0; i < n; i++) {
		bounds[2 * i] = list[i].begin;
		bounds[2 * i + 1] = list[i].begin + list[i].size;
	}
	qsort(bounds, 2 * n, sizeof(*bounds), compare_bounds);
	return sweep(list, n, bounds, &cover, out);
}

int perf_map_read(int fd, struct buf *out)
{
	_cleanup_(cleanup_reading) struct perf_map_reading r = { 0 };
	const size_t size = out->size;
	struct sent_perf_map h = { 0 };
	int err = read_whole_map(fd, &r.text) ?: read_lines(&r) ?: part_overlapping(&r.list, &r.parts);

	if (err)
		return err;
	h.count = r.parts.size / sizeof(struct perf_map_function);
	h.names_size = r.names.size;
	err = buf_add(out, &h, sizeof(h)) ?: buf_add(out, r.parts.data, r.parts.size) ?:
	      buf_add(out, r.names.data, r.names.size);
	if (err)
		out->size = size;
	return err;
}

int perf_map_parse(const void *bytes, size_t size, struct perf_map *ret)
{
	struct sent_perf_map h;
	struct perf_map m;
	__u64 end = 0;

	if (size < sizeof(h))
		return -EBADMSG;
	memcpy(&h, bytes, sizeof(h));
	if (h.count > PERF_MAP_COUNT_MAX || !h.names_size || h.names_size > PERF_MAP_NAMES_MAX ||
	    size != sizeof(h) + (__u64)h.count * sizeof(*m.list) + h.names_size)
		return -EBADMSG;
	m.list = (const void *)((const char *)bytes + sizeof(h));
	m.count = h.count;
	m.names = (const char *)(m.list + h.count);
	if (*m.names || m.names[h.names_size - 1])
		return -EBADMSG;
	for (__u32 i = 0; i < m.count; i++) {
		const struct perf_map_function *f = &m.list[i];

		if (f->begin < end || !f->size || f->begin >> ADDRESS_BITS || f->name >= h.names_size)
			return -EBADMSG;
		end = f->begin + f->size;
	}
	*ret = m;
	return 0;
}

const char *perf_map_find(const struct perf_map *m, __u64 address)
{
	__u32 low = 0, high = m->count;

	while (low < high) {
		__u32 middle = (low + high) / 2;
		const struct perf_map_function *f = &m->list[middle];

		if (address < f->begin)
			high = middle;
		else if (address - f->begin >= f->size)
			low = middle + 1;
		else
			return m->names + f->name;
	}
	return "";
}
