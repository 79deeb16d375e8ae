// SPDX-License-Identifier: GPL-2.0-only
#include "report/row_keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/package.h"
#include "base/siphash.h"
#include "profile/frames.h"
#include "recorded/frame_kinds.h"
#include "recorded/own_frames.h"

static int add_string(struct recorded *r, const char *text, __u32 *ret)
{
	return recorded_string(r, text, strlen(text), ret);
}

/* The label that the rows of this kind are the values of. */
static const char *label_of(enum answer_by by, const char *label)
{
	if (by == BY_TRACE)
		return "trace_id";
	return by == BY_LABEL ? label : by_rows[by].of == OF_LABEL ? by_rows[by].name : "";
}

int row_keys_open(struct row_keys *k, struct recorded *r, enum answer_by by, const char *label, bool fold)
{
	*k = (struct row_keys){ .recorded = r, .by = by, .fold = fold };
	k->of_place = calloc((size_t)r->places.count + 1, sizeof(*k->of_place));
	if (!k->of_place)
		return -ENOMEM;
	return add_string(r, label_of(by, label), &k->label) ?: add_string(r, "comm", &k->comm) ?:
	       add_string(r, "pid", &k->pid) ?: add_string(r, "tid", &k->tid) ?:
	       add_string(r, "thread", &k->thread);
}

void row_keys_free(struct row_keys *k)
{
	interned_free(&k->keys);
	free(k->of_place);
	k->of_place = NULL;
}

int row_keys_add(struct row_keys *k, struct row_key *key, const char *kind, __u32 *ret)
{
	return add_string(k->recorded, kind, &key->kind) ?: interned_add(&k->keys, key, sizeof(*key), ret);
}

/* Of one file the kind of its code; what has no file is a marker or a system call. */
static const char *frame_word(const struct recorded *r, const struct recorded_place *p,
			      const struct recorded_function *f)
{
	if (p->kind == FRAME_PYTHON && !frame_kinds_is_python(recorded_get_string(r, f->file)))
		return "other";
	return frame_rows[p->kind].key;
}

static int package_row(struct row_keys *k, __u32 place, bool fold, __u32 *ret)
{
	struct recorded *r = k->recorded;
	const __u32 file = own_frames_file(r, place);
	const struct recorded_place *p = recorded_get_place(r, place);
	char name[RECORDED_STRING_MAX];
	struct row_key key = { 0 };
	enum package_kind kind;

	/* What has no file stands for itself. */
	if (!file) {
		key.name = recorded_get_function(r, p->function)->name;
		return row_keys_add(k, &key, frame_rows[p->kind].key, ret);
	}
	kind = package_of(recorded_get_string(r, file), name, sizeof(name));
	if (fold && kind == PACKAGE_PROGRAM) {
		*ret = 0;
		return 0;
	}
	return add_string(r, name, &key.name) ?: row_keys_add(k, &key, package_kind_name(kind), ret);
}

static int place_row(struct row_keys *k, const struct recorded_place *p, const struct recorded_function *f,
		     __u32 *ret)
{
	struct row_key key = { .name = f->name, .file = f->file, .line = f->start_line };
	const char *kind = frame_word(k->recorded, p, f);

	if (k->by == BY_LINE)
		key.line = p->line;
	if (k->by == BY_FILE && f->file)
		key = (struct row_key){ .name = f->file, .file = f->file };
	return row_keys_add(k, &key, kind, ret);
}

int row_keys_place(struct row_keys *k, __u32 place, __u32 *ret)
{
	__u32 *known = &k->of_place[place - 1];
	int err = 0;

	if (!*known) {
		const struct recorded_place p = *recorded_get_place(k->recorded, place);
		const struct recorded_function f = *recorded_get_function(k->recorded, p.function);

		if (k->by == BY_PACKAGE || k->fold)
			err = package_row(k, place, k->by != BY_PACKAGE, known);
		if (!err && !*known)
			err = place_row(k, &p, &f, known);
	}
	*ret = *known;
	return err;
}

static void set_value(struct row_key *key, const struct recorded_label *l)
{
	if (l->is_number) {
		key->has_number = 1;
		key->number = l->number;
	} else {
		key->name = l->text;
	}
}

/*
 * A process by its name and id; a thread by those of its process, too, as long as it has a name: the name of
 * a thread is often that of its process.
 */
static bool set_process(const struct row_keys *k, const struct recorded_stack *s, struct row_key *key)
{
	const struct recorded_label *id = recorded_find_label(s, k->by == BY_THREAD ? k->tid : k->pid);
	const struct recorded_label *name = recorded_find_label(s, k->by == BY_THREAD ? k->thread : k->comm);

	if (!id && !name)
		return false;
	if (name)
		set_value(key, name);
	if (id && id->is_number)
		set_value(key, id);
	return true;
}

int row_keys_labels(struct row_keys *k, const struct recorded_stack *s, __u32 *ret)
{
	const struct recorded_label *l = recorded_find_label(s, k->label);
	struct row_key key = { 0 };
	bool is_there = true;

	if (k->by == BY_PROCESS || k->by == BY_THREAD)
		is_there = set_process(k, s, &key);
	else if (l)
		set_value(&key, l);
	else if (k->by == BY_ENDPOINT)
		return add_string(k->recorded, "(no endpoint)", &key.name) ?:
		       row_keys_add(k, &key, by_rows[k->by].name, ret);
	else
		is_there = false;
	if (is_there)
		return row_keys_add(k, &key, by_rows[k->by].name, ret);
	*ret = 0;
	return 0;
}

static void add_to_id(const char *text, const struct row_key *key, __u64 *hash)
{
	/* Not secret: it is only a handle, and nobody wins by a collision. */
	static const struct siphash_key fixed = { { 1, 2 } };
	const __u64 words[5] = { key->line, key->has_number, key->number, *hash,
				 siphash(&fixed, text, strlen(text)) };

	*hash = siphash(&fixed, words, sizeof(words));
}

static void make_id(const char *kind, const char *name, const char *file, const struct row_key *key,
		    char ret[17])
{
	__u64 hash = 0;

	add_to_id(kind, key, &hash);
	add_to_id(name, key, &hash);
	add_to_id(file, key, &hash);
	snprintf(ret, 17, "%016llx", hash);
}

void row_keys_id(const struct recorded *r, const struct row_key *key, char ret[17])
{
	make_id(recorded_get_string(r, key->kind), recorded_get_string(r, key->name),
		recorded_get_string(r, key->file), key, ret);
}

void row_keys_function_id(const struct recorded *r, __u32 place, char ret[17])
{
	const struct recorded_place *p = recorded_get_place(r, place);
	const struct recorded_function *f = recorded_get_function(r, p->function);
	const struct row_key key = { .line = f->start_line };

	make_id(frame_word(r, p, f), recorded_get_string(r, f->name), recorded_get_string(r, f->file), &key,
		ret);
}
