// SPDX-License-Identifier: GPL-2.0-only
#include "http/log_order.h"

#include <errno.h>

#include "export/log_file.h"
#include "http/query.h"
#include "tree/journal.h"

enum MHD_Result log_order_answer(struct log_file *l, enum health health, const struct client *c)
{
	struct query q;
	__u64 from, to;
	int err;

	if (query_read_log_order(&q, c->connection))
		return answer_line(c, MHD_HTTP_BAD_REQUEST, "%s", q.keys.error);
	if (health != HEALTH_SAMPLING)
		return health_refuse(health, c);
	if (!l || !l->path)
		return answer_line(c, MHD_HTTP_NOT_FOUND,
				   "the profiler was not started with --log MINUTES and --log-file FILE");
	if (q.trace.each && !l->journal->traced)
		return answer_line(c, MHD_HTTP_BAD_REQUEST, QUERY_NOT_TRACED);
	query_stretch(&q, 0, &from, &to);
	err = log_file_order(l, from, to, &q.trace);
	if (err == -EBUSY)
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE, "the log is being written already");
	if (err == -EINVAL)
		return answer_line(c, MHD_HTTP_NOT_FOUND, "the log has nothing of that time");
	if (err)
		return answer_failure(c, err);
	return answer_line(c, MHD_HTTP_ACCEPTED, "the log is being written to %s", l->path);
}
