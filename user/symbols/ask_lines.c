// SPDX-License-Identifier: GPL-2.0-only
/*
 * ask_lines.c - see ask_lines.h. A question is about positions of one file, and goes to a process that has
 * the file mapped and has not ended.
 */
#include "symbols/ask_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/loop.h"
#include "guard/worker.h"
#include "kern/banks.h"
#include "names/native_lines.h"
#include "names/natives.h"
#include "symbols/native.h"
#include "targets/questions.h"
#include "targets/registry.h"

#define BATCHES	     16 /* questions that are being made or have no answer yet */
#define FAILURES_MAX 3	/* of a file that ends who reads it, or makes them late */
#define CHAIN_MAX    8192 /* nodes from a leaf to its root */
#define PAUSE_MAX    16	/* seconds: each question has the file's DWARF read from its begin */

struct batch {
	enum { FREE, FILLING, SENT } state;
	__u32 file, serial; /* natives_serial() */
	__u32 process;
	__u64 address; /* at which the process has the file mapped */
	struct source_question source;
};

/* What has become of questions about a file. */
struct lines_target {
	unsigned int failures; /* questions that had no answer */
	bool lineless;	       /* nothing will be known of it */
	__u32 unmapped;	       /* the last of all looks at which no process had the file */
	__u32 serial;	       /* natives_serial(): if it is another one, this is about another file */
};

struct ask_lines {
	struct kernel *kernel;
	struct natives *natives;
	struct native_lines *lines;
	const struct registry *registry;
	struct questions *questions;
	const struct native_targets *native;
	struct lines_target *targets; /* by the file's number; NATIVES_FILES_MAX */
	struct batch batches[BATCHES];
	bool with_lines;	  /* of all files; else only names of those that have too many */
	__u32 looks;		  /* that began so far */
	bool more;		  /* something was left for when a batch is free */
	bool said_full;		  /* that lines found no room */
	unsigned int pause, left; /* seconds from one look to the next, and until then */
};

int ask_lines_new(struct ask_lines **ret, struct kernel *kernel, struct natives *natives,
		  const struct registry *registry, struct questions *questions,
		  const struct native_targets *native, bool lines)
{
	struct ask_lines *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->targets = calloc(NATIVES_FILES_MAX, sizeof(*a->targets));
	if (!a->targets) {
		free(a);
		return -ENOMEM;
	}
	a->kernel = kernel;
	a->natives = natives;
	a->lines = natives_lines(natives);
	a->registry = registry;
	a->questions = questions;
	a->native = native;
	a->with_lines = lines;
	*ret = a;
	return 0;
}

void ask_lines_free(struct ask_lines *a)
{
	if (!a)
		return;
	questions_forget(a->questions, a);
	free(a->targets);
	free(a);
}

static struct lines_target *target_of(struct ask_lines *a, __u32 file)
{
	struct lines_target *t = &a->targets[file];
	const __u32 serial = natives_serial(a->natives, file);

	if (t->serial != serial)
		*t = (struct lines_target){ .serial = serial };
	return t;
}

/* Nobody has answered: its positions are to be asked for again. */
static void take_back(struct ask_lines *a, struct batch *b)
{
	const __u64 base = natives_get(a->natives, b->file)->base;

	for (__u32 i = 0; i < b->source.count; i++)
		native_lines_unwant(a->lines, base + b->source.offsets[i]);
	b->state = FREE;
}

/* Whether names are asked for: a file with so many has more DWARF than is read. */
static bool is_names(const struct ask_lines *a, __u32 file)
{
	const struct native_file *f = natives_get(a->natives, file);

	return f->is_known && f->functions.names_apart;
}

static void on_lines(void *asker, const void *note, struct worker_reply *r);

static void send(struct ask_lines *a, struct batch *b)
{
	const struct registry_entry *r = registry_find(a->registry, b->process);
	const struct question q = { on_lines, a, &b, sizeof(b), false };
	struct worker_request request;

	if (!r || !b->source.count) {
		take_back(a, b);
		return;
	}
	request = question_request(is_names(a, b->file) ? WORKER_NAMES : WORKER_SOURCE, r->pid,
				   r->start_time);
	request.source.mapped.address = b->address;
	request.source.mapped.file = natives_key(a->natives, b->file);
	request.source.source = b->source;
	b->state = SENT;
	if (!questions_ask(a->questions, &q, &request))
		return;
	take_back(a, b);
	a->more = true;
}

/* The process whose sample this node is part of; 0 for a chain that cannot be. */
static __u32 process_of(const struct kernel_tables *t, __u32 node)
{
	for (int i = 0; i < CHAIN_MAX && node && node < t->node_count; i++) {
		const __u64 key = t->nodes[node].key;

		if (!node_parent(key))
			return key && node_code(key) < t->owner_count ? t->owners[node_code(key)].process : 0;
		node = node_parent(key);
	}
	return 0;
}

/* Who can show a file: a process that has not ended, and where it has the file mapped. */
struct holder {
	const struct ask_lines *a;
	__u32 file, process;
	__u64 address; /* 0 = nobody can */
};

static int try_holder(void *context, const struct registry_entry *r)
{
	struct holder *h = context;

	h->address = r->ended ? 0 : native_address(h->a->native, r, h->file);
	h->process = r->id;
	return !!h->address;
}

/* The process of this node or, if it has ended, any other one; that is looked for once in a look. */
static bool find_holder(struct ask_lines *a, __u32 node, struct holder *h)
{
	const struct registry_entry *r =
		registry_find(a->registry, process_of(kernel_tables(a->kernel), node));
	struct lines_target *t = target_of(a, h->file);

	if (r && try_holder(h, r))
		return true;
	if (t->unmapped == a->looks)
		return false;
	if (registry_each(a->registry, try_holder, h))
		return true;
	t->unmapped = a->looks;
	return false;
}

/* Begins a question about the file. NULL: nobody can answer, or no batch is free. */
static struct batch *begin(struct ask_lines *a, struct batch *b, __u32 file, __u32 node)
{
	struct holder h = { .a = a, .file = file };

	if (!b)
		a->more = true;
	if (!b || !find_holder(a, node, &h))
		return NULL;
	b->state = FILLING;
	b->file = file;
	b->serial = natives_serial(a->natives, file);
	b->process = h.process;
	b->address = h.address;
	b->source.count = 0;
	return b;
}

/* Where positions of this file are collected. */
static struct batch *batch_for(struct ask_lines *a, __u32 file, __u32 node)
{
	struct batch *unused = NULL;

	for (int i = 0; i < BATCHES; i++) {
		if (a->batches[i].state == FILLING && a->batches[i].file == file)
			return &a->batches[i];
		if (a->batches[i].state == FREE)
			unused = &a->batches[i];
	}
	return begin(a, unused, file, node);
}

static void want_line(struct ask_lines *a, __u32 node, __u64 position)
{
	const __u32 file = natives_file_at(a->natives, position);
	struct batch *b;

	if (file == NATIVES_NONE || target_of(a, file)->lineless || (!a->with_lines && !is_names(a, file)) ||
	    !native_lines_want(a->lines, position))
		return;
	b = batch_for(a, file, node);
	if (!b) {
		native_lines_unwant(a->lines, position);
		return;
	}
	b->source.offsets[b->source.count++] = position - natives_get(a->natives, file)->base;
	if (b->source.count == SOURCE_ASKED_MAX)
		send(a, b);
}

/* Whether there is anything to ask for at all. */
static bool is_needed(const struct ask_lines *a)
{
	for (__u32 i = 0; !a->with_lines && i < NATIVES_FILES_MAX; i++)
		if (natives_get(a->natives, i) && is_names(a, i))
			return true;
	return a->with_lines;
}

static bool is_waiting(const struct ask_lines *a)
{
	for (int i = 0; i < BATCHES; i++)
		if (a->batches[i].state == SENT)
			return true;
	return false;
}

bool ask_lines_look(struct ask_lines *a)
{
	const struct kernel_tables *t = kernel_tables(a->kernel);

	a->more = false;
	if (!is_needed(a))
		return false;
	a->looks++;
	for (__u32 node = EVENT_KINDS; node < t->node_count; node++) {
		const __u64 key = __atomic_load_n(&t->nodes[node].key, __ATOMIC_RELAXED);

		if (node_is_native(key) && node_position(key) >= TEXT_FILES && node_position(key) < TEXT_JITS)
			want_line(a, node, node_position(key));
	}
	for (int i = 0; i < BATCHES; i++)
		if (a->batches[i].state == FILLING)
			send(a, &a->batches[i]);
	if (native_lines_full(a->lines) && !a->said_full) {
		a->said_full = true;
		log_info("there is no room for more lines of native code: what is new has names only");
	}
	return is_waiting(a);
}

static void lines_on_turn(void *ask_lines, unsigned int ready)
{
	struct ask_lines *a = ask_lines;

	if (!(ready & LOOP_SECOND) || (a->left && --a->left))
		return;
	ask_lines_look(a);
	a->pause = a->pause ? 2 * a->pause : 1;
	if (a->pause > PAUSE_MAX)
		a->pause = PAUSE_MAX;
	a->left = a->pause;
}

int ask_lines_watch(struct ask_lines *a, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, NULL, lines_on_turn, a });
}

/* Whether the file is not to be asked about again. */
static bool is_final_for_lines(struct lines_target *t, int err)
{
	return err == -ENODATA || err == -ENOEXEC || err == -EBADMSG || err == -E2BIG ||
	       ++t->failures == FAILURES_MAX;
}

static void give_up(struct ask_lines *a, __u32 file, int err)
{
	const struct native_file *f = natives_get(a->natives, file);

	target_of(a, file)->lineless = true;
	if (f->functions.names_apart)
		log_info("%s has no names, its symbols cannot be read: %s", f->path, strerror(-err));
	else if (err == -ENODATA)
		log_debug("%s has no DWARF, and no debug file: it has no lines", f->path);
	else
		log_info("%s has no lines, its DWARF cannot be read: %s", f->path, strerror(-err));
}

/* The note is the batch. */
static void on_lines(void *asker, const void *note, struct worker_reply *r)
{
	struct batch *b = *(struct batch *const *)note;
	struct ask_lines *a = asker;
	struct lines_target *t = target_of(a, b->file);
	bool other;
	int err;

	b->state = FREE;
	if (natives_is_other(a->natives, b->file, b->serial))
		return;
	err = r->error ?:
	      native_lines_add(a->lines, natives_get(a->natives, b->file)->base, r->table, r->table_size);
	other = err == -ESRCH || err == -ESTALE || err == -ENOENT;
	/* Another process may have the file; and where there was no room, there will be none. */
	if (err && err != -ENOSPC && err != -ENOMEM && !other && !t->lineless && is_final_for_lines(t, err))
		give_up(a, b->file, err);
	else if (err && err != -ENOSPC)
		take_back(a, b);
	if (a->more)
		ask_lines_look(a);
}
