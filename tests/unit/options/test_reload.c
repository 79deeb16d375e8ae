// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_reload.c - the options read once more: what can change does, and what cannot is named.
 */
#include "tests/forge/test.h"
#include "tests/unit/options/config_file.h"
#include "options/row.h"

static char kept[128];

static void reload(const char *text, int wanted)
{
	put(text);
	assert_int_equal(options_reload(&o, kept, sizeof(kept), error, sizeof(error)), wanted);
}

TEST(reads_it_again)
{
	put("all-python = yes\noutput-dir = a\ninterval = 5\nkeep = 3\nfrequency = 50\n");
	ACCEPT("--config", path, "--max-depth", "9");
	reload("all-python = yes\noutput-dir = b\ninterval = 7\nkeep = 4MiB\nverbose = yes\nfrequency = 50\n",
	       0);
	assert_string_equal(kept, "");
	assert_string_equal(o.output_dir, "b");
	assert_true(o.interval_seconds == 7 && o.keep_bytes == 4 << 20 && !o.keep_files && o.verbose);
	assert_int_equal(o.max_depth, 9);
	/* What cannot change stays and is named. */
	reload("all-python = yes\noutput-dir = c\nfrequency = 50\nmin-wait = 7\nlabels = process\n", 0);
	assert_string_equal(kept, "--min-wait, --labels");
	assert_int_equal(o.min_wait_us, 100);
	assert_int_equal(o.labels, LABELS_THREAD);
	assert_string_equal(o.output_dir, "c");
	assert_true(o.interval_seconds == 60 && !o.verbose);
	/* A bad file changes nothing. */
	reload("all-python = yes\noutput-dir = d\ninterval = x\n", -EINVAL);
	assert_non_null(strstr(error, ":3: "));
	assert_string_equal(o.output_dir, "c");
	assert_int_equal(o.frequency, 50);
	/* Neither files nor pushes come or go. */
	reload("all-python = yes\npush = parca+http://x\nfrequency = 50\n", 0);
	assert_string_equal(kept, "--output-dir, --push");
	assert_string_equal(o.output_dir, "c");
	assert_null(o.push);
	for (int i = 0; i < 100; i++) {
		reload("all-python = yes\noutput-dir = e\nfrequency = 50\n", 0);
		assert_string_equal(kept, "");
		assert_string_equal(o.output_dir, "e");
	}
	/* What the command line says holds. */
	reload("all-python = yes\noutput-dir = e\nfrequency = 50\nmax-depth = 8\n", 0);
	assert_string_equal(kept, "");
	assert_int_equal(o.max_depth, 9);
}

/* How often, for how much, and of whom. */
TEST(samples_of_others)
{
	put("all-python = yes\n");
	ACCEPT("--config", path);
	reload("all-python = yes\nfrequency = 50\nbudget = 0.5\ncomm = a*\nexclude-cgroup = /x\n", 0);
	assert_string_equal(kept, "");
	assert_true(o.frequency == 50 && o.budget_percent > 0.49 && o.budget_percent < 0.51);
	assert_string_equal(o.comm, "a*");
	assert_string_equal(o.exclude_cgroup, "/x");
	assert_int_equal(o.reloaded, GROUP_RATE | GROUP_BUDGET | GROUP_FILTERS);
	reload("all-python = yes\nfrequency = 50\nbudget = 0.5\ncomm = a*\nexclude-cgroup = /x\n", 0);
	assert_int_equal(o.reloaded, 0);
	reload("all-python = yes\nquiet = yes\n", 0);
	assert_true(o.frequency == 99 && o.budget_percent > 0.99);
	assert_null(o.comm);
	/* A filter with an error changes nothing. */
	reload("all-python = yes\nfrequency = 50\ncomm = a,,b\n", -EINVAL);
	assert_int_equal(o.frequency, 99);
}

/* A limit of cost neither comes nor goes, and where each tick has a length its rate stays. */
TEST(what_depends_on_the_start)
{
	static const char *const with[] = { "log = 5\n", "event = wall\n", "event = cpu,loop\n" };
	char text[128];

	put("all-python = yes\nbudget = 0\n");
	ACCEPT("--config", path);
	reload("all-python = yes\nbudget = 1\n", 0);
	assert_string_equal(kept, "--budget");
	assert_true(o.budget_percent < 0.001);
	for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++) {
		put(with[i]);
		ACCEPT("-a", "--config", path);
		snprintf(text, sizeof(text), "%sfrequency = 50\nbudget = 2\n", with[i]);
		reload(text, 0);
		assert_string_equal(kept, "--frequency");
		assert_true(o.frequency == 99 && o.budget_percent > 1.9);
	}
	put("");
	ACCEPT("-p", "1", "--config", path); /* nobody would ask about what was left out before */
	reload("comm = a\nfrequency = 50\n", 0);
	assert_string_equal(kept, "--comm");
	assert_null(o.comm);
}

#define BASE                                                                                                \
	"event = loop\nnative = leaf\noutput-dir = d\nkubelet = https://h:1\npod-label = app\n"              \
	"listen = unix:/run/p\n"

/* Flags and numbers that make sense with any value beside BASE; what is a target does not. */
static bool can_be_set(const struct option_row *r)
{
	return (r->kind == OPTION_FLAG || r->kind == OPTION_NUMBER) && r->group & command_rows[0].takes &&
	       !(r->group & (GROUP_PROCESSES | GROUP_PROGRAMS | GROUP_CHILDREN)) &&
	       strcmp(r->long_name, "help") && strcmp(r->long_name, "version");
}

/* What SIGHUP does not change is named, whatever it is; with loop the rate is neither. */
TEST(changes_what_its_row_says)
{
	size_t seen = 0;

	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];
		char text[256], name[64], value[32] = "yes";

		if (!can_be_set(r))
			continue;
		if (r->kind == OPTION_NUMBER)
			snprintf(value, sizeof(value), "%ld", r->value == r->min ? r->max : r->min);
		put(BASE);
		ACCEPT("-a", "--config", path);
		snprintf(text, sizeof(text), BASE "%s = %s\n", r->long_name, value);
		snprintf(name, sizeof(name), "--%s", r->long_name);
		reload(text, 0);
		assert_string_equal(kept, row_is_reloaded(r) && r->group != GROUP_RATE ? "" : name);
		seen++;
	}
	assert_true(seen > 10);
}

/* The command stays: what goes without a target does so again. */
TEST(reads_it_again_for_the_same_command)
{
	for (size_t c = 0; c < COMMANDS; c++) {
		if (!(command_rows[c].takes & GROUP_CONFIG))
			continue;
		put(command_rows[c].anybody ? "" : "all-python = yes\n");
		ACCEPT(command_rows[c].name, "--config", path);
		reload(command_rows[c].anybody ? "quiet = yes\n" : "all-python = yes\nquiet = yes\n", 0);
		assert_string_equal(kept, "");
		assert_true(o.quiet);
		assert_ptr_equal(o.subcommand, &command_rows[c]);
	}
}

AROUND_EACH(make_file, remove_file);
