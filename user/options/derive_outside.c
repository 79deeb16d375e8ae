// SPDX-License-Identifier: GPL-2.0-only
/*
 * derive_outside.c - what cannot be had where the sampler looks from outside (--trigger outside), option by
 * option, and why.
 */
#include "kern/trigger.h"
#include "options/derive.h"
#include "options/outside.h"
#include "profile/events.h"

#define MIN_WAIT_USUAL 100 /* of options.def */
#define REGISTERS "registers of a thread that runs cannot be read from outside"

static bool has_native(const struct options *o)
{
	return o->native != NATIVE_MODE_OFF;
}

static bool has_kernel(const struct options *o)
{
	return o->kernel != KERNEL_MODE_OFF;
}

static bool has_cycles(const struct options *o)
{
	return o->use_cycles;
}

static bool has_other_events(const struct options *o)
{
	return o->events & ~(EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_WALL));
}

static bool has_min_wait(const struct options *o)
{
	return o->events & EVENT_BIT(EVENT_WALL) && o->min_wait_us != MIN_WAIT_USUAL;
}

static bool has_all(const struct options *o)
{
	return o->all;
}

static bool has_async(const struct options *o)
{
	return o->async;
}

static bool has_variables(const struct options *o)
{
	return o->context_names.count;
}

static bool has_trace(const struct options *o)
{
	return o->trace;
}

static const struct {
	bool (*is_asked)(const struct options *o);
	const char *option, *why;
} rows[] = {
	{ has_cycles, "--event cycles", "a counter of the processor is read by perf events" },
	{ has_other_events, "--event", "of events but cpu and wall only the kernel tells" },
	{ has_min_wait, "--min-wait", "waits are met by looks, which do not know how long each lasts" },
	{ has_all, "--all", "of programs without Python there is native code only: -a, or --all-python" },
	{ has_native, "--native", REGISTERS },
	{ has_kernel, "--kernel", REGISTERS },
	{ has_async, "--async", "whether it is right from outside was not tried yet" },
	{ has_variables, "--label-var", "whether it is right from outside was not tried yet" },
	{ has_trace, "--trace", "whether it is right from outside was not tried yet" },
};

const char *outside_lack(const struct options *o, const char **ret_why)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].is_asked(o)) {
			*ret_why = rows[i].why;
			return rows[i].option;
		}
	return NULL;
}

int derive_outside(struct options *o, char *error, size_t size)
{
	const char *why, *option = o->trigger == TRIGGER_OUTSIDE ? outside_lack(o, &why) : NULL;

	if (!option)
		return 0;
	return options_fail(error, size, "%s: not with --trigger outside: %s", option, why);
}
