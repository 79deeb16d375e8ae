// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_asked_name.c - a function is found by its name, with and without its class and its module, and by no
 * other; who asks for what is not there is told what is most alike.
 */
#include <string.h>

#include "report/asked_name.h"
#include "base/cleanup.h"
#include "tests/forge/recording.h"

#define JSON	"/usr/lib/python3.11/json/__init__.py"
#define ENCODER "/usr/lib/python3.11/json/encoder.py"
#define FROZEN	"<frozen importlib._bootstrap>"

static const struct {
	const char *name, *file, *of;
	bool is_meant;
} cases[] = {
	{ "dumps", JSON, "dumps", true },
	{ "dumps", JSON, "json.dumps", true },
	{ "dumps", JSON, "python3.11.json.dumps", true },
	{ "dumps", JSON, "on.dumps", false },
	{ "dumps", JSON, "pickle.dumps", false },
	{ "dumps", JSON, "json.__init__.dumps", false },
	{ "dumps", JSON, "json.umps", false },
	{ "dumps", JSON, ".dumps", false },
	{ "dumps", JSON, "json.", false },
	{ "dumps", JSON, "", false },
	{ "JSONEncoder.encode", ENCODER, "encode", true },
	{ "JSONEncoder.encode", ENCODER, "JSONEncoder.encode", true },
	{ "JSONEncoder.encode", ENCODER, "encoder.encode", true },
	{ "JSONEncoder.encode", ENCODER, "json.encoder.JSONEncoder.encode", true },
	{ "JSONEncoder.encode", ENCODER, "json.encode", false },
	{ "_call_with_frames_removed", FROZEN, "importlib._bootstrap._call_with_frames_removed", true },
	{ "_call_with_frames_removed", FROZEN, "_bootstrap._call_with_frames_removed", true },
	{ "_call_with_frames_removed", FROZEN, "strap._call_with_frames_removed", false },
	{ "main", "app.py", "app.main", true },
	{ "main", "app", "app.main", true },
	{ "main", "", "app.main", false },
	{ "main", "<frozen ", "app.main", false },
	{ "main", "/__init__.py", "app.main", false },
	{ "take", "pandas/_libs/algos.pyx", "algos.take", true },
	{ "[GIL held by]", "", "[GIL held by]", true },
};

TEST(meant)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (asked_name_is(cases[i].name, cases[i].file, cases[i].of) != cases[i].is_meant)
			fail_msg("%s of %s: %s", cases[i].of, cases[i].file, cases[i].name);
}

TEST(plain)
{
	assert_true(asked_name_is_plain("json.dumps"));
	assert_true(asked_name_is_plain("_x1"));
	assert_false(asked_name_is_plain(""));
	assert_false(asked_name_is_plain("json.*"));
	assert_false(asked_name_is_plain("a/b.py"));
}

static void add(struct recorded *r, const char *name, const char *file)
{
	const struct recorded_function f = { recording_string(r, name), recording_string(r, file), 2 };
	__u32 id;

	assert_int_equal(recorded_function(r, &f, &id), 0);
}

static const char *explained(const struct recorded *r, const char *of)
{
	static char error[512];

	asked_name_explain(r, of, "gil", error, sizeof(error));
	return error;
}

TEST(what_is_most_alike)
{
	_cleanup_recorded_ struct recorded r = { 0 };
	static char large[300];

	assert_null(strstr(explained(&r, "x"), "nearest"));
	memset(large, 'd', sizeof(large) - 1);
	add(&r, large, "large.py");
	add(&r, "load", "app.py");
	add(&r, "Model.loads", JSON);
	add(&r, "dumps", JSON);
	assert_non_null(strstr(explained(&r, "pickle.dumps"), "the nearest is 'dumps' (" JSON ")"));
	assert_non_null(strstr(explained(&r, "dmps"), "the nearest is 'dumps'"));
	assert_non_null(strstr(explained(&r, "load_"), "the nearest is 'load'"));
	assert_non_null(strstr(explained(&r, "loadz"), "the nearest is 'load'"));
	assert_non_null(strstr(explained(&r, "loasd"), "the nearest is"));
	assert_null(strstr(explained(&r, "serve"), "nearest"));
	assert_null(strstr(explained(&r, large + 1), "nearest"));
	assert_string_equal(explained(&r, "json.loads"),
			    "'json.loads' is in no stack of gil that was asked for");
}
