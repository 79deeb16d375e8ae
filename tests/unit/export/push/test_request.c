// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_request.c - which URLs are receivers, and what is asked of them, byte for byte.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "export/push/request.h"
#include "tests/forge/test.h"

TEST(urls)
{
	static const struct {
		const char *url;
		int given, format; /* -1 = refused, -2 = has credentials */
		const char *base;
	} cases[] = {
		{ "pyroscope+http://host", -1, PUSH_PYROSCOPE, "http://host" },
		{ "pyroscope+https://host:4040/prefix", -1, PUSH_PYROSCOPE, "https://host:4040/prefix" },
		{ "parca+http://[::1]:7070", -1, PUSH_PARCA, "http://[::1]:7070" },
		{ "parca+https://host/@x", -1, PUSH_PARCA, "https://host/@x" },
		{ "parca+https://u:p@host/", PUSH_PARCA, -2, NULL },
		{ "pyroscope+http://u@host", -1, -2, NULL },
		{ "pyroscope+http://:@host?x=y", -1, -2, NULL },
		{ "u:p@host", -1, -2, NULL },
		{ "http://host", PUSH_PARCA, PUSH_PARCA, "http://host" },
		{ "https://host", PUSH_PYROSCOPE, PUSH_PYROSCOPE, "https://host" },
		{ "otlp+http://host:4318", -1, PUSH_OTLP, "http://host:4318" },
		{ "https://host:4318/", PUSH_OTLP, PUSH_OTLP, "https://host:4318/" },
		{ "otlp+http://host", PUSH_PYROSCOPE, -1, NULL },
		{ "http://host", -1, -1, NULL },
		{ "parca+http://host", PUSH_PYROSCOPE, -1, NULL },
		{ "parca+ftp://host", -1, -1, NULL },
		{ "parca+host", -1, -1, NULL },
		{ "parca+http://", -1, -1, NULL },
		{ "parca+http:///path", -1, -1, NULL },
		{ "parca+http://:80", -1, -1, NULL },
		{ "parca+http://host?x=y", -1, -1, NULL },
		{ "parca+http://host/#x", -1, -1, NULL },
		{ "parca+http://host/a b", -1, -1, NULL },
		{ "parca+http://host\r\nX: y", -1, -1, NULL },
		{ "parca+parca+http://host", -1, -1, NULL },
		{ "", -1, -1, NULL },
		{ "parca+", -1, -1, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct push_target t = { .url = "untouched" };
		int err = push_target_parse(cases[i].url, cases[i].given, &t);

		if (cases[i].format < 0) {
			assert_int_equal(err, cases[i].format == -2 ? -EPERM : -EINVAL);
			assert_string_equal(t.url, "untouched");
			continue;
		}
		assert_int_equal(err, 0);
		assert_int_equal(t.format, cases[i].format);
		assert_string_equal(t.url, cases[i].base);
	}
}

TEST(exposed)
{
	static const struct {
		const char *url;
		bool exposed;
	} cases[] = {
		{ "http://host", true },
		{ "http://host:4040/x", true },
		{ "http://10.0.0.1", true },
		{ "http://127.0.0.1.example.com", true },
		{ "http://localhost.example.com/", true },
		{ "http://[::2]:80", true },
		{ "http://[::1", true },
		{ "https://host", false },
		{ "http://localhost", false },
		{ "http://LOCALHOST:4040/x", false },
		{ "http://127.0.0.1", false },
		{ "http://127.1.2.3:4040/x", false },
		{ "http://[::1]:4040", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct push_target t = { PUSH_PARCA, cases[i].url };

		if (push_target_is_exposed(&t) != cases[i].exposed)
			fail_msg("%s", cases[i].url);
	}
}

static struct buf url, body;

static void make(enum push_format format, const char *base, const char *service, const char *node)
{
	struct push_target t = { format, base };
	struct push_profile p = {
		.series = "process_cpu",
		.service = service,
		.labels = { { "node", node }, { "pod", "p/1" } },
		.label_count = 2,
		.start_unix_ns = 1795270775999999999,
		.duration_ns = 2,
		.encoded = "\x1f\x8b\0x",
		.size = 4,
	};

	buf_clear(&url);
	buf_clear(&body);
	assert_int_equal(push_request_make(&t, &p, &url, &body), 0);
	assert_int_equal(url.data[url.size - 1], '\0');
	assert_int_equal(buf_add(&body, "", 1), 0);
}

TEST(pyroscope)
{
	static const char wanted[] = "\x0a\x7f"
				     "\x0a\x17\x0a\x08__name__\x12\x0bprocess_cpu"
				     "\x0a\x12\x0a\x09__delta__\x12\x05" "false"
				     "\x0a\x1b\x0a\x0dpyroscope_spy\x12\x0apyperf-bpf"
				     "\x0a\x0a\x0a\x04node\x12\x02n1"
				     "\x0a\x0a\x0a\x03pod\x12\x03p_1"
				     "\x0a\x13\x0a\x0cservice_name\x12\x03" "a_b"
				     "\x12\x06\x0a\x04\x1f\x8b\0x";

	make(PUSH_PYROSCOPE, "http://host/p//", "a{b", "n1");
	assert_string_equal(url.data, "http://host/p/push.v1.PusherService/Push");
	assert_int_equal(body.size - 1, sizeof(wanted) - 1);
	assert_memory_equal(body.data, wanted, sizeof(wanted) - 1);
	assert_string_equal(receiver_rows[PUSH_PYROSCOPE].type, "application/proto");
	assert_int_equal(receiver_rows[PUSH_PYROSCOPE].instead, PUSH_PYROSCOPE_INGEST);
}

TEST(pyroscope_without_its_service)
{
	make(PUSH_PYROSCOPE_INGEST, "http://host:4040", "web-1.x_y", "n1");
	assert_string_equal(
		url.data, "http://host:4040/"
			  "ingest?name=web-1.x_y%7Bnode%3Dn1%2Cpod%3Dp_1%7D&from=1795270775&until=1795270777"
			  "&format=pprof&spyName=pyperf-bpf");
	assert_int_equal(body.size - 1, 4);
	assert_memory_equal(body.data, "\x1f\x8b\0x", 4);
	assert_string_equal(receiver_rows[PUSH_PYROSCOPE_INGEST].type, "application/octet-stream");
	/* What would be syntax in a name or a URL is not passed on. */
	make(PUSH_PYROSCOPE_INGEST, "http://host/p//", "a{b=c}&d %/\xc3\xa9", "");
	assert_string_equal(
		url.data,
		"http://host/p/ingest?name=a_b_c__d_____%7Bnode%3Dunknown%2Cpod%3Dp_1%7D&from=1795270775"
		"&until=1795270777&format=pprof&spyName=pyperf-bpf");
}

/* It says itself whose and when it is. */
TEST(otlp)
{
	make(PUSH_OTLP, "http://host:4318/p/", "web", "n1");
	assert_string_equal(url.data, "http://host:4318/p/v1development/profiles");
	assert_int_equal(body.size - 1, 4);
	assert_memory_equal(body.data, "\x1f\x8b\0x", 4);
	assert_string_equal(receiver_rows[PUSH_OTLP].type, "application/x-protobuf");
	assert_string_equal(receiver_rows[PUSH_OTLP].encoding, "gzip");
	assert_null(receiver_rows[PUSH_PYROSCOPE].encoding);
}

TEST(parca)
{
	make(PUSH_PARCA, "https://host/", "a\"b\\c\n\xc3\xa9", "n1");
	assert_string_equal(url.data, "https://host/api/profiles/writeraw");
	assert_string_equal(body.data,
			    "{\"normalized\":true,\"series\":[{\"labels\":{\"labels\":["
			    "{\"name\":\"__name__\",\"value\":\"process_cpu\"},{\"name\":\"node\",\"value\":"
			    "\"n1\"},{\"name\":\"pod\",\"value\":\"p/1\"},"
			    "{\"name\":\"service_name\",\"value\":\"a\\\"b\\\\c\\u000a\xc3\xa9\"}]},"
			    "\"samples\":[{\"rawProfile\":\"H4sAeA==\"}]}]}");
	assert_string_equal(receiver_rows[PUSH_PARCA].type, "application/json");
}

TEST(parca_grpc)
{
	static const char wanted[] = "\0\0\0\0\x5f\x12\x5b"
				     "\x0a\x51"
				     "\x0a\x17\x0a\x08__name__\x12\x0bprocess_cpu"
				     "\x0a\x0a\x0a\x04node\x12\x02n1"
				     "\x0a\x0a\x0a\x03pod\x12\x03p/1"
				     "\x0a\x1e\x0a\x0cservice_name\x12\x0e" "abcdefghijklmn"
				     "\x12\x06\x0a\x04\x1f\x8b\0x"
				     "\x18\x01";

	make(PUSH_PARCA_GRPC, "https://host", "abcdefghijklmn", "n1");
	assert_string_equal(url.data,
			    "https://host/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw");
	assert_int_equal(body.size - 1, sizeof(wanted) - 1);
	assert_memory_equal(body.data, wanted, sizeof(wanted) - 1);
	assert_string_equal(receiver_rows[PUSH_PARCA_GRPC].type, "application/grpc-web+proto");
}

static int teardown(void **state)
{
	(void)state;
	buf_free(&url);
	buf_free(&body);
	return 0;
}

AROUND_ALL(NULL, teardown);
