// SPDX-License-Identifier: GPL-2.0-only
#include "findings/cpu_share.h"

#include "base/cleanup.h"
#include "findings/says.h"
#include "report/amount.h"

#define SHARE_SECONDS 0.1 /* less is worth no word */
#define SHARE_OF_TIME 0.01

int cpu_share_column(const struct scene *s)
{
	return scene_has(s, PROFILE_TIME) ? PROFILE_TIME : EVENT_CPU;
}

int cpu_share_find(const struct scene *s, double least, spot_frame frame, const void *what, const char *does,
		   struct finding *ret)
{
	_cleanup_(spots_free) struct spots spots = { 0 };
	const int column = cpu_share_column(s);
	int err = spots_make(s, column, frame, what, &spots);

	if (err)
		return err;
	says_value(column, spots.value, s->total[column], ret);
	says_samples(ret, spots.samples, s->total[EVENT_CPU]);
	if (!says_enough(ret, least))
		return 0;
	if (column == PROFILE_TIME && !says_long(s, ret, SHARE_SECONDS, SHARE_OF_TIME))
		return 0;
	ret->place = spots_first(s, &spots);
	says_text(ret, "%s took %.1f %% of the CPU time, %s", does, 100 * ret->share,
		  says_amount(ret, ret->value).text);
	spots_say(ret, "from");
	return 1;
}
