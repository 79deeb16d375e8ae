// SPDX-License-Identifier: GPL-2.0-only
#include "proc/syscall_names.h"

#include <stddef.h>

#include "base/cleanup.h"

static const char *const names[] = {
#define SYSCALL(name, number) [number] = #name,
#include "syscalls.inc"
#undef SYSCALL
};

const char *syscall_name(__u32 number)
{
	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}
