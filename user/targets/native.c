// SPDX-License-Identifier: GPL-2.0-only
#include "targets/native.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "elf/rows.h"
#include "guard/worker.h"
#include "kern/kernel.h"
#include "kern/processes.h"
#include "kern/texts.h"
#include "names/natives.h"
#include "targets/jit_names.h"
#include "targets/questions.h"
#include "targets/registry.h"
#include "targets/vdso.h"

#define GENERATION_PAUSE_NS (10 * NS_PER_SECOND) /* between two generations of the table, at least */
#define NO_FILE		    (~0U)
#define ASKED		    256
#define ASKED_MS	    500 /* for so long an answer is waited for before the same is asked again */
#define FAILURES_MAX	    3	/* of a file that ends who reads it, or makes them late */

/* Questions that were sent lately: what about, and when, in an entry's upper and lower half. */
struct asked {
	__u64 last[ASKED];
};

/* Mappings in the kernel side's table: mapping i is in block `block` + 1 + i, and of file files[i]. */
struct space {
	__u32 block, count;
	__u32 *files;
};

struct native_targets {
	struct kernel *kernel;
	struct natives *natives;
	const struct registry *registry;
	struct questions *questions;
	struct jit_names *jit_names;
	struct space *spaces; /* by block */
	size_t count, room;
	__u32 vdso;	     /* the block of its text; TEXT_NOT_LOADED: it was not added yet */
	__u64 generation_ns; /* when the last one began; 0 = the first */
	struct asked maps;   /* of processes */
	struct asked rows;   /* of a file's regions */
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
	if (jit_names_new(&t->jit_names, natives_jits(natives), registry, questions)) {
		native_targets_free(t);
		return -ENOMEM;
	}
	*ret = t;
	return 0;
}

static void forget_spaces(struct native_targets *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->spaces[i].files);
	t->count = 0;
}

void native_targets_free(struct native_targets *t)
{
	if (!t)
		return;
	questions_forget(t->questions, t);
	forget_spaces(t);
	jit_names_free(t->jit_names);
	free(t->spaces);
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
static bool begin_generation(struct native_targets *t)
{
	struct texts *texts = kernel_texts(t->kernel);

	if (t->generation_ns && clock_ns() - t->generation_ns < GENERATION_PAUSE_NS)
		return false;
	t->generation_ns = clock_ns();
	texts_begin_generation(texts);
	forget_spaces(t);
	t->vdso = TEXT_NOT_LOADED;
	for (__u32 i = 0; i < natives_count(t->natives); i++)
		natives_get(t->natives, i)->text = 0;
	clear_processes(t);
	if (kernel_wait(t->kernel))
		return false;
	texts_reuse(texts);
	log_debug("the table of native code was full and is begun anew; --native-memory makes it larger");
	return true;
}

static bool has_room(struct native_targets *t)
{
	const size_t room = t->room ? 2 * t->room : 64;
	struct space *grown;

	if (t->count < t->room)
		return true;
	grown = realloc(t->spaces, room * sizeof(*grown));
	if (!grown)
		return false;
	t->spaces = grown;
	t->room = room;
	return true;
}

static struct space *find_space(const struct native_targets *t, __u32 block)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (t->spaces[middle].block == block)
			return &t->spaces[middle];
		if (t->spaces[middle].block < block)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The text of the kernel's page of code, which is added when it is first met. */
static __u32 vdso_text(struct native_targets *t)
{
	struct texts *texts = kernel_texts(t->kernel);

	if (t->vdso == TEXT_NOT_LOADED && (!texts->with_rows || vdso_add(texts, &t->vdso)))
		t->vdso = TEXT_NONE;
	return t->vdso;
}

/*
 * What the kernel side is to know of a mapping of a process. *ret_file: NO_FILE if it is none that can be
 * read.
 */
static struct text_mapping mapping_of(struct native_targets *t, __u32 process, const struct code_map *map,
				      __u32 *ret_file)
{
	struct text_mapping m = { map->start, map->end, TEXT_JIT, TEXT_NONE, map->is_writable };
	const struct native_file *f;

	*ret_file = NO_FILE;
	if (!strcmp(map->path, "[vdso]")) {
		m.position = TEXT_VDSO;
		m.text = vdso_text(t);
	}
	if (map->is_memory) {
		if (map->file.inode)
			jit_names_met(t->jit_names, process, map, &m.position);
		return m;
	}
	if (!map->file.size || map->offset >= map->file.size || natives_file(t->natives, map, ret_file))
		return m;
	f = natives_get(t->natives, *ret_file);
	m.position = f->base + map->offset;
	m.text = f->state == NATIVE_FILE_NAMELESS ? TEXT_NONE : f->text;
	return m;
}

static int keep_space(struct native_targets *t, __u32 block, __u32 count, __u32 *files)
{
	if (!has_room(t))
		return -ENOMEM;
	t->spaces[t->count++] = (struct space){ block, count, files };
	return 0;
}

/* The bytes of code_maps_read() become a space of the kernel side. */
static int add_space(struct native_targets *t, __u32 process, const void *bytes, size_t size,
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
	while ((err = code_maps_next(bytes, size, &at, &map)) > 0 && count < CODE_MAPS_MAX) {
		mappings[count] = mapping_of(t, process, &map, &files[count]);
		count++;
	}
	if (err)
		return err < 0 ? err : -E2BIG;
	err = texts_add_space(kernel_texts(t->kernel), mappings, count, ret_block);
	if (err)
		return err;
	err = keep_space(t, *ret_block, count, files);
	if (!err)
		files = NULL;
	return err;
}

/* Of a question: what it was asked for. */
struct native_note {
	__u32 process; /* struct process.id */
	__u32 space;   /* struct process.space at that time, ... */
	__u64 pc;      /* ... and an address in the mapping */
	__u32 file;    /* FUNCTIONS and ROWS: natives_file() */
	__u32 region;  /* ROWS: of the file */
};

static __u32 about_rows(__u32 file, __u32 region)
{
	return file << (32 - REGION_SHIFT) | region;
}

static void forget_asked(struct asked *a, __u32 about)
{
	if (a->last[about % ASKED] >> 32 == about)
		a->last[about % ASKED] = 0;
}

/* Whether that was asked for lately; if not, it is said to be now. */
static bool is_asked(struct asked *a, __u32 about)
{
	__u64 *last = &a->last[about % ASKED];
	const __u32 now = clock_ms();

	if (*last >> 32 == about && now - (__u32)*last < ASKED_MS)
		return true;
	*last = (__u64)about << 32 | now;
	return false;
}

/*
 * What was asked for is there. The sample that asked will soon lack the next thing, and need not say so.
 * block: of the process's mappings, 0 = those that it had.
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

	forget_asked(&t->maps, n->process);
	if (r->error)
		return;
	err = add_space(t, n->process, r->table, r->table_size, &block);
	if (err == -ENOSPC && begin_generation(t))
		err = add_space(t, n->process, r->table, r->table_size, &block);
	if (!err)
		err = texts_set_space(kernel_texts(t->kernel), r->pid, n->process, block);
	if (!err)
		look_again(t, n, r->pid, block);
	if (err && err != -ESRCH)
		log_debug("pid %u has no native frames for now: %s", r->pid, strerror(-err));
}

/* Wherever the file is mapped, this is what is known of it from now on. */
static void publish(struct native_targets *t, __u32 file, __u32 text)
{
	for (size_t i = 0; i < t->count; i++)
		for (__u32 m = 0; m < t->spaces[i].count; m++)
			if (t->spaces[i].files[m] == file)
				texts_set_text(kernel_texts(t->kernel), t->spaces[i].block + 1 + m, text);
}

/* Says where in a file with this text the interpreter's loop is. */
static void mark_loop(struct native_targets *t, const struct native_file *f)
{
	const struct functions *list = &f->functions;

	for (__u32 i = 0; i < list->count; i++)
		if (list->list[i].name && natives_is_loop(list->names + list->list[i].name) &&
		    texts_add_loop(kernel_texts(t->kernel), f->text, list->list[i].offset,
				   i + 1 < list->count ? list->list[i + 1].offset : list->end))
			return; /* more parts than a loop has that is looked for by its name */
}

static int add_text(struct native_targets *t, struct native_file *f)
{
	const struct functions *list = &f->functions;
	const struct text_functions functions = { &list->list[0].offset, sizeof(list->list[0]), list->count,
						  list->end };
	int err = texts_add_text(kernel_texts(t->kernel), f->base, &functions, &f->text);

	if (!err)
		mark_loop(t, f);
	return err;
}

/* Puts a file's functions into the kernel side's table. */
static void load_file(struct native_targets *t, __u32 file)
{
	struct native_file *f = natives_get(t->natives, file);
	int err;

	if (f->state == NATIVE_FILE_NAMELESS) {
		publish(t, file, TEXT_NONE);
		return;
	}
	if (f->text)
		return; /* and every process that has it mapped was told then, or is told with its mappings */
	err = add_text(t, f);
	if (err == -ENOSPC)
		begin_generation(t); /* the next sample asks again */
	else
		publish(t, file, f->text);
}

/*
 * Whether the file itself is the reason, or seems to be. A worker or a parser that was killed, or had no time
 * or memory, says nothing of the file that it was asked about, unless that happens again and again.
 */
static bool is_final(struct native_file *f, int err)
{
	return err == -ENOEXEC || err == -EBADMSG || err == -E2BIG || err == -ENOSPC ||
	       ++f->failures == FAILURES_MAX;
}

static void on_functions(void *targets, const void *note, struct worker_reply *r)
{
	const struct native_note *n = note;
	struct native_targets *t = targets;
	struct native_file *f = natives_get(t->natives, n->file);
	int err = r->error ?: natives_functions(t->natives, n->file, r->table, r->table_size);

	/* It is not there any more, and another process may have it, too; or it can be tried again. */
	if (err == -ESRCH || err == -ESTALE || err == -ENOENT || (err && !is_final(f, err))) {
		f->state = NATIVE_FILE_NEW;
		return;
	}
	if (err) {
		f->state = NATIVE_FILE_NAMELESS;
		log_debug("%s has no names of functions: %s", f->path, strerror(-err));
	}
	load_file(t, n->file);
	if (!err)
		look_again(t, n, r->pid, 0);
}

/* Gives the kernel side the rows of a region, or says that there will be none. */
static int add_rows(struct native_targets *t, const struct native_file *f, const struct worker_reply *r)
{
	struct rows rows = { 0 };
	int err = r->error ?: rows_parse(r->table, r->table_size, &rows);

	return err ?: texts_add_rows(kernel_texts(t->kernel), f->text, rows.region, rows.words, rows.count);
}

static void on_rows(void *targets, const void *note, struct worker_reply *r)
{
	const struct native_note *n = note;
	struct native_targets *t = targets;
	struct native_file *f = natives_get(t->natives, n->file);
	int err;

	forget_asked(&t->rows, about_rows(n->file, n->region));
	if (!f->text) /* the table was begun anew meanwhile */
		return;
	err = add_rows(t, f, r);
	if (err == -ENOSPC)
		begin_generation(t);
	if (!err || err == -ENOSPC || err == -ESRCH || err == -ESTALE || err == -ENOENT)
		return;
	log_debug("%s has no rules for callers in its MiB %u: %s", f->path, n->region, strerror(-err));
	texts_add_rows(kernel_texts(t->kernel), f->text, n->region, NULL, 0);
}

void native_second(struct native_targets *t)
{
	jit_names_second(t->jit_names);
}

/*
 * Asks for what lies at the record's program counter; the note has what is particular. 0 or -errno.
 */
static int ask(struct native_targets *t, const struct record_native *e, __u32 type, struct native_note note)
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
	request = question_request(type, r->pid, r->start_time);
	if (type != WORKER_MAPS) /* those of FUNCTIONS begin with this, too */
		request.mapped = (struct request_mapped){ e->pc, natives_key(t->natives, note.file) };
	if (type == WORKER_FUNCTIONS) /* it may be the debug file that was too much */
		request.functions.plain = natives_get(t->natives, note.file)->failures > 0;
	return questions_ask(t->questions, &q, &request);
}

/* *ret_position is that of the address, if it is in a file's mapping. */
static __u32 file_at(const struct native_targets *t, const struct space *s, __u64 pc, __u64 *ret_position)
{
	for (__u32 i = 0; i < s->count; i++) {
		const struct text_mapping *m = texts_mapping(kernel_texts(t->kernel), s->block + 1 + i);

		if (pc < m->start || pc >= m->end)
			continue;
		*ret_position = m->position + (pc - m->start);
		return s->files[i];
	}
	return NO_FILE;
}

__u64 native_address(const struct native_targets *t, const struct registry_entry *process, __u32 file)
{
	const struct texts *texts = kernel_texts(t->kernel);
	const struct space *s = NULL;
	struct process p;

	if (!kernel_get_process(t->kernel, process->pid, &p) && p.id == process->id)
		s = find_space(t, texts_space_block(texts, p.space));
	for (__u32 i = 0; s && i < s->count; i++)
		if (s->files[i] == file)
			return texts_mapping(texts, s->block + 1 + i)->start;
	return 0;
}

static void ask_functions(struct native_targets *t, const struct record_native *e, __u32 file)
{
	if (!ask(t, e, WORKER_FUNCTIONS, (struct native_note){ .file = file }))
		natives_get(t->natives, file)->state = NATIVE_FILE_ASKED;
}

/* Of a file with functions. They are in the table, but this process may not know. */
static void want_rows(struct native_targets *t, const struct record_native *e, __u32 file, __u64 position)
{
	const struct native_file *f = natives_get(t->natives, file);
	const __u32 region = (position - f->base) >> REGION_SHIFT;

	if (f->text && texts_want_rows(kernel_texts(t->kernel), f->text, position) &&
	    !is_asked(&t->rows, about_rows(file, region)))
		ask(t, e, WORKER_ROWS, (struct native_note){ .file = file, .region = region });
}

void native_record(struct native_targets *t, const struct record_native *e)
{
	const struct space *s;
	__u64 position;
	__u32 file;

	if (e->stale && !is_asked(&t->maps, e->id))
		ask(t, e, WORKER_MAPS, (struct native_note){ 0 });
	s = e->stale ? NULL : find_space(t, texts_space_block(kernel_texts(t->kernel), e->space));
	file = s ? file_at(t, s, e->pc, &position) : NO_FILE;
	if (file == NO_FILE)
		return;
	switch (natives_get(t->natives, file)->state) {
	case NATIVE_FILE_NEW:
		ask_functions(t, e, file);
		return;
	case NATIVE_FILE_ASKED:
		return;
	case NATIVE_FILE_KNOWN:
	case NATIVE_FILE_NAMELESS:
		load_file(t, file);
		want_rows(t, e, file, position);
	}
}
