// SPDX-License-Identifier: GPL-2.0-only
#include "report/pushed_notes.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/number.h"

#define TEXT_SIZE 512

struct notes {
	const struct pushed_books *books;
	void (*say)(void *context, const char *code, const char *text);
	void *context;
};

__attribute__((format(printf, 3, 4))) static void say_note(const struct notes *n, const char *code,
							   const char *format, ...)
{
	char text[TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	n->say(n->context, code, text);
}

/* "1,200 profiles were pushed of this, as pyperf-bpf 0.1.0, 99 Hz (1,100), ..." */
static void say_runs(const struct notes *n)
{
	const struct pushed_books *b = n->books;
	_cleanup_buf_ struct buf runs = { 0 };
	int err = 0;

	for (size_t i = 0; i < b->run_count && !err; i++)
		err = buf_add_string(&runs, i ? "; " : ", as ") ?:
		      buf_add_shown(&runs, b->runs[i].text, false) ?: b->run_count == 1 ? 0 :
		      buf_printf(&runs, " (%s)", number_group(b->runs[i].profiles).text);
	if (!err && b->other_runs)
		err = buf_printf(&runs, "; otherwise (%s)", number_group(b->other_runs).text);
	say_note(n, b->run_count > 1 ? "pushed_differently" : "pushed", "%s profiles were pushed of this%.*s",
		 number_group(b->amount[CARRIED_PROFILES]).text, (int)runs.size, runs.data ?: "");
}

/* Each service of a machine has the machine's. */
static void say_amount(const struct notes *n, const char *code, __u64 amount, const char *what)
{
	if (amount)
		say_note(n, code, "%s %s (each service of a machine counts them)", number_group(amount).text,
			 what);
}

static void say_part(const struct notes *n, const char *code, __u64 part, const char *what)
{
	if (part)
		say_note(n, code, "%s of the profiles %s", number_group(part).text, what);
}

void pushed_notes(const struct pushed_books *b, void (*fn)(void *context, const char *code, const char *text),
		  void *context)
{
	const struct notes n = { b, fn, context };
	const __u64 *amount = b->amount;

	if (!b->is_store)
		return;
	if (!amount[CARRIED_PROFILES]) {
		say_note(&n, "no_books", "nothing says what was lost of this: it was pushed without books");
		return;
	}
	say_runs(&n);
	if (amount[CARRIED_TICKS_WANTED])
		say_note(&n, "missing_ticks",
			 "%s of %s ticks came, where ticks were missing: times are made up for that",
			 number_group(amount[CARRIED_TICKS_CAME]).text,
			 number_group(amount[CARRIED_TICKS_WANTED]).text);
	say_part(&n, "unlooked", amount[CARRIED_UNLOOKED],
		 "are of machines where processes could not be looked at: what they did is not in here");
	say_part(&n, "outside", amount[CARRIED_OUTSIDE],
		 "were sampled from outside, without BPF: stacks below [moved] are lost");
	say_amount(&n, "unanalysed", amount[CARRIED_UNANALYSED],
		   "ticks of programs that had only begun and were not analysed yet are not in here");
	say_amount(&n, "forbidden", amount[CARRIED_FORBIDDEN],
		   "ticks of processes that may not be read are not in here");
	for (int i = 0; i < FULL_TABLES; i++)
		say_amount(&n, full_table_rows[i].stat, b->full[i], full_table_rows[i].what);
}

int pushed_notes_json(const struct pushed_books *b, struct buf *out)
{
	int err = buf_printf(out, "{\"profiles\":%llu,\"amounts\":{", b->amount[CARRIED_PROFILES]);
	const char *between = "";

	for (int i = 0; i < CARRIED_KINDS && !err; i++)
		if (b->amount[i])
			err = buf_printf(out, "%s\"%s\":%llu", between, carried_names[i], b->amount[i]),
			between = ",";
	for (int i = 0; i < FULL_TABLES && !err; i++)
		if (b->full[i])
			err = buf_printf(out, "%s\"" CARRIED_FULL "%s\":%llu", between,
					 full_table_rows[i].stat, b->full[i]),
			between = ",";
	err = err ?: buf_add_string(out, "},\"runs\":[");
	for (size_t i = 0; i < b->run_count && !err; i++)
		err = buf_add_string(out, i ? ",{\"run\":" : "{\"run\":") ?:
		      buf_add_json(out, b->runs[i].text) ?:
		      buf_printf(out, ",\"profiles\":%llu}", b->runs[i].profiles);
	return err ?: buf_add_string(out, "]}");
}
