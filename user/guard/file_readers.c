// SPDX-License-Identifier: GPL-2.0-only
/*
 * file_readers.c - the child's side of requests about files: it opens them. Those with machine code are read
 * by its parser.
 */
#include "guard/reading.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "elf/functions.h"
#include "elf/image.h"
#include "elf/rows.h"
#include "guard/isolate.h"
#include "guard/parser.h"
#include "guard/requests.h"
#include "proc/debug_file.h"
#include "proc/perf_map.h"
#include "proc/procfs.h"
#include "proc/safe_open.h"
#include "proc/source_text.h"

#define IMAGES_MS 200 /* of the 500 (WORKER_DEADLINE_MS); what was read of a killed worker is read again */

/* --- the parser ----------------------------------------------------------------------------------------- */

/* Has the parser read a file. When it is gone this process ends, too: they are made anew together. */
static int have_parsed(const struct parser_question *q, int fd, struct buf *out)
{
	int err = parser_ask(ISOLATED_PARSER_FD, q, fd, out);

	if (err == -EPIPE)
		_exit(1);
	return err;
}

static int read_image(int fd, struct image *ret)
{
	const struct parser_question q = { .parse = PARSE_IMAGE };
	_cleanup_buf_ struct buf bytes = { 0 };

	return have_parsed(&q, fd, &bytes) ?: image_parse(bytes.data, bytes.size, ret);
}

static struct {
	__u64 end_ms;
	bool has_read; /* one file each time, so that it gets on */
} images;

void reading_begin_images(void)
{
	images.end_ms = clock_ms() + IMAGES_MS;
	images.has_read = false;
}

int reading_image_in_time(int fd, struct image *ret)
{
	if (images.has_read && clock_ms() >= images.end_ms)
		return -EAGAIN;
	images.has_read = true;
	return read_image(fd, ret);
}

/* --- a file that is mapped ------------------------------------------------------------------------------ */

struct wanted_map {
	__u64 address;
	struct procfs_map *ret;
};

static int on_map(const struct procfs_map *map, void *context)
{
	struct wanted_map *w = context;

	if (w->address < map->start || w->address >= map->end)
		return 0;
	*w->ret = *map;
	return 1;
}

/* Opens the file that is mapped at that address, if it is the one that is meant. */
static int open_mapped(pid_t tid, const struct request_mapped *q, __u64 *ret_offset)
{
	static struct procfs_map map;
	struct wanted_map wanted = { q->address, &map };
	_cleanup_close_ int path_fd = -1;
	struct code_file file;
	struct stat stat;
	int err = procfs_maps(tid, on_map, &wanted);

	if (err != 1)
		return err ?: -ENOENT;
	path_fd = safe_open_mapping(tid, &map, &stat);
	if (path_fd < 0)
		return path_fd;
	file = code_file_of(&stat);
	if (memcmp(&file, &q->file, sizeof(file)))
		return -ESTALE;
	*ret_offset = map.offset + (q->address - map.start);
	return safe_open_reopen(path_fd);
}

/* --- its debug file ------------------------------------------------------------------------------------- */

/* Gives the parser this file's debug file, for the next question. False: there is none. */
static bool parse_debug_file(pid_t tid, int fd, const __u8 *build_id, __u8 size)
{
	const struct parser_question beside = { .parse = PARSE_BESIDE };
	_cleanup_close_ int debug = debug_file_open(tid, fd, build_id, size);
	_cleanup_buf_ struct buf nothing = { 0 };

	return debug >= 0 && !have_parsed(&beside, debug, &nothing);
}

/* Parses the debug file of the file at hand. */
static bool parse_its_debug_file(pid_t tid, int fd)
{
	struct image image;

	return !read_image(fd, &image) && parse_debug_file(tid, fd, image.build_id, image.build_id_size);
}

/* Has a stripped file parsed once more, with its separate debug file, if there is one. */
static void add_debug_file(pid_t tid, int fd, struct buf *out)
{
	const struct parser_question q = { .parse = PARSE_FUNCTIONS };
	_cleanup_buf_ struct buf more = { 0 };
	struct functions functions;
	struct buf plain = *out;

	if (functions_parse(out->data, out->size, &functions) || functions.has_symbols ||
	    !parse_debug_file(tid, fd, functions.build_id, functions.build_id_size) ||
	    have_parsed(&q, fd, &more))
		return;
	*out = more;
	more = plain;
}

/* --- the readers ---------------------------------------------------------------------------------------- */

int read_functions(struct reading *r)
{
	const struct parser_question q = { .parse = PARSE_FUNCTIONS };
	__u64 offset;
	_cleanup_close_ int fd = open_mapped(r->tid, &r->request->functions.mapped, &offset);
	int err = fd < 0 ? fd : have_parsed(&q, fd, &r->table);

	if (!err && !r->request->functions.plain)
		add_debug_file(r->tid, fd, &r->table);
	return err;
}

int read_rows(struct reading *r)
{
	struct parser_question q = { .parse = PARSE_ROWS };
	__u64 offset;
	_cleanup_close_ int fd = open_mapped(r->tid, &r->request->mapped, &offset);

	if (fd < 0)
		return fd;
	if (offset >> REGION_SHIFT >= ROWS_REGIONS)
		return -ERANGE;
	q.region = offset >> REGION_SHIFT;
	return have_parsed(&q, fd, &r->table);
}

/* From the separate debug file if there are no lines in the file itself. */
int read_source(struct reading *r)
{
	const struct parser_question q = { .parse = PARSE_SOURCE, .source = r->request->source.source };
	__u64 offset;
	_cleanup_close_ int fd = open_mapped(r->tid, &r->request->source.mapped, &offset);
	int err = fd < 0 ? fd : have_parsed(&q, fd, &r->table);

	if (fd >= 0 && err == -ENODATA && parse_its_debug_file(r->tid, fd))
		return have_parsed(&q, fd, &r->table);
	return err;
}

/* From the separate debug file as well. */
int read_names(struct reading *r)
{
	const struct parser_question q = { .parse = PARSE_NAMES, .source = r->request->source.source };
	__u64 offset;
	_cleanup_close_ int fd = open_mapped(r->tid, &r->request->source.mapped, &offset);

	if (fd < 0)
		return fd;
	parse_its_debug_file(r->tid, fd);
	return have_parsed(&q, fd, &r->table);
}

int read_perf_map(struct reading *r)
{
	const struct parser_question q = { .parse = PARSE_PERF_MAP };
	struct stat stat;
	_cleanup_close_ int fd = perf_map_open(r->tid, &stat);
	struct code_file file;

	if (fd < 0)
		return fd;
	file = code_file_of(&stat);
	if (!memcmp(&file, &r->request->perf_map.known, sizeof(file)))
		return -EALREADY;
	return buf_add(&r->table, &file, sizeof(file)) ?: have_parsed(&q, fd, &r->table);
}

/* It takes no parser: lines are found, and nothing is understood. */
int read_source_text(struct reading *r)
{
	return source_text_read(r->tid, &r->request->source_text.wanted, &r->table);
}
