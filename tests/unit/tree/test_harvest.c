// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_harvest.c - call trees forged in memory: stacks, labels, markers, overflow; samples that always add
 * up; memory that runs short.
 */
#include "tests/forge/fail_malloc.h"
#include "tests/forge/tables.h"

#include "base/cleanup.h"
#include "kubelet/pod_labels.h"
#include "profile/accounts.h"
#include "tests/forge/test.h"

TEST(nothing_counted)
{
	run();
	assert_int_equal(stats.samples[EVENT_CPU], 0);
	assert_int_equal(stats.nodes, 0);
	assert_int_equal(stats.locations, 0);
	/* Nodes without samples make no frames, and no look-ups. */
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 0);
	run();
	assert_string_equal(shown(), "");
	assert_int_equal(stats.nodes, 2);
	assert_int_equal(stats.locations, 0);
	assert_int_equal(codes_get_stats(codes)->decodes, 0);
	assert_int_equal(profile_get_info(profile)->frequency, 100);
}

TEST(stacks)
{
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 3); /* outer, its first instruction: line 11 */
	set_node(27, 26, 101, 4, 5); /* inner, line 23, called from there */
	set_node(28, 26, 101, 0, 7); /* inner, not begun: its first line */
	set_node(NODES - 1, 27, 100, INSTR_UNKNOWN, 11);
	run();
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 = 3\n"
				     "100/100 main-now/main-now: inner:23 < outer:11 = 5\n"
				     "100/100 main-now/main-now: inner:20 < outer:11 = 7\n"
				     "100/100 main-now/main-now: outer:0 < inner:23 < outer:11 = 11\n");
	assert_int_equal(stats.samples[EVENT_CPU], 26);
	assert_int_equal(stats.nodes, 5);
	assert_int_equal(stats.locations, 4);
}

TEST(lines_merge)
{
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 3);
	set_node(27, 25, 100, 2, 4); /* another instruction of the same line */
	run();
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 = 7\n");
	assert_int_equal(profile_count(profile, PROFILE_LOCATION), 1);
}

/* One code object and one instruction, met below several callers. */
TEST(locations_are_distinct)
{
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 0);
	set_node(27, 25, 100, 5, 0);
	set_node(28, 26, 101, 1, 1);
	set_node(29, 27, 101, 1, 1);
	set_node(30, 25, 101, 1, 1);
	run();
	assert_int_equal(stats.samples[EVENT_CPU], 3);
	assert_int_equal(codes_get_stats(codes)->decodes, 3);
	assert_int_equal(stats.locations, 3);
	assert_int_equal(stats.nodes, 6);
}

/* Asked for, places in one line are told apart; else they are one location as before, without a column. */
TEST(columns)
{
	int found[3] = {}, expected[3] = { 9, 20, 0 };

	set_root(25, 0, 0);
	set_node(26, 25, 100, 5, 1);
	set_node(27, 25, 100, 12, 2);
	set_node(28, 25, 100, INSTR_UNKNOWN, 4);
	run();
	assert_int_equal(profile_count(profile, PROFILE_LOCATION), 2);
	for (__u32 id = 1; id <= 2; id++)
		assert_int_equal(profile_get_location(profile, id)->column, 0);
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:13 = 3\n"
				     "100/100 main-now/main-now: outer:0 = 4\n");
	with_columns = true;
	run();
	assert_int_equal(profile_count(profile, PROFILE_LOCATION), 3);
	for (__u32 id = 1; id <= 3; id++)
		found[id - 1] = profile_get_location(profile, id)->column;
	assert_memory_equal(found, expected, sizeof(found));
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:13 = 1\n"
				     "100/100 main-now/main-now: outer:13 = 2\n"
				     "100/100 main-now/main-now: outer:0 = 4\n");
}

/* What the kernel's account says of a thread is no sample, and is added up with the profile. */
TEST(accounts)
{
	struct accounts_found found;

	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 3);
	set_node(27, 25, CODE_ACCOUNT, INSTR_UNKNOWN, 7000000000);
	run();
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 = 3\n");
	assert_int_equal(stats.samples[EVENT_CPU], 3);
	assert_int_equal(profile_count(profile, PROFILE_OWNER), 1);
	assert_int_equal(profile_get_account(profile, 1), 7000000000);
	assert_int_equal(accounts_find(profile, &found), 0);
	assert_int_equal(found.n, 1);
	assert_int_equal(found.rows[0].tid, 100);
	accounts_free(&found);
}

TEST(labels)
{
	set_root(25, 0, 0);
	set_root(26, 1, 0);
	set_root(27, 2, 0);
	set_node(28, 25, 100, 1, 1);
	set_node(29, 26, 100, 1, 2);
	set_node(30, 27, 100, 1, 4);
	run();
	assert_string_equal(shown(),
			    "100/100 main-now/main-now: outer:11 = 1\n" /* the main thread names both */
			    "100/101 python3/worker: outer:11 = 2\n" /* a thread: the process keeps its own */
			    "200/0 master/: outer:11 = 4\n");	     /* by process: no thread */
}

TEST(labels_of_pods)
{
	static struct pod_entry entries[] = { { .uid = "0123456789abcdef0123456789abcdef",
						.value = { "shop", "" } } };
	static const struct pod_labels pods = { entries, 1 };
	struct registry_entry in_pod = {
		.id = 1, .pid = 100, .layout = -1, .label[LABEL_pod_uid] = entries[0].uid
	};
	struct pod_label_names names;
	struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	struct harvest_inputs inputs = forged_inputs;

	assert_int_equal(pod_label_names_parse("app,tier", &names), 0);
	inputs.pod_label_names = &names;
	harvest_label_names(&inputs, &info);
	assert_int_equal(info.extra_count, 2);
	assert_string_equal(info.extra[1], "tier");
	assert_int_equal(registry_add(registry, &in_pod), 0);
	set_root(25, 0, 0);
	set_root(26, 2, 0);
	set_node(28, 25, 100, 1, 1);
	set_node(29, 26, 100, 1, 2);
	for (int is_known = 0; is_known < 2; is_known++) {
		inputs.pod_labels = is_known ? &pods : NULL;
		profile_free(TAKE_PTR(profile));
		assert_int_equal(profile_new(&info, &profile), 0);
		assert_int_equal(harvest(&inputs, &(struct harvest_span){}, profile, &stats), 0);
		assert_string_equal(profile_get_labels(profile, 1).extra[0], is_known ? "shop" : "");
		assert_string_equal(profile_get_labels(profile, 1).extra[1], "");
		assert_string_equal(profile_get_labels(profile, 2).extra[0], "");
	}
}

/* A profile that takes too much memory gets no more stacks, but every count, with the labels. */
TEST(too_large)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	struct harvest_inputs inputs = forged_inputs;

	inputs.bytes_max = 100000;
	set_root(25, 0, 0);
	for (__u32 i = 26; i < NODES; i++)
		set_node(i, i < 30 ? 25 : i - 4, 100, i % 8, i % 50 == 0);
	profile_free(TAKE_PTR(profile));
	assert_int_equal(profile_new(&info, &profile), 0);
	assert_int_equal(harvest(&inputs, &(struct harvest_span){}, profile, &stats), 0);
	assert_int_equal(stats.samples[EVENT_CPU], (NODES - 1) / 50);
	assert_int_equal(profile_total(profile), (NODES - 1) / 50);
	assert_in_range(stats.dropped, 1, stats.samples[EVENT_CPU] - 1);
	assert_in_range(profile_bytes(profile), 100000, 300000);
}

TEST(mappings)
{
	const struct profile_mapping *m;
	const struct profile_location *l;

	set_root(25, 0, 0);
	set_root(27, 2, 0);
	set_node(28, 25, 100, 1, 1);
	set_node(29, 28, OUTCOME_TRUNCATED, INSTR_UNKNOWN, 1);
	set_node(30, 27, 100, 1, 1); /* its interpreter's file is unknown */
	run();
	assert_int_equal(profile_count(profile, PROFILE_MAPPING), 1);
	l = profile_get_location(profile, profile_get_sample(profile, 1).locations[0]);
	m = profile_get_mapping(profile, l->mapping);
	assert_string_equal(profile_get_string(profile, m->file), "/usr/bin/python3");
	assert_string_equal(profile_get_string(profile, m->build_id), "b1d");
	/* A marker is in no file. */
	l = profile_get_location(profile, profile_get_sample(profile, 2).locations[0]);
	assert_int_equal(l->mapping, 0);
	l = profile_get_location(profile, profile_get_sample(profile, 3).locations[0]);
	assert_int_equal(l->mapping, 0);
}

TEST(unknown_process)
{
	set_owner(3, 77, 0, "stranger");
	set_root(25, 3, 2);
	run();
	assert_string_equal(shown(), "0/0 stranger/: [table full]:0 = 2\n");
}

static enum frame_kind kind_of_frame(__u32 sample, __u32 at)
{
	__u32 location = profile_get_sample(profile, sample).locations[at];

	return profile_get_function(profile, profile_get_location(profile, location)->function)->kind;
}

TEST(every_marker)
{
	int waits = 0, named = 0;

	/* Turns of event loops are no time on a CPU. */
	for (int i = 0; i < WAIT_CAUSES; i++)
		named += wait_rows[i].event != EVENT_LOOP && *wait_rows[i].text;
	set_root(29, 0, 0);
	for (__u32 i = 0; i < CODE_ACCOUNT; i++)
		set_node(100 + i, 29, i, INSTR_UNKNOWN, i + 1);
	run();
	assert_int_equal(stats.samples[EVENT_CPU],
			 CODE_ACCOUNT * (CODE_ACCOUNT + 1) / 2 - (CODE_WAITS + WAIT_TURN + 1) -
				 (CODE_WAITS + WAIT_SATURATED + 1));
	for (__u32 i = 0; i < OUTCOME_COUNT; i++) {
		char line[128];

		snprintf(line, sizeof(line), ": %s:0 = %u\n", outcome_rows[i].frame, i + 1);
		assert_non_null(strstr(shown(), line));
	}
	for (__u32 id = 1; id <= profile_count(profile, PROFILE_FUNCTION); id++)
		waits += profile_get_function(profile, id)->kind == FRAME_WAIT;
	/* Numbers that stand for nothing yet are one marker, and one wait. What is not shown is no frame. */
	assert_int_equal(waits, named + 1);
	assert_int_equal(profile_count(profile, PROFILE_SAMPLE), OUTCOME_COUNT + named + 1 + 2);
	assert_non_null(strstr(shown(), ": [unknown]:0 = "));
}

TEST(marker_below_frames)
{
	set_root(25, 0, 0);
	set_node(26, 25, OUTCOME_TRUNCATED, INSTR_UNKNOWN, 0); /* the missing callers */
	set_node(27, 26, 100, 1, 2);
	run();
	assert_string_equal(shown(), "100/100 main-now/main-now: outer:11 < [truncated]:0 = 2\n");
	assert_int_equal(kind_of_frame(1, 0), FRAME_PYTHON);
	assert_int_equal(kind_of_frame(1, 1), FRAME_MARKER);
}

TEST(unknown_code)
{
	set_root(25, 0, 0);
	set_node(26, 25, 102, 1, 2);
	set_node(27, 25, NODE_ATTRIBUTE - 1, 1, 3); /* the highest number */
	run();
	assert_string_equal(shown(), "100/100 main-now/main-now: [unknown code]:0 = 5\n");
	assert_int_equal(kind_of_frame(1, 0), FRAME_MARKER);
}

/* Positions of the text space: below a line of Python, and below a marker. */
TEST(native_leaves)
{
	set_root(25, 0, 0);
	set_node(26, 25, 102, 1, 0);
	set_node(27, 26, NODE_NATIVE, TEXT_SYSCALLS, 3);
	set_node(28, 26, NODE_NATIVE, NATIVE_NOT_LOADED, 1);
	set_node(29, 26, NODE_NATIVE, TEXT_VDSO, 4);
	run();
	assert_int_equal(stats.samples[EVENT_CPU], 8);
	assert_non_null(strstr(shown(), "[native not loaded yet]:0"));
	assert_int_equal(kind_of_frame(1, 0), FRAME_SYSCALL);
	assert_int_equal(kind_of_frame(2, 0), FRAME_UNPLACED);
	assert_int_equal(kind_of_frame(3, 0), FRAME_UNPLACED); /* there is no store of native code */
}

/* What they took is the Python line's; where there is none, a marker's. */
TEST(hidden_native)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	struct harvest_inputs inputs = forged_inputs;

	inputs.hide_native = true;
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 2);
	set_node(27, 26, NODE_NATIVE, TEXT_SYSCALLS, 3);
	set_node(28, 27, 101, 1, 1);
	set_node(29, 25, NODE_NATIVE, TEXT_VDSO, 4);
	profile_free(TAKE_PTR(profile));
	assert_int_equal(profile_new(&info, &profile), 0);
	assert_int_equal(harvest(&inputs, &(struct harvest_span){}, profile, &stats), 0);
	assert_int_equal(stats.samples[EVENT_CPU], 10);
	assert_non_null(strstr(shown(), "main-now: outer:11 = 5\n"));
	assert_non_null(strstr(shown(), " < outer:11 = 1\n"));
	assert_non_null(strstr(shown(), ": [native hidden]:0 = 4\n"));
	assert_int_equal(profile_count(profile, PROFILE_SAMPLE), 3);
}

TEST(table_full)
{
	/* Not even a marker found room: the root has the count, or, without a root, node 0. */
	set_root(25, 1, 6);
	nodes[0].count = 9;
	run();
	assert_string_equal(shown(),
			    "0/0 /: [table full]:0 = 9\n100/101 python3/worker: [table full]:0 = 6\n");
	assert_int_equal(stats.samples[EVENT_CPU], 15);
}

TEST(large_counts)
{
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 1ULL << 62);
	set_node(27, 25, 101, 1, 1ULL << 40);
	run();
	assert_int_equal(stats.samples[EVENT_CPU], (1ULL << 62) + (1ULL << 40));
}

/* The deepest stack that --max-depth allows: 4000 frames and two markers below the root. */
TEST(deepest)
{
	const __u32 root = EVENT_KINDS;
	struct profile_stack s;

	set_root(root, 0, 0);
	for (__u32 i = root + 1; i <= root + 4002; i++)
		set_node(i, i - 1, i == root + 1 ? OUTCOME_TRUNCATED : 100 + i % 2, 1, 0);
	nodes[root + 4002].count = 3;
	run();
	assert_int_equal(stats.samples[EVENT_CPU], 3);
	s = profile_get_sample(profile, 1);
	assert_int_equal(s.n, 4002);
	assert_int_equal(stats.locations, 2); /* markers are no places in code */
}

/* As much time as there is none: each part does one frame or one stack, and together they are the whole. */
TEST(in_parts)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	_cleanup_free_ char *at_once = NULL;
	struct harvest_progress progress = {};
	__u64 since[NODES] = {}, until[NODES];
	struct harvest_span span = { .since = since, .ret = since, .progress = &progress, .pause_ns = 1 };
	struct harvest_stats whole, parts;
	int pauses = 0, err;

	nodes[0].count = 2;
	set_root(25, 0, 0);
	for (__u32 i = 26; i < 46; i++)
		set_node(i, i - 1, 100 + i % 2, i % 3 * 4 + 1, i % 4);
	set_root(70, 1, 7);
	run();
	whole = stats;
	at_once = strdup(shown());
	for (__u32 i = 0; i < NODES; i++)
		until[i] = nodes[i].count;
	span.until = until;
	profile_free(TAKE_PTR(profile));
	assert_int_equal(profile_new(&info, &profile), 0);
	while ((err = harvest(&forged_inputs, &span, profile, &parts)) == -EAGAIN) {
		pauses++;
		nodes[27].count++; /* behind the end of the span: not part of it */
		assert_true(pauses < 1000);
	}
	assert_int_equal(err, 0);
	assert_string_equal(shown(), at_once);
	assert_true(pauses >= 15); /* stacks */
	assert_memory_equal(&parts, &whole, sizeof(parts));
	assert_memory_equal(since, until, sizeof(since));
	assert_null(progress.location_of);
	/* Given up in between, it leaves nothing, as a sanitizer sees. */
	memset(since, 0, sizeof(since));
	assert_int_equal(harvest(&forged_inputs, &span, profile, &parts), -EAGAIN);
	assert_non_null(progress.location_of);
	harvest_end(&progress);
	assert_int_equal(progress.next, 0);
}

TEST(memory_runs_short)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	int failures = 0;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	nodes[0].count = 1;
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 3);
	set_node(27, 26, 101, 4, 5);
	for (int n = 0;; n++) {
		struct harvest_stats s = { .samples = { 77 } };
		__u64 since[NODES] = {};
		struct harvest_span span = { .since = since, .ret = since };
		__u64 total = 0;
		int err;

		assert_int_equal(profile_new(&info, &profile), 0);
		allocations_left = n;
		err = harvest(&forged_inputs, &span, profile, &s);
		allocations_left = -1;
		if (err) {
			assert_int_equal(err, -ENOMEM);
			assert_int_equal(s.samples[EVENT_CPU], 77);
			for (int i = 0; i < NODES; i++)
				total += since[i];
			assert_int_equal(profile_total(profile), total);
			assert_int_equal(harvest(&forged_inputs, &span, profile, &s), 0);
			failures++;
		}
		assert_int_equal(profile_total(profile), 9);
		profile_free(TAKE_PTR(profile));
		if (!err)
			break;
	}
	assert_true(failures > 10);
}

AROUND_EACH(setup, teardown);
