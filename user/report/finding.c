// SPDX-License-Identifier: GPL-2.0-only
#include "report/finding.h"

#include <stdio.h>
#include <string.h>

#include "base/escapes.h"
#include "base/number.h"
#include "views/table_cell.h"

#define NOT_WHOLE 0.01 /* less is not worth a word */

static int add_quoted(struct buf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_@%+=:,./-";
	int err;

	if (*word && word[strspn(word, plain)] == '\0')
		return buf_add_string(out, word);
	err = buf_add_string(out, "'");
	for (; *word && !err; word++)
		err = *word == '\'' ? buf_add_string(out, "'\\''") : buf_add(out, word, 1);
	return err ?: buf_add_string(out, "'");
}

void findings_set_files(struct findings *f, char *const *files)
{
	_cleanup_buf_ struct buf b = { 0 };
	int err = 0;

	for (size_t i = 0; files[i] && !err; i++)
		err = (i ? buf_add_string(&b, " ") : 0) ?: add_quoted(&b, files[i]);
	f->files[0] = '\0';
	if (!err && b.size < sizeof(f->files))
		snprintf(f->files, sizeof(f->files), "%.*s", (int)b.size, b.data ?: "");
}

static int add_command(const struct findings *f, const struct finding *row, struct buf *out)
{
	int err = buf_add_string(out, "pyperf-bpf report");

	for (size_t i = 0; row->arguments[i] && !err; i++)
		err = buf_add_string(out, " ") ?: add_quoted(out, row->arguments[i]);
	return err ?: buf_printf(out, " %s", *f->files ? f->files : "FILE");
}

static int add_doubt(const struct finding *row, struct buf *out)
{
	int err;

	if (!row->is_sampled)
		return buf_add_string(out, row->doubt ?: "counted one by one, no sample");
	err = buf_printf(out, "95 %% sure to be within %.1f and %.1f %%, by %s samples", 100 * row->low,
			 100 * row->high, number_group(row->samples).text);
	if (!err && row->not_whole >= NOT_WHOLE)
		err = buf_printf(out, "; %.1f %% of all lack frames", 100 * row->not_whole);
	return err;
}

/* Words on lines of at most `width` columns, the later ones indented as the first one. */
static int add_wrapped(const struct buf *words, const char *before, size_t width, struct buf *out)
{
	const size_t indent = table_cell_columns(before, strlen(before));
	size_t used = indent, at = 0;
	int err = buf_add_string(out, before);

	while (at < words->size && !err) {
		const char *word = words->data + at, *end = memchr(word, ' ', words->size - at);
		const size_t size = end ? (size_t)(end - word) : words->size - at;
		const size_t columns = table_cell_columns(word, size);

		if (used > indent && used + 1 + columns > width) {
			err = buf_printf(out, "\n%*s", (int)indent, "");
			used = indent;
		} else if (used > indent) {
			err = buf_add_string(out, " ");
			used++;
		}
		err = err ?: buf_add(out, word, size);
		used += columns;
		at += size + 1;
	}
	return err ?: buf_add_string(out, "\n");
}

static int text_finding(const struct findings *f, const struct finding *row, bool colour, size_t width,
			struct buf *out)
{
	_cleanup_buf_ struct buf words = { 0 }, command = { 0 }, shown = { 0 };
	int err = buf_add_shown(&words, row->text, false) ?: buf_add_string(&words, " (") ?:
		  add_doubt(row, &words) ?: buf_add_string(&words, ")");

	err = err ?: add_wrapped(&words, "  - ", width, out);
	if (err || !row->arguments[0])
		return err;
	err = add_command(f, row, &command) ?: buf_add(&command, "", 1) ?:
	      buf_add_shown(&shown, command.data, false);
	return err ?: buf_printf(out, "%s    %.*s%s\n", colour ? DIM : "", (int)shown.size, shown.data ?: "",
				 colour ? RESET : "");
}

int findings_text(const struct findings *f, bool colour, size_t width, struct buf *out)
{
	int err = f->count ? buf_printf(out, "%sWhat stands out%s\n", colour ? BOLD : "", colour ? RESET : "")
			   : 0;

	for (size_t i = 0; i < f->count && !err; i++)
		err = text_finding(f, &f->rows[i], colour, width, out);
	if (!err && f->left_out)
		err = buf_printf(out, "  - and %zu more, of less\n", f->left_out);
	return err;
}

static int add_place_json(const struct finding_place *p, struct buf *out)
{
	int err;

	if (!*p->name)
		return 0;
	err = buf_add_string(out, ",\"place\":{\"name\":") ?: buf_add_json(out, p->name);
	if (!err && *p->file)
		err = buf_add_member(out, "file", p->file);
	if (!err && p->line)
		err = buf_printf(out, ",\"line\":%lld", p->line);
	return err ?: buf_printf(out, ",\"share\":%.6f}", p->share);
}

static int add_doubt_json(const struct finding *row, struct buf *out)
{
	_cleanup_buf_ struct buf doubt = { 0 };
	int err = add_doubt(row, &doubt) ?: buf_add(&doubt, "", 1) ?:
		  buf_add_member(out, "doubt", doubt.data);

	if (!err && row->is_sampled)
		err = buf_printf(out, ",\"share_low\":%.6f,\"share_high\":%.6f,\"samples\":%lld", row->low,
				 row->high, row->samples);
	return err;
}

static int add_command_json(const struct findings *f, const struct finding *row, struct buf *out)
{
	_cleanup_buf_ struct buf command = { 0 };
	int err = add_command(f, row, &command) ?: buf_add(&command, "", 1) ?:
		  buf_add_member(out, "command", command.data) ?: buf_add_string(out, ",\"arguments\":[");

	for (size_t i = 0; row->arguments[i] && !err; i++)
		err = buf_add_string(out, i ? "," : "") ?: buf_add_json(out, row->arguments[i]);
	return err ?: buf_add_string(out, "]");
}

static int add_row_json(const struct findings *f, const struct finding *row, struct buf *out)
{
	int err = buf_printf(out, "{\"code\":\"%s\"", row->code) ?: buf_add_member(out, "text", row->text) ?:
		  add_doubt_json(row, out) ?: buf_add_member(out, "event", row->event) ?:
		  buf_add_member(out, "unit", row->unit);

	err = err ?: buf_printf(out, ",\"value\":%lld,\"of\":%lld,\"share\":%.6f", row->value, row->of,
				row->share);
	err = err ?: add_place_json(&row->place, out);
	if (!err && row->arguments[0])
		err = add_command_json(f, row, out);
	return err ?: buf_add_string(out, "}");
}

int findings_json(const struct findings *f, struct buf *out)
{
	int err = buf_add_string(out, "[");

	for (size_t i = 0; i < f->count && !err; i++)
		err = buf_add_string(out, i ? ",\n" : "\n") ?: add_row_json(f, &f->rows[i], out);
	return err ?: buf_add_string(out, "]");
}
