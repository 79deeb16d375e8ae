/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * when.h - moments as people write them. All of them are UTC, as the names of interval files are.
 */
#ifndef PYPERF_RECORDED_WHEN_H
#define PYPERF_RECORDED_WHEN_H

#include <linux/types.h>

/*
 * Nanoseconds since 1970 of "2026-11-25T15:00", "2026-11-25T15:00:30Z", "2026-11-25"; "15:00" or "15:00:30"
 * of today; "-30s", "-10m", "-2h" or "-1d" before now, as duration.h
 * has it. 0 or -EINVAL.
 */
int when_parse(const char *text, __s64 now_ns, __s64 *ret);

#endif
