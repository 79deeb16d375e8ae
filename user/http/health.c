// SPDX-License-Identifier: GPL-2.0-only
#include "http/health.h"

#include "http/answer.h"

enum MHD_Result health_alive(struct visit *v)
{
	return answer_line(v, MHD_HTTP_OK, "alive");
}

enum MHD_Result health_ready(struct visit *v)
{
	if (!v->http->ready || v->http->finishing)
		return answer_line(v, MHD_HTTP_SERVICE_UNAVAILABLE, "not sampling %s",
				   v->http->finishing ? "any more" : "yet");
	return answer_line(v, MHD_HTTP_OK, "sampling");
}
