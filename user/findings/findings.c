// SPDX-License-Identifier: GPL-2.0-only
#include "findings/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "findings/rules.h"
#include "findings/scene.h"

static const struct rule {
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
			keep(&found, &f);
			err = 0;
		}
	}
	if (!err)
		*ret = found;
	return err;
}
