/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reload.h - SIGHUP: the options are read again, and what can change does.
 */
#ifndef PYPERF_RUN_RELOAD_H
#define PYPERF_RUN_RELOAD_H

struct agent;

/* A file that cannot be read changes nothing. Logs. */
void reload(struct agent *a);

#endif
