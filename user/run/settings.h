/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * settings.h - what the options mean for each room: nobody below run/ knows struct options.
 */
#ifndef PYPERF_RUN_SETTINGS_H
#define PYPERF_RUN_SETTINGS_H

#include "export/continuous.h"
#include "export/whole.h"
#include "kern/kernel.h"
#include "kubelet/kubelet.h"
#include "options/options.h"
#include "targets/selection.h"

/* The texts in what these return are those of the options. */
struct kernel_options settings_kernel(const struct options *o);
struct selection settings_selection(const struct options *o);
struct kubelet_options settings_kubelet(const struct options *o);
struct push_options settings_push(const struct options *o);
struct continuous_options settings_continuous(const struct options *o);
/* How tables name files from now on. */
void settings_begin_paths(const struct options *o);
struct whole_options settings_whole(const struct options *o);

#endif
