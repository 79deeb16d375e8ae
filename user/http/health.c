// SPDX-License-Identifier: GPL-2.0-only
#include "http/health.h"

enum MHD_Result health_alive(const struct client *c)
{
	return answer_line(c, MHD_HTTP_OK, "alive");
}

enum MHD_Result health_ready(enum health health, const struct client *c)
{
	if (health != HEALTH_SAMPLING)
		return health_refuse(health, c);
	return answer_line(c, MHD_HTTP_OK, "sampling");
}

enum MHD_Result health_refuse(enum health health, const struct client *c)
{
	return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE, "not sampling %s",
			   health == HEALTH_ENDING ? "any more" : "yet");
}
