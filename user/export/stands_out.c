// SPDX-License-Identifier: GPL-2.0-only
#include "export/stands_out.h"

#include "findings/findings.h"
#include "recorded/read_profile.h"
#include "recorded/recorded.h"
#include "views/summary.h"

void stands_out_print(const struct profile *p, const char *path, FILE *f, bool colour)
{
	char *const files[] = { (char *)path, NULL };
	_cleanup_recorded_ struct recorded r = { 0 };
	_cleanup_buf_ struct buf text = { 0 };
	struct findings found;

	if (read_profile(&r, p) || findings_make(&r, &found) || !found.count)
		return;
	findings_set_files(&found, files);
	if (!findings_text(&found, colour, SUMMARY_WIDTH, &text))
		fprintf(f, "%.*s\n", (int)text.size, text.data);
}
