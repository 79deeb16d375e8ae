// SPDX-License-Identifier: GPL-2.0-only
#include "views/graph_tables.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/frames.h"
#include "profile/own_time.h"
#include "profile/package.h"

static int open_table(struct graph_table *t, const struct profile *p, enum profile_kind kind)
{
	t->places = calloc((size_t)profile_count(p, kind) + 1, sizeof(*t->places));
	return t->places ? 0 : -ENOMEM;
}

static void close_table(struct graph_table *t)
{
	free(t->places);
	buf_free(&t->ids);
}

static int place_of_id(struct graph_table *t, __u32 id, __u32 *ret)
{
	if (!t->places[id]) {
		if (buf_add(&t->ids, &id, sizeof(id)))
			return -ENOMEM;
		t->places[id] = t->ids.size / sizeof(id);
	}
	*ret = t->places[id] - 1;
	return 0;
}

static __u32 id_at(const struct graph_table *t, size_t place)
{
	return ((const __u32 *)(void *)t->ids.data)[place];
}

static size_t count(const struct graph_table *t)
{
	return t->ids.size / sizeof(__u32);
}

int graph_tables_open(struct graph_tables *t)
{
	const struct profile *p = t->profile;
	__u32 place;

	t->package_of = calloc((size_t)profile_count(p, PROFILE_STRING) + 1, sizeof(*t->package_of));
	t->file_of = calloc((size_t)profile_count(p, PROFILE_FUNCTION) + 1, sizeof(*t->file_of));
	if (!t->package_of || !t->file_of)
		return -ENOMEM;
	for (__u32 id = 1; id <= profile_count(p, PROFILE_LOCATION); id++)
		t->file_of[profile_get_location(p, id)->function] = own_time_file(p, id);
	return open_table(&t->owners, t->profile, PROFILE_OWNER) ?:
	       open_table(&t->functions, t->profile, PROFILE_FUNCTION) ?:
	       open_table(&t->strings, t->profile, PROFILE_STRING) ?:
	       place_of_id(&t->strings, 0, &place); /* "" is the first */
}

void graph_tables_close(struct graph_tables *t)
{
	close_table(&t->owners);
	close_table(&t->functions);
	close_table(&t->strings);
	buf_free(&t->packages);
	free(t->package_of);
	free(t->file_of);
}

int graph_owner(struct graph_tables *t, __u32 id, __u32 *ret)
{
	return place_of_id(&t->owners, id, ret);
}

int graph_function(struct graph_tables *t, __u32 id, __u32 *ret)
{
	return place_of_id(&t->functions, id, ret);
}

/* --- as JSON ------------------------------------------------------------------------------------------- */

static int add_text(struct graph_tables *t, __u32 id, struct buf *out)
{
	__u32 place;
	int err = place_of_id(&t->strings, id, &place);

	return err ?: buf_add_number(out, place);
}

/* The columns of functions. 0 stands for what is left out: behind the last text there is one more. */
static int add_name(struct graph_tables *t, __u32 id, struct buf *out)
{
	return id ? add_text(t, profile_get_function(t->profile, id)->name, out) : buf_add_string(out, "-1");
}

static int add_file(struct graph_tables *t, __u32 id, struct buf *out)
{
	return id ? add_text(t, profile_get_function(t->profile, id)->file, out) : buf_add_string(out, "0");
}

static int add_line(struct graph_tables *t, __u32 id, struct buf *out)
{
	return buf_add_number(out, id ? profile_get_function(t->profile, id)->start_line : 0);
}

static enum frame_kind kind_of(const struct graph_tables *t, __u32 id)
{
	return id ? profile_get_function(t->profile, id)->kind : FRAME_MARKER;
}

static int add_kind(struct graph_tables *t, __u32 id, struct buf *out)
{
	return buf_add_number(out, kind_of(t, id));
}

/* The place of a name among the packages, which is the last one if it is new. */
static int find_package(struct graph_tables *t, const char *name, __u32 *ret)
{
	__u32 place = 0;

	for (size_t at = 0; at < t->packages.size; at += strlen(t->packages.data + at) + 1, place++)
		if (!strcmp(t->packages.data + at, name)) {
			*ret = place;
			return 0;
		}
	*ret = place;
	return buf_add(&t->packages, name, strlen(name) + 1);
}

/* What has no file stands for itself: -1. */
static int add_package(struct graph_tables *t, __u32 id, struct buf *out)
{
	const __u32 file = t->file_of[id];
	char name[PROFILE_STRING_MAX];
	__u32 place;
	int err = 0;

	if (!file)
		return buf_add_string(out, "-1");
	if (!t->package_of[file]) {
		package_of(profile_get_string(t->profile, file), name, sizeof(name));
		err = find_package(t, name, &place);
		t->package_of[file] = err ? 0 : place + 1;
	}
	return err ?: buf_add_number(out, t->package_of[file] - 1);
}

static int add_own(struct graph_tables *t, __u32 id, struct buf *out)
{
	return buf_add_number(out,
			      own_time_of(kind_of(t, id), profile_get_string(t->profile, t->file_of[id])));
}

static const struct {
	const char *name;
	int (*add)(struct graph_tables *t, __u32 id, struct buf *out);
} columns[] = {
	{ "name", add_name },
	{ "file", add_file },
	{ "line", add_line },
	{ "kind", add_kind },
	{ "package", add_package },
	{ "own", add_own },
};

static int add_functions(struct graph_tables *t, struct buf *out)
{
	int err = buf_add_string(out, ",\"functions\":{");

	for (size_t c = 0; c < ARRAY_SIZE(columns) && !err; c++) {
		err = buf_printf(out, "%s\"%s\":[", c ? "," : "", columns[c].name);
		for (size_t i = 0; i < count(&t->functions) && !err; i++)
			err = (i ? buf_add(out, ",", 1) : 0) ?:
			      columns[c].add(t, id_at(&t->functions, i), out);
		err = err ?: buf_add_string(out, "]");
	}
	return err ?: buf_add_string(out, "}");
}

/* Of label `label`, or behind those of labels.def, of an extra one. */
static __u32 value_of(const struct profile_owner *o, int label)
{
	return label < LABEL_COUNT ? o->label[label] : o->extra[label - LABEL_COUNT];
}

static bool anyone_has(const struct graph_tables *t, int label)
{
	for (size_t i = 0; i < count(&t->owners); i++)
		if (value_of(profile_get_owner(t->profile, id_at(&t->owners, i)), label))
			return true;
	return false;
}

static int add_label(struct graph_tables *t, int label, struct buf *out)
{
	const struct profile_info *info = profile_get_info(t->profile);
	const bool is_number = label < LABEL_COUNT && !label_rows[label].is_text;
	const char *name = label < LABEL_COUNT ? label_rows[label].key : info->extra[label - LABEL_COUNT];
	int err = buf_add_json(out, name) ?: buf_add_string(out, ":[");

	for (size_t i = 0; i < count(&t->owners) && !err; i++) {
		const __u32 value = value_of(profile_get_owner(t->profile, id_at(&t->owners, i)), label);

		err = i ? buf_add(out, ",", 1) : 0;
		err = err ?: is_number ? buf_add_number(out, value) : add_text(t, value, out);
	}
	return err ?: buf_add_string(out, "]");
}

static int add_owners(struct graph_tables *t, struct buf *out)
{
	const int labels = LABEL_COUNT + profile_get_info(t->profile)->extra_count;
	int err = buf_add_string(out, ",\"owners\":{");
	bool any = false;

	for (int label = 0; label < labels && !err; label++) {
		if (!anyone_has(t, label))
			continue;
		err = any ? buf_add_string(out, ",") : 0;
		err = err ?: add_label(t, label, out);
		any = true;
	}
	return err ?: buf_add_string(out, "}");
}

static int add_packages(struct graph_tables *t, struct buf *out)
{
	int err = buf_add_string(out, ",\"packages\":[");

	for (size_t at = 0; at < t->packages.size && !err; at += strlen(t->packages.data + at) + 1)
		err = (at ? buf_add_string(out, ",") : 0) ?: buf_add_json(out, t->packages.data + at);
	return err ?: buf_add_string(out, "]");
}

/* The last one is not the profile's: functions name it by -1. */
static int add_strings(struct graph_tables *t, struct buf *out)
{
	int err = buf_add_string(out, ",\"strings\":[");

	for (size_t i = 0; i < count(&t->strings) && !err; i++)
		err = buf_add_json(out, profile_get_string(t->profile, id_at(&t->strings, i))) ?:
		      buf_add_string(out, ",");
	return err ?: buf_add_string(out, "\"" GRAPH_LEFT_OUT "\"]");
}

int graph_add_tables(struct graph_tables *t, struct buf *out)
{
	return add_owners(t, out) ?: add_functions(t, out) ?: add_packages(t, out) ?: add_strings(t, out);
}

int graph_add_kinds(struct buf *out)
{
	int err = buf_add_string(out, ",\"kinds\":[");

	for (int i = 0; i < FRAME_KINDS && !err; i++)
		err = buf_printf(out, "%s{\"kind\":\"%s\",\"colour\":\"%s\",\"shown\":\"%s\"%s}",
				 i ? "," : "", frame_rows[i].key, frame_rows[i].colour, frame_rows[i].shown,
				 frame_is_native(i) ? ",\"native\":true" : "");
	return err ?: buf_add_string(out, "]");
}
