// SPDX-License-Identifier: GPL-2.0-only
#include "tree/generation.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "kern/banks.h"
#include "kern/process_table.h"
#include "kern/records.h"
#include "names/codes.h"
#include "targets/discover.h"
#include "targets/registry.h"
#include "tree/journal.h"
#include "tree/window.h"

/* of a bank or of the code store; the rest is for what comes before it is noticed */
#define HIGH_WATER    0.75
/* registered in one generation, which take 8 MiB; they may be held for two generations */
#define PROCESSES_MAX 32768
#define NAMES_SECONDS 0.5
#define RETRY_SECONDS 1

/* Seconds until the next look at how full it is: at most, and at least when it fills quickly. */
#define LOOK_SECONDS	 1
#define LOOK_SECONDS_MIN 0.02

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* How full the fullest table is: 0 to 1. */
static double fullness(const struct generation *g)
{
	double names = (double)codes_get_stats(g->codes)->bytes / g->codes_bytes_max;
	double processes = ((double)registry_held(g->registry) - g->processes_before) / PROCESSES_MAX;

	names = larger(names, discover_fullness(g->discover));
	return larger(kernel_fullness(g->kernel), larger(names, HIGH_WATER * processes));
}

/* Half of the time that is left at the pace since the last look. */
static double seconds_to_next_look(const struct generation *g, double full, double now)
{
	double pace = (full - g->fullness) / (now - g->looked), wait = LOOK_SECONDS;

	if (pace > 0)
		wait = (HIGH_WATER - full) / pace / 2;
	return wait > LOOK_SECONDS ? LOOK_SECONDS : larger(wait, LOOK_SECONDS_MIN);
}

bool generation_begin(struct generation *g)
{
	double now = clock_seconds(), full;

	if (g->wait_end > 0 || now < g->next_look)
		return false;
	full = fullness(g);
	g->next_look = now + seconds_to_next_look(g, full, now);
	g->looked = now;
	g->fullness = full;
	if (full <= HIGH_WATER)
		return false;
	kernel_flip(g->kernel);
	g->fullness = 0;
	g->wait_end = now + NAMES_SECONDS;
	return true;
}

int generation_timeout_ms(const struct generation *g)
{
	double left = (g->wait_end > 0 ? g->wait_end : g->next_look) - clock_seconds();

	if (!g->looked)
		return -1;
	return left > 0 ? (int)(left * 1e3) + 1 : 0;
}

/*
 * A process that has ended, or has become another one by an exec, may have counts in both banks, and may
 * still be sampled while it exits. It is first found to be over when one bank is cleared. It goes when the
 * other one is cleared.
 */
static bool may_go(void *generation, struct registry_entry *e)
{
	const struct generation *g = generation;
	struct process p;

	if (e->over) {
		kernel_hold_process_id(g->kernel, e->id, false);
		return true;
	}
	e->over = e->ended || kernel_get_image(g->kernel, e->pid, e->id, &p);
	return false;
}

static void forget_names(struct generation *g, struct kernel_range codes)
{
	codes_clear(g->codes, codes.first, codes.end);
	discover_forget_codes(g->discover, codes);
	registry_forget(g->registry, may_go, g);
	g->processes_before = registry_held(g->registry);
}

/* Ticks use the other bank meanwhile, all but those that began before kernel_flip(). */
static int begin_clearing(struct generation *g)
{
	int err = kernel_wait(g->kernel);

	if (err)
		return err;
	windows_move_marks(g->windows);
	kernel_read_records(g->kernel);
	if (g->journal)
		journal_read(g->journal);
	g->absorbing = true;
	return 0;
}

/* -EAGAIN: this turn of the event loop has done its part. */
static int clear_bank(struct generation *g)
{
	const struct kernel_bank bank = kernel_other_bank(g->kernel);
	int err = g->absorbing ? 0 : begin_clearing(g);

	if (!err)
		err = windows_absorb(g->windows, bank.nodes);
	if (!err && g->journal)
		err = journal_close(g->journal,
				    bank.nodes.first >= kernel_tables(g->kernel)->node_count / BANKS);
	if (!err)
		err = kernel_clear(g->kernel);
	if (err)
		return err;
	g->absorbing = false;
	windows_forget(g->windows, bank.nodes);
	forget_names(g, bank.codes);
	return 0;
}

void generation_clear(struct generation *g, bool names_missing)
{
	int err;

	if (g->wait_end <= 0 || ((names_missing || g->clearing.stands) && clock_seconds() < g->wait_end))
		return;
	err = clear_bank(g);
	if (err == -EAGAIN) {
		g->wait_end = clock_seconds();
		return;
	}
	g->wait_end = err ? clock_seconds() + RETRY_SECONDS : 0;
	if (err) {
		complain(&g->clearing,
			 "the full half of the call tree cannot be emptied: %s; with both full, "
			 "stacks are [table full]",
			 strerror(-err));
		return;
	}
	complaint_over(&g->clearing, NULL);
	g->count++;
	log_debug("generation %llu of the call tree is over", g->count);
}

static int generation_due_ms(void *generation)
{
	return generation_timeout_ms(generation);
}

static void generation_on_turn(void *generation, unsigned int ready)
{
	struct generation *g = generation;

	(void)ready;
	if (!g->kernel)
		return;
	if (generation_begin(g))
		discover_catch_up(g->discover);
	generation_clear(g, discover_pending(g->discover));
}

int generation_watch(struct generation *g, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, generation_due_ms, generation_on_turn, g });
}
