// SPDX-License-Identifier: GPL-2.0-only
/*
 * derive_native.c - native code and the kernel's: what is shown of each, and what this machine cannot.
 */
#include "kern/trigger.h"
#include "options/derive.h"
#include "options/fail.h"

/* --native and --kernel, which follow from the target and from one another if they are not asked for. */
int derive_native(struct options *o, char *error, size_t size)
{
	if (o->native < 0)
		o->native = o->all ? NATIVE_MODE_FULL : NATIVE_MODE_OFF;
	if (o->all && !o->native)
		return options_fail(error, size, "--all is about native code: not with --native off");
	if (o->native_lines && !o->native)
		return options_fail(error, size,
				    "--native-lines is about native code: it needs --native");
	if (o->kernel < 0)
		o->kernel = o->native ? KERNEL_MODE_SYSCALL : KERNEL_MODE_OFF;
	if (o->kernel == KERNEL_MODE_FULL && o->trigger == TRIGGER_TIMER)
		return options_fail(error, size,
				    "the kernel's functions are found by perf events: --kernel full not with "
				    "--trigger timer");
	return 0;
}
