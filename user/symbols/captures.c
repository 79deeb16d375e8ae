// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/captures.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "guard/worker.h"
#include "kern/banks.h"
#include "kern/process_table.h"
#include "names/codes.h"
#include "python/capture_remote.h"
#include "targets/questions.h"
#include "targets/registry.h"

#define PAUSE_MIN_NS (100 * NS_PER_MS) /* before what failed is asked again; doubled each time */
#define PAUSE_MAX_NS (30 * NS_PER_SECOND)
#define REFUSED_MAX  32 /* for which the worker has no room, before it is left alone: each may be another's */

/* Something is missing of this code object. It is in one list at most: while it is asked for, in none. */
struct capture {
	__u32 code, process, pid;
	__u64 address, fingerprint, table;
	__s32 first_line;
	bool table_only;	   /* all but the line table is there, which was too large for a record */
	struct capture_list *list; /* NULL = it is asked for */
	__u64 pause, due;
	struct capture *prev, *next;
	UT_hash_handle hh;
};

/* The note of a question: the code object, and how it looked when the kernel side read it. */
struct capture_note {
	__u32 process;
	__u32 code; /* 0 = this number means another one by now */
	__u64 fingerprint, table;
	__s32 first_line;
};

static struct capture *find_capture(const struct captures *c, __u32 code)
{
	struct capture *w;

	HASH_FIND(hh, c->wanted, &code, sizeof(code), w);
	return w;
}

static void put_into(struct capture *w, struct capture_list *list)
{
	if (w->list) {
		DL_DELETE(w->list->first, w);
		w->list->count--;
	}
	if (list) {
		DL_APPEND(list->first, w);
		list->count++;
	}
	w->list = list;
}

static void drop(struct captures *c, struct capture *w)
{
	put_into(w, NULL);
	HASH_DEL(c->wanted, w);
	free(w);
}

void captures_clear(struct captures *c)
{
	struct capture *w, *next;

	HASH_ITER(hh, c->wanted, w, next)
		drop(c, w);
	if (c->questions)
		questions_forget(c->questions, c);
}

static void forget_note(void *range, void *note)
{
	const struct kernel_range *codes = range;
	struct capture_note *n = note;

	if (n->code >= codes->first && n->code < codes->end)
		n->code = 0;
}

void captures_forget(struct captures *c, struct kernel_range codes)
{
	struct capture *w, *next;

	HASH_ITER(hh, c->wanted, w, next)
		if (w->code >= codes.first && w->code < codes.end)
			drop(c, w);
	questions_each(c->questions, c, forget_note, &codes);
}

size_t captures_waiting(const struct captures *c)
{
	return c->ready.count;
}

static bool is_only_cut(const struct record_code *e)
{
	return codes_incomplete(e) == CODES_TABLE && e->table.flags == PART_CUT;
}

/* NULL when memory is short: then it stays as incomplete as it is. */
static struct capture *want_capture(struct captures *c, const struct record_code *e)
{
	struct capture *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->code = e->code;
	w->process = e->process;
	w->pid = e->pid;
	w->address = e->address;
	w->fingerprint = e->fingerprint;
	w->table = e->table.address;
	w->first_line = e->first_line;
	w->table_only = is_only_cut(e);
	HASH_ADD(hh, c->wanted, code, sizeof(w->code), w);
	if (w->hh.tbl)
		return w;
	free(w);
	return NULL;
}

/* The object may have been freed and its memory used again since the kernel side saw its header. */
static bool is_same_code(const struct capture_note *n, const struct record_code *e)
{
	if (n->fingerprint == FINGERPRINT_UNREAD)
		return true;
	return e->table.address == n->table && e->first_line == n->first_line;
}

/* A part that the worker cannot read either is not there. What it has cut has to be asked for by itself. */
static void on_capture(struct captures *c, const struct capture_note *n, struct capture *w,
		       struct record_code *e)
{
	bool kept = false;

	if (is_same_code(n, e)) {
		e->code = n->code;
		e->process = n->process;
		e->fingerprint = n->fingerprint;
		kept = !codes_add(c->codes, e, capture_remote_size(e));
	}
	if (!kept || !is_only_cut(e)) {
		drop(c, w);
		return;
	}
	w->table_only = true;
	w->table = e->table.address;
	put_into(w, &c->ready);
}

static void on_failure(struct captures *c, struct capture *w)
{
	w->pause = w->pause ? 2 * w->pause : PAUSE_MIN_NS;
	if (w->pause > PAUSE_MAX_NS)
		w->pause = PAUSE_MAX_NS;
	w->due = clock_ns() + w->pause;
	put_into(w, &c->later);
}

static void on_capture_reply(void *captures, const void *note, struct worker_reply *r)
{
	const struct capture_note *n = note;
	struct captures *c = captures;
	struct capture *w = n->code ? find_capture(c, n->code) : NULL;

	if (!w)
		return;
	if (r->error == -ESRCH || r->error == -EFAULT) { /* the process or the object is not there any more */
		drop(c, w);
	} else if (r->error) {
		on_failure(c, w);
	} else if (r->type == WORKER_CAPTURE) {
		on_capture(c, n, w, &r->code);
	} else {
		codes_set_table(c->codes, n->code, r->table, r->table_size);
		drop(c, w);
	}
	captures_retry(c);
}

/* -ESRCH: there is nobody to ask about. */
static int make_request(const struct captures *c, const struct capture *w, struct worker_request *ret)
{
	const struct registry_entry *r = registry_find(c->registry, w->process);

	if (!r || r->ended || r->layout < 0)
		return -ESRCH;
	*ret = question_request(w->table_only ? WORKER_TABLE : WORKER_CAPTURE, w->pid, r->start_time);
	ret->object.address = w->table_only ? w->table : w->address;
	return kernel_get_layout(c->kernel, r->layout, &ret->object.layout);
}

/* False when the worker has no room for this process or its user: it becomes the last one to be asked. */
static bool ask_capture(struct captures *c, struct capture *w)
{
	const struct capture_note note = {
		.process = w->process,
		.code = w->code,
		.fingerprint = w->fingerprint,
		.table = w->table,
		.first_line = w->first_line,
	};
	const struct question q = { on_capture_reply, c, &note, sizeof(note), false };
	struct worker_request request;
	int err = make_request(c, w, &request);

	if (err) {
		drop(c, w);
		return true;
	}
	err = questions_ask(c->questions, &q, &request);
	put_into(w, err ? &c->ready : NULL);
	return !err;
}

static void look_whose_time_has_come(struct captures *c)
{
	struct capture *w, *next;
	__u64 now = clock_ns();

	if (now - c->looked < PAUSE_MIN_NS)
		return;
	c->looked = now;
	DL_FOREACH_SAFE(c->later.first, w, next)
		if (now >= w->due)
			put_into(w, &c->ready);
}

void captures_retry(struct captures *c)
{
	struct capture *w, *next;
	int refused = 0;

	look_whose_time_has_come(c);
	DL_FOREACH_SAFE(c->ready.first, w, next)
		if (!ask_capture(c, w) && ++refused == REFUSED_MAX)
			return;
}

void captures_record(struct captures *c, const struct record_code *e, size_t size)
{
	int err = codes_add(c->codes, e, size);
	struct capture *w;

	if (err) {
		log_debug("a code object of pid %u was not kept: %s", e->pid, strerror(-err));
		return;
	}
	w = find_capture(c, e->code);
	if (w)
		drop(c, w); /* what was known of it is older */
	w = codes_incomplete(e) ? want_capture(c, e) : NULL;
	if (w)
		put_into(w, &c->ready);
	captures_retry(c);
}

void captures_given(struct captures *c, const struct asleep *of, const struct seen_code *code, __u32 number)
{
	const struct record_code record = {
		.type = RECORD_CODE,
		.code = number,
		.process = of->process,
		.pid = of->pid,
		.address = code->address,
		.fingerprint = code->fingerprint,
		.first_line = code->first_line,
		.name = { .flags = PART_FAULT },
		.file = { .flags = PART_FAULT },
		.table = { .address = code->table, .flags = PART_FAULT },
	};

	captures_record(c, &record, offsetof(struct record_code, data));
}
