// SPDX-License-Identifier: GPL-2.0-only
#include "run/reload.h"

#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "run/agent.h"
#include "targets/verdicts.h"

/* Whoever was left out may be profiled now. */
static void select_anew(const struct agent *a)
{
	int err = verdicts_anew(discover_verdicts(a->discover));

	if (err)
		log_warning("processes that were met before stay as they were chosen then: %s",
			    strerror(-err));
}

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
	a->selection = settings_selection(o);
	if (o->reloaded & GROUP_FILTERS)
		select_anew(a);
	if (o->reloaded & (GROUP_RATE | GROUP_BUDGET))
		rates_set(a);
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

/*
 * By what a look at a file says without opening it. A ConfigMap's file is a link by way of another one, which
 * the kubelet sets to a new folder: then it is another file.
 */
static struct config_stamp stamp_of(const char *path)
{
	struct stat s;

	if (stat(path, &s))
		return (struct config_stamp){};
	return (struct config_stamp){ s.st_dev, s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec };
}

void reload_begin(struct agent *a)
{
	if (a->options->watch_config)
		a->config = stamp_of(a->options->config);
}

void reload_if_changed(struct agent *a)
{
	struct config_stamp now;

	if (!a->options->watch_config)
		return;
	now = stamp_of(a->options->config);
	if (!memcmp(&now, &a->config, sizeof(now)))
		return;
	a->config = now;
	reload(a);
}
