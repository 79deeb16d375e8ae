/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * triggers.h - which rights the ticks want.
 */
#ifndef PYPERF_DOCTOR_TRIGGERS_H
#define PYPERF_DOCTOR_TRIGGERS_H

#include <stdbool.h>

/*
 * Whether perf events want CAP_SYS_ADMIN here (kernel.perf_event_paranoid is 3 or more, as in Debian), and
 * the kernel has no timers that could make the ticks in their place.
 */
bool triggers_need_admin(void);

#endif
