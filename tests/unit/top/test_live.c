// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_live.c - `top` as a row of the event loop, on a pseudo-terminal: keys wake it, and once it is closed
 * the loop may turn on. What it shows is for tests/e2e/commands/test_top.py.
 */
#include "tests/forge/test.h"
#include "tests/forge/windows.h"

#include <pty.h>
#include <signal.h>
#include <unistd.h>

#include "base/loop.h"
#include "top/live.h"

#define NEVER_SECONDS 1e6

static int keys, before[2];
static struct loop loop;
static struct live *live;
static sigset_t signals_before;

static int setup_live(void **state)
{
	int terminal;

	sigprocmask(SIG_SETMASK, NULL, &signals_before);
	if (setup_windows(state) || loop_open(&loop, 3600000) || openpty(&keys, &terminal, NULL, NULL, NULL))
		return -1;
	for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++) {
		fflush(stdout);
		before[fd] = dup(fd);
		if (before[fd] < 0 || dup2(terminal, fd) < 0)
			return -1;
	}
	return close(terminal);
}

static int teardown_live(void **state)
{
	live_close(TAKE_PTR(live));
	loop_close(&loop);
	for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++) {
		dup2(before[fd], fd);
		close(before[fd]);
	}
	close(keys);
	sigprocmask(SIG_SETMASK, &signals_before, NULL);
	return teardown_windows(state);
}

/* The kernel side is read before a profile is taken, and here none is due. */
static void begin(void)
{
	assert_int_equal(live_open(&live, &all, registry, NEVER_SECONDS), 0);
	assert_int_equal(live_watch(live, NULL, &loop), 0);
	assert_int_equal(loop_turn(&loop, -1), 0); /* the first page is drawn at once */
}

TEST(a_key_wakes_it)
{
	begin();
	assert_false(live_has_ended(live));
	assert_int_equal(write(keys, "q", 1), 1);
	assert_int_equal(loop_turn(&loop, -1), 0);
	assert_true(live_has_ended(live));
	assert_false(live_has_ended(NULL));
}

/* Answers that are on their way are waited for after the last page. */
TEST(the_loop_turns_on_without_it)
{
	begin();
	live_close(TAKE_PTR(live));
	assert_null(all.first);
	assert_int_equal(write(keys, "q\n", 2), 2);
	for (int i = 0; i < 3; i++)
		assert_int_equal(loop_turn(&loop, 1), 0);
}

AROUND_EACH(setup_live, teardown_live);
ENDS_IN(120);
