// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_serve.c - the HTTP server of a run as a row of the event loop: where it listens, what is said when it
 * cannot, and that a client gets an answer while the loop turns.
 */
#include <poll.h>
#include <signal.h>

#include "tests/forge/test.h"
#include "tests/forge/windows.h"
#include "tests/unit/http/client.h"
#include "tests/forge/logged.h"

#include "base/loop.h"
#include "stats/run_facts.h"
#include "run/serve.h"

static struct loop loop;
static struct http *http;
static sigset_t before;
static const struct run_facts facts = { .interval_seconds = 60 };
/* Nothing else is asked for here. */
static struct http_inputs inputs = { .windows = &all, .run = &facts };

static int setup_serve(void **state)
{
	if (setup_windows(state))
		return -1;
	http = NULL;
	sigprocmask(SIG_SETMASK, NULL, &before);
	return loop_open(&loop, 3600000);
}

static int teardown_serve(void **state)
{
	http_free(http);
	loop_close(&loop);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return teardown_windows(state);
}

static struct http_address address(const char *host, unsigned short number)
{
	struct http_address a;
	char text[64];

	snprintf(text, sizeof(text), "%s:%u", host, number);
	assert_int_equal(http_address_parse(text, &a), 0);
	return a;
}

/* A port that nobody has. */
static unsigned short free_port(void)
{
	close(listen_somewhere());
	return ntohs(port);
}

static int open_it(const struct serve_addresses *a)
{
	return serve_open(&http, a, &inputs) ?: serve_watch(http, &loop);
}

/* What is said. */
static const char *open_at(struct serve_addresses a, int expected)
{
	const char *said;
	int err;

	said = LOGGED(err = open_it(&a));
	assert_int_equal(err, expected);
	return said;
}

static void turn(void)
{
	assert_int_equal(loop_turn(&loop, 10), 0);
}

TEST(nowhere)
{
	assert_string_equal(open_at((struct serve_addresses){ 0 }, 0), "");
	assert_null(http);
	assert_int_equal(loop.count, 0);
	assert_int_equal(serve_start(NULL), 0);
	assert_int_equal(serve_watch(NULL, &loop), 0);
	serve_finish(NULL);
}

TEST(says_where_it_listens)
{
	const unsigned short page = free_port(), metrics = free_port();
	char expected[256];

	snprintf(expected, sizeof(expected), "pyperf-bpf: listening on http://127.0.0.1:%u/\n"
					     "pyperf-bpf: listening on http://127.0.0.1:%u/metrics\n",
		 page, metrics);
	assert_string_equal(open_at((struct serve_addresses){ .all = address("127.0.0.1", page),
							      .metrics = address("127.0.0.1", metrics) }, 0),
			    expected);
	assert_int_equal(loop.count, 1);
}

/* A name that is none gets its 404; the other address has no page at all. */
TEST(clients_get_answers)
{
	const unsigned short page = free_port(), metrics = free_port();

	open_at((struct serve_addresses){ .all = address("127.0.0.1", page),
					  .metrics = address("127.0.0.1", metrics) },
		0);
	let_server_work = turn;
	port = htons(page);
	assert_int_equal(status_of(ask(GET("/nonexistent"))), 404);
	assert_int_equal(status_of(ask(GET("/page.css"))), 200);
	port = htons(metrics);
	assert_int_equal(status_of(ask(GET("/page.css"))), 404);
}

TEST(ready_while_it_samples)
{
	const unsigned short number = free_port();
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(number),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd;

	open_at((struct serve_addresses){ .all = address("127.0.0.1", number) }, 0);
	let_server_work = turn;
	assert_int_equal(status_of(ask(GET("/readyz"))), 503);
	assert_int_equal(serve_start(http), 0);
	assert_int_equal(status_of(ask(GET("/readyz"))), 200);
	serve_finish(http);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), -1);
	assert_int_equal(errno, ECONNREFUSED);
	close(fd);
}

/* Not where only this machine comes, nor for metrics. */
TEST(warns_of_who_may_ask)
{
	const char *said;
	char expected[256];
	int err = -EADDRINUSE;

	/* Other tests take ports of all addresses meanwhile. */
	for (int i = 0; i < 20 && err == -EADDRINUSE; i++) {
		const unsigned short page = free_port();
		const struct serve_addresses a = { .all = address("*", page) };

		snprintf(expected, sizeof(expected),
			 "warning: --listen 0.0.0.0:%u: whoever reaches this sees names of functions and "
			 "files; --listen-token-file FILE has them show a token\n",
			 page);
		said = LOGGED(err = open_it(&a));
	}
	assert_int_equal(err, 0);
	assert_non_null(strstr(said, expected));
	http_free(TAKE_PTR(http));
	err = -EADDRINUSE;
	for (int i = 0; i < 20 && err == -EADDRINUSE; i++) {
		const struct serve_addresses a = { .metrics = address("*", free_port()) };

		said = LOGGED(err = open_it(&a));
	}
	assert_int_equal(err, 0);
	assert_null(strstr(said, "warning"));
}

TEST(metrics_alone)
{
	const unsigned short metrics = free_port();

	open_at((struct serve_addresses){ .metrics = address("127.0.0.1", metrics) }, 0);
	let_server_work = turn;
	port = htons(metrics);
	assert_int_equal(status_of(ask(GET("/page.css"))), 404);
}

TEST(health_alone)
{
	const unsigned short health = free_port();
	char expected[256];

	snprintf(expected, sizeof(expected), "pyperf-bpf: listening on http://127.0.0.1:%u/healthz\n",
		 health);
	assert_string_equal(open_at((struct serve_addresses){ .health = address("127.0.0.1", health) }, 0),
			    expected);
	let_server_work = turn;
	port = htons(health);
	assert_int_equal(status_of(ask(GET("/metrics"))), 404);
	assert_int_equal(status_of(ask(GET("/healthz"))), 200);
}

TEST(token_that_is_none)
{
	char file[] = "/tmp/pyperf-serve.XXXXXX", expected[256];
	struct serve_addresses a = { .all = address("127.0.0.1", free_port()) };

	close(mkstemp(file));
	inputs.token_file = file;
	snprintf(expected, sizeof(expected),
		 "pyperf-bpf: error: --listen-token-file %s: its first word is not a token of 16 characters "
		 "or more\n",
		 file);
	assert_string_equal(open_at(a, -EINVAL), expected);
	assert_null(http);
	unlink(file);
	assert_non_null(strstr(open_at(a, -ENOENT), "No such file"));
	inputs.token_file = NULL;
	assert_int_equal(loop.count, 0);
}

TEST(somebody_else_listens_there)
{
	const int fd = listen_somewhere();
	const unsigned short number = ntohs(port);
	char expected[256];

	snprintf(expected, sizeof(expected),
		 "pyperf-bpf: error: --listen 127.0.0.1:%u: another program listens there; end it "
					     "or take another port\n", number);
	assert_string_equal(open_at((struct serve_addresses){ .all = address("127.0.0.1", number) },
				    -EADDRINUSE), expected);
	assert_null(http);
	assert_non_null(strstr(open_at((struct serve_addresses){ .metrics = address("127.0.0.1", number) },
				       -EADDRINUSE),
			       "--listen-metrics 127.0.0.1:"));
	close(fd);
}

/* 192.0.2.0/24 is for documents (RFC 5737): no machine has an address there. */
TEST(addresses_of_other_machines)
{
	assert_non_null(strstr(open_at((struct serve_addresses){ .all = address("192.0.2.1", 7070) },
				       -EADDRNOTAVAIL),
			       "error: --listen 192.0.2.1:7070: this machine has no such address\n"));
	assert_null(http);
}

TEST(no_room_in_the_loop)
{
	const struct loop_row row = { .fd = -1 };

	while (!loop_watch(&loop, &row))
		;
	assert_non_null(strstr(open_at((struct serve_addresses){ .all = address("127.0.0.1", free_port()) },
				       -ENOSPC),
			       "error: the HTTP server: "));
}

/* A client that comes before others are heard waits; it gets its answer then. */
TEST(nobody_is_heard_before)
{
	const struct serve_addresses a = { .health = address("127.0.0.1", free_port()) };
	struct pollfd client = { .events = POLLIN };

	LOGGED(assert_int_equal(serve_open(&http, &a, &inputs), 0));
	client.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(client.fd, (const struct sockaddr *)&a.health.socket, a.health.size), 0);
	assert_true(write(client.fd, GET("/healthz"), strlen(GET("/healthz"))) > 0);
	for (int i = 0; i < 20; i++)
		turn();
	assert_int_equal(poll(&client, 1, 0), 0);
	assert_int_equal(serve_watch(http, &loop), 0);
	while (!poll(&client, 1, 0))
		turn();
	close(client.fd);
}

AROUND_EACH(setup_serve, teardown_serve);
ENDS_IN(60);
