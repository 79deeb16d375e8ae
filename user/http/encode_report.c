// SPDX-License-Identifier: GPL-2.0-only
#include "http/encode_report.h"

#include "profile/otlp.h"
#include "recorded/read_pprof.h"
#include "report/answered.h"

#define ERROR_SIZE 512

int encode_report(const struct profile *p, const struct report_wish *w, struct buf *out)
{
	const struct report_query q = { .trace = w->trace, .top = w->top };
	_cleanup_recorded_ struct recorded r = { .trace = w->trace };
	_cleanup_buf_ struct buf file = { 0 };
	char error[ERROR_SIZE];
	struct answered a;
	const char *why;
	int err = otlp_encode(p, &file) ?: read_pprof(&r, file.data, file.size, &why);

	if (err)
		return err;
	err = answered_make(&r, &q, &a, error, sizeof(error));
	if (!err)
		err = w->json ? answered_json(&a, out) : answered_text(&a, false, out);
	answered_free(&a);
	return err;
}
