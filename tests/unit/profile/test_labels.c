// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_labels.c - every row of labels.def, from the tables that it is found in to each place that the row
 * names. A row whose value is set nowhere fails here.
 */
#include <errno.h>

#include "profile/filter.h"
#include "views/graph.h"
#include "profile/labels.h"
#include "profile/split.h"
#include "proc/container.h"
#include "targets/containers.h"
#include "tests/forge/decode.h"
#include "tests/forge/tables.h"
#include "tests/forge/test.h"

/* What a text has as its value here, so that each is different: container_id is "<container_id>". */
#define VALUE(key) "<" key ">"

/* Samples of thread 101 of process 100, and of nobody, as the registry and the kernel's tables have them. */
static int setup_sample(void **state)
{
	struct registry_entry e = { .id = 1, .pid = 100, .comm = "<comm>", .layout = -1 };
	char texts[LABEL_COUNT][32];

	for (int i = 0; i < LABEL_COUNT; i++) {
		snprintf(texts[i], sizeof(texts[i]), VALUE("%s"), label_rows[i].key);
		e.label[i] = label_is_of_registry(i) ? texts[i] : "";
	}
	if (setup(state) || registry_add(registry, &e) || rules_new("d.py:Server.dispatch", &with_rules))
		return -1;
	set_owner(0, 1, 101, "<thread>");
	set_owner(1, 77, 0, "");
	add_code(102, "_find_and_load", "<frozen importlib._bootstrap>", 1);
	set_root(25, 0, 0);
	add_code(104, "Server.dispatch", "d.py", 1);
	add_code(105, VALUE("endpoint"), "m.py", 1);
	set_node(31, 25, 104, 1, 0);
	set_node(32, 31, 105, 1, 0);
	set_node(30, 32, 102, 1, 0);
	set_node(26, 30, 100, 1, 0);
	add_code(103, "<task>", "", 0);
	set_attribute(20, 26, ATTRIBUTE_READY, 102, 0);
	set_attribute(21, 20, ATTRIBUTE_TASK, 103, 0);
	set_attribute(22, 21, ATTRIBUTE_STATES, STATE_BIT(HOLDS) | STATE_BIT(EXCEPTION) | STATE_BIT(GC), 3);
	set_root(27, 1, 0);
	set_node(28, 27, 101, 1, 5);
	run();
	return 0;
}

static const char *value_of(const struct label_row *row)
{
	static char text[64];

	if (!strcmp(row->key, "gil"))
		return "holds";
	if (!strcmp(row->key, "import") || !strcmp(row->key, "exception") || !strcmp(row->key, "gc"))
		return "yes";
	if (!strcmp(row->key, "endpoint"))
		return "m:" VALUE("endpoint");
	if (row->is_text)
		snprintf(text, sizeof(text), VALUE("%s"), row->key);
	else
		snprintf(text, sizeof(text), "%d",
			 !strcmp(row->key, "tid") ? 101 : !strcmp(row->key, "ready") ? 102 : 100);
	return text;
}

/* Labels that only a stretch of the log has, of which none was harvested: test_journal.c. */
#define OF_LOG 3

static bool is_of_log(int label)
{
	return label == LABEL_trace_id || label == LABEL_span_id || label == LABEL_route;
}

/* What has no value would be left out of all that the other tests look at. */
TEST(each_has_a_value)
{
	const struct profile_owner *o = profile_get_owner(profile, 1);

	for (int i = 0; i < LABEL_COUNT; i++) {
		const struct label_row *row = &label_rows[i];

		if (is_of_log(i))
			continue;
		if (!o->label[i])
			fail_msg("nothing sets the label %s", row->key);
		if (row->is_text)
			assert_string_equal(profile_get_string(profile, o->label[i]), value_of(row));
		assert_int_equal(profile_get_owner(profile, 2)->label[i], 0);
	}
}

/* By number of the row, and by name: both are the same words. */
TEST(fields_are_rows)
{
	const struct profile_owner *o = profile_get_owner(profile, 1);
	struct profile_labels labels = profile_get_labels(profile, 1);

	assert_int_equal(o->pid, o->label[LABEL_pid]);
	assert_int_equal(o->pod_uid, o->label[LABEL_pod_uid]);
	assert_int_equal(labels.pid, 100);
	assert_int_equal(labels.tid, 101);
	assert_string_equal(labels.comm, "<comm>");
	assert_string_equal(labels.namespace, "<namespace>");
	assert_int_equal(offsetof(struct profile_owner, label[LABEL_COUNT]), LABEL_COUNT * sizeof(__u32));
}

TEST(each_is_in_pprof)
{
	Pyperf__Profile *d = encode_and_decode(profile);

	assert_int_equal(d->n_sample, 2);
	assert_int_equal(d->sample[0]->n_label, LABEL_COUNT - OF_LOG);
	assert_int_equal(d->sample[1]->n_label, 0);
	for (int i = 0, at = 0; i < LABEL_COUNT; i++) {
		const Pyperf__Label *l = d->sample[0]->label[at];
		const struct label_row *row = &label_rows[i];
		char number[32];

		if (is_of_log(i))
			continue;
		at++;
		snprintf(number, sizeof(number), "%lld", (long long)l->num);
		assert_string_equal(string(d, l->key), row->key);
		assert_string_equal(row->is_text ? string(d, l->str) : number, value_of(row));
		assert_int_equal(row->is_text ? l->num : l->str, 0);
	}
	pyperf__profile__free_unpacked(d, NULL);
}

static __u64 selected(const char *key, const char *value)
{
	_cleanup_profile_ struct profile *part = NULL;
	struct profile_filter f = {};

	assert_int_equal(profile_filter_set(&f, key, value), 0);
	assert_int_equal(profile_filter_apply(&f, profile, &part), 0);
	return profile_total(part);
}

TEST(queries)
{
	struct profile_filter f = {};
	char keys[FILTER_KEYS_SIZE], key[64];

	profile_filter_keys(keys);
	strcat(keys, ",");
	for (int i = 0; i < LABEL_COUNT; i++) {
		const struct label_row *row = &label_rows[i];
		bool is_named;

		snprintf(key, sizeof(key), ", %s,", row->key);
		is_named = strstr(keys, key);
		assert_int_equal(is_named, row->outputs & IN_QUERY);
		if (row->outputs & IN_QUERY) {
			assert_int_equal(selected(row->key, value_of(row)), 3);
			assert_int_equal(selected(row->key, "7"), 0);
		} else {
			assert_int_equal(profile_filter_set(&f, row->key, value_of(row)), -ENOENT);
		}
	}
}

static int count_series(void *context, const struct split_service *s, const struct profile *part)
{
	int *n = context;

	for (int i = 0; i < LABEL_COUNT; i++) {
		bool has_it = label_rows[i].outputs & IN_SERIES && profile_total(part) == 3;

		assert_string_equal(s->label[i], has_it ? value_of(&label_rows[i]) : "");
		*n += has_it;
	}
	return 0;
}

TEST(series)
{
	struct split_limits limits = { .samples = 1000, .bytes = 1 << 20 };
	int n = 0, rows = 0;

	for (int i = 0; i < LABEL_COUNT; i++) {
		rows += !!(label_rows[i].outputs & IN_SERIES);
		/* What tells services apart is the name of something. */
		assert_true(label_rows[i].is_text || !(label_rows[i].outputs & IN_SERIES));
	}
	assert_int_equal(profile_split(profile, &limits, count_series, &n), 0);
	assert_int_equal(n, rows);
	assert_true(n > 0);
}

static int count_parts(void *parts, const struct split_service *s, const struct profile *part)
{
	(void)s;
	(void)part;
	++*(int *)parts;
	return 0;
}

/* Samples that differ in one label only are of different services if series have it. */
TEST(services_are_told_apart)
{
	__u32 function, location;

	for (int row = 0; row < LABEL_COUNT; row++) {
		_cleanup_profile_ struct profile *p = NULL;
		struct profile_labels labels[2] = { [0 ... 1] = { .comm = "c", .container = "x" } };
		struct split_limits limits = { .samples = 1000, .bytes = 1 << 20 };
		struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
		int parts = 0;

#define LABEL_text(key)	  (VALUE(#key))
#define LABEL_number(key) 42
#define LABEL(key, kind, ...) \
	if (row == LABEL_##key)                \
		labels[1].key = LABEL_##kind(key);
#include "profile/labels.def"
#undef LABEL
		assert_int_equal(profile_new(&info, &p), 0);
		assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "", 0, &function), 0);
		assert_int_equal(profile_location(p, function, 0, 0, 0, &location), 0);
		assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels[0], 1), 0);
		assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels[1], 1), 0);
		assert_int_equal(profile_count(p, PROFILE_SAMPLE), 2);
		assert_int_equal(profile_split(p, &limits, count_parts, &parts), 0);
		assert_int_equal(parts, label_rows[row].outputs & IN_SERIES ? 2 : 1);
	}
}

TEST(each_is_a_column_of_the_page)
{
	_cleanup_buf_ struct buf out = {};
	const char *all, *end;

	assert_int_equal(graph_encode_until(profile, NULL, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	all = strstr(out.data, "\"owners\":{");
	assert_non_null(all);
	end = strchr(all, '}');
	for (int i = 0; i < LABEL_COUNT; i++) {
		char column[64];
		const char *found;

		snprintf(column, sizeof(column), "\"%s\":[", label_rows[i].key);
		found = strstr(all, column);
		assert_int_equal(found && found < end, !is_of_log(i));
		if (label_rows[i].is_text && !is_of_log(i))
			assert_non_null(strstr(out.data, value_of(&label_rows[i])));
	}
}

TEST(registry_has_those_of_processes)
{
	const struct registry_entry *e = registry_find(registry, 1);
	int n = 0;

	for (int i = 0; i < LABEL_COUNT; i++) {
		assert_string_equal(e->label[i], label_is_of_registry(i) ? value_of(&label_rows[i]) : "");
		n += label_is_of_registry(i);
	}
	assert_true(n > 0);
}

TEST(worker_answers_each_of_those)
{
	struct registry_entry e = {};
	struct container c;

	memset(&c, 'x', sizeof(c));
	containers_fill(&c, &e);
	for (int i = 0; i < LABEL_COUNT; i++) {
		const bool is_set = e.label[i] && *e.label[i] == 'x';

		if (is_set != (label_rows[i].origin == ORIGIN_CONTAINER))
			fail_msg("containers_fill() and the label %s", label_rows[i].key);
	}
}

AROUND_ALL(setup_sample, teardown);
