// SPDX-License-Identifier: GPL-2.0-only
#include "report/report_query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct by_row by_rows[BY_KINDS] = {
#define BY(NAME, name, of, title) [BY_##NAME] = { name, title, OF_##of },
#include "report/by.def"
	[BY_LABEL] = { "label", "Values of the label", OF_LABEL },
};

const char by_names[] =
#define BY(NAME, name, of, title) name ", "
#include "report/by.def"
	"label:NAME";

const char by_help[] = "endpoint: tell requests apart, by their handler; "
		       "of profiles that are there what a row is: "
#define BY(NAME, name, of, title) name ", "
#include "report/by.def"
		       "label:NAME";

const char by_about[] = "what a row is: "
#define BY(NAME, name, of, title) name ", "
#include "report/by.def"
			"label:NAME; function if neither this nor lines, tree or findings is given";

int report_query_by(const char *by, enum answer_by *ret, const char **ret_label)
{
	if (!strncmp(by, "label:", 6) && by[6]) {
		*ret = BY_LABEL;
		*ret_label = by + 6;
		return 0;
	}
	for (int i = 0; i < BY_LABEL; i++)
		if (!strcmp(by_rows[i].name, by)) {
			*ret = i;
			*ret_label = NULL;
			return 0;
		}
	return -EINVAL;
}
