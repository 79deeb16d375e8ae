// SPDX-License-Identifier: GPL-2.0-only
#include "http/encode_report.h"

#include "recorded/read_profile.h"
#include "report/answered.h"

#define ERROR_SIZE 512

int encode_report(const struct profile *p, const struct report_wish *w, struct buf *out)
{
	const struct report_query q = { .trace = w->trace, .top = w->top };
	_cleanup_recorded_ struct recorded r = { .trace = w->trace };
	char error[ERROR_SIZE];
	struct answered a;
	int err = read_profile(&r, p);

	if (err)
		return err;
	err = answered_make(&r, &q, &a, error, sizeof(error));
	if (!err)
		err = w->json ? answered_json(&a, out) : answered_text(&a, false, out);
	answered_free(&a);
	return err;
}
