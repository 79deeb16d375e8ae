// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_examined_json.c - what doctor writes for programs: read again by a library, with each member where it
 * is known and nowhere else.
 */
#include <errno.h>
#include <json-c/json.h>

#include "base/cleanup.h"
#include "tests/unit/doctor/made.h"

static struct json_object *read_made(void)
{
	struct json_object *root = json_tokener_parse(made_json());

	assert_non_null(root);
	return root;
}

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *value;

	assert_true(json_object_object_get_ex(o, key, &value));
	return value;
}

static const char *text_of(struct json_object *o, const char *key)
{
	return json_object_get_string(get(o, key));
}

TEST(verdicts_and_counts)
{
	static const struct {
		int check;
		bool can_profile, can_do_all;
	} rows[] = { { CHECK_BTF, false, false }, { CHECK_RECEIVER, true, false }, { -1, true, true } };

	made.unreadable = 12;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct json_object *root;

		for (int check = 0; check < CHECKS; check++)
			made.findings[check].grade = check == rows[i].check ? GRADE_MISSING : GRADE_OK;
		root = read_made();
		assert_int_equal(json_object_get_boolean(get(root, "can_profile")), rows[i].can_profile);
		assert_int_equal(json_object_get_boolean(get(root, "can_do_all")), rows[i].can_do_all);
		assert_int_equal(json_object_get_int(get(root, "unreadable")), 12);
		assert_string_equal(text_of(root, "program"), "/usr/bin/pyperf-bpf");
		assert_string_equal(text_of(root, "version"), PYPERF_VERSION);
		assert_int_equal(json_object_array_length(get(root, "processes")), 0);
		json_object_put(root);
	}
}

/* All of them, in the order of the list, also those that nobody asked for. */
TEST(each_check)
{
	struct json_object *root, *checks;

	for (int i = 0; i < CHECKS; i++) {
		finding_say(&made.findings[i], i % GRADES, "number %d", i);
		for (int way = 0; way < i % 5; way++)
			finding_mend(&made.findings[i], "way %d", way);
	}
	root = read_made();
	checks = get(root, "checks");
	assert_int_equal(json_object_array_length(checks), CHECKS);
	for (int i = 0; i < CHECKS; i++) {
		struct json_object *o = json_object_array_get_idx(checks, i), *mend = get(o, "mend");
		char says[32];

		snprintf(says, sizeof(says), "number %d", i);
		assert_string_equal(text_of(o, "check"), check_rows[i].name);
		assert_string_equal(text_of(o, "result"), examined_grade(i % GRADES));
		assert_string_equal(text_of(o, "says"), says);
		assert_int_equal(json_object_array_length(mend), i % 5);
		if (i % 5)
			assert_string_equal(json_object_get_string(json_object_array_get_idx(mend, 0)),
					    "way 0");
	}
	json_object_put(root);
}

/* What is known of one process, as "key=value" with blanks between, in the order of the file. */
static void check_process(const struct examined_process *p, const char *expected)
{
	struct json_object *root, *o;
	char text[1024] = "";

	begin_made(NULL);
	add_made(p);
	root = read_made();
	o = json_object_array_get_idx(get(root, "processes"), 0);
	json_object_object_foreach(o, key, value)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s=%s", *text ? " " : "", key,
			 json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN));
	assert_string_equal(text, expected);
	json_object_put(root);
	examined_free(&made);
	begin_made(NULL);
}

TEST(processes)
{
	struct examined_process p = made_process(HEX_3_13, "3.13.2");

	check_process(&p, "pid=71 name=\"app\" layout=\"proved\" version=\"3.13.2\" gil=true "
			  "asyncio=\"not loaded\"");
	p.identity.verdict = VERDICT_UNPROVED;
	p.identity.layout.free_threaded = true;
	strcpy(p.identity.reason, "why");
	strcpy(p.identity.path, "python3");
	strcpy(p.identity.build_id, "00ff");
	strcpy(p.container.cgroup.container_id, "abc");
	check_process(&p, "pid=71 name=\"app\" layout=\"not proved yet\" version=\"3.13.2\" reason=\"why\" "
			  "file=\"python3\" build_id=\"00ff\" gil=false asyncio=\"too old\" "
			  "container_id=\"abc\"");
	p.identity.verdict = VERDICT_NO_LAYOUT;
	*p.identity.version = *p.identity.path = *p.identity.build_id = '\0';
	*p.container.cgroup.container_id = '\0';
	check_process(&p, "pid=71 name=\"app\" layout=\"refused\" reason=\"why\"");
	p.error = -ESRCH;
	check_process(&p, "pid=71 name=\"app\" layout=\"not readable\" reason=\"No such process\"");
}

TEST(native_code)
{
	struct examined_process p = { .pid = 71, .name = "app" };

	p.native = (struct native_code){ .looked = true, .error = -EPERM };
	check_process(&p, "pid=71 name=\"app\" layout=\"not Python\" native={\"error\":"
			  "\"Operation not permitted\"}");
	p.native = (struct native_code){ .looked = true, .files = 7, .unread = 1, .named = 6, .complete = 2,
					 .blind = 4, .blind_names = { "a", "b", "c" },
					 .made = MADE_CODE_NAMED };
	check_process(&p, "pid=71 name=\"app\" layout=\"not Python\" native={\"files\":7,\"unread\":1,"
			  "\"named\":6,\"complete\":2,\"without_callers\":4,"
			  "\"made_at_run_time\":\"with names\","
			  "\"first_without_callers\":[\"a\",\"b\",\"c\"]}");
	p.native = (struct native_code){ .looked = true, .blind = 1, .blind_names = { "a" },
					 .made = MADE_CODE_NAMELESS };
	check_process(&p, "pid=71 name=\"app\" layout=\"not Python\" native={\"files\":0,\"unread\":0,"
			  "\"named\":0,\"complete\":0,\"without_callers\":1,"
			  "\"made_at_run_time\":\"without names\",\"first_without_callers\":[\"a\"]}");
}

/* It stays JSON whatever is in the names. */
TEST(foreign_bytes)
{
	struct examined_process p = made_process(HEX_3_13, "3.13.2");
	struct json_object *root;

	strcpy(p.name, "a\"\\\n\x01\xff");
	finding_say(&made.findings[CHECK_KUBELET], GRADE_NOTE, "\"},{\xc3");
	add_made(&p);
	root = read_made();
	assert_non_null(strstr(text_of(json_object_array_get_idx(get(root, "checks"), CHECK_KUBELET), "says"),
			       "\"},{"));
	assert_memory_equal(text_of(json_object_array_get_idx(get(root, "processes"), 0), "name"),
			    "a\"\\\n\x01", 5);
	json_object_put(root);
}

AROUND_EACH(begin_made, end_made);
