// SPDX-License-Identifier: GPL-2.0-only
/*
 * guide.c - `pyperf-bpf guide`: from questions to commands.
 */
#include <stdio.h>
#include <stdlib.h>

#include "run/commands.h"
#include "run/guide.h"
#include "run/printed.h"

#define SCHEMA "pyperf-bpf.guide/1"

const struct guide_row guide_rows[] = {
#define GUIDE(question, command, page) { question, command, page },
#include "run/guide.def"
};

const size_t guide_count = ARRAY_SIZE(guide_rows);

static int add_text(const struct guide_row *r, struct buf *out)
{
	return buf_printf(out, "%s\n    %s    (docs/%s.md)\n", r->question, r->command, r->page);
}

static int add_json(const struct guide_row *r, struct buf *out)
{
	return buf_add_string(out, "{\"question\":") ?: buf_add_json(out, r->question) ?:
	       buf_add_string(out, ",\"command\":") ?: buf_add_json(out, r->command) ?:
	       buf_printf(out, ",\"page\":\"docs/%s.md\"}", r->page);
}

int run_guide(struct options *o)
{
	_cleanup_buf_ struct buf out = { 0 };
	int err = o->json ? buf_add_string(&out, "{\"schema\":\"" SCHEMA "\",\"guide\":[\n") : 0;

	for (size_t i = 0; i < guide_count && !err; i++)
		err = o->json ? buf_add_string(&out, i ? ",\n" : "") ?: add_json(&guide_rows[i], &out) :
				add_text(&guide_rows[i], &out);
	if (!err && o->json)
		err = buf_add_string(&out, "\n]}\n");
	return printed(err, &out) ? EXIT_FAILURE : EXIT_SUCCESS;
}
