// SPDX-License-Identifier: GPL-2.0-only
#include "run/reload.h"

#include "base/log.h"
#include "run/agent.h"

static void read_again(struct agent *a)
{
	struct options *o = a->options;
	struct continuous_options continuous;
	char error[512], kept[256];

	if (options_reload(o, kept, sizeof(kept), error, sizeof(error))) {
		log_error("%s; nothing is changed", error);
		return;
	}
	log_set_level(options_log_level(o));
	continuous = settings_continuous(o);
	continuous_reload(a->continuous, &continuous);
	if (*kept)
		log_warning("%s: only a restart changes %s", o->config, kept);
	log_info("%s is read again", o->config);
}

void reload(struct agent *a)
{
	notify_reloading(&a->notify);
	read_again(a);
	notify_ready(&a->notify);
}
