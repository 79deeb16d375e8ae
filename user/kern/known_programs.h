/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * known_programs.h - files of programs in which a layout was proved: the kernel side knows who is started
 * from one of them from its exec on (bpf/sample/program.h).
 */
#ifndef PYPERF_KERN_KNOWN_PROGRAMS_H
#define PYPERF_KERN_KNOWN_PROGRAMS_H

#include "bpf/abi.h"

struct table;
struct kernel;

/* Adds one, or changes it. 0, or -errno: -E2BIG when there are KNOWN_PROGRAMS. */
int kernel_know_program(struct kernel *k, const struct program_file *file, const struct known_program *p);
void kernel_forget_program(struct kernel *k, const struct program_file *file);

/* The place of this layout is to be another one's: forgets whoever has it. */
void known_programs_forget_layout(const struct table *t, __u32 layout);

#endif
