// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_hosts.c - by which names a client may ask: addresses, localhost, the machine's own names and those
 * that are listed, and none that somebody else gives away.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "http/hosts.h"
#include "tests/forge/test.h"

static void expect(const struct hosts *h, bool expected, const char *const *headers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (hosts_has(h, headers[i]) != expected)
			fail_msg("'%s' was %s", headers[i], expected ? "refused" : "accepted");
}

TEST(without_names)
{
	static const char *const local[] = {
		"localhost", "LOCALHOST:7070", "127.0.0.1", "127.0.0.1:7070", "[::1]", "[::1]:7070",
		"10.0.0.1:80", "[2001:db8::1]:80",
	};
	static const char *const foreign[] = {
		"", "evil.example", "evil.example:7070", "localhost.evil.example", "127.0.0.1.evil.example",
		"evil.example@127.0.0.1", "[::1", "[::1]x", "[evil]", ":7070", "localhost.", "0x7f.1",
		"127.1", "2130706433", "127.0.0.1.", "[]", "[", "]", "::1:x",
	};
	const struct hosts none = {};
	char text[600];

	expect(&none, true, local, ARRAY_SIZE(local));
	expect(&none, false, foreign, ARRAY_SIZE(foreign));
	memset(text, '1', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(hosts_has(&none, text));
}

TEST(names_that_are_listed)
{
	static const char *const good[] = { "a.example", "A.Example:7070", "proxy", "b_c-1", "localhost" };
	static const char *const bad[] = { "a", "example", "a.example.", "a.example.evil", "a.example,proxy",
					   "x.a.example", "" };
	struct hosts h;

	assert_int_equal(hosts_open(&h, "a.example,proxy,b_c-1"), 0);
	expect(&h, true, good, ARRAY_SIZE(good));
	expect(&h, false, bad, ARRAY_SIZE(bad));
	hosts_close(&h);
}

TEST(own_name)
{
	char own[256];
	struct hosts h;

	assert_int_equal(gethostname(own, sizeof(own)), 0);
	assert_int_equal(hosts_open(&h, NULL), 0);
	assert_true(hosts_has(&h, own));
	strcat(own, ".evil.example");
	assert_false(hosts_has(&h, own));
	hosts_close(&h);
}

TEST(names_beside_ours)
{
	static const char *const ours[] = { "web1.example.com", "WEB1", "alias", "last" };
	static const char *const others[] = { "other", "db", "web11", "comment", "web", "x" };
	char text[] = "127.0.0.1 other\n"
		      "10.1.2.3\tweb1.example.com Web1  alias # comment web1\n"
		      "10.1.2.4 db # web1\n"
		      "10.1.2.5 web11 x\r\n"
		      "#10.1.2.6 web1 web\n"
		      "\n \t\n"
		      "::1 web1 last";
	char empty[] = "";
	struct hosts h = {};

	assert_int_equal(hosts_add_beside(&h, "web1", text), 0);
	assert_int_equal(hosts_add_beside(&h, "web1", empty), 0);
	expect(&h, true, ours, ARRAY_SIZE(ours));
	expect(&h, false, others, ARRAY_SIZE(others));
	hosts_close(&h);
}

TEST(lists)
{
	static const char *const good[] = { "a", "a,b", "a.b.example,c-d_e,192.0.2.1" };
	static const char *const bad[] = { "", ",", "a,", ",a", "a,,b", "a b", "a:80", "[::1]", "*", "a/b",
					   "http://a" };
	char text[300];

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(hosts_check(good[i]), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (hosts_check(bad[i]) != -EINVAL)
			fail_msg("'%s' was accepted", bad[i]);
	memset(text, 'a', sizeof(text));
	text[254] = '\0';
	assert_int_equal(hosts_check(text), -EINVAL);
	text[253] = '\0';
	assert_int_equal(hosts_check(text), 0);
}
