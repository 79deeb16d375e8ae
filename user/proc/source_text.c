// SPDX-License-Identifier: GPL-2.0-only
#include "proc/source_text.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file_change.h"
#include "proc/safe_open.h"

/* The bytes that are sent: this, and count + 1 lines, of which the first is where the function begins. */
struct sent_text {
	__s64 changed_unix_ns;
	__u32 from, count;
};

static bool is_allowed;

void source_text_allow(void)
{
	is_allowed = true;
}

bool source_text_is_shown(const char *path)
{
	const size_t n = strlen(path);

	return *path == '/' && n > 3 && n < SOURCE_PATH_SIZE && !strcmp(path + n - 3, ".py");
}

static bool is_sane_question(const struct source_wanted *w)
{
	return memchr(w->path, '\0', sizeof(w->path)) && source_text_is_shown(w->path) && w->begins &&
	       w->from && w->to >= w->from && w->to - w->from < SOURCE_LINES_MAX;
}

/* --- what the worker does ------------------------------------------------------------------------------- */

static int read_start(int fd, struct buf *text)
{
	ssize_t n = 1;

	if (buf_reserve(text, SOURCE_FILE_MAX))
		return -ENOMEM;
	while (n && text->size < SOURCE_FILE_MAX) {
		n = pread(fd, text->data + text->size, SOURCE_FILE_MAX - text->size, text->size);
		if (n < 0 && errno != EINTR)
			return -errno;
		text->size += n > 0 ? n : 0;
	}
	return 0;
}

/* A line, and where the next one begins. Python ends lines as \n, as \r\n and as \r. */
struct source_line {
	const char *text, *next; /* next: NULL behind the last one */
	size_t size;
};

static struct source_line line_at(const char *at, const char *end)
{
	struct source_line l = { .text = at };

	while (at < end && *at != '\n' && *at != '\r')
		at++;
	l.size = at - l.text;
	if (at < end)
		l.next = at + 1 < end && at[0] == '\r' && at[1] == '\n' ? at + 2 : at + 1;
	return l;
}

/* No letter is cut in two. */
static int add_text_line(const struct source_line *l, struct buf *out)
{
	size_t size = l->size;
	int err;

	if (memchr(l->text, '\0', size))
		return -EILSEQ;
	if (size > SOURCE_LINE_MAX) {
		size = SOURCE_LINE_MAX;
		for (int i = 0; i < 3 && (l->text[size] & 0xc0) == 0x80; i++)
			size--;
	}
	err = buf_add(out, l->text, size);
	if (!err && size < l->size)
		err = buf_add_string(out, SOURCE_LINE_CUT);
	return err ?: buf_add(out, "\n", 1);
}

/* Goes over the lines once. h->count: how many of those that are wanted there are. */
static int add_lines(const struct buf *text, const struct source_wanted *w, struct sent_text *h,
		     struct buf *begins, struct buf *lines)
{
	const char *end = text->data + text->size;
	struct source_line l = { .next = text->data };
	int err = 0;

	for (__u32 number = 1; !err && l.next && l.next < end && (number <= w->to || number <= w->begins);
	     number++) {
		l = line_at(l.next, end);
		if (!l.next && text->size >= SOURCE_FILE_MAX)
			break; /* it is not whole */
		if (number == w->begins)
			err = add_text_line(&l, begins);
		if (!err && number >= w->from && number <= w->to) {
			err = add_text_line(&l, lines);
			h->count++;
		}
	}
	if (err)
		return err;
	if (begins->size && h->count)
		return 0;
	return text->size >= SOURCE_FILE_MAX ? -EFBIG : -ERANGE;
}

int source_text_read(pid_t tid, const struct source_wanted *wanted, struct buf *out)
{
	_cleanup_buf_ struct buf text = { 0 }, begins = { 0 }, lines = { 0 };
	struct sent_text h = { .from = wanted->from };
	const size_t size = out->size;
	_cleanup_close_ int fd = -1;
	struct stat stat;
	int err;

	if (!is_sane_question(wanted))
		return -EINVAL;
	if (!is_allowed)
		return -EPERM;
	fd = safe_open_named(tid, wanted->path, SAFE_OPEN_OWN | SAFE_OPEN_PUBLIC, &stat);
	if (fd < 0)
		return fd;
	err = read_start(fd, &text) ?: add_lines(&text, wanted, &h, &begins, &lines);
	if (err)
		return err;
	if (fstat(fd, &stat)) /* it may have been changed meanwhile */
		return -errno;
	h.changed_unix_ns = file_change_ns(&stat);
	err = buf_add(out, &h, sizeof(h)) ?: buf_add(out, begins.data, begins.size) ?:
	      buf_add(out, lines.data, lines.size);
	if (err)
		out->size = size;
	return err;
}

/* --- what the profiler does ----------------------------------------------------------------------------- */

/* The line at *at, which ends with NUL from then on. NULL: there is none. */
static const char *take_line(char **at, const char *end)
{
	char *line = *at, *newline = memchr(line, '\n', end - line);

	if (!newline || memchr(line, '\0', newline - line))
		return NULL;
	*newline = '\0';
	*at = newline + 1;
	return line;
}

int source_text_parse(void *bytes, size_t size, struct source_text *ret)
{
	char *at = (char *)bytes + sizeof(struct sent_text), *end = (char *)bytes + size;
	struct source_text t = { 0 };
	struct sent_text h;

	if (size < sizeof(h))
		return -EBADMSG;
	memcpy(&h, bytes, sizeof(h));
	if (!h.from || !h.count || h.count > SOURCE_LINES_MAX)
		return -EBADMSG;
	t.changed_unix_ns = h.changed_unix_ns;
	t.from = h.from;
	t.begins = take_line(&at, end);
	for (; t.begins && t.count < h.count; t.count++) {
		t.lines[t.count] = take_line(&at, end);
		if (!t.lines[t.count])
			return -EBADMSG;
	}
	if (!t.begins || at != end)
		return -EBADMSG;
	*ret = t;
	return 0;
}
