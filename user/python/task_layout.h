/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task_layout.h - what the kernel side needs of where a process keeps asyncio's tasks.
 */
#ifndef PYPERF_PYTHON_TASK_LAYOUT_H
#define PYPERF_PYTHON_TASK_LAYOUT_H

#include "python/asyncio_layout.h"

/* 0; or -EINVAL if the kernel side cannot read by it, and then *ret is as it was. */
int task_layout_make(const struct asyncio_layout *a, struct task_layout *ret);

#endif
