/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * abi.h - every record that the kernel side and the user side share, by subject in bpf/abi/. Plain data, and
 * functions that pack and unpack a key; what both sides compute with it is in bpf/base/ids.h and
 * bpf/base/buckets.h. This is the only copy.
 */
#ifndef PYPERF_BPF_ABI_H
#define PYPERF_BPF_ABI_H

#include "bpf/abi/asleep.h"
#include "bpf/abi/attributes.h"
#include "bpf/abi/contexts.h"
#include "bpf/abi/control.h"
#include "bpf/abi/end_rows.h"
#include "bpf/abi/event_rows.h"
#include "bpf/abi/events.h"
#include "bpf/abi/journal.h"
#include "bpf/abi/layout.h"
#include "bpf/abi/native.h"
#include "bpf/abi/outcome_rows.h"
#include "bpf/abi/process.h"
#include "bpf/abi/records.h"
#include "bpf/abi/stats.h"
#include "bpf/abi/tasks.h"
#include "bpf/abi/tree.h"

_Static_assert(sizeof(union text_block) == TEXT_WORDS * sizeof(__u32), "no record is larger than a block");
_Static_assert(OUTCOME_COUNT <= CODE_FIRST, "every outcome has a code number of its own");

#endif
