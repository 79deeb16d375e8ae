/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * linux_version.h - compares the version of the kernel that runs.
 */
#ifndef PYPERF_DOCTOR_LINUX_VERSION_H
#define PYPERF_DOCTOR_LINUX_VERSION_H

#include <stdbool.h>

/* Whether it is this version, or a later one. */
bool linux_is(unsigned int major, unsigned int minor);

#endif
