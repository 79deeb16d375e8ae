// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_whole.c - the one profile of a run over forged tables: what is written where, what people see, and
 * what is said when it cannot be done.
 */
#include <errno.h>

#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"
#include "tests/forge/windows.h"
#include "tests/forge/written.h"
#include "tests/forge/logged.h"

#include "export/whole.h"
#include "targets/unlooked.h"

static struct window *window;
static char seen[65536]; /* what people see */

static int setup_whole(void **state)
{
	int err = setup_windows(state) ?: make_folder() ?: window_open(&all, &window);

	grow_tree();
	nodes[26].count = 2;
	nodes[27].count = 3;
	*seen = '\0';
	return err;
}

static int teardown_whole(void **state)
{
	return remove_folder() ?: teardown_windows(state);
}

static struct whole_options usual(const char *output)
{
	return (struct whole_options){ .output = output, .format = FORMAT_PPROF, .top = 10 };
}

/* What is logged. What people see is in seen. */
static const char *write_it(struct whole_options o, int expected)
{
	FILE *f = fmemopen(seen, sizeof(seen), "w");
	const char *said;
	int err;

	assert_non_null(f);
	said = LOGGED(err = whole_write(&o, window, &stats, f));
	fclose(f);
	assert_int_equal(err, expected);
	return said;
}

TEST(a_profile_and_a_summary)
{
	assert_string_equal(write_it(usual(path_of("p.pb.gz")), 0), "");
	assert_int_equal(samples_of("p.pb.gz"), 5);
	assert_int_equal(stats.samples[EVENT_CPU], 5);
	assert_non_null(strstr(seen, "5 samples"));
	assert_non_null(strstr(seen, "inner"));
	assert_null(strchr(seen, '\033')); /* it is no terminal */
}

TEST(in_the_format_that_is_wanted)
{
	struct whole_options o = usual(path_of("p.folded"));
	_cleanup_buf_ struct buf b = { 0 };

	o.format = FORMAT_FOLDED;
	write_it(o, 0);
	read_file("p.folded", &b);
	assert_int_equal(buf_add(&b, "", 1), 0);
	assert_non_null(strstr(b.data, "outer"));
	assert_non_null(strstr(b.data, ";inner"));
}

TEST(summaries_that_nobody_wants)
{
	struct whole_options o = usual(path_of("p.pb.gz"));

	o.quiet = true;
	write_it(o, 0);
	assert_string_equal(seen, "");
	assert_int_equal(samples_of("p.pb.gz"), 5);
	o.quiet = false;
	o.top = 0;
	nodes[26].count += 4;
	write_it(o, 0);
	assert_string_equal(seen, "");
	assert_int_equal(samples_of("p.pb.gz"), 4);
}

/* --listen or --stats alone: the books are wanted, no profile. */
TEST(nothing_is_to_be_written)
{
	assert_string_equal(write_it(usual(NULL), 0), "");
	assert_string_equal(seen, "");
	assert_int_equal(stats.samples[EVENT_CPU], 5);
	assert_int_equal(count_files(NULL), 0);
}

TEST(nothing_was_sampled)
{
	nodes[26].count = nodes[27].count = 0;
	assert_string_equal(write_it(usual(path_of("p.pb.gz")), 0),
			    "pyperf-bpf: warning: no Python process used the CPU: the profile is empty\n");
	assert_string_equal(seen, "");
	assert_int_equal(samples_of("p.pb.gz"), 0); /* a profile all the same */
}

/* What was looked for is named: the kind of event, or the kinds, and what chose processes. */
TEST(what_let_nothing_through)
{
	struct whole_options o = usual(path_of("p.pb.gz"));

	nodes[26].count = nodes[27].count = 0;
	snprintf(o.filters, sizeof(o.filters), "--pod 'cart*'");
	all.events = EVENT_BIT(EVENT_OFFCPU) | EVENT_BIT(EVENT_RUNQUEUE);
	assert_string_equal(write_it(o, 0), "pyperf-bpf: warning: no Python process waited, of those that "
					    "are chosen by --pod 'cart*': the profile is empty\n");
	all.events = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_MEMORY);
	assert_string_equal(write_it(o, 0), "pyperf-bpf: warning: of no Python process there was anything of "
					    "--event cpu,memory, of those that are chosen by --pod 'cart*': "
					    "the profile is empty\n");
}

/* What it did is not known. */
TEST(somebody_was_not_looked_at)
{
	unlooked_asked(registry_unlooked(registry), 1, USER_BY_UID | 1000, 0);
	assert_string_equal(write_it(usual(path_of("p.pb.gz")), 0),
			    "pyperf-bpf: warning: 1 process could not be looked at (1 of uid 1000): what it "
			    "did is not in the profile\n");
	unlooked_asked(registry_unlooked(registry), 2, USER_BY_UID | 1000, 0);
	assert_string_equal(write_it(usual(path_of("p.pb.gz")), 0),
			    "pyperf-bpf: warning: no Python process was seen to use the CPU: the profile is "
			    "empty\n"
			    "pyperf-bpf: warning: 2 processes could not be looked at (2 of uid 1000): what "
			    "they did is not in the profile\n");
}

/* Nor whether it has event loops. */
TEST(loops_of_somebody_who_was_not_looked_at)
{
	all.events = EVENT_BIT(EVENT_LOOP);
	nodes[26].count = nodes[27].count = 0;
	assert_string_equal(write_it(usual(path_of("p.pb.gz")), 0),
			    "pyperf-bpf: warning: no event loop had a turn longer than --min-turn: the "
			    "profile is empty\n");
	unlooked_asked(registry_unlooked(registry), 1, USER_BY_UID | 1000, 0);
	assert_string_equal(write_it(usual(path_of("p.pb.gz")), 0),
			    "pyperf-bpf: warning: no event loop had a turn longer than --min-turn, of the "
			    "processes that could be looked at: the profile is empty\n"
			    "pyperf-bpf: warning: 1 process could not be looked at (1 of uid 1000): what it "
			    "did is not in the profile\n");
}

TEST(a_file_that_cannot_be_written)
{
	assert_string_equal(write_it(usual("/nonexistent/p"), -ENOENT),
			    "pyperf-bpf: error: cannot write '/nonexistent/p': No such file or directory\n");
	assert_string_equal(seen, "");
}

TEST(memory_runs_short)
{
	const struct whole_options o = usual(path_of("p.pb.gz"));
	int failures = 0, err;
	FILE *f;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	f = fmemopen(seen, sizeof(seen), "w");
	assert_non_null(f);
	for (int n = 0;; n++) {
		const char *said;

		nodes[26].count++;
		said = LOGGED({
			allocations_left = n;
			err = whole_write(&o, window, &stats, f);
			allocations_left = -1;
		});
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		assert_memory_equal(said, "pyperf-bpf: error: ", 19);
		assert_ptr_equal(strchr(said, '\n') + 1, said + strlen(said)); /* one line */
		failures++;
	}
	fclose(f);
	assert_true(failures > 10);
	assert_int_equal(count_files(NULL), 1);
}

TEST(says_how_it_is_opened)
{
	struct whole_options o = usual("a b.pb.gz");

	assert_string_equal(
		LOGGED(whole_say_how_to_open(&o)),
		"pyperf-bpf: wrote a b.pb.gz. Open it: go tool pprof -http localhost:8080 a b.pb.gz, or drop "
		"it on speedscope\n");
	o.format = FORMAT_FOLDED;
	assert_non_null(strstr(LOGGED(whole_say_how_to_open(&o)),
			       "wrote a b.pb.gz. Open it with a flame-graph viewer"));
	o.output = "-";
	assert_string_equal(LOGGED(whole_say_how_to_open(&o)), "");
	o.output = NULL;
	assert_string_equal(LOGGED(whole_say_how_to_open(&o)), "");
}

AROUND_EACH(setup_whole, teardown_whole);
