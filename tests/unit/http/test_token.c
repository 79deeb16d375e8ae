// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_token.c - which files have a token, and which clients show it, over real connections.
 */
#include <sys/stat.h>

#include "tests/forge/test.h"
#include "tests/unit/http/client.h"
#include "tests/forge/logged.h"

#include "base/cleanup.h"
#include "http/token.h"

#define SECRET "0123456789abcdef"

static char file[32];
static struct token token;
static int verdict; /* of the last request */

static enum MHD_Result check(const struct client *c)
{
	verdict = token_check(&token, c->connection);
	return answer_line(c, 200, "checked");
}

static answer_function *answer = check;

static void write_file(const char *text)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	fclose(f);
}

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(file, "/tmp/pyperf-token.XXXXXX");
	fd = mkstemp(file);
	token = (struct token){ .file = file };
	if (fd < 0 || close(fd))
		return -1;
	start_server(answer_at_once, &answer, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	stop_server();
	unlink(file);
	return 0;
}

TEST(files)
{
	static const char *const good[] = { SECRET, SECRET "\n", SECRET " and a remark\n",
					    "~~~~~~~~~~~~~~~~~==" };
	static const char *const bad[] = { "", "\n", "short", "\n" SECRET, "0123456789abcde\n", SECRET "\"",
					   "0123456789 bcdef", SECRET "\xc3\xa9" };
	char longest[TOKEN_MAX + 2];

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		_cleanup_free_ char *text = NULL;

		write_file(good[i]);
		assert_int_equal(token_read(file, &text), 0);
		assert_memory_equal(text, good[i], strlen(text));
		assert_in_range(strlen(text), TOKEN_MIN, 20);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char *text = file;

		write_file(bad[i]);
		if (token_read(file, &text) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
		assert_ptr_equal(text, file);
	}
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	write_file(longest);
	assert_int_equal(token_read(file, &(char *){ NULL }), -EINVAL);
	longest[TOKEN_MAX] = '\0';
	write_file(longest);
	{
		_cleanup_free_ char *text = NULL;

		assert_int_equal(token_read(file, &text), 0);
	}
	unlink(file);
	assert_int_equal(token_read(file, &(char *){ NULL }), -ENOENT);
}

/* What becomes of a request with this Authorization header; NULL: without. */
static int verdict_on(const char *authorization)
{
	char request[1024];

	snprintf(request, sizeof(request),
		 "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s%s%s\r\n",
		 authorization ? "Authorization: " : "", authorization ?: "", authorization ? "\r\n" : "");
	verdict = 1;
	assert_int_equal(status_of(ask(request)), 200);
	return verdict;
}

TEST(clients)
{
	static const struct {
		const char *header;
		bool right;
	} rows[] = {
		{ "Bearer " SECRET, true },
		{ "bearer " SECRET, true },
		{ "Basic bWU6MDEyMzQ1Njc4OWFiY2RlZg==", true }, /* me:SECRET */
		{ "Basic OjAxMjM0NTY3ODlhYmNkZWY=", true },	/* :SECRET */
		{ "Basic MDEyMzQ1Njc4OWFiY2RlZjptZQ==", false }, /* SECRET:me */
		{ "Basic MDEyMzQ1Njc4OWFiY2RlZg==", false },	 /* SECRET */
		{ "Basic ====", false },
		{ "Basic ", false },
		{ "Bearer", false },
		{ "Bearer ", false },
		{ "Bearer 0123456789abcdeF", false },
		{ "Bearer 0123456789abcde", false },
		{ "Bearer " SECRET "0", false },
		{ "Bearer " SECRET SECRET, false },
		{ "Bearer \"" SECRET "\"", false },
		{ SECRET, false },
		{ "Digest " SECRET, false },
		{ NULL, false },
	};

	write_file(SECRET "\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (verdict_on(rows[i].header) != (rows[i].right ? 0 : -EACCES))
			fail_msg("%s: %d", rows[i].header ?: "none", verdict);
}

TEST(nobody_needs_one)
{
	token.file = NULL;
	assert_int_equal(verdict_on(NULL), 0);
}

/* The old one is of no use from the next request on. A file that cannot be read lets nobody in. */
TEST(renewed)
{
	const char *said;

	write_file(SECRET);
	assert_int_equal(verdict_on("Bearer " SECRET), 0);
	write_file("another-token-of-some-length");
	assert_int_equal(verdict_on("Bearer " SECRET), -EACCES);
	assert_int_equal(verdict_on("Bearer another-token-of-some-length"), 0);
	write_file("");
	said = LOGGED(verdict_on("Bearer "));
	assert_int_equal(verdict, -EINVAL);
	assert_non_null(strstr(said, "nobody gets profiles: /tmp/pyperf-token."));
	unlink(file);
	assert_string_equal(LOGGED(verdict_on("Bearer " SECRET)), ""); /* it is said once */
	assert_int_equal(verdict, -ENOENT);
	write_file(SECRET);
	assert_non_null(strstr(LOGGED(verdict_on("Bearer " SECRET)), "can be read again"));
	assert_int_equal(verdict, 0);
}

AROUND_EACH(setup, teardown);
