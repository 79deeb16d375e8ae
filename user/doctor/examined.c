// SPDX-License-Identifier: GPL-2.0-only
#include "doctor/examined.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kern/libbpf_log.h"

static void find(struct examined *e, struct examination *x, bool network)
{
	for (int i = 0; i < CHECKS; i++)
		if ((check_rows[i].whose == CHECK_NETWORK) == network)
			check_rows[i].find(x, &e->findings[i]);
}

void examined_check(struct examined *e, struct examination *x)
{
	e->program = x->program;
	libbpf_log(); /* it would speak for itself else */
	find(e, x, false);
}

void examined_ask(struct examined *e, struct examination *x)
{
	find(e, x, true);
}

int examined_add_process(struct examined *e, const struct examined_process *p)
{
	struct examined_process *more =
		reallocarray(e->processes, e->process_count + 1, sizeof(*e->processes));

	if (!more)
		return -ENOMEM;
	e->processes = more;
	e->processes[e->process_count++] = *p;
	return 0;
}

void examined_free(struct examined *e)
{
	for (int i = 0; i < CHECKS; i++)
		finding_free(&e->findings[i]);
	free(e->processes);
}

static bool is_missing(const struct examined *e, bool asked)
{
	for (int i = 0; i < CHECKS; i++)
		if (e->findings[i].grade == GRADE_MISSING && (asked || check_rows[i].whose == CHECK_MACHINE))
			return true;
	return false;
}

bool examined_can_profile(const struct examined *e)
{
	return !is_missing(e, false);
}

bool examined_is_fit(const struct examined *e)
{
	return !is_missing(e, true);
}

const char *examined_grade(enum grade grade)
{
	static const char *const words[GRADES] = {
		[GRADE_OK] = "ok",	     [GRADE_NOTE] = "note",	  [GRADE_UNKNOWN] = "unknown",
		[GRADE_MISSING] = "missing", [GRADE_UNASKED] = "unasked",
	};

	return words[grade];
}

const char *examined_layout(const struct examined_process *p)
{
	if (p->error)
		return "not readable";
	switch (p->identity.verdict) {
	case VERDICT_PYTHON:
		return "proved";
	case VERDICT_UNPROVED:
		return "not proved yet";
	case VERDICT_NO_LAYOUT:
		return "refused";
	}
	return "not Python";
}

const char *examined_asyncio(const struct examined_process *p)
{
	const struct identity *i = &p->identity;
	const struct task_layout none = { 0 };

	if (!layout_has_tasks(&i->layout))
		return "too old";
	if (i->asyncio && layout_task_facts(&i->layout))
		return "readable";
	if (!i->asyncio)
		return "not loaded";
	return memcmp(&i->tasks, &none, sizeof(none)) ? "readable" : "not readable";
}
