// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_followers.c - clients that follow a run: each gets every number that comes while it is there, the
 * newest one at once, and they are not too many.
 */
#include "tests/forge/test.h"
#include "tests/unit/http/client.h"

#include "http/followers.h"

static struct followers followers;
static struct answer_counts follow_counts;
static unsigned long newest;

static void tell(unsigned long serial)
{
	newest = serial;
	followers_run(&followers, 0);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *body, size_t *body_size,
			      void **own)
{
	static const char begun;
	const struct client c = { connection, &follow_counts };

	(void)context;
	(void)url;
	(void)method;
	(void)version;
	(void)body;
	(void)body_size;
	if (!*own) {
		*own = (void *)&begun;
		return MHD_YES;
	}
	return followers_answer(&followers, &c);
}

static int setup(void **state)
{
	(void)state;
	newest = 0;
	followers = (struct followers){ .newest = &newest };
	start_server(handle, NULL, NULL);
	let_server_work = run_daemon;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	followers_finish(&followers);
	stop_server();
	assert_int_equal(followers.count, 0);
	return 0;
}

static int start(in_addr_t from)
{
	const unsigned int before = followers.count;
	const double end = clock_seconds() + PATIENCE_SECONDS;
	int fd = connect_client_from(from);

	say(fd, GET("/"));
	while (followers.count == before) {
		run_daemon();
		assert_true(clock_seconds() < end);
	}
	return fd;
}

/* Reads until it has got this. */
static void expect(int fd, const char *wanted)
{
	const double end = clock_seconds() + PATIENCE_SECONDS;
	char text[4096] = "";
	size_t size = 0;

	while (!strstr(text, wanted)) {
		ssize_t n;

		run_daemon();
		n = recv(fd, text + size, sizeof(text) - 1 - size, MSG_DONTWAIT);
		size += n > 0 ? n : 0;
		text[size] = '\0';
		if (n <= 0)
			usleep(200);
		assert_true(clock_seconds() < end);
	}
}

TEST(each_interval)
{
	int one = start(INADDR_LOOPBACK), other;

	tell(0);
	tell(1);
	expect(one, "data: 1\n\n");
	other = start(INADDR_LOOPBACK);
	expect(other, "Content-Type: text/event-stream\r\n");
	tell(2);
	expect(one, "event: interval\ndata: 2\n\n");
	expect(other, "data: 2\n\n");
	close(one);
	close(other);
}

TEST(gone)
{
	const double end = clock_seconds() + PATIENCE_SECONDS;
	int fd = start(INADDR_LOOPBACK);
	unsigned long serial = 0;

	close(fd);
	while (followers.count) { /* what is written to it fails, the second time at the latest */
		tell(++serial);
		run_daemon();
		usleep(200);
		assert_true(clock_seconds() < end);
	}
}

TEST(not_too_many)
{
	int fds[FOLLOWERS_MAX];
	const char *a;

	for (int i = 0; i < FOLLOWERS_OF_ONE; i++)
		fds[i] = start(INADDR_LOOPBACK);
	a = ask(GET("/"));
	assert_int_equal(status_of(a), 503);
	assert_non_null(strstr(body_of(a), "pages follow the run, which is the most"));
	for (int i = FOLLOWERS_OF_ONE; i < FOLLOWERS_MAX; i++)
		fds[i] = start(INADDR_LOOPBACK + 1 + i);
	assert_int_equal(status_of(ask(GET("/"))), 503);
	for (int i = 0; i < FOLLOWERS_MAX; i++)
		close(fds[i]);
}

TEST(ends)
{
	int fd = start(INADDR_LOOPBACK);

	followers_finish(&followers);
	assert_int_equal(status_of(hear(fd)), 200);
	assert_int_equal(status_of(ask(GET("/"))), 503);
}

AROUND_EACH(setup, teardown);
