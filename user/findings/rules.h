/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rules.h - the rules of rules.def. Each looks at the scene and either says nothing or fills in a finding:
 * event, value, of, samples, place, text and arguments. findings.c does the rest.
 */
#ifndef PYPERF_FINDINGS_RULES_H
#define PYPERF_FINDINGS_RULES_H

#include "findings/scene.h"
#include "report/finding.h"

/* least: of the row. 1 when it stands out, 0 when it does not, -ENOMEM or -E2BIG. */
#define RULE(code, least, of, help) \
	int rule_##code(const struct scene *s, double least_share, struct finding *ret);
#include "findings/rules.def"

#endif
