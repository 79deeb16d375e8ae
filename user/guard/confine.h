/* SPDX-License-Identifier: GPL-2.0-only */
/* confine.h - Landlock: the kernel's own list of what a process may open, which we leave empty. */
#ifndef PYPERF_GUARD_CONFINE_H
#define PYPERF_GUARD_CONFINE_H

/*
 * Which version of Landlock there is, 0 = none. A child asks, since the filter of a service manager may kill
 * who does: @system-service of systemd 252 has no such call.
 */
int confine_version(void);

/*
 * From now on this thread, and whatever it forks, can open no file and no folder, neither bind nor connect a
 * TCP socket, and trace or signal no process outside, as far as this version of Landlock knows of these. What
 * is open already stays so. It needs no_new_privs. 0, also for version 0; else -errno.
 */
int confine_to_nothing(int version);

#endif
