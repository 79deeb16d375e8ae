// SPDX-License-Identifier: GPL-2.0-only
/*
 * table_imports.c - modules while they are imported, those that they import below them: what python
 * -X importtime shows, of a program that nobody has started so.
 */
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "profile/short_path.h"
#include "report/table_adder.h"

#define MACHINERY "[finds and loads]" /* until a module's own code runs; of one in C, all of it */

/* Every import goes through this function, from Python 3.3 on. */
static bool is_import(const struct recorded *r, const struct recorded_function *f)
{
	const char *file = recorded_get_string(r, f->file);

	return !strcmp(recorded_get_string(r, f->name), "_find_and_load") &&
	       (!strcmp(file, "<frozen importlib._bootstrap>") || !strcmp(base_name(file), "_bootstrap.py"));
}

/* "a.b" of ".../site-packages/a/b.py", "a" of ".../a/__init__.py", and of the program's own the last part. */
static void module_name(const char *file, char *name, size_t size)
{
	const char *below = short_path_in_packages(file) ?: short_path_in_standard_library(file);
	char *end;

	snprintf(name, size, "%s", below ?: base_name(file));
	end = strrchr(name, '.');
	if (end && !strcmp(end, ".py"))
		*end = '\0';
	end = strstr(name, "/__init__");
	if (end && !end[9])
		*end = '\0';
	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = '.';
}

static int module_row(struct adder *a, const struct recorded_function *f, __u32 *ret)
{
	struct recorded *r = a->table->keys.recorded;
	struct row_key key = { .file = f ? f->file : 0 };
	char name[RECORDED_STRING_MAX + 1] = MACHINERY;

	if (f)
		module_name(recorded_get_string(r, f->file), name, sizeof(name));
	return recorded_string(r, name, strlen(name), &key.name) ?:
	       row_keys_add(&a->table->keys, &key, f ? "module" : "marker", ret);
}

/* A row of the tree, or of the module wherever it is imported from. */
static int add(struct adder *a, __u32 id, struct tree_node *node, bool is_own, __s64 value)
{
	__u32 row = node->key;
	int err = 0;

	if (a->table->shape == TABLE_TREE)
		err = interned_add(&a->nodes, node, sizeof(*node), &row);
	node->parent = row;
	return err ?: table_add_to_row(a, row, id, is_own, value);
}

/* How many modules are being imported, and whether the last one's own code does not run yet. */
static size_t count_modules(const struct recorded *r, const struct recorded_stack *s, bool *ret_pending)
{
	size_t n = 0;

	*ret_pending = false;
	for (size_t i = s->n; i--;) {
		const struct recorded_function *f =
			recorded_get_function(r, recorded_get_place(r, s->places[i])->function);

		if (is_import(r, f)) {
			*ret_pending = true;
		} else if (*ret_pending && !strcmp(recorded_get_string(r, f->name), "<module>")) {
			*ret_pending = false;
			n++;
		}
	}
	return n;
}

int table_add_imports(struct adder *a, __u32 id, const struct recorded_stack *s, __s64 value)
{
	const struct recorded *r = a->chosen->recorded;
	bool is_pending, loads = false;
	size_t left = count_modules(r, s, &is_pending);
	struct tree_node node = { 0 };
	int err = 0;

	if (!left && !is_pending)
		a->table->without = recorded_sum(a->table->without, value);
	for (size_t i = s->n; i-- && left && !err;) {
		const struct recorded_function f =
			*recorded_get_function(r, recorded_get_place(r, s->places[i])->function);

		if (is_import(r, &f)) {
			loads = true;
		} else if (loads && !strcmp(recorded_get_string(r, f.name), "<module>")) {
			loads = false;
			left--;
			err = module_row(a, &f, &node.key) ?:
			      add(a, id, &node, !left && !is_pending, value);
		}
	}
	if (!err && is_pending)
		err = module_row(a, NULL, &node.key) ?: add(a, id, &node, true, value);
	return err;
}
