// SPDX-License-Identifier: GPL-2.0-only
#include "run/reload.h"

#include "base/log.h"

static void read_again(struct options *o, struct continuous *continuous)
{
	char error[512], kept[256];

	if (options_reload(o, kept, sizeof(kept), error, sizeof(error))) {
		log_error("%s; nothing is changed", error);
		return;
	}
	log_set_level(options_log_level(o));
	continuous_reload(continuous, o);
	if (*kept)
		log_warning("%s: only a restart changes %s", o->config, kept);
	log_info("%s is read again", o->config);
}

void reload(struct options *o, struct continuous *continuous, struct notify *notify)
{
	notify_reloading(notify);
	read_again(o, continuous);
	notify_ready(notify);
}
