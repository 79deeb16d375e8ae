// SPDX-License-Identifier: GPL-2.0-only
#include "targets/captures.h"

#include <string.h>

#include "base/log.h"
#include "guard/worker.h"
#include "kern/kernel.h"
#include "names/codes.h"
#include "python/capture_remote.h"
#include "targets/questions.h"
#include "targets/registry.h"

/* If nothing is missing, or the process is not known any more, nothing is asked. */
static void ask_for_missing(const struct captures *c, const struct record_code *e)
{
	unsigned int missing = codes_incomplete(e);
	const struct registry_entry *r = registry_find(c->registry, e->process);
	struct worker_request request;
	struct question q = {
		.process_id = e->process,
		.code = e->code,
		.fingerprint = e->fingerprint,
		.table = e->table.address,
		.first_line = e->first_line,
	};

	if (!missing || !r || r->layout < 0)
		return;
	request = question_request(WORKER_CAPTURE, e->pid, r->start_time);
	request.address = e->address;
	if (kernel_get_layout(c->kernel, r->layout, &request.layout))
		return;
	if (missing == CODES_TABLE && e->table.flags == PART_CUT) {
		request.type = WORKER_TABLE;
		request.address = e->table.address;
	}
	questions_ask(c->questions, &q, &request);
}

void captures_record(const struct captures *c, const struct record_code *e, size_t size)
{
	int err = codes_add(c->codes, e, size);

	if (err)
		log_debug("a code object of pid %u was not kept: %s", e->pid, strerror(-err));
	else
		ask_for_missing(c, e);
}

/* The object may have been freed and its memory used again since the kernel side saw its header. */
static bool is_same_code(const struct question *q, const struct record_code *e)
{
	if (q->fingerprint == FINGERPRINT_UNREAD)
		return true;
	return e->table.address == q->table && e->first_line == q->first_line;
}

static void on_capture(const struct captures *c, const struct question *q, struct record_code *e)
{
	if (!is_same_code(q, e))
		return;
	e->code = q->code;
	e->process = q->process_id;
	e->fingerprint = q->fingerprint;
	codes_add(c->codes, e, capture_remote_size(e));
	if (codes_incomplete(e) == CODES_TABLE && e->table.flags == PART_CUT)
		ask_for_missing(c, e);
}

void captures_reply(const struct captures *c, const struct question *q, struct worker_reply *r)
{
	if (r->error || !q->code)
		return;
	if (r->type == WORKER_CAPTURE)
		on_capture(c, q, &r->code);
	else
		codes_set_table(c->codes, q->code, r->table, r->table_size);
}
