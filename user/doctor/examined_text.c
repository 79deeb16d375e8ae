// SPDX-License-Identifier: GPL-2.0-only
/*
 * examined_text.c - what was found, as lines for people: the word, the subject, what it is, and below what is
 * missing what mends it.
 */
#include <string.h>

#include "base/path.h"
#include "doctor/examined.h"

static int add_shown(struct buf *out, const struct buf *bytes)
{
	_cleanup_buf_ struct buf text = { 0 };
	int err = buf_add_utf8(&text, bytes->data ?: "", bytes->size) ?: buf_add(&text, "", 1);

	return err ?: buf_add_shown(out, text.data, false);
}

static const char *colour_of(enum grade grade)
{
	static const char *const codes[GRADES] = {
		[GRADE_OK] = "\033[32m", [GRADE_NOTE] = "\033[33m", [GRADE_UNKNOWN] = "\033[33m",
		[GRADE_MISSING] = "\033[31;1m", [GRADE_UNASKED] = "",
	};

	return codes[grade];
}

static int add_check_line(const char *name, const struct checked *f, bool colour, struct buf *out)
{
	int err;

	if (f->grade == GRADE_UNASKED)
		return 0;
	err = buf_printf(out, "  %s%-8s%s %-17s ", colour ? colour_of(f->grade) : "",
			 f->grade == GRADE_MISSING ? "MISSING" : examined_grade(f->grade),
			 colour ? "\033[0m" : "", name);
	err = err ?: add_shown(out, &f->says) ?: buf_add_string(out, "\n");
	for (size_t i = 0; i < ARRAY_SIZE(f->mend) && f->mend[i].size && !err; i++)
		err = buf_printf(out, "%28s-> ", "") ?: add_shown(out, &f->mend[i]) ?:
		      buf_add_string(out, "\n");
	return err;
}

static int add_string(struct buf *out, const char *s)
{
	_cleanup_buf_ struct buf text = { 0 };
	int err = buf_add_utf8(&text, s, strlen(s)) ?: buf_add(&text, "", 1);

	return err ?: buf_add_shown(out, text.data, false);
}

static const char *asyncio_words(const struct examined_process *p)
{
	const char *state = examined_asyncio(p);

	if (!strcmp(state, "too old"))
		return "asyncio's tasks: from 3.8 on, with the GIL up to 3.13";
	if (!strcmp(state, "readable"))
		return "asyncio's tasks can be read";
	return strcmp(state, "not loaded") ? "asyncio's tasks cannot be read" : "asyncio is not loaded";
}

static int add_layout(const struct examined_process *p, struct buf *out)
{
	const struct identity *i = &p->identity;
	int err = buf_printf(out, "CPython %s, layout %s", *i->version ? i->version : "of unknown version",
			     examined_layout(p));

	if (!err && i->verdict == VERDICT_UNPROVED)
		err = buf_add_string(out, " (no thread runs Python code)");
	if (!err && *i->reason)
		err = buf_add_string(out, ": ") ?: add_string(out, i->reason);
	if (err || i->verdict == VERDICT_NO_LAYOUT)
		return err;
	err = buf_printf(out, ", %s, %s", i->layout.free_threaded ? "free-threaded" : "with the GIL",
			 asyncio_words(p));
	return err;
}

static int add_blind(const struct native_code *n, struct buf *out)
{
	int err = buf_printf(out, "; callers are not found in parts of %u (", n->blind);

	for (unsigned int i = 0; i < n->blind && i < NATIVE_CODE_SHOWN && !err; i++)
		err = buf_add_string(out, i ? ", " : "") ?: add_string(out, n->blind_names[i]);
	return err ?: buf_add_string(out, n->blind > NATIVE_CODE_SHOWN ? ", ...)" : ")");
}

/* A second line of a process, with --native. */
static int add_native_line(const struct native_code *n, struct buf *out)
{
	int err;

	if (n->error)
		return buf_printf(out, "%11snative code: cannot be looked at: %s\n", "", strerror(-n->error));
	err = buf_printf(out, "%11snative code: %u files; names in %u, of all functions in %u", "", n->files,
			 n->named, n->complete);
	if (!err && n->unread)
		err = buf_printf(out, "; %u cannot be read", n->unread);
	if (!err && n->blind)
		err = add_blind(n, out);
	if (!err && n->made != MADE_CODE_NONE)
		err = buf_printf(out, "; code made at run time, %s",
				 n->made == MADE_CODE_NAMED ? "with names" : "without names");
	return err ?: buf_add_string(out, "\n");
}

static int add_process_line(const struct examined_process *p, struct buf *out)
{
	int err = buf_printf(out, "  %-8d ", p->pid);

	if (p->error)
		return err ?: buf_printf(out, "cannot be looked at: %s\n", strerror(-p->error));
	err = err ?: add_string(out, p->name) ?: buf_add_string(out, ": ");
	if (!err && p->identity.verdict == VERDICT_NOT_PYTHON)
		err = buf_add_string(out, "not Python: ") ?: add_string(out, p->identity.reason);
	else
		err = err ?: add_layout(p, out);
	err = err ?: buf_add_string(out, "\n");
	return err || !p->native.looked ? err : add_native_line(&p->native, out);
}

static int add_processes(const struct examined *e, struct buf *out)
{
	int err = buf_add_string(out, e->process_count ? "\nPython processes\n" :
							 "\nNo Python process was found.\n");

	for (size_t i = 0; i < e->process_count && !err; i++)
		err = add_process_line(&e->processes[i], out);
	if (!err && e->unreadable)
		err = buf_printf(out, "  Processes that cannot be looked at: %zu\n", e->unreadable);
	return err;
}

static int add_verdict(const struct examined *e, struct buf *out)
{
	int err, missing = 0;

	if (examined_is_fit(e))
		return buf_add_string(out, "\nPython programs can be profiled here.\n");
	err = examined_can_profile(e) ?
		      buf_add_string(out, "\nPython programs can be profiled, but not as asked for") :
		      buf_add_string(out, "\nBPF is not to be had yet");
	err = err ?: buf_add_string(out, ", for want of: ");
	for (int i = 0; i < CHECKS && !err; i++)
		if (e->findings[i].grade == GRADE_MISSING)
			err = buf_printf(out, "%s%s", missing++ ? ", " : "", check_rows[i].name);
	err = err ?: buf_add_string(out, ".\n");
	if (err || examined_can_profile(e) || e->findings[CHECK_OUTSIDE].grade != GRADE_OK)
		return err;
	return buf_add_string(out, "Until then Python programs of this user are sampled from outside.\n");
}

int examined_text(const struct examined *e, bool colour, struct buf *out)
{
	int err = buf_add_string(out, "This machine\n");

	for (int i = 0; i < CHECKS && !err; i++)
		err = add_check_line(check_rows[i].name, &e->findings[i], colour, out);
	return err ?: add_processes(e, out) ?: add_verdict(e, out);
}
