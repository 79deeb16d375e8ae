// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_page.c - the page as a browser gets it.
 */
#include "tests/forge/tables.h"
#include "tests/forge/test.h"
#include "tests/unit/http/client.h"
#include "tests/unit/kern/need_kernel.h"

#include "http/page.h"
#include "http/route.h"
#include "page/pieces.h"
#include "stats/run_facts.h"

static struct run_facts facts;
static struct site site;
static struct interval last;
static answer_function *answer;

static int setup_page(void **state)
{
	int err = setup(state);

	facts = (struct run_facts){ .start = clock_seconds() - 1234.5, .frequency = 99, .cpus = 7,
				    .events = EVENT_BIT(EVENT_CPU) };
	site = (struct site){ .inputs = { .registry = registry, .run = &facts } };
	start_server(answer_at_once, &answer, NULL);
	return err;
}

static int teardown_page(void **state)
{
	stop_server();
	return teardown(state);
}

static enum MHD_Result page(const struct client *c)
{
	return page_answer(&site, c);
}

static const char *asked(answer_function *f, const char *request)
{
	answer = f;
	return ask(request);
}

TEST(before_sampling)
{
	const char *a = asked(page, GET("/"));

	assert_int_equal(status_of(a), 200);
	assert_true(has_header(a, "Content-Type: text/html; charset=utf-8"));
	assert_non_null(strstr(body_of(a), "Not sampling yet."));
	assert_non_null(strstr(body_of(a), PYPERF_VERSION));
	assert_non_null(strstr(body_of(a), "<a href=\"?pid=100\">100</a><td>python3"));
	/* All that the page has in braces has been put in. */
	assert_null(strstr(body_of(a), "{version}"));
	assert_null(strstr(body_of(a), "{state}"));
	assert_null(strstr(body_of(a), "{processes}"));
}

TEST(while_sampling)
{
	const char *a, *rate;

	need_kernel();
	site.inputs.kernel = kernel;
	site.health = HEALTH_SAMPLING;
	a = asked(page, GET("/"));
	assert_int_equal(status_of(a), 200);
	rate = strstr(body_of(a), "7 CPUs at 99 Hz for 1,");
	assert_non_null(rate);
	assert_in_range(atoi(strchr(rate, ',') + 1), 234, 900); /* of 1,234 s and what has passed since */
	assert_non_null(strstr(body_of(a), "0 samples, of 2 processes that run"));
	assert_null(strstr(body_of(a), "Not sampling yet."));
	site.health = HEALTH_ENDING;
	assert_non_null(strstr(body_of(asked(page, GET("/"))), "7 CPUs at 99 Hz"));
}

/* With one kind there is nothing to choose. */
TEST(links_to_kinds_of_events)
{
	const char *a;

	need_kernel();
	site.inputs.kernel = kernel;
	site.health = HEALTH_SAMPLING;
	assert_non_null(strstr(body_of(asked(page, GET("/"))),
			       "<nav id=\"events\" class=\"choice\" aria-label=\"kind of event\"></nav>"));
	facts.events |= EVENT_BIT(EVENT_OFFCPU);
	a = asked(page, GET("/"));
	assert_non_null(strstr(body_of(a), "<a href=\"?type=cpu\""));
	assert_non_null(strstr(body_of(a), "<a href=\"?type=offcpu\""));
	assert_null(strstr(body_of(a), "?type=runqueue"));
	assert_non_null(strstr(body_of(a), "0 samples, 0.00 s waiting, of 2 processes"));
}

TEST(samples_of_the_last_interval)
{
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 1);
	set_root(27, 2, 0);
	set_node(28, 27, 101, 1, 3);
	run();
	last = (struct interval){ .profile = profile };
	site.recent.history.rows[site.recent.history.count++] = &last;
	assert_non_null(strstr(body_of(asked(page, GET("/"))), "<td>3<td>75.0 %"));
}

TEST(index_of_profiles)
{
	const char *a = asked(page_pprof_index, GET("/"));

	assert_int_equal(status_of(a), 200);
	assert_true(has_header(a, "Content-Type: text/html; charset=utf-8"));
	assert_non_null(strstr(body_of(a), "<a href=\"profile\">profile</a>"));
}

/* The files that the page loads: those, and nothing else. */
TEST(files_of_the_page)
{
	assert_ptr_equal(page_find_file("/page.css")->piece, &piece_css);
	assert_string_equal(page_find_file("/page.css")->type, "text/css; charset=utf-8");
	assert_ptr_equal(page_find_file("/page.js")->piece, &piece_js);
	assert_string_equal(page_find_file("/page.js")->type, "text/javascript; charset=utf-8");
}

TEST(no_other_file)
{
	static const char *const paths[] = {
		"", "/", "page.css", "/page.css/", "/page.css.inc", "/../page.css", "/graph.html",
		"/PAGE.CSS",
	};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		assert_null(page_find_file(paths[i]));
}

AROUND_EACH(setup_page, teardown_page);
AROUND_ALL(NULL, close_kernel);
