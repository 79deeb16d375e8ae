// SPDX-License-Identifier: GPL-2.0-only
#include "findings/findings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "findings/rules.h"
#include "findings/scene.h"

static const struct finding_rule {
	const char *code;
	double least;
	int (*find)(const struct scene *s, double least, struct finding *ret);
} rules[] = {
#define RULE(code, least, of, help) { #code, least, rule_##code },
#include "findings/rules.def"
};

static double surest(const struct finding *f)
{
	return f->is_sampled ? f->low : f->share;
}

/* Keeps the rows sorted; what falls out at the end is counted. */
static void keep(struct findings *list, const struct finding *f)
{
	size_t at = list->count;

	while (at && surest(&list->rows[at - 1]) < surest(f))
		at--;
	if (at == FINDINGS_MAX) {
		list->left_out++;
		return;
	}
	if (list->count == FINDINGS_MAX)
		list->left_out++;
	else
		list->count++;
	memmove(&list->rows[at + 1], &list->rows[at], (list->count - at - 1) * sizeof(*f));
	list->rows[at] = *f;
}

/* Without --event a report is of this one. */
static bool is_default(const struct recorded *r, const char *event)
{
	const struct recorded_type *last = &r->types[r->type_count - 1];

	return !strcmp(recorded_get_string(r, r->default_type ?: last->type), event);
}

/* The answer has to be of the stacks and the event that the figure is of. */
static void complete_arguments(const struct recorded *r, struct finding *f)
{
	const char *view[FINDING_ARGUMENTS];
	size_t n = 0;

	memcpy(view, f->arguments, sizeof(view));
	if (f->selects) {
		f->arguments[n++] = "--of";
		f->arguments[n++] = f->code;
	}
	if (recorded_find_type(r, f->event, f->unit) >= 0 && !is_default(r, f->event)) {
		f->arguments[n++] = "--event";
		f->arguments[n++] = f->event;
	}
	for (size_t i = 0; view[i] && n < FINDING_ARGUMENTS - 1; i++)
		f->arguments[n++] = view[i];
	f->arguments[n] = NULL;
}

int findings_make(struct recorded *r, struct findings *ret)
{
	_cleanup_(scene_free) struct scene s = { 0 };
	struct findings found = { 0 };
	int err = scene_make(r, &s);

	for (size_t i = 0; i < ARRAY_SIZE(rules) && !err; i++) {
		struct finding f = { .code = rules[i].code };

		err = rules[i].find(&s, rules[i].least, &f);
		if (err > 0) {
			f.not_whole = scene_not_whole(&s);
			complete_arguments(r, &f);
			keep(&found, &f);
			err = 0;
		}
	}
	if (!err)
		*ret = found;
	return err;
}

static const struct finding_rule *find_rule(const char *code)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!strcmp(rules[i].code, code))
			return &rules[i];
	return NULL;
}

int findings_select(struct recorded *r, const char *code, bool **ret)
{
	_cleanup_(scene_free) struct scene s = { 0 };
	const struct finding_rule *rule = find_rule(code);
	struct finding f = { .code = code };
	_cleanup_free_ bool *takes = NULL;
	int err;

	if (!rule)
		return -ENOENT;
	takes = calloc((size_t)recorded_stacks(r) + 1, sizeof(*takes));
	if (!takes)
		return -ENOMEM;
	memset(takes, true, recorded_stacks(r)); /* of rules that are about all */
	err = scene_make(r, &s);
	if (err)
		return err;
	s.takes = takes;
	err = rule->find(&s, rule->least, &f);
	if (err <= 0)
		return err ?: -ESRCH;
	*ret = TAKE_PTR(takes);
	return 0;
}

void findings_codes(char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(rules) && used < size; i++)
		used += snprintf(text + used, size - used, "%s%s", i ? ", " : "", rules[i].code);
}
