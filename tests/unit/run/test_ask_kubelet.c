// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ask_kubelet.c - the kubelet as a row of the event loop: a run goes on without it, and people hear of
 * trouble once. What it answers is in tests/e2e/containers/test_pod_labels.py.
 */
#include <errno.h>

#include "tests/forge/http_server.h"
#include "tests/forge/logged.h"

#include "run/ask_kubelet.h"
#include "tests/forge/test.h"

static struct loop loop;
static struct ask_kubelet ask;
static struct pod_label_names names;
static sigset_t before;
static char url[64], token[64];

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(token, "/tmp/pyperf-token.XXXXXX");
	fd = mkstemp(token);
	if (fd < 0 || write(fd, "secret\n", 7) != 7 || close(fd))
		return -1;
	ask = (struct ask_kubelet){ 0 };
	sigprocmask(SIG_SETMASK, NULL, &before);
	return pod_label_names_parse("app", &names) ?: loop_open(&loop, 3600000);
}

static int teardown(void **state)
{
	(void)state;
	ask_kubelet_close(&ask);
	assert_null(ask.kubelet);
	loop_close(&loop);
	sigprocmask(SIG_SETMASK, &before, NULL);
	server_stop();
	return unlink(token);
}

static struct kubelet_options options(unsigned short port)
{
	snprintf(url, sizeof(url), "https://127.0.0.1:%u", port);
	return (struct kubelet_options){ .url = url, .token_file = token, .names = &names };
}

TEST(not_asked_for)
{
	const struct kubelet_options o = { .url = NULL };

	assert_int_equal(ask_kubelet_open(&ask, &o), 0);
	assert_int_equal(ask_kubelet_watch(&ask, &loop), 0);
	assert_null(ask.kubelet);
	assert_false(ask_kubelet_is_first(&ask));
	assert_int_equal(loop.count, 0);
}

TEST(cannot_be_opened)
{
	struct kubelet_options o = options(1);
	const struct loop_row row = { .fd = -1 };
	const char *said;
	int err;

	while (!loop_watch(&loop, &row))
		; /* until there is no room */
	assert_int_equal(ask_kubelet_open(&ask, &o), 0);
	said = LOGGED(err = ask_kubelet_watch(&ask, &loop));
	assert_int_equal(err, -ENOSPC);
	assert_non_null(strstr(said, "error: the kubelet cannot be asked"));
}

static void turn(void)
{
	assert_int_equal(loop_turn(&loop, 200), 0);
}

static int open_and_watch(const struct kubelet_options *o)
{
	return ask_kubelet_open(&ask, o) ?: ask_kubelet_watch(&ask, &loop);
}

static void turn_until_trouble(void)
{
	while (!ask.trouble.stands)
		turn();
}

static void turn_often(void)
{
	for (int i = 0; i < 20; i++)
		assert_int_equal(loop_turn(&loop, 0), 0);
}

/* Nobody listens at that port. */
TEST(trouble_is_said_once)
{
	struct kubelet_options o;
	const char *said;
	unsigned short port;
	int fd = server_bind(&port);

	o = options(port);
	assert_int_equal(open_and_watch(&o), 0);
	assert_int_equal(loop.count, 1);
	assert_true(ask_kubelet_is_first(&ask));
	said = LOGGED(turn_until_trouble());
	assert_false(ask_kubelet_is_first(&ask));
	assert_non_null(strstr(said, "warning: no labels of pods from the kubelet: "));
	assert_non_null(strstr(said, "onnect")); /* libcurl's own words */
	assert_non_null(strstr(said, "; it is asked again, all else goes on\n"));
	assert_ptr_equal(strchr(said, '\n') + 1, said + strlen(said));
	assert_string_equal(LOGGED(turn_often()), "");
	close(fd);
}

/* It would be asked at once: nothing of it is run before it is watched. */
TEST(nobody_is_asked_before)
{
	struct kubelet_options o;

	server_start(NULL);
	o = options(server.port);
	assert_int_equal(ask_kubelet_open(&ask, &o), 0);
	turn_often();
	assert_int_equal(kubelet_get_stats(ask.kubelet).requests, 0);
	assert_true(ask_kubelet_is_first(&ask));
	assert_int_equal(ask_kubelet_watch(&ask, &loop), 0);
	turn_often();
	assert_int_equal(kubelet_get_stats(ask.kubelet).requests, 1);
}

/*
 * The loop does not wait for it, nor does it spin: it is asked at once and then looked at when there is
 * something.
 */
TEST(it_says_nothing)
{
	struct kubelet_options o;

	server_start(NULL); /* of http: a client of https gets no answer there either */
	o = options(server.port);
	assert_int_equal(open_and_watch(&o), 0);
	assert_int_equal(loop.rows[0].timeout_ms(loop.rows[0].context), 0);
	turn();
	assert_int_equal(kubelet_get_stats(ask.kubelet).requests, 1);
	assert_true(ask_kubelet_is_first(&ask));
	assert_string_equal(LOGGED(turn_often()), "");
	assert_int_equal(kubelet_get_stats(ask.kubelet).failures, 0);
	assert_false(ask.trouble.stands);
}

/* As the kubelet does, after a while: the next answer that is fine. */
TEST(trouble_that_is_over)
{
	struct kubelet_options o = options(1);

	o.token_file = "/nonexistent";
	assert_int_equal(open_and_watch(&o), 0);
	assert_non_null(strstr(LOGGED(turn_until_trouble()), "/nonexistent: No such file or directory"));
	/* Another one, which has nothing to complain of yet. */
	kubelet_close(ask.kubelet);
	server_start(NULL);
	o = options(server.port);
	assert_int_equal(kubelet_open(&ask.kubelet, &o), 0);
	assert_string_equal(LOGGED(turn()), "pyperf-bpf: the kubelet tells the labels of pods again\n");
	assert_string_equal(LOGGED(turn_often()), "");
}

static int begin(void **state)
{
	(void)state;
	alarm(60);
	unsetenv("https_proxy");
	unsetenv("HTTPS_PROXY");
	unsetenv("all_proxy");
	unsetenv("ALL_PROXY");
	return 0;
}

AROUND_EACH(setup, teardown);
AROUND_ALL(begin, NULL);
