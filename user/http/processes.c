// SPDX-License-Identifier: GPL-2.0-only
#include "http/processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "kern/process_table.h"
#include "profile/events.h"
#include "profile/profile.h"
#include "python/layout.h"
#include "targets/registry.h"
#include "views/tally.h"

struct row {
	struct registry_entry process;
	__u64 samples;
};

struct process_rows {
	struct row *rows;
	size_t n, capacity;
};

static int collect(void *context, const struct registry_entry *e)
{
	struct process_rows *r = context;

	if (!e->ended && r->n < r->capacity)
		r->rows[r->n++] = (struct row){ .process = *e };
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->process.pid > y->process.pid) - (x->process.pid < y->process.pid);
}

static int by_samples(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return by_pid(a, b);
}

static int count_samples(struct process_rows *r, const struct profile *recent)
{
	struct tally t;
	int err = tally_make(recent, &t);

	qsort(r->rows, r->n, sizeof(*r->rows), by_pid);
	for (__u32 i = 0; !err && i < t.processes.n; i++) {
		struct row key = { .process.pid = t.processes.rows[i].id };
		struct row *found = bsearch(&key, r->rows, r->n, sizeof(*r->rows), by_pid);

		if (found)
			found->samples = t.processes.rows[i].self;
	}
	tally_free(&t);
	return err;
}

/* Appends foreign text as HTML: valid UTF-8, and nothing of it is markup. 0 or -ENOMEM. */
static int add_text(struct buf *out, const char *text)
{
	_cleanup_buf_ struct buf valid = {};
	int err = buf_add_shown(&valid, text, false);

	for (size_t i = 0; !err && i < valid.size; i++) {
		char c = valid.data[i];

		if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'')
			err = buf_printf(out, "&#%d;", c);
		else
			err = buf_add(out, &c, 1);
	}
	return err;
}

static void version_string(const struct kernel *kernel, int index, char text[VERSION_STRING_SIZE])
{
	struct layout layout;

	if (index < 0 || kernel_get_layout(kernel, index, &layout))
		snprintf(text, VERSION_STRING_SIZE, "unsupported");
	else
		layout_version_string(layout.version, layout.free_threaded, text);
}

/* namespace/pod/container as far as they are known, else the start of the container's id. */
static int add_container(const struct registry_entry *e, struct buf *out)
{
	char id[13] = "";
	bool any = false;
	int err = 0;

	for (int i = LABEL_COUNT; !err && i-- > 0;) {
		const char *part = label_rows[i].outputs & IN_SERIES ? e->label[i] : "";

		if (!*part)
			continue;
		err = (any ? buf_add_string(out, "/") : 0) ?: add_text(out, part);
		any = true;
	}
	if (any || err)
		return err;
	snprintf(id, sizeof(id), "%s", e->label[LABEL_container_id]);
	return add_text(out, id);
}

/* page.js shows them below the table. */
static int add_stacks(const struct registry_entry *e, struct buf *out)
{
	if (e->layout < 0)
		return 0;
	return buf_printf(out, "<td><a class=\"now\" href=\"debug/pyperf/stacks?pid=%u\">stacks now</a>",
			  e->pid);
}

/* So many samples, or seconds, or bytes, of what the profile is of. */
static int add_amount(const struct row *r, const struct profile *recent, struct buf *out)
{
	const __u64 total = recent ? profile_total(recent) : 0;
	const double share = total ? 100.0 * r->samples / total : 0.0;
	const enum event_kind kind = recent ? profile_shown(recent) : EVENT_CPU;

	if (!recent || profile_shown_unit(recent) == UNIT_COUNT)
		return buf_printf(out, "<td>%llu<td>%.1f %%", r->samples, share);
	return buf_printf(out, "<td>%.2f %s<td>%.1f %%", profile_shown_amount(recent, r->samples),
			  event_amount_unit(kind), share);
}

static const char *amount_title(const struct profile *recent)
{
	if (!recent || profile_shown_unit(recent) == UNIT_COUNT)
		return "samples";
	return event_rows[profile_shown(recent)].resource;
}

static int add_row(const struct row *r, const struct kernel *kernel, const struct profile *recent,
		   struct buf *out)
{
	char version[VERSION_STRING_SIZE];

	version_string(kernel, r->process.layout, version);
	return buf_printf(out, "<tr><td><a href=\"?pid=%u\">%u</a><td>", r->process.pid, r->process.pid) ?:
	       add_text(out, r->process.comm) ?:
	       buf_printf(out, "<td>%s<td>", version) ?:
	       add_text(out, r->process.binary) ?:
	       buf_add_string(out, "<td>") ?:
	       add_container(&r->process, out) ?:
	       add_amount(r, recent, out) ?:
	       add_stacks(&r->process, out) ?:
	       buf_add_string(out, "\n");
}

int processes_html(const struct registry *registry, const struct kernel *kernel, const struct profile *recent,
		   struct buf *out)
{
	struct process_rows all = {};
	_cleanup_free_ struct row *rows = NULL;
	size_t i;
	int err = 0;

	registry_count(registry, &all.capacity);
	all.rows = rows = calloc(all.capacity + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	registry_each(registry, collect, &all);
	if (recent)
		err = count_samples(&all, recent);
	qsort(rows, all.n, sizeof(*rows), by_samples);
	if (!err)
		err = buf_printf(out,
				 "<table><thead><tr><th>pid<th>name<th>version<th>interpreter<th>"
				 "container<th>%s<th>share<th><tbody>\n",
				 amount_title(recent));
	for (i = 0; !err && i < all.n && i < PROCESSES_SHOWN; i++)
		err = add_row(&rows[i], kernel, recent, out);
	if (!err)
		err = buf_add_string(out, "</table>\n");
	if (!err && i < all.n)
		err = buf_printf(out, "<p>and %zu more\n", all.n - i);
	return err;
}
