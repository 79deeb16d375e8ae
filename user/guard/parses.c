// SPDX-License-Identifier: GPL-2.0-only
/* parses.c - the kinds of questions to the parser. */
#include "guard/parser.h"

#include "base/cleanup.h"
#include "elf/function_names.h"
#include "elf/functions.h"
#include "elf/image.h"
#include "elf/rows.h"
#include "elf/source.h"
#include "proc/perf_map.h"

static int parse_image(int fd, int beside, const struct parser_question *q, struct buf *out)
{
	struct image image;
	int err = image_read(fd, &image);

	(void)beside;
	(void)q;
	return err ?: buf_add(out, &image, sizeof(image));
}

static int parse_functions(int fd, int beside, const struct parser_question *q, struct buf *out)
{
	(void)q;
	return functions_read(fd, beside, out);
}

static int parse_rows(int fd, int beside, const struct parser_question *q, struct buf *out)
{
	(void)beside;
	return rows_read(fd, q->region, out);
}

static int parse_perf_map(int fd, int beside, const struct parser_question *q, struct buf *out)
{
	(void)beside;
	(void)q;
	return perf_map_read(fd, out);
}

static int parse_source(int fd, int beside, const struct parser_question *q, struct buf *out)
{
	return source_read(fd, beside, q->source.offsets, q->source.count, out);
}

static int parse_names(int fd, int beside, const struct parser_question *q, struct buf *out)
{
	return function_names_read(fd, beside, q->source.offsets, q->source.count, out);
}

static int read_nothing(int fd, int beside, const struct parser_question *q, struct buf *out)
{
	(void)fd;
	(void)beside;
	(void)q;
	(void)out;
	return 0;
}

static const struct parse_row rows[] = {
	[PARSE_IMAGE] = { parse_image, sizeof(struct image) },
	[PARSE_FUNCTIONS] = { parse_functions, FUNCTIONS_BYTES_MAX },
	[PARSE_ROWS] = { parse_rows, ROWS_BYTES_MAX },
	[PARSE_PERF_MAP] = { parse_perf_map, PERF_MAP_BYTES_MAX },
	[PARSE_BESIDE] = { read_nothing, 0 },
	[PARSE_SOURCE] = { parse_source, SOURCE_BYTES_MAX },
	[PARSE_NAMES] = { parse_names, SOURCE_BYTES_MAX },
};

const struct parse_row *parse_row(__u32 parse)
{
	return parse < ARRAY_SIZE(rows) && rows[parse].read ? &rows[parse] : NULL;
}
