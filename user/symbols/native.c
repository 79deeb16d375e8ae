// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/native.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "elf/rows.h"
#include "guard/worker.h"
#include "kern/banks.h"
#include "kern/process_table.h"
#include "kern/processes.h"
#include "kern/texts.h"
#include "names/natives.h"
#include "symbols/asked_lately.h"
#include "symbols/jit_names.h"
#include "symbols/native_files.h"
#include "symbols/native_mapping.h"
#include "symbols/native_room.h"
#include "symbols/native_shares.h"
#include "symbols/native_spaces.h"
#include "targets/questions.h"
#include "targets/registry.h"

/* Between two editions of the table, at least: when it is full, and when one of several has its share. */
#define EDITION_PAUSE_NS (10 * NS_PER_SECOND)
#define SHARE_PAUSE_NS	 (60 * NS_PER_SECOND)

struct native_targets {
	struct kernel *kernel;
	struct natives *natives;
	const struct registry *registry;
	struct questions *questions;
	struct jit_names *jit_names;
	struct native_files files;
	struct native_spaces spaces;
	struct native_mappings mappings;
	struct native_room room;
	struct native_shares shares;
	__u64 edition_ns;	  /* when the last one began; 0 = the first */
	struct asked_lately maps; /* of processes */
	struct asked_lately rows; /* of a file's regions */
};

int native_targets_new(struct native_targets **ret, struct kernel *kernel, struct natives *natives,
		       const struct registry *registry, struct questions *questions)
{
	struct native_targets *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->kernel = kernel;
	t->natives = natives;
	t->registry = registry;
	t->questions = questions;
	if (jit_names_new(&t->jit_names, natives_jits(natives), registry, questions) ||
	    native_files_open(&t->files, natives, kernel_texts(kernel)) ||
	    native_shares_open(&t->shares, natives, kernel_texts(kernel))) {
		native_targets_free(t);
		return -ENOMEM;
	}
	t->mappings = (struct native_mappings){
		.natives = natives,
		.jit_names = t->jit_names,
		.files = &t->files,
		.texts = kernel_texts(kernel),
	};
	t->room = (struct native_room){
		.kernel = kernel,
		.natives = natives,
		.spaces = &t->spaces,
		.files = &t->files,
		.turn = 1,
	};
	*ret = t;
	return 0;
}

void native_targets_free(struct native_targets *t)
{
	if (!t)
		return;
	questions_forget(t->questions, t);
	native_spaces_free(&t->spaces);
	native_files_close(&t->files);
	native_shares_close(&t->shares);
	jit_names_free(t->jit_names);
	free(t);
}

/* Takes every process's mappings away, so that a number of theirs never means another one. */
static void clear_processes(struct native_targets *t)
{
	struct process_list list = { 0 };

	if (kernel_processes(t->kernel, &list))
		return;
	for (size_t i = 0; i < list.count; i++)
		if (list.processes[i].space)
			texts_set_space(kernel_texts(t->kernel), list.pids[i], list.processes[i].id, 0);
	processes_list_clear(&list);
}

/* The table is full: begins it anew. What is needed is asked for again. False if it is too early for that. */
static bool begin_edition(struct native_targets *t, __u64 pause_ns)
{
	struct texts *texts = kernel_texts(t->kernel);

	if (t->edition_ns && clock_ns() - t->edition_ns < pause_ns)
		return false;
	t->edition_ns = clock_ns();
	texts_begin_edition(texts);
	native_spaces_clear(&t->spaces);
	native_files_unload(&t->files);
	t->mappings.vdso = TEXT_NOT_LOADED;
	clear_processes(t);
	if (kernel_wait(t->kernel))
		return false;
	texts_reuse(texts);
	native_shares_clear(&t->shares);
	log_debug("the table of native code was full and is begun anew; --native-memory makes it larger");
	return true;
}

/* What was to be added to the table found no room, if the error says that: whether there is some now. */
static bool make_room(struct native_targets *t, int err)
{
	bool begun = false;

	if (err == -ENOSPC || (err == -EDQUOT && native_shares_are_one(&t->shares)))
		begun = begin_edition(t, EDITION_PAUSE_NS);
	else if (err == -EDQUOT)
		begun = begin_edition(t, SHARE_PAUSE_NS);
	if (err == -EDQUOT && !begun)
		native_shares_refused(&t->shares);
	return begun;
}

/* The bytes of code_maps_read() become a space of the kernel side. owner: 0 = as they say. */
static int add_mappings(struct native_targets *t, __u32 process, __u64 owner, const struct worker_reply *r,
			__u32 *ret_block)
{
	_cleanup_free_ struct text_mapping *mappings = calloc(CODE_MAPS_MAX, sizeof(*mappings));
	_cleanup_free_ __u32 *files = calloc(CODE_MAPS_MAX, sizeof(*files));
	struct code_map map = { 0 };
	__u32 count = 0;
	size_t at = 0;
	int err;

	if (!mappings || !files)
		return -ENOMEM;
	t->mappings.lacks = false;
	while ((err = code_maps_next(r->table, r->table_size, &at, &map)) > 0 && count < CODE_MAPS_MAX) {
		map.owner = owner ?: map.owner;
		mappings[count] = native_mapping(&t->mappings, process, &map, &files[count]);
		count++;
	}
	if (err)
		return err < 0 ? err : -E2BIG;
	err = texts_add_space(kernel_texts(t->kernel), mappings, count, ret_block);
	if (err)
		return err;
	err = native_spaces_add(&t->spaces, &(struct native_space){ .block = *ret_block,
								   .count = count,
								   .files = files,
								   .lacks = t->mappings.lacks });
	if (!err)
		files = NULL;
	return err;
}

/* To whose account they go is not for the worker to say. */
static int add_space(struct native_targets *t, __u32 process, const struct worker_reply *r, __u32 *ret_block)
{
	const struct native_claim claim = native_shares_claim(&t->shares, r->pid);
	int err = add_mappings(t, process, claim.owner, r, ret_block);

	native_shares_settle(&t->shares, &claim);
	return err;
}

/* The note of a question: why it was asked. */
struct native_note {
	__u32 process; /* struct process.id */
	__u32 space;   /* struct process.space at that time, ... */
	__u64 pc;      /* ... and an address in the mapping */
	__u32 file;    /* FUNCTIONS and ROWS: natives_file(), ... */
	__u32 serial;  /* ... and which file had that number */
	__u32 region;  /* ROWS: of the file */
};

static __u32 about_rows(__u32 file, __u32 region)
{
	return file << (32 - REGION_SHIFT) | region;
}

/*
 * The answer is there. The sample that asked will soon lack the next thing, and need not say so. block: of
 * the process's mappings, 0 = those that it had.
 */
static void look_again(struct native_targets *t, const struct native_note *n, __u32 pid, __u32 block)
{
	const struct record_native e = {
		.pid = pid,
		.id = n->process,
		.space = block ? texts_space(kernel_texts(t->kernel), block) : n->space,
		.pc = n->pc,
	};

	native_record(t, &e);
}

static void on_maps(void *targets, const void *note, struct worker_reply *r)
{
	const struct native_note *n = note;
	struct native_targets *t = targets;
	__u32 block;
	int err;

	asked_lately_forget(&t->maps, n->process);
	if (r->error)
		return;
	err = add_space(t, n->process, r, &block);
	if (make_room(t, err))
		err = add_space(t, n->process, r, &block);
	if (!err)
		err = texts_set_space(kernel_texts(t->kernel), r->pid, n->process, block);
	if (!err)
		look_again(t, n, r->pid, block);
	if (err && err != -ESRCH)
		log_debug("pid %u has no native frames for now: %s", r->pid, strerror(-err));
}

/* Puts a file's functions into the kernel side's table for a process, and says so wherever it is mapped. */
static void load_file(struct native_targets *t, __u32 file, pid_t pid)
{
	const struct native_target *f = native_files_get(&t->files, file);
	struct native_claim claim;
	int err;

	if (f->state == NATIVE_NAMELESS) {
		native_spaces_publish(&t->spaces, kernel_texts(t->kernel), file, TEXT_NONE);
		return;
	}
	if (f->text)
		return; /* and every process that has it mapped was told then, or is told with its mappings */
	claim = native_shares_claim(&t->shares, pid);
	err = native_files_load(&t->files, file);
	native_shares_settle(&t->shares, &claim);
	if (err)
		make_room(t, err); /* the next sample asks again */
	else
		native_spaces_publish(&t->spaces, kernel_texts(t->kernel), file, f->text);
}

static void on_functions(void *targets, const void *note, struct worker_reply *r)
{
	const struct native_note *n = note;
	struct native_targets *t = targets;
	int err;

	if (natives_is_other(t->natives, n->file, n->serial))
		return;
	err = native_files_take(&t->files, n->file, r->error, r->table, r->table_size);
	if (native_files_get(&t->files, n->file)->state == NATIVE_NEW)
		return;
	load_file(t, n->file, r->pid);
	if (!err)
		look_again(t, n, r->pid, 0);
}

/* Gives the kernel side the rows of a region, or says that there will be none. */
static int add_rows(struct native_targets *t, __u32 text, const struct worker_reply *r)
{
	struct rows rows = { 0 };
	struct native_claim claim;
	int err = r->error ?: rows_parse(r->table, r->table_size, &rows);

	if (err)
		return err;
	claim = native_shares_claim(&t->shares, r->pid);
	err = texts_add_rows(kernel_texts(t->kernel), text, rows.region, rows.words, rows.count);
	native_shares_settle(&t->shares, &claim);
	return err;
}

static void on_rows(void *targets, const void *note, struct worker_reply *r)
{
	const struct native_note *n = note;
	struct native_targets *t = targets;
	__u32 text;
	int err;

	asked_lately_forget(&t->rows, about_rows(n->file, n->region));
	if (natives_is_other(t->natives, n->file, n->serial))
		return;
	text = native_files_get(&t->files, n->file)->text;
	if (!text) /* the table was begun anew meanwhile */
		return;
	err = add_rows(t, text, r);
	make_room(t, err);
	if (!err || err == -ENOSPC || err == -EDQUOT || err == -ESRCH || err == -ESTALE || err == -ENOENT)
		return;
	log_debug("%s has no rules for callers in its MiB %u: %s", natives_get(t->natives, n->file)->path,
		  n->region, strerror(-err));
	texts_add_rows(kernel_texts(t->kernel), text, n->region, NULL, 0);
}

static void native_on_turn(void *targets, unsigned int ready)
{
	struct native_targets *t = targets;

	if (ready & LOOP_SECOND)
		native_room_second(&t->room);
}

int native_watch(struct native_targets *t, struct loop *loop)
{
	return jit_names_watch(t->jit_names, loop) ?:
	       loop_watch(loop, &(struct loop_row){ -1, NULL, native_on_turn, t });
}

void native_bank_cleared(struct native_targets *t)
{
	/* That there is room again is not said: a user who takes it at once would have both said for ever. */
	native_room_cleared(&t->room);
}

double native_fullness(const struct native_targets *t)
{
	return native_room_fullness(&t->room);
}

/*
 * Asks for what lies at the record's program counter; the note has what is particular. 0 or -errno.
 */
static int ask_native(struct native_targets *t, const struct record_native *e, __u32 type,
		      struct native_note note)
{
	static void (*const answers[])(void *, const void *, struct worker_reply *) = {
		[WORKER_MAPS] = on_maps,
		[WORKER_FUNCTIONS] = on_functions,
		[WORKER_ROWS] = on_rows,
	};
	const struct question q = { answers[type], t, &note, sizeof(note), false };
	const struct registry_entry *r = registry_find(t->registry, e->id);
	struct worker_request request;

	if (!r || r->ended || r->pid != e->pid)
		return -ESRCH;
	note.process = e->id;
	note.space = e->space;
	note.pc = e->pc;
	note.serial = type == WORKER_MAPS ? 0 : natives_serial(t->natives, note.file);
	request = question_request(type, r->pid, r->start_time);
	if (type != WORKER_MAPS) /* those of FUNCTIONS begin with this, too */
		request.mapped = (struct request_mapped){ e->pc, natives_key(t->natives, note.file) };
	if (type == WORKER_FUNCTIONS) /* it may be the debug file that was too much */
		request.functions.plain = native_files_get(&t->files, note.file)->failures > 0;
	return questions_ask(t->questions, &q, &request);
}

__u64 native_address(const struct native_targets *t, const struct registry_entry *process, __u32 file)
{
	const struct texts *texts = kernel_texts(t->kernel);
	const struct native_space *s = NULL;
	struct process p;

	if (!kernel_get_process(t->kernel, process->pid, &p) && p.id == process->id)
		s = native_spaces_find(&t->spaces, texts_space_block(texts, p.space));
	return s ? native_space_address(s, texts, file) : 0;
}

static void ask_functions(struct native_targets *t, const struct record_native *e, __u32 file)
{
	if (!ask_native(t, e, WORKER_FUNCTIONS, (struct native_note){ .file = file }))
		native_files_get(&t->files, file)->state = NATIVE_ASKED;
}

/* Of a file with functions. They are in the table, but this process may not know. */
static void want_rows(struct native_targets *t, const struct record_native *e, __u32 file, __u64 position)
{
	const __u32 region = (position - natives_get(t->natives, file)->base) >> REGION_SHIFT;
	const __u32 text = native_files_get(&t->files, file)->text;

	if (text && texts_want_rows(kernel_texts(t->kernel), text, position) &&
	    !asked_lately(&t->rows, about_rows(file, region)))
		ask_native(t, e, WORKER_ROWS, (struct native_note){ .file = file, .region = region });
}

void native_record(struct native_targets *t, const struct record_native *e)
{
	const struct texts *texts = kernel_texts(t->kernel);
	const struct native_space *s;
	__u64 position;
	__u32 file;

	s = e->stale ? NULL : native_spaces_find(&t->spaces, texts_space_block(texts, e->space));
	if (!s && !asked_lately(&t->maps, e->id))
		ask_native(t, e, WORKER_MAPS, (struct native_note){ 0 });
	file = s ? native_space_file(s, texts, e->pc, &position) : NATIVE_NO_FILE;
	if (file == NATIVE_NO_FILE || !natives_get(t->natives, file))
		return;
	switch (native_files_get(&t->files, file)->state) {
	case NATIVE_NEW:
		ask_functions(t, e, file);
		return;
	case NATIVE_ASKED:
		return;
	case NATIVE_KNOWN:
	case NATIVE_NAMELESS:
		load_file(t, file, e->pid);
		want_rows(t, e, file, position);
	}
}
