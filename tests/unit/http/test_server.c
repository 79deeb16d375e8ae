// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_server.c - the server as the event loop sees it: addresses, a descriptor and a time, and its end.
 */
#include "tests/forge/tables.h"
#include "tests/forge/test.h"
#include "tests/unit/http/client.h"
#include "tests/unit/http/discovery.h"

#include "http/address.h"
#include "http/server.h"
#include "stats/run_facts.h"
#include "tree/generation.h"
#include "tree/window.h"

static struct run_facts facts;
static struct generation generation;
static struct continuous *continuous;
static struct windows windows;
static struct http *http;

static int setup_server(void **state)
{
	facts = (struct run_facts){
		.start = clock_seconds(), .interval_seconds = 10, .frequency = 99, .cpus = 1,
	};
	http = NULL;
	return setup(state);
}

static int teardown_server(void **state)
{
	http_free(http);
	assert_null(windows.first);
	close_discovery();
	return teardown(state);
}

/* What an event loop does, without the wait. */
static void run_server(void)
{
	struct pollfd p = { .fd = http_fd(http), .events = POLLIN };

	if (poll(&p, 1, 0) > 0 || !http_timeout_ms(http))
		http_run(http);
}

static struct http_address address(void)
{
	struct http_address a;
	char text[32];
	int fd = listen_somewhere();

	close(fd); /* it was only to find a port that is free */
	snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(port));
	assert_int_equal(http_address_parse(text, &a), 0);
	return a;
}

/* Somebody else may have got the port meanwhile: then another one is found. */
static struct http_address listen_on(enum exposure exposure)
{
	struct http_address a;
	int err, tries = 0;

	do {
		a = address();
		err = http_listen(http, &a, exposure);
	} while (err == -EADDRINUSE && tries++ < 100);
	assert_int_equal(err, 0);
	return a;
}

static void begin(void)
{
	struct http_inputs inputs = {
		.windows = &windows,
		.codes = codes,
		.registry = registry,
		.run = &facts,
		.generation = &generation,
		.continuous = &continuous,
	};

	open_discovery(registry);
	windows = (struct windows){
		.inputs = forged_inputs, .events = EVENT_BIT(EVENT_CPU), .frequency = 100,
	};
	inputs.kernel = kernel;
	inputs.worker = worker;
	inputs.discover = discover;
	assert_int_equal(http_new(&http, &inputs), 0);
	assert_int_equal(http_timeout_ms(http), -1);
	listen_on(EXPOSURE_ALL);
	let_server_work = run_server;
}

TEST(addresses)
{
	struct http_address second, fourth;
	in_port_t all;

	begin();
	all = port;
	second = listen_on(EXPOSURE_METRICS);
	assert_int_equal(status_of(ask(GET("/page.css"))), 404);
	assert_int_equal(status_of(ask(GET("/healthz"))), 200);
	assert_int_equal(status_of(ask(REQUEST_TO("GET", "/healthz", "evil.example"))), 403);
	port = all;
	assert_int_equal(status_of(ask(GET("/page.css"))), 200);
	listen_on(EXPOSURE_HEALTH);
	assert_int_equal(status_of(ask(GET("/metrics"))), 404);
	assert_int_equal(status_of(ask(GET("/healthz"))), 200);
	fourth = address();
	assert_int_equal(http_listen(http, &fourth, EXPOSURE_HEALTH), -ENOSPC);
	http_free(TAKE_PTR(http));
	close_discovery();
	begin();
	assert_int_equal(http_listen(http, &second, EXPOSURE_METRICS), 0); /* it is free again */
}

TEST(address_in_use)
{
	struct http_address a;
	char text[32];
	int fd;

	begin();
	fd = listen_somewhere();
	snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(port));
	assert_int_equal(http_address_parse(text, &a), 0);
	assert_int_equal(http_listen(http, &a, EXPOSURE_ALL), -EADDRINUSE);
	close(fd);
	assert_int_equal(http_listen(http, &a, EXPOSURE_ALL), 0); /* the failure has left nothing behind */
	assert_int_equal(status_of(ask(GET("/healthz"))), 200);
}

/* A loop that waits for nothing else serves clients. */
TEST(descriptor_and_time)
{
	struct pollfd p = { .events = POLLIN };
	int fd, ms;

	begin();
	p.fd = http_fd(http);
	assert_int_equal(poll(&p, 1, 0), 0);
	fd = connect_client();
	assert_int_equal(poll(&p, 1, PATIENCE_SECONDS * 1000), 1);
	http_run(http);
	ms = http_timeout_ms(http); /* the client is silent */
	assert_true(ms <= CONNECTION_REQUEST_SECONDS * 1000 + 1);
	assert_true(ms > CONNECTION_REQUEST_SECONDS * 1000 - 5000);
	say(fd, GET("/healthz"));
	while (poll(&p, 1, 0) || !http_timeout_ms(http))
		http_run(http);
	assert_non_null(strstr(hear(fd), "alive"));
	assert_int_equal(http_timeout_ms(http), -1);
}

TEST(ready)
{
	begin();
	assert_int_equal(status_of(ask(GET("/readyz"))), 503);
	assert_int_equal(http_ready(http), 0);
	assert_int_equal(status_of(ask(GET("/readyz"))), 200);
	assert_in_range(http_timeout_ms(http), 0, 2001); /* the first interval for the page */
	assert_int_equal(status_of(ask(GET("/debug/pyperf/interval"))), 503);
}

/* Two seconds for the first interval, and there is something to see. */
TEST(first_interval)
{
	double end = clock_seconds() + PATIENCE_SECONDS;
	const char *a;

	begin();
	assert_int_equal(http_ready(http), 0);
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 3);
	while (status_of(a = ask(GET("/debug/pyperf/interval"))) == 503) {
		assert_true(clock_seconds() < end);
		usleep(50000);
	}
	assert_int_equal(status_of(a), 200);
	assert_non_null(strstr(a, "outer"));
}

/* A client that waits for a profile, once that is under way. */
static int waiting(const char *seconds)
{
	int fd = connect_client();
	char request[256];

	snprintf(request, sizeof(request), GET("/debug/pprof/profile?format=folded&seconds=%s"), seconds);
	say(fd, request);
	while (!strstr(ask(GET("/metrics")), "\npyperf_profile_requests_open 1\n"))
		;
	return fd;
}

TEST(profile_of_a_second)
{
	double begun = clock_seconds();
	int fd;

	begin();
	assert_int_equal(http_ready(http), 0);
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 3);
	fd = waiting("1");
	assert_in_range(http_timeout_ms(http), 0, 1001);
	nodes[26].count += 4;
	assert_non_null(strstr(body_of(hear(fd)), " 4\n"));
	assert_true(clock_seconds() >= begun + 1);
}

TEST(client_that_goes_away)
{
	double end = clock_seconds() + PATIENCE_SECONDS;

	begin();
	assert_int_equal(http_ready(http), 0);
	close(waiting("600"));
	while (!strstr(ask(GET("/metrics")), "\npyperf_profiles_abandoned_total 1\n"))
		assert_true(clock_seconds() < end);
	assert_non_null(strstr(ask(GET("/metrics")), "\npyperf_profile_requests_open 0\n"));
}

/* Who waits gets what there is; nobody else gets in. */
TEST(ends)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	double begun;
	int fd, late;

	begin();
	assert_int_equal(http_ready(http), 0);
	fd = waiting("600");
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 3);
	begun = clock_seconds();
	http_finish(http, PATIENCE_SECONDS * 1000);
	assert_true(clock_seconds() < begun + PATIENCE_SECONDS / 2.0);
	assert_non_null(strstr(body_of(hear(fd)), " 3\n"));
	late = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	a.sin_port = port;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(late, (struct sockaddr *)&a, sizeof(a)), -1);
	assert_int_equal(errno, ECONNREFUSED);
	close(late);
	assert_null(windows.first);
}

/* A client that does not take its answer is waited for as long as that, and then is hung up on. */
TEST(does_not_wait_for_ever)
{
	static char text[1 << 16];
	struct sockaddr_in a = { .sin_family = AF_INET };
	int size = 4096, fd;
	double begun;

	begin();
	for (__u32 i = 0; i < 200; i++) {
		char binary[600];

		memset(binary, 'a' + i % 26, sizeof(binary) - 1);
		binary[sizeof(binary) - 1] = '\0';
		add_process(1000 + i, 5000 + i, "process", binary);
	}
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)), 0);
	a.sin_port = port;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	for (int i = 0; i < 200; i++) /* pipelined: more than all buffers on the way hold */
		say(fd, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
	for (int i = 0; i < 200; i++)
		run_server();
	begun = clock_seconds();
	http_finish(http, 200);
	assert_true(clock_seconds() >= begun + 0.2);
	http_free(TAKE_PTR(http));
	for (ssize_t n = 1; n > 0;)
		n = recv(fd, text, sizeof(text), 0);
	close(fd);
}

AROUND_EACH(setup_server, teardown_server);
AROUND_ALL(NULL, close_kernel);
