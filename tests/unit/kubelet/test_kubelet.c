// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kubelet.c - asking a kubelet that is not there, or that takes the connection and says nothing: nothing
 * waits, and pauses are as long as promised. What it answers is in tests/e2e/containers/test_pod_labels.py.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kubelet/kubelet.h"
#include "tests/forge/test.h"

static struct pod_label_names names;
static struct kubelet *kubelet;
static int silent = -1; /* a socket that takes connections and says nothing */
static char url[64], token[] = "/tmp/test_kubelet.XXXXXX";

static int setup(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(a);
	int fd;

	(void)state;
	strcpy(token + strlen(token) - 6, "XXXXXX");
	fd = mkstemp(token);
	silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || write(fd, "secret\n", 7) != 7 || bind(silent, (struct sockaddr *)&a, sizeof(a)) ||
	    getsockname(silent, (struct sockaddr *)&a, &size) || pod_label_names_parse("app", &names))
		return -1;
	close(fd);
	snprintf(url, sizeof(url), "https://127.0.0.1:%u", ntohs(a.sin_port));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	kubelet_close(kubelet);
	kubelet = NULL;
	close(silent);
	unlink(token);
	return 0;
}

static void open_kubelet(const char *token_file)
{
	struct kubelet_options o = { .url = url, .token_file = token_file, .names = &names };

	assert_int_equal(kubelet_open(&kubelet, &o), 0);
	assert_int_equal(kubelet_timeout_ms(kubelet), 0);
}

static void turn_until_trouble(void)
{
	struct pollfd fd = { .fd = kubelet_fd(kubelet), .events = POLLIN };

	for (int i = 0; i < 200 && !*kubelet_trouble(kubelet); i++) {
		int ms = kubelet_timeout_ms(kubelet);

		kubelet_run(kubelet);
		poll(&fd, 1, ms >= 0 && ms < 50 ? ms : 50);
	}
	assert_true(*kubelet_trouble(kubelet));
}

TEST(urls, .bare = true)
{
	static const char *const right[] = { "https://127.0.0.1:10250", "https://node-1.example:10250",
					     "https://[fd00::1]:10250", "https://n" };
	static const char *const wrong[] = { "", "https://", "http://127.0.0.1:10255", "127.0.0.1:10250",
					     "https://:10250",
					     "https://n/pods", "https://n?x", "https://n#x", "https://a@n",
					     "https://n x", "https://n\n" };

	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		assert_true(kubelet_is_url(right[i]));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(kubelet_is_url(wrong[i]));
}

TEST(nobody_listens)
{
	int ms;

	open_kubelet(token);
	turn_until_trouble();
	assert_int_equal(kubelet_get_stats(kubelet).requests, 1);
	assert_int_equal(kubelet_get_stats(kubelet).failures, 1);
	ms = kubelet_timeout_ms(kubelet);
	assert_in_range(ms, 1000, KUBELET_PAUSE_SECONDS * 1000 + 1);
	/* A pod that is met does not make it sooner. */
	kubelet_meet(kubelet, "0123456789abcdef0123456789abcdef");
	kubelet_run(kubelet);
	assert_int_equal(kubelet_get_stats(kubelet).requests, 1);
}

TEST(it_says_nothing)
{
	struct pollfd fd = { .events = POLLIN };

	assert_int_equal(listen(silent, 4), 0);
	open_kubelet(token);
	fd.fd = kubelet_fd(kubelet);
	for (int i = 0; i < 20; i++) {
		kubelet_run(kubelet);
		poll(&fd, 1, 10);
	}
	assert_int_equal(kubelet_get_stats(kubelet).requests, 1);
	assert_int_equal(kubelet_get_stats(kubelet).failures, 0);
	assert_string_equal(kubelet_trouble(kubelet), "");
	assert_int_equal(kubelet_labels(kubelet)->count, 0);
}

TEST(no_token)
{
	open_kubelet("/nonexistent");
	kubelet_run(kubelet);
	assert_string_equal(kubelet_trouble(kubelet), "/nonexistent: No such file or directory");
	assert_int_equal(kubelet_get_stats(kubelet).failures, 1);
}

TEST(any_number_of_pods)
{
	char uid[POD_UID_SIZE];

	kubelet_meet(NULL, "");
	open_kubelet(token);
	kubelet_meet(kubelet, "");
	kubelet_meet(kubelet, "no uid");
	for (int i = 0; i < 100000; i++) {
		snprintf(uid, sizeof(uid), "%032x", i);
		kubelet_meet(kubelet, uid);
	}
	turn_until_trouble();
}

AROUND_EACH(setup, teardown);
