// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/symbols.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "kern/banks.h"
#include "names/natives.h"
#include "symbols/ask_lines.h"
#include "symbols/captures.h"
#include "symbols/native.h"
#include "targets/discover.h"

struct symbols {
	struct captures captures;
	struct native_targets *native;
	struct ask_lines *ask_lines; /* NULL without --native */
};

/* --- code objects --------------------------------------------------------------------------------------- */

static void on_code(void *captures, const void *record, size_t size)
{
	captures_record(captures, record, size);
}

static void on_answered(void *captures)
{
	captures_retry(captures);
}

static size_t how_many_wait(const void *captures)
{
	return captures_waiting(captures);
}

static void on_forget(void *captures, struct kernel_range codes)
{
	captures_forget(captures, codes);
}

static int join_captures(struct symbols *s, struct discover *d)
{
	const struct discover_subject subject = {
		.answered = on_answered,
		.waiting = how_many_wait,
		.forget_codes = on_forget,
		.subject = &s->captures,
	};

	discover_on_record(d, RECORD_CODE, sizeof(__u32), on_code, &s->captures);
	return discover_join(d, &subject);
}

/* --- machine code --------------------------------------------------------------------------------------- */

static void on_native(void *targets, const void *record, size_t size)
{
	(void)size;
	native_record(targets, record);
}

static void on_bank_cleared(void *targets, struct kernel_range codes)
{
	(void)codes;
	native_bank_cleared(targets);
}

static double native_is_full(const void *targets)
{
	return native_fullness(targets);
}

static int join_native(struct symbols *s, struct discover *d)
{
	const struct discover_subject subject = {
		.forget_codes = on_bank_cleared,
		.fullness = native_is_full,
		.subject = s->native,
	};

	return discover_join(d, &subject);
}

static bool look_for_lines(void *lines)
{
	return ask_lines_look(lines);
}

static int join_lines(struct symbols *s, struct discover *d)
{
	const struct discover_subject subject = { .catch_up = look_for_lines, .subject = s->ask_lines };

	return discover_join(d, &subject);
}

/* --- all of it ------------------------------------------------------------------------------------------ */

static int open_all(struct symbols *s, const struct symbols_parts *p)
{
	struct questions *questions = discover_questions(p->discover);
	int err;

	s->captures = (struct captures){
		.kernel = p->kernel, .codes = p->codes, .registry = p->registry, .questions = questions
	};
	err = native_targets_new(&s->native, p->kernel, p->natives, p->registry, questions);
	if (!err && natives_lines(p->natives))
		err = ask_lines_new(&s->ask_lines, p->kernel, p->natives, p->registry, questions, s->native,
				    p->native_lines);
	return err;
}

int symbols_new(struct symbols **ret, const struct symbols_parts *parts)
{
	struct symbols *s = calloc(1, sizeof(*s));
	int err = s ? open_all(s, parts) : -ENOMEM;

	err = err ?: join_captures(s, parts->discover);
	if (!err && parts->natives)
		err = join_native(s, parts->discover);
	if (!err && s->ask_lines)
		err = join_lines(s, parts->discover);
	if (err) {
		symbols_free(s);
		return err;
	}
	discover_on_record(parts->discover, RECORD_NATIVE, sizeof(struct record_native), on_native,
			   s->native);
	*ret = s;
	return 0;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	captures_clear(&s->captures);
	ask_lines_free(s->ask_lines);
	native_targets_free(s->native);
	free(s);
}

struct captures *symbols_captures(struct symbols *s)
{
	return &s->captures;
}

int symbols_watch(struct symbols *s, struct loop *loop)
{
	return native_watch(s->native, loop) ?: (s->ask_lines ? ask_lines_watch(s->ask_lines, loop) : 0);
}
