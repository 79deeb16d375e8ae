/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reload.h - SIGHUP: the options are read again, and what can change does.
 */
#ifndef PYPERF_RUN_RELOAD_H
#define PYPERF_RUN_RELOAD_H

#include "export/continuous.h"
#include "options/options.h"
#include "run/notify.h"

/* What cannot be read changes nothing. continuous may be NULL. Logs. */
void reload(struct options *o, struct continuous *continuous, struct notify *notify);

#endif
