/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reload.h - the options are read again, and what can change does: when SIGHUP comes, and with --watch-config
 * when the file has changed.
 */
#ifndef PYPERF_RUN_RELOAD_H
#define PYPERF_RUN_RELOAD_H

#include <linux/types.h>

struct agent;

/* A file as it was last seen; all 0 = there was none. */
struct config_stamp {
	__u64 device, inode;
	__s64 size, seconds, nanoseconds; /* and of the last change */
};

/* A file that cannot be read changes nothing. Logs. */
void reload(struct agent *a);
/* The options were just read, by who begins the run. */
void reload_begin(struct agent *a);
/* To be called each second. */
void reload_if_changed(struct agent *a);

#endif
