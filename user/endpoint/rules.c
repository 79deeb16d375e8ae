// SPDX-License-Identifier: GPL-2.0-only
#include "endpoint/rules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/short_path.h"

/* OWN: whatever --endpoint-rule is about. */
enum framework {
	OWN,
	ANY,
#define FRAMEWORK(name, text) name,
#include "endpoint/rules.def"
};

/* The words of rules.def. */
enum { HANDLER = RULES_HANDLER, PASSES = RULES_PASSES, ASIDE = RULES_ASIDE };

static const struct dispatcher {
	enum framework framework;
	const char *file, *name;
} dispatchers[] = {
#define DISPATCHER(framework, file, name) { framework, file, name },
#include "endpoint/rules.def"
};

static const struct below {
	enum framework framework;
	enum rules_verdict verdict;
	const char *file, *name;
} below[] = {
#define BELOW(framework, verdict, file, name) { framework, (enum rules_verdict)verdict, file, name },
#include "endpoint/rules.def"
};

#define OWN_FIRST (ARRAY_SIZE(dispatchers) + 1) /* the number of the first own rule */

/* A part of the text of --endpoint-rule. */
struct rule_part {
	const char *text;
	size_t size;
};

struct rules {
	struct {
		struct rule_part file, name;
	} own[RULES_OWN_MAX];
	unsigned int own_count;
};

static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

/* Whether a function's name is this qualified one. old: it may be of Python before 3.11, so its last part. */
static bool is_name(const char *name, const char *wanted, bool old)
{
	const bool has_parts = strchr(name, '.');

	if (!strcmp(wanted, "*"))
		return true;
	if (*wanted == '*')
		return (old || has_parts) && !strcmp(last_part(name), wanted + 2);
	return !strcmp(name, wanted) || (old && !has_parts && !strcmp(name, last_part(wanted)));
}

/* The end of a path, which begins where a part of it does; NULL: it does not end so. */
static const char *path_end(const char *path, const char *end, size_t size)
{
	const size_t length = strlen(path);
	const char *at = path + length - size;

	if (length < size || strncmp(at, end, size) || (at > path && at[-1] != '/' && *end != '/'))
		return NULL;
	return at;
}

static bool is_own(const char *path, const char *name, const struct rule_part *file,
		   const struct rule_part *wanted)
{
	const char *dot = memrchr(wanted->text, '.', wanted->size);
	const size_t before = dot ? (size_t)(dot + 1 - wanted->text) : 0, length = strlen(name);

	if (!path_end(path, file->text, file->size))
		return false;
	if (length == wanted->size && !memcmp(name, wanted->text, length))
		return true;
	return !strchr(name, '.') && length == wanted->size - before &&
	       !memcmp(name, wanted->text + before, length);
}

static bool is_file(const char *path, const char *wanted)
{
	return path_end(path, wanted, strlen(wanted));
}

unsigned int rules_dispatcher(const struct rules *r, const char *file, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(dispatchers); i++)
		if (is_name(name, dispatchers[i].name, true) && is_file(file, dispatchers[i].file))
			return i + 1;
	for (unsigned int i = 0; i < r->own_count; i++)
		if (is_own(file, name, &r->own[i].file, &r->own[i].name))
			return OWN_FIRST + i;
	return 0;
}

/* The part of a path below the folder in which the framework is; NULL: it is elsewhere. */
static const char *below_folder(const char *path, const struct dispatcher *d, const char *dispatcher_file)
{
	const size_t whole = strlen(dispatcher_file), end = strlen(d->file);
	const size_t folder = whole > end ? whole - end : 0;

	if (!strchr(dispatcher_file, '/')) /* compiled anew from no file */
		return short_path_of(path, NULL);
	return strncmp(path, dispatcher_file, folder) ? NULL : path + folder;
}

/* in_folder: the part of path below the framework's folder, or NULL. */
static bool is_in(const char *path, const char *in_folder, const char *wanted)
{
	const size_t size = strlen(wanted);

	if (!strcmp(wanted, "*"))
		return true;
	if (!strcmp(wanted, "**"))
		return *path == '<' || short_path_is_standard(path);
	if (!in_folder)
		return false;
	return wanted[size - 1] == '/' ? !strncmp(in_folder, wanted, size) : !strcmp(in_folder, wanted);
}

/* Whether names are those of Python before 3.11: the dispatcher's would have parts otherwise. */
static bool is_old(const struct dispatcher *d, const struct rules_function *dispatcher)
{
	return !d || (strchr(d->name, '.') && !strchr(dispatcher->name, '.'));
}

enum rules_verdict rules_below(unsigned int rule, const struct rules_function *dispatcher,
			       const struct rules_function *f)
{
	const struct dispatcher *d = rule && rule < OWN_FIRST ? &dispatchers[rule - 1] : NULL;
	const enum framework framework = d ? d->framework : OWN;
	const char *in_folder = d ? below_folder(f->file, d, dispatcher->file) : NULL;
	const bool old = is_old(d, dispatcher);

	for (size_t i = 0; i < ARRAY_SIZE(below); i++) {
		const struct below *b = &below[i];

		if ((b->framework == framework || b->framework == ANY) && is_name(f->name, b->name, old) &&
		    is_in(f->file, in_folder, b->file))
			return b->verdict;
	}
	return RULES_HANDLER;
}

/* "FILE:NAME" of the given size. */
static int add_own(struct rules *r, const char *text, size_t size)
{
	const char *colon = memrchr(text, ':', size);
	const size_t file = colon ? (size_t)(colon - text) : 0;

	if (!file || file + 1 == size || r->own_count == RULES_OWN_MAX)
		return -EINVAL;
	r->own[r->own_count].file = (struct rule_part){ text, file };
	r->own[r->own_count++].name = (struct rule_part){ colon + 1, size - file - 1 };
	return 0;
}

int rules_new(const char *own, struct rules **ret)
{
	_cleanup_rules_ struct rules *r = calloc(1, sizeof(*r));
	int err = r ? 0 : -ENOMEM;

	while (!err && own) {
		const size_t size = strcspn(own, ",");

		err = add_own(r, own, size);
		own = own[size] ? own + size + 1 : NULL;
	}
	if (!err)
		*ret = TAKE_PTR(r);
	return err;
}

void rules_free(struct rules *r)
{
	free(r);
}

static size_t without(const char *path, size_t size, const char *end)
{
	const size_t length = strlen(end);

	return size > length && !strncmp(path + size - length, end, length) ? size - length : size;
}

int rules_name(const char *file, const char *name, struct buf *out)
{
	const char *path = short_path_of(file, NULL);
	size_t size = without(path, strlen(path), ".py");
	const size_t start = out->size;
	int err;

	size = without(path, size, "/__init__");
	err = buf_add(out, path, size);
	for (size_t i = start; !err && i < out->size; i++)
		if (out->data[i] == '/')
			out->data[i] = '.';
	err = err ?: buf_add(out, ":", 1) ?: buf_add_string(out, name);
	if (err)
		out->size = start;
	return err;
}
