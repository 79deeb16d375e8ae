// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_route.c - each address, method and Host header, at both kinds of entrance: who answers, or in which
 * words it is refused.
 */
#include "tests/forge/tables.h"
#include "tests/forge/test.h"
#include "tests/unit/http/client.h"
#include "tests/unit/http/discovery.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "http/route.h"
#include "stats/run_facts.h"
#include "tree/generation.h"
#include "tree/window.h"

static struct run_facts facts;
static struct generation generation;
static struct continuous *continuous;
static struct windows windows;
static struct site site;
static struct entrance entrance;

static void run_site(void)
{
	interval_requests_run(&site.intervals, 0);
	if (site.profiles.windows)
		profile_requests_run(&site.profiles, 0);
	run_daemon();
}

static int setup_site(void **state)
{
	int err = setup(state);

	facts = (struct run_facts){ .start = clock_seconds(), .frequency = 99, .cpus = 1 };
	generation = (struct generation){ .count = 17 };
	windows = (struct windows){
		.inputs = forged_inputs, .events = EVENT_BIT(EVENT_CPU), .frequency = 100,
	};
	site = (struct site){ .health = HEALTH_SAMPLING };
	entrance = (struct entrance){ .site = &site };
	start_server(route_request, &entrance, route_completed);
	let_server_work = run_site;
	site.intervals = (struct interval_requests){ .eventfd = -1, .recent = &site.recent };
	return err;
}

static int teardown_site(void **state)
{
	profile_requests_finish(&site.profiles);
	interval_requests_finish(&site.intervals);
	stop_server();
	interval_requests_free(&site.intervals);
	assert_int_equal(site.active, 0);
	assert_null(windows.first);
	if (site.profiles.epoll > 0) {
		close(site.profiles.epoll);
		close(site.profiles.eventfd);
	}
	close_discovery();
	return teardown(state);
}

static struct interval newest; /* the test's: its users never end */

/* All that the subjects read. */
static void fill_site(void)
{
	open_discovery(registry);
	site.inputs = (struct http_inputs){
		.kernel = kernel,
		.windows = &windows,
		.worker = worker,
		.codes = codes,
		.registry = registry,
		.discover = discover,
		.run = &facts,
		.generation = &generation,
		.continuous = &continuous,
	};
	site.profiles = (struct profile_requests){
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.windows = &windows,
		.discover = discover,
	};
}

struct expected {
	const char *path, *type, *part;
};

static const struct expected for_people[] = {
	{ "/", "Content-Type: text/html; charset=utf-8", "1 CPUs at 99 Hz" },
	{ "/page.html", "Content-Type: text/html; charset=utf-8", "1 CPUs at 99 Hz" },
	{ "/page.css", "Content-Type: text/css; charset=utf-8", "body {" },
	{ "/page.js", "Content-Type: text/javascript; charset=utf-8", "debug/pyperf/interval" },
	{ "/debug/pyperf/intervals", "Content-Type: application/json", "pyperf-bpf.intervals/1" },
	{ "/debug/pyperf/interval", "Content-Type: application/json", "pyperf-bpf.graph/1" },
	{ "/debug/pprof/", "Content-Type: text/html; charset=utf-8", "href=\"profile\"" },
}, for_machines[] = {
	{ "/metrics", "Content-Type: text/plain; version=0.0.4; charset=utf-8",
	  "pyperf_generations_total 17\n" },
	{ "/healthz", "Content-Type: text/plain; charset=utf-8", "alive\n" },
	{ "/readyz", "Content-Type: text/plain; charset=utf-8", "sampling\n" },
};

static const char *ask_for(const char *method, const char *path, const char *host)
{
	char request[512];

	snprintf(request, sizeof(request), REQUEST_TO("%s", "%s", "%s"), method, path, host);
	return ask(request);
}

static void is_there(const struct expected *e)
{
	const char *a = ask_for("GET", e->path, "localhost");

	if (status_of(a) != 200 || !has_header(a, e->type) || !strstr(body_of(a), e->part))
		fail_msg("GET %s: %s", e->path, a);
	a = ask_for("HEAD", e->path, "localhost");
	if (status_of(a) != 200 || !has_header(a, e->type) || *body_of(a))
		fail_msg("HEAD %s: %s", e->path, a);
}

TEST(each_has_its_subject)
{
	fill_site();
	run();
	newest = (struct interval){ .profile = profile, .serial = 1, .users = 1 };
	site.recent.history.rows[0] = &newest;
	site.recent.history.count = 1;
	site.recent.serial = 1;
	for (size_t i = 0; i < ARRAY_SIZE(for_people); i++)
		is_there(&for_people[i]);
	for (size_t i = 0; i < ARRAY_SIZE(for_machines); i++)
		is_there(&for_machines[i]);
	assert_int_equal(site.answers.refusals, 0);
	assert_int_equal(site.answers.answers, 2 * (ARRAY_SIZE(for_people) + ARRAY_SIZE(for_machines)));
}

static void not_there(const char *path, const char *list)
{
	const char *a = ask_for("GET", path, "localhost");

	if (status_of(a) != 404 || strcmp(body_of(a), list))
		fail_msg("GET %s: %s", path, a);
}

/* The second address is for a monitoring system: no name of a process is to be had there. */
TEST(metrics_only)
{
	static const char list[] = "there are /metrics, /healthz, /readyz\n";

	fill_site();
	entrance.exposure = EXPOSURE_METRICS;
	for (size_t i = 0; i < ARRAY_SIZE(for_machines); i++)
		is_there(&for_machines[i]);
	for (size_t i = 0; i < ARRAY_SIZE(for_people); i++)
		not_there(for_people[i].path, list);
	not_there("/debug/pprof/profile", list);
	not_there("/debug/pyperf/stacks", list);
	assert_int_equal(site.profiles.open, 0);
}

/* The third is for probes alone. */
TEST(health_only)
{
	static const char list[] = "there are /healthz, /readyz\n";

	entrance.exposure = EXPOSURE_HEALTH;
	is_there(&for_machines[1]);
	is_there(&for_machines[2]);
	not_there(for_machines[0].path, list);
	not_there("/", list);
}

TEST(unknown)
{
	static const char list[] = "there are /, /debug/pprof/profile, /debug/pyperf/interval, "
				   "/debug/pyperf/intervals, /debug/pyperf/follow, /debug/pyperf/log, "
				   "/debug/pyperf/stacks, /debug/pyperf/source, /metrics, /healthz, "
				   "/readyz\n";
	static const char *const paths[] = {
		"/x", "//", "/metrics/", "/Metrics", "/debug/pprof", "/debug/pprof/heap", "/page.html/..",
		"/../metrics",
	};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		not_there(paths[i], list);
	assert_int_equal(site.answers.refusals, ARRAY_SIZE(paths));
}

TEST(methods)
{
	static const char *const others[] = { "POST", "PUT", "DELETE", "OPTIONS", "BREW" };
	const char *a;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		a = ask_for(others[i], "/healthz", "localhost");
		assert_int_equal(status_of(a), 405);
		assert_true(has_header(a, "Allow: GET, HEAD"));
		assert_string_equal(body_of(a), "only GET and HEAD\n");
		assert_int_equal(status_of(ask_for(others[i], "/page.css", "localhost")), 404);
	}
	/* HEAD would wait for nothing. */
	a = ask_for("HEAD", "/debug/pprof/profile", "localhost");
	assert_int_equal(status_of(a), 405);
	assert_true(has_header(a, "Allow: GET"));
	assert_int_equal(site.profiles.open, 0);
	assert_int_equal(status_of(ask_for("HEAD", "/debug/pyperf/stacks", "localhost")), 405);
	assert_null(site.stacks.first);
}

TEST(body_that_nobody_wants)
{
	static char request[200000];
	int n = snprintf(request, sizeof(request),
			 "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
			 "Content-Length: 100000\r\n\r\n");
	const char *a;

	memset(request + n, 'x', 100000);
	a = ask(request);
	assert_int_equal(status_of(a), 200);
	assert_string_equal(body_of(a), "alive\n");
}

/* A browser that is told that evil.example is 127.0.0.1 says so in its Host header. */
TEST(foreign_names)
{
	const char *a;

	entrance.local = true;
	site.token.file = "/nonexistent"; /* which changes nothing here */
	a = ask_for("GET", "/healthz", "evil.example");
	assert_int_equal(status_of(a), 403);
	assert_non_null(strstr(body_of(a), "--listen-host NAME allows another one"));
	assert_int_equal(status_of(ask_for("GET", "/healthz", "localhost:7070")), 200);
	assert_int_equal(status_of(ask_for("GET", "/healthz", "127.0.0.1")), 200);
	assert_int_equal(status_of(ask("GET /healthz HTTP/1.0\r\n\r\n")), 200); /* no browser is that old */
	assert_int_equal(hosts_open(&site.hosts, "node-1.example"), 0);
	assert_int_equal(status_of(ask_for("GET", "/healthz", "node-1.example")), 200);
	hosts_close(&site.hosts);
}

/* At another address it is the same for what has names of programs, unless there is a token or no network. */
TEST(foreign_names_in_a_network)
{
	static const char *const closed[] = { "/page.css", "/metrics", "/x", "/debug/pyperf/stacks?pid=0" };

	fill_site();
	assert_int_equal(hosts_open(&site.hosts, "node-1.example"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(closed); i++) {
		assert_int_equal(status_of(ask_for("GET", closed[i], "evil.example:7070")), 403);
		assert_int_not_equal(status_of(ask_for("GET", closed[i], "node-1.example:7070")), 403);
		assert_int_not_equal(status_of(ask_for("GET", closed[i], "192.0.2.1:7070")), 403);
	}
	assert_int_equal(status_of(ask_for("GET", "/healthz", "evil.example")), 200);
	entrance.exposure = EXPOSURE_METRICS;
	assert_int_equal(status_of(ask_for("GET", "/metrics", "metrics.monitoring.svc")), 200);
	entrance.exposure = EXPOSURE_ALL;
	entrance.is_unix = true;
	assert_int_equal(status_of(ask_for("GET", "/page.css", "any")), 200);
	entrance.is_unix = false;
	site.token.file = "/nonexistent";
	assert_int_equal(status_of(ask_for("GET", "/page.css", "any")), 503);
	hosts_close(&site.hosts);
}

/* Browsers say where a request comes from; "none" is the line where addresses are typed. */
TEST(pages_of_other_sites)
{
	static const char *const costly[] = { "/debug/pyperf/interval", "/debug/pprof/profile?seconds=0",
					      "/debug/pyperf/stacks?pid=0" };
	static const struct {
		const char *from;
		bool welcome;
	} rows[] = {
		{ "cross-site", false }, { "same-site", false }, { "", false }, { "x", false },
		{ "same-origin", true }, { "none", true },
	};
	char request[512];

	for (size_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(costly); i++) {
		size_t row = i / ARRAY_SIZE(costly);

		snprintf(request, sizeof(request),
			 "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
			 "Sec-Fetch-Site: %s\r\n\r\n",
			 costly[i % ARRAY_SIZE(costly)], rows[row].from);
		assert_int_equal(status_of(ask(request)) != 403, rows[row].welcome);
	}
	assert_int_equal(status_of(ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
				       "Sec-Fetch-Site: cross-site\r\n\r\n")),
			 200);
	assert_int_equal(site.profiles.open, 0);
}

/* At addresses of the network browsers say no more than where the page is from, if it may be told. */
TEST(pages_of_other_origins)
{
	static const struct {
		const char *origin;
		bool welcome;
	} rows[] = {
		{ "http://node-1:7070", true }, { "https://node-1:7070", true },
		{ "http://NODE-1:7070", true }, { "http://node-1:7071", false }, { "http://node-1", false },
		{ "http://evil.example", false }, { "http://node-1:7070.evil.example", false },
		{ "http://evil.example://node-1:7070", false }, { "node-1:7070", false },
		{ "null", false }, { "", false },
	};
	static const char *const methods[] = { "GET", "POST" };
	char request[512];

	assert_int_equal(hosts_open(&site.hosts, "node-1"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(methods); i++) {
		snprintf(request, sizeof(request),
			 "%s /debug/pyperf/log?last=x HTTP/1.1\r\nHost: node-1:7070\r\nConnection: close\r\n"
			 "Content-Type: application/json\r\nOrigin: %s\r\n\r\n",
			 methods[i % ARRAY_SIZE(methods)], rows[i / ARRAY_SIZE(methods)].origin);
		assert_int_equal(status_of(ask(request)) == 400, rows[i / ARRAY_SIZE(methods)].welcome);
	}
	assert_int_equal(status_of(ask("GET /debug/pyperf/log?last=x HTTP/1.0\r\nOrigin: http://a\r\n\r\n")),
			 403);
	hosts_close(&site.hosts);
}

/* What a form can send is no order. */
TEST(orders_are_json)
{
	static const struct {
		const char *type;
		int status;
	} rows[] = {
		{ "application/json", 400 }, { "Application/JSON", 400 },
		{ "application/json; charset=utf-8", 400 }, { "application/json;x", 400 },
		{ "", 415 }, { "text/plain", 415 }, { "text/plain;application/json", 415 },
		{ "application/jsonp", 415 }, { "application/json,text/plain", 415 },
		{ "application/x-www-form-urlencoded", 415 }, { "multipart/form-data; boundary=x", 415 },
	};
	char request[512];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(request, sizeof(request),
			 "POST /debug/pyperf/log?last=x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
			 "Content-Type: %s\r\n\r\n",
			 rows[i].type);
		assert_int_equal(status_of(ask(request)), rows[i].status);
	}
	assert_int_equal(status_of(ask_for("POST", "/debug/pyperf/log?last=x", "localhost")), 415);
}

/* Health is for everybody, and so is what has no names at an address of its own. */
TEST(token_is_wanted)
{
	static const char *const closed[] = { "/", "/page.css", "/debug/pyperf/interval",
					      "/debug/pyperf/follow", "/debug/pprof/profile",
					      "/debug/pyperf/stacks", "/metrics", "/x" };
	char file[] = "/tmp/pyperf-token.XXXXXX";
	int fd = mkstemp(file);
	const char *a;

	assert_int_equal(write(fd, "0123456789abcdef\n", 17), 17);
	site.token.file = file;
	for (size_t i = 0; i < ARRAY_SIZE(closed); i++) {
		a = ask_for("GET", closed[i], "localhost");
		assert_int_equal(status_of(a), 401);
		assert_true(has_header(a, "WWW-Authenticate: Bearer realm=\"pyperf-bpf\", "
					  "Basic realm=\"pyperf-bpf\""));
	}
	assert_int_equal(status_of(ask_for("GET", "/healthz", "localhost")), 200);
	assert_int_equal(status_of(ask_for("GET", "/readyz", "localhost")), 200);
	a = ask("GET /page.css HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		"Authorization: Bearer 0123456789abcdef\r\n\r\n");
	assert_int_equal(status_of(a), 200);
	entrance.exposure = EXPOSURE_METRICS;
	assert_int_equal(status_of(ask_for("GET", "/x", "localhost")), 404);
	entrance.exposure = EXPOSURE_ALL;
	assert_int_equal(ftruncate(fd, 0), 0);
	close(fd);
	assert_int_equal(status_of(ask_for("GET", "/page.css", "localhost")), 503);
	unlink(file);
	assert_int_equal(site.profiles.open, 0);
}

TEST(follows_health)
{
	site.health = HEALTH_STARTING;
	assert_string_equal(body_of(ask(GET("/readyz"))), "not sampling yet\n");
	assert_string_equal(body_of(ask(GET("/healthz"))), "alive\n");
	assert_string_equal(body_of(ask(GET("/debug/pprof/profile"))), "not sampling yet\n");
	assert_string_equal(body_of(ask(GET("/debug/pyperf/stacks"))), "not sampling yet\n");
	site.health = HEALTH_ENDING;
	assert_string_equal(body_of(ask(GET("/readyz"))), "not sampling any more\n");
	fill_site();
	assert_non_null(strstr(ask(GET("/metrics")), "\npyperf_sampling 0\n"));
}

TEST(profile_waits)
{
	int fd;

	fill_site();
	fd = connect_client();
	say(fd, GET("/debug/pprof/profile?seconds=100&format=folded"));
	for (double end = clock_seconds() + PATIENCE_SECONDS; !site.profiles.open;) {
		let_server_work();
		assert_true(clock_seconds() < end);
	}
	assert_int_equal(site.active, 1);
	assert_non_null(strstr(ask(GET("/metrics")), "\npyperf_profile_requests_open 1\n"));
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 3);
	profile_requests_run(&site.profiles, clock_seconds() + 101);
	assert_non_null(strstr(body_of(hear(fd)), " 3\n"));
	assert_int_equal(site.active, 0);
}

/* One connection, several requests: each begins anew, and the client has its time again. */
TEST(one_after_the_other)
{
	int fd = connect_client();
	char text[8192];

	for (int i = 1; i <= 3; i++) {
		size_t size = 0;

		say(fd, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
		while (!size || !strstr(text, "alive\n")) {
			ssize_t n;

			let_server_work();
			n = recv(fd, text + size, sizeof(text) - 1 - size, MSG_DONTWAIT);
			size += n > 0 ? n : 0;
			text[size] = '\0';
		}
		for (int j = 0; site.active && j < 1000; j++)
			let_server_work();
		assert_int_equal(site.active, 0);
		assert_int_equal(site.answers.answers, i);
		assert_true(connections_next(&connections) <= clock_seconds() + CONNECTION_REQUEST_SECONDS);
	}
	close(fd);
}

AROUND_EACH(setup_site, teardown_site);
AROUND_ALL(NULL, close_kernel);
