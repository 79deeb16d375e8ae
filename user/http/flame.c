// SPDX-License-Identifier: GPL-2.0-only
#include "http/flame.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "http/query.h"
#include "http/recent.h"
#include "profile/flamegraph.h"

static void release(struct MHD_Response **r)
{
	if (*r)
		MHD_destroy_response(*r); /* once the clients who get it now have it */
	*r = NULL;
}

void flame_forget(struct flame *f)
{
	release(&f->whole);
	for (size_t i = 0; i < FLAME_ROWS; i++)
		release(&f->rows[i].response);
	f->next = 0;
}

static struct MHD_Response *find(const struct flame *f, const struct profile_filter *filter)
{
	for (size_t i = 0; i < FLAME_ROWS; i++)
		if (f->rows[i].response &&
		    !memcmp(f->rows[i].filter.values, filter->values, sizeof(filter->values)))
			return f->rows[i].response;
	return NULL;
}

static int encode(const struct profile *all, const struct profile_filter *filter, struct MHD_Response **ret)
{
	_cleanup_profile_ struct profile *part = NULL;
	_cleanup_buf_ struct buf out = {};
	bool whole = profile_filter_is_empty(filter);
	int err = whole ? 0 : profile_filter_apply(filter, all, &part);
	struct MHD_Response *response;

	err = err ?: flamegraph_encode(whole ? all : part, &out);
	if (err)
		return err;
	response = answer_make(TYPE_JSON, &out);
	if (!response)
		return -ENOMEM;
	*ret = response;
	return 0;
}

static int make_whole(struct flame *f, const struct profile *all, const struct profile_filter *none)
{
	return f->whole ? 0 : encode(all, none, &f->whole);
}

static bool may_spend(struct flame *f, double now)
{
	f->spent -= (now - f->looked) * FLAME_SHARE;
	if (f->spent < 0)
		f->spent = 0;
	f->looked = now;
	return f->spent < FLAME_SECONDS_SAVED;
}

/* -EBUSY: too much time was spent already. */
static int make_part(struct flame *f, const struct profile *all, const struct profile_filter *filter,
		     struct MHD_Response **ret)
{
	double begin = clock_seconds();
	struct MHD_Response *response;
	int err;

	if (!may_spend(f, begin))
		return -EBUSY;
	err = encode(all, filter, &response);
	f->spent += clock_seconds() - begin;
	if (err)
		return err;
	release(&f->rows[f->next].response);
	f->rows[f->next].filter = *filter;
	f->rows[f->next].response = response;
	f->next = (f->next + 1) % FLAME_ROWS;
	*ret = response;
	return 0;
}

enum MHD_Result flame_answer(struct flame *f, const struct recent *recent, const struct client *c)
{
	struct MHD_Response *response;
	struct query q;
	int err = 0;

	if (query_read(&q, c->connection))
		return answer_line(c, MHD_HTTP_BAD_REQUEST, "%s", q.error);
	if (!recent->profile)
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "the first interval has not ended yet");
	if (f->of != recent->serial)
		flame_forget(f);
	f->of = recent->serial;
	if (profile_filter_is_empty(&q.filter)) {
		err = make_whole(f, recent->profile, &q.filter);
		response = f->whole;
	} else {
		response = find(f, &q.filter);
		if (!response)
			err = make_part(f, recent->profile, &q.filter, &response);
	}
	if (err == -EBUSY)
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "too many different flame graphs are asked for");
	return err ? answer_failure(c, err) : answer_send(c, MHD_HTTP_OK, response);
}
