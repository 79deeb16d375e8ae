// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_log_file.c - an order to write the log, over forged tables: what is in the file, that there is one
 * order at a time, that names are waited for, and what becomes of one that cannot be written.
 */
#include "tests/forge/tables.h"
#include "tests/forge/test.h"
#include "tests/forge/written.h"
#include "tests/forge/logged.h"

#include <errno.h>

#include "base/clock.h"
#include "base/loop.h"
#include "export/log_file.h"
#include "kern/journal_rings.h"
#include "targets/discover.h"
#include "tree/journal.h"
#include "tree/window.h"

static struct windows all;
static struct journal *journal;
static struct log_file file;
static struct loop loop; /* not open: its row is run by hand */
static size_t pending;	 /* names that are on their way */
static __u64 t0;
static char path[512];

size_t discover_pending(const struct discover *d)
{
	(void)d;
	return pending;
}

bool discover_catch_up(struct discover *d)
{
	(void)d;
	return true;
}

__s64 kernel_read_journal(struct kernel *k, int (*take)(void *context, const struct journal_sample *s),
			  void *context)
{
	(void)k;
	(void)take;
	(void)context;
	return 0;
}

double kernel_journal_fullness(const struct kernel *k)
{
	(void)k;
	return 0;
}

static void add(__u64 after_ns, __u32 node, __u64 amount)
{
	journal_add(journal, &(struct journal_sample){ t0 + after_ns, amount, node, EVENT_CPU, false, {} });
}

static int setup_file(void **state)
{
	if (setup(state) || make_folder())
		return -1;
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 0);
	set_node(27, 26, 101, 4, 0);
	all = (struct windows){ .inputs = forged_inputs, .events = EVENT_BIT(EVENT_CPU), .frequency = 100 };
	pending = 0;
	if (journal_new(&journal, NULL, &all, 1, 1, false))
		return -1;
	t0 = journal->begin_ns;
	add(10, 27, 2);
	add(20, 26, 3);
	snprintf(path, sizeof(path), "%s/log.folded", folder);
	file = (struct log_file){ .path = path, .format = FORMAT_FOLDED, .journal = journal,
				  .windows = &all };
	loop = (struct loop){ 0 };
	return log_file_watch(&file, &loop);
}

static int teardown_file(void **state)
{
	log_file_close(&file);
	journal_free(journal);
	return remove_folder() ?: teardown(state);
}

static void turn(void)
{
	loop.rows[0].run(loop.rows[0].context, 0);
}

static int due_ms(void)
{
	return loop.rows[0].timeout_ms(loop.rows[0].context);
}

static void turn_all(void)
{
	const __u64 begin = clock_ns();

	while ((file.stretch || file.profile) && clock_ns() - begin < 60 * NS_PER_SECOND)
		turn();
}

static void turn_until_over(void)
{
	LOGGED(turn_all());
	assert_int_equal(due_ms(), -1);
}

static const char *content(void)
{
	static char text[4096];
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		return "";
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

TEST(all_of_it)
{
	assert_int_equal(due_ms(), -1);
	assert_int_equal(log_file_order(&file, 0, LOG_FILE_NOW, NULL), 0);
	assert_int_equal(due_ms(), 0);
	assert_int_equal(log_file_order(&file, 0, LOG_FILE_NOW, NULL), -EBUSY);
	turn_until_over();
	assert_int_equal(file.written, 1);
	assert_non_null(strstr(content(), "outer (a.py:11);inner (b.py:23) 2\n"));
	assert_non_null(strstr(content(), "outer (a.py:11) 3\n"));
	assert_int_equal(due_ms(), -1);
	assert_int_equal(journal->held, 0);
}

TEST(a_stretch_replaces_it)
{
	assert_int_equal(log_file_order(&file, 0, LOG_FILE_NOW, NULL), 0);
	turn_until_over();
	assert_int_equal(log_file_order(&file, t0 + 15, t0 + 30, NULL), 0);
	turn_until_over();
	assert_int_equal(file.written, 2);
	assert_null(strstr(content(), "inner"));
	assert_non_null(strstr(content(), "outer (a.py:11) 3\n"));
}

TEST(nothing_of_that_time)
{
	assert_int_equal(log_file_order(&file, t0 + 30, t0 + 20, NULL), -EINVAL);
	assert_int_equal(log_file_order(&file, 0, t0 - 1, NULL), -EINVAL); /* before there was one */
	assert_int_equal(log_file_order(&file, 0, 0, NULL), -EINVAL);
	assert_int_equal(log_file_order(&file, clock_ns() + NS_PER_SECOND, LOG_FILE_NOW, NULL), -EINVAL);
	assert_int_equal(due_ms(), -1);
	assert_string_equal(content(), "");
}

TEST(names_are_waited_for_but_not_for_ever)
{
	const __u64 begin = clock_ns();

	pending = 1;
	assert_int_equal(log_file_order(&file, 0, LOG_FILE_NOW, NULL), 0);
	assert_in_range(due_ms(), 1, 1001);
	turn();
	assert_non_null(file.stretch);
	turn_until_over();
	assert_true(clock_ns() - begin >= NS_PER_SECOND);
	assert_int_equal(file.written, 1);
}

TEST(one_that_cannot_be_written)
{
	file.path = "/nowhere/log.folded";
	assert_int_equal(log_file_order(&file, 0, LOG_FILE_NOW, NULL), 0);
	turn_until_over();
	assert_int_equal(file.written, 0);
	assert_int_equal(file.failed, 1);
	file.path = path;
	assert_int_equal(log_file_order(&file, 0, LOG_FILE_NOW, NULL), 0);
	turn_until_over();
	assert_int_equal(file.written, 1);
}

TEST(at_the_end_of_a_run)
{
	assert_int_equal(log_file_order(&file, 0, LOG_FILE_NOW, NULL), 0);
	LOGGED(log_file_finish(&file, clock_seconds() + 60));
	assert_int_equal(file.written, 1);
	log_file_finish(&file, 0); /* nothing was ordered */
	assert_int_equal(log_file_order(&file, 0, LOG_FILE_NOW, NULL), 0);
	log_file_close(&file); /* is given up */
	assert_int_equal(journal->held, 0);
}

TEST(by_a_signal)
{
	assert_non_null(strstr(LOGGED(log_file_signalled(NULL)), "--log-file FILE"));
	assert_string_equal(LOGGED(log_file_signalled(&file)), "");
	assert_non_null(strstr(LOGGED(log_file_signalled(&file)), "already"));
	turn_until_over();
	assert_int_equal(file.written, 1);
}

BY_ITSELF("it has functions of other rooms of its own");
AROUND_EACH(setup_file, teardown_file);
