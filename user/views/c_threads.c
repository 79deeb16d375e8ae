// SPDX-License-Identifier: GPL-2.0-only
#include "views/c_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "views/table_cell.h"

/* Files whose functions begin a thread and then call whose it is. */
static const char *const starters[] = {
	"libc.so", "libc-", "libpthread", "ld-linux", "ld-musl", "libc.musl", "libstdc++",
};

struct c_threads_row {
	__u32 file; /* string; 0: nothing is known of the native code */
	__u64 count;
};

struct c_threads {
	struct c_threads_row *rows; /* the hottest first */
	size_t n;
};

#define LIBRARIES_MAX 4 /* are named, ... */
#define NAME_WIDTH    40 /* ... so much of each */

static bool is_starter(const char *file)
{
	const char *name = base_name(file);

	for (size_t i = 0; i < ARRAY_SIZE(starters); i++)
		if (!strncmp(name, starters[i], strlen(starters[i])))
			return true;
	return false;
}

static __u32 file_of(const struct profile *p, __u32 location)
{
	const struct profile_location *l = profile_get_location(p, location);

	if (profile_get_function(p, l->function)->kind != FRAME_NATIVE || !l->mapping)
		return 0;
	return profile_get_mapping(p, l->mapping)->file;
}

/* From the root to the leaf; a thread that is seen in the C library alone is of that. */
static __u32 library_of(const struct profile *p, const struct profile_stack *stack, __u32 root)
{
	__u32 starter = 0;

	for (__u32 i = root; i-- > 0;) {
		const __u32 file = file_of(p, stack->locations[i]);

		if (file && !is_starter(profile_get_string(p, file)))
			return file;
		starter = starter ?: file;
	}
	return starter;
}

/* Where the stack says that the thread is one of C; stack->n: it does not. */
static __u32 find_root(const struct profile *p, const struct profile_stack *stack)
{
	__u32 i = 0;

	while (i < stack->n &&
	       profile_get_function(p, profile_get_location(p, stack->locations[i])->function)->kind !=
		       FRAME_C_THREAD)
		i++;
	return i;
}

static int by_file(const void *a, const void *b)
{
	const struct c_threads_row *x = a, *y = b;

	return (x->file > y->file) - (x->file < y->file);
}

static int by_count(const void *a, const void *b)
{
	const struct c_threads_row *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) : by_file(a, b);
}

static void merge(struct c_threads *c)
{
	size_t n = 0;

	qsort(c->rows, c->n, sizeof(*c->rows), by_file);
	for (size_t i = 0; i < c->n; i++) {
		if (n && c->rows[n - 1].file == c->rows[i].file)
			c->rows[n - 1].count += c->rows[i].count;
		else
			c->rows[n++] = c->rows[i];
	}
	c->n = n;
	qsort(c->rows, c->n, sizeof(*c->rows), by_count);
}

/* Of the kind of event that is shown. 0 or -ENOMEM; free_rows() it in both cases. */
static int find_rows(const struct profile *p, struct c_threads *ret)
{
	*ret = (struct c_threads){ .rows = calloc((size_t)profile_count(p, PROFILE_SAMPLE) + 1,
						  sizeof(*ret->rows)) };
	if (!ret->rows)
		return -ENOMEM;
	for (__u32 id = 1; id <= profile_count(p, PROFILE_SAMPLE); id++) {
		const struct profile_stack stack = profile_get_sample(p, id);
		const __u32 root = find_root(p, &stack);

		if (root == stack.n || !stack.count)
			continue;
		ret->rows[ret->n++] = (struct c_threads_row){ library_of(p, &stack, root), stack.count };
	}
	merge(ret);
	return 0;
}

static void free_rows(struct c_threads *c)
{
	free(c->rows);
	*c = (struct c_threads){ 0 };
}

static int add_library_text(const struct profile *p, const struct c_threads *c, size_t i, struct buf *out)
{
	const size_t before = out->size;
	int err;

	if (c->rows[i].file) {
		err = buf_add_shown(out, base_name(profile_get_string(p, c->rows[i].file)), false);
		out->size = before + table_cell_head(out->data + before, out->size - before, NAME_WIDTH);
		return err;
	}
	return buf_add_string(out, c->n == 1 ? "(--native leaf names their libraries)" : "[unknown]");
}

void c_threads_print(const struct profile *p, int decimals, const char *dim, const char *reset, FILE *f)
{
	_cleanup_(free_rows) struct c_threads c = { 0 };
	_cleanup_buf_ struct buf line = { 0 };
	int err = find_rows(p, &c);

	for (size_t i = 0; i < c.n && i < LIBRARIES_MAX && !err; i++) {
		const double share = (double)c.rows[i].count / (double)profile_total(p);

		err = buf_printf(&line, "%s%.*f%% ", i ? ", " : "", decimals, 100 * share) ?:
		      add_library_text(p, &c, i, &line);
	}
	if (!err && line.size)
		fprintf(f, "\n%sThreads of C: %.*s%s\n", dim, (int)line.size, line.data, reset);
}
