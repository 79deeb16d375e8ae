// SPDX-License-Identifier: GPL-2.0-only
#include "agent/generation.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"

#define HIGH_WATER    0.75  /* of a table or of the code store. The rest is for what comes until it is emptied. */
#define PROCESSES_MAX 65536 /* that were registered in one generation, 16 MiB of them */
#define NAMES_SECONDS 0.5

static bool is_full(const struct generation *g)
{
	return kernel_fullness(g->kernel) > HIGH_WATER ||
	       codes_get_stats(g->codes)->bytes > HIGH_WATER * g->codes_bytes_max ||
	       registry_held(g->registry) > g->processes_before + PROCESSES_MAX;
}

static void say(struct generation *g, int err)
{
	if (!g->failing)
		log_warning("the full call tree cannot be emptied: %s; new stacks are counted as [table full]",
			    strerror(-err));
	g->failing = true;
}

bool generation_due(struct generation *g)
{
	int err;

	if (g->names_end > 0 || !is_full(g))
		return false;
	err = windows_mark(g->windows);
	if (err) {
		say(g, err);
		return false;
	}
	g->names_end = clock_seconds() + NAMES_SECONDS;
	return true;
}

int generation_timeout_ms(const struct generation *g)
{
	double left = g->names_end - clock_seconds();

	if (g->names_end <= 0)
		return -1;
	return left > 0 ? (int)(left * 1e3) + 1 : 0;
}

/* A process that has ended, or that is another one since an exec: all that it counted has been absorbed. */
static bool is_over(void *generation, const struct registry_entry *e)
{
	const struct generation *g = generation;
	struct process p;

	if (!e->ended && !kernel_get_process(g->kernel, e->pid, &p) && p.id == e->id)
		return false;
	kernel_hold_process_id(g->kernel, e->id, false);
	return true;
}

static void forget_all(struct generation *g)
{
	windows_rotate(g->windows, true);
	codes_clear(g->codes);
	discover_forget_codes(g->discover);
	registry_forget(g->registry, is_over, g);
	g->processes_before = registry_held(g->registry);
}

/* No tick changes the tables here; what came since the mark is little. */
static int swap_tables(struct generation *g)
{
	int err = kernel_pause(g->kernel);

	if (err)
		return err;
	kernel_read_events(g->kernel);
	err = windows_rotate(g->windows, false);
	if (err) {
		kernel_resume(g->kernel);
		return err;
	}
	err = kernel_renew(g->kernel);
	if (!err)
		forget_all(g);
	return err;
}

void generation_renew(struct generation *g, bool names_missing)
{
	int err;

	if (g->names_end <= 0 || (names_missing && clock_seconds() < g->names_end))
		return;
	g->names_end = 0;
	err = windows_absorb(g->windows);
	if (!err)
		err = swap_tables(g);
	if (err) {
		say(g, err);
		return;
	}
	g->failing = false;
	g->count++;
	log_debug("generation %llu of the call tree begins", g->count + 1);
}
