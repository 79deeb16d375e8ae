/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - the options of options.def, as the sampler reads them.
 */
#ifndef PYPERF_BPF_DATA_OPTIONS_H
#define PYPERF_BPF_DATA_OPTIONS_H

#include "bpf/abi.h"
#include "bpf/data/cache.h"

/* What is compiled for the host sets them itself. */
#ifndef OPTION_KIND
#define OPTION_KIND const volatile
#endif

#define OPTION(type, name, begin, from, help) OPTION_KIND type opt_##name begin;
#include "bpf/data/options.def"
#undef OPTION

#endif
