// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pprof.c - samples that are encoded come back with their labels: read by protobuf-c, and judged by
 * `go tool pprof`, the format's own reader, where Go is installed.
 */
#include <errno.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/forge/test.h"
#include "tests/unit/formats/pprof_example.h"

static void assert_frame(const Pyperf__Profile *d, uint64_t id, const char *name, const char *file, int start,
			 int line, int column)
{
	const Pyperf__Line *l = d->location[id - 1]->line[0];
	const Pyperf__Function *f = d->function[l->function_id - 1];

	assert_string_equal(string(d, f->name), name);
	assert_string_equal(string(d, f->filename), file);
	assert_int_equal(f->start_line, start);
	assert_int_equal(l->line, line);
	assert_int_equal(l->column, column);
}

TEST(samples_come_back)
{
	_cleanup_profile_ struct profile *p = example();
	Pyperf__Profile *d = encode_and_decode(p);
	int64_t count = 0, ns = 0;

	assert_int_equal(d->n_sample, 3);
	for (size_t i = 0; i < d->n_sample; i++) {
		assert_int_equal(d->sample[i]->n_value, 2);
		count += d->sample[i]->value[0];
		ns += d->sample[i]->value[1];
	}
	assert_int_equal(count, profile_total(p));
	assert_int_equal(count, 50);
	assert_int_equal(ns, 50 * PERIOD);
	assert_int_equal(d->sample[0]->value[0], 47);
	assert_int_equal(d->sample[0]->n_location_id, 2);
	assert_frame(d, d->sample[0]->location_id[0], "<lambda>", "/srv/app.py", 7, 7, 12);
	assert_frame(d, d->sample[0]->location_id[1], "<module>", "/srv/app.py", 1, 3, 0);
	assert_frame(d, d->sample[1]->location_id[1], "A.work.<locals>.inner", "/srv/b\xef\xbf\xbd.py", 8, 9,
		     0);
	assert_frame(d, d->sample[1]->location_id[3], "[truncated]", "", 0, 0, 0);
	pyperf__profile__free_unpacked(d, NULL);
}

static void assert_label(const Pyperf__Profile *d, const Pyperf__Label *l, const char *key, int64_t num,
			 const char *str)
{
	assert_string_equal(string(d, l->key), key);
	assert_int_equal(l->num, num);
	assert_string_equal(string(d, l->str), str);
}

TEST(labels_are_there_or_left_out)
{
	_cleanup_profile_ struct profile *p = example();
	Pyperf__Profile *d = encode_and_decode(p);

	assert_int_equal(d->sample[0]->n_label, 4);
	assert_label(d, d->sample[0]->label[0], "pid", 12, "");
	assert_label(d, d->sample[0]->label[1], "tid", 12, "");
	assert_label(d, d->sample[0]->label[2], "comm", 0, "python3");
	assert_label(d, d->sample[0]->label[3], "thread", 0, "MainThread");
	assert_int_equal(d->sample[1]->n_label, 7);
	assert_label(d, d->sample[1]->label[0], "pid", 99, "");
	assert_label(d, d->sample[1]->label[1], "comm", 0, "worker");
	assert_label(d, d->sample[1]->label[2], "container_id", 0, "c0ffee");
	assert_label(d, d->sample[1]->label[3], "container", 0, "py");
	assert_label(d, d->sample[1]->label[4], "pod", 0, "app-1");
	assert_label(d, d->sample[1]->label[5], "namespace", 0, "demo");
	assert_label(d, d->sample[1]->label[6], "pod_uid", 0, "9e449ecd");
	pyperf__profile__free_unpacked(d, NULL);
}

/* Labels of the caller's own, one of them with a name of ours; what was read back is what was put in. */
TEST(extra_labels_are_there_or_left_out)
{
	struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU),
		.period_ns = PERIOD, .extra = { "app", "pod", "tier" }, .extra_count = 3,
	};
	struct profile_labels labels = { .pid = 12, .pod = "cart-1", .extra = { "shop", "purple", "" } };
	struct profile_labels none = { .pid = 13 };
	_cleanup_profile_ struct profile *p = NULL;
	Pyperf__Profile *d;
	__u32 frame;

	assert_int_equal(profile_new(&info, &p), 0);
	frame = location(p, "f", "", 0, 0, 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &frame, 1, &labels, 1), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &frame, 1, &none, 1), 0);
	labels.extra[0] = "web";
	assert_int_equal(profile_sample(p, EVENT_CPU, &frame, 1, &labels, 1), 0);
	assert_string_equal(profile_get_labels(p, 1).extra[1], "purple");
	info.extra_count = 0;
	assert_int_equal(profile_set_info(p, &info), 0);
	d = encode_and_decode(p);
	assert_int_equal(d->n_sample, 3);
	assert_int_equal(d->sample[0]->n_label, 4);
	assert_label(d, d->sample[0]->label[1], "pod", 0, "cart-1");
	assert_label(d, d->sample[0]->label[2], "app", 0, "shop");
	assert_label(d, d->sample[0]->label[3], "label_pod", 0, "purple");
	assert_int_equal(d->sample[1]->n_label, 1);
	assert_label(d, d->sample[2]->label[2], "app", 0, "web");
	pyperf__profile__free_unpacked(d, NULL);
	info.extra_count = PROFILE_EXTRA_MAX + 1;
	assert_int_equal(profile_new(&info, &p), -EINVAL);
}

TEST(output_is_appended_and_repeatable)
{
	_cleanup_profile_ struct profile *p = example(), *again = example();
	_cleanup_buf_ struct buf one = { 0 }, two = { 0 };

	assert_int_equal(pprof_encode(p, &one), 0);
	assert_int_equal(buf_add_string(&two, "kept"), 0);
	assert_int_equal(pprof_encode(again, &two), 0);
	assert_int_equal(two.size, one.size + 4);
	assert_memory_equal(two.data, "kept", 4);
	assert_memory_equal(two.data + 4, one.data, one.size);
}

TEST(an_empty_profile_and_huge_counts_are_valid)
{
	_cleanup_profile_ struct profile *p = new_profile();
	struct profile_labels labels = { .pid = 1 };
	Pyperf__Profile *d = encode_and_decode(p);

	assert_int_equal(d->n_sample, 0);
	assert_int_equal(d->n_sample_type, 2);
	pyperf__profile__free_unpacked(d, NULL);
	__u32 l = location(p, "f", "x.py", 1, 2, 0), other = location(p, "g", "x.py", 1, 2, 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &l, 1, &labels, ~0ULL), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &other, 1, &labels, INT64_MAX / PERIOD + 1), 0);
	d = encode_and_decode(p);
	assert_true(d->sample[0]->value[0] == INT64_MAX && d->sample[0]->value[1] == INT64_MAX);
	assert_true(d->sample[1]->value[0] == INT64_MAX / PERIOD + 1 && d->sample[1]->value[1] == INT64_MAX);
	pyperf__profile__free_unpacked(d, NULL);
}

TEST(large_profiles_survive_compression)
{
	_cleanup_profile_ struct profile *p = new_profile();
	struct profile_labels labels = { .pid = 1 };
	__u32 stack[40];
	uint64_t x = 1;
	Pyperf__Profile *d;

	for (int i = 0; i < 3000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "f%d", i);
		assert_int_equal(location(p, name, "x.py", i, i, 0), i + 1);
	}
	for (int i = 0; i < 3000; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(stack); j++) {
			x = x * 6364136223846793005 + 1442695040888963407;
			stack[j] = (x >> 33) % 3000 + 1;
		}
		assert_int_equal(profile_sample(p, EVENT_CPU, stack, ARRAY_SIZE(stack), &labels, i + 1), 0);
	}
	d = encode_and_decode(p);
	assert_int_equal(d->n_sample, 3000);
	for (__u32 id = 1; id <= 3000; id++) {
		struct profile_stack expected = profile_get_sample(p, id);
		const Pyperf__Sample *sample = d->sample[id - 1];

		assert_int_equal(sample->value[0], id);
		assert_int_equal(sample->n_location_id, expected.n);
		for (__u32 j = 0; j < expected.n; j++)
			assert_int_equal(sample->location_id[j], expected.locations[j]);
	}
	pyperf__profile__free_unpacked(d, NULL);
}

/* Runs `go tool pprof ARGUMENTS FILE`; what it prints, its complaints too, is text. */
static char *go_pprof(const char *arguments, const char *file)
{
	char command[256], *text = calloc(1, 65536);
	FILE *f;

	assert_non_null(text);
	snprintf(command, sizeof(command), "PPROF_TMPDIR=/nonexistent go tool pprof %s %s 2>&1", arguments,
		 file);
	f = popen(command, "r");
	assert_non_null(f);
	text[fread(text, 1, 65535, f)] = 0;
	assert_int_equal(pclose(f), 0);
	return text;
}

static void assert_has(const char *text, const char *expected)
{
	if (!strstr(text, expected))
		fail_msg("no \"%s\" in:\n%s", expected, text);
}

static void skip_without_go(void)
{
	if (system("go version >/dev/null 2>&1") != 0) {
		print_message("SKIP go: no go command (Debian package golang-go)\n");
		skip();
	}
}

/* Writes the example into a new file. name: "/tmp/....XXXXXX", for mkstemp(). */
static void write_example(char *name)
{
	_cleanup_profile_ struct profile *p = example();
	_cleanup_buf_ struct buf out = { 0 };
	_cleanup_close_ int fd = mkstemp(name);

	assert_true(fd >= 0);
	assert_int_equal(pprof_encode(p, &out), 0);
	assert_int_equal(write(fd, out.data, out.size), out.size);
}

TEST(go_reads_it_without_complaint)
{
	_cleanup_free_ char *top = NULL, *raw = NULL, *traces = NULL, *lines = NULL;
	char file[] = "/tmp/test_pprof.XXXXXX";

	skip_without_go();
	write_example(file);
	top = go_pprof("-top", file);
	lines = go_pprof("-top -lines -sample_index=samples", file);
	raw = go_pprof("-raw", file);
	traces = go_pprof("-traces", file);
	unlink(file);
	/* The first line is a fact about the profile: no complaint stands before it. */
	assert_int_equal(strncmp(top, "File: python3.11\nBuild ID: aabbcc\nType: cpu\nTime: ", 40), 0);
	assert_has(top, "Duration: 2s, Total samples = 500ms (25.00%)\n");
	assert_has(top, "470ms 94.00% 94.00%      470ms 94.00%  <lambda>\n");
	assert_has(top, "  480ms 96.00%  <module>");
	assert_has(top, "  A.work.<locals>.inner");
	assert_has(top, "  _Z3foov");
	assert_has(top, "  [truncated]");
	assert_has(lines, " 47 94.00% 94.00%         47 94.00%  <lambda> /srv/app.py:7\n");
	assert_int_equal(strncmp(raw, "PeriodType: cpu nanoseconds\nPeriod: 10000000\n", 45), 0);
	assert_has(raw, "[FN]");
	assert_has(traces, "470ms   <lambda>\n             <module>\n");
	assert_has(traces, "pid:  12");
}

TEST(go_shows_columns)
{
	_cleanup_free_ char *columns = NULL;
	char file[] = "/tmp/test_pprof.XXXXXX";

	skip_without_go();
	if (system("go tool pprof -h 2>&1 | grep -q -e -showcolumns") != 0) {
		print_message("SKIP go-columns: this go tool pprof has no -showcolumns\n");
		skip();
	}
	write_example(file);
	columns = go_pprof("-top -lines -showcolumns", file);
	unlink(file);
	assert_has(columns, "  <lambda> /srv/app.py:7:12\n");
	assert_has(columns, "  <module> /srv/app.py:3\n");
}
