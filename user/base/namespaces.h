/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * namespaces.h - whether this process is in the machine's namespaces, or in a container's. Where /proc does
 * not say it, it counts as the machine's.
 */
#ifndef PYPERF_BASE_NAMESPACES_H
#define PYPERF_BASE_NAMESPACES_H

#include <stdbool.h>

/* In another one processes have other pids than the kernel side sees, or none. */
bool namespaces_has_first_pids(void);
/* In another one capabilities are worth nothing for BPF. */
bool namespaces_has_first_users(void);
/* In another one paths of cgroups begin at the container's own. */
bool namespaces_has_first_cgroups(void);

#endif
