// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_push_kinds.c - each kind of event is pushed as a profile of its own, under the name in its row, to a
 * real server.
 */
#include "profile/carried.h"
#include "tests/forge/http_server.h"
#include "tests/forge/test.h"
#include "tests/forge/windows.h"
#include "tests/forge/decode.h"

#include "export/interval_push.h"

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

static struct interval_push pushes;
static struct export_stats done;

static int setup_pushes(void **state)
{
	static const struct pod_label_names names;
	char url[64];
	struct push_options o = { .url = url, .format = -1, .timeout_seconds = 60 };
	int err = setup_windows(state);

	done = (struct export_stats){ 0 };
	pushes = (struct interval_push){ .stats = &done };
	all.events = EVENTS_ALL;
	server_start(OK);
	snprintf(url, sizeof(url), "parca+http://127.0.0.1:%u", server.port);
	err = err ?: interval_push_open(&pushes, &o, &names, &all);
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		set_owner_of(8 + kind, kind, 1, 100, "main-now");
		set_root(100 * (kind + 1), 8 + kind, 0);
		set_node(100 * (kind + 1) + 1, 100 * (kind + 1), 100, 1, 0);
	}
	return err;
}

static int teardown_pushes(void **state)
{
	interval_push_close(&pushes);
	all.first = NULL; /* its window was the only one */
	server_stop();
	return teardown_windows(state);
}

static void count(enum event_kind kind, __u64 amount)
{
	nodes[100 * (kind + 1) + 1].count += amount;
}

static void send_all(void)
{
	struct pollfd fd = { .fd = interval_push_fd(&pushes), .events = POLLIN };

	interval_push_add(&pushes);
	while (pushes.due || pushes.job || push_waiting(pushes.push)) {
		poll(&fd, 1, 20);
		interval_push_run(&pushes);
	}
}

/* The pprof in the server's latest request. */
static Pyperf__Profile *received(void)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strstr(server.seen->request, "\"rawProfile\":\"");
	_cleanup_buf_ struct buf plain = {};
	__u32 bits = 0;

	assert_non_null(at);
	at += strlen("\"rawProfile\":\"");
	for (int n = 1; *at && strchr(digits, *at); at++, n++) {
		bits = bits << 6 | (strchr(digits, *at) - digits);
		if (n % 4 != 1)
			assert_int_equal(buf_add(&plain, (__u8[]){ bits >> 2 * (3 - (n - 1) % 4) }, 1), 0);
	}
	return decode(&plain);
}

/* WALL is a sum of others, and never comes alone. */
TEST(one_at_a_time)
{
	int sent = 0;

	all.events &= ~EVENT_BIT(EVENT_WALL);
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		Pyperf__Profile *d;
		char name[128];

		if (kind == EVENT_WALL)
			continue;
		count(kind, 7000 + kind);
		send_all();
		assert_int_equal(server_requests(), ++sent); /* what has nothing is not sent */
		snprintf(name, sizeof(name), "{\"name\":\"__name__\",\"value\":\"%s\"}",
			 event_rows[kind].series);
		assert_non_null(strstr(server.seen->request, name));
		d = received();
		assert_int_equal(d->n_sample_type, (*event_rows[kind].period ? 2 : 1) + 1);
		assert_string_equal(string(d, d->sample_type[0]->type), event_rows[kind].type);
		assert_string_equal(string(d, d->sample_type[d->n_sample_type - 1]->type), CARRIED_TYPE);
		assert_int_equal(d->sample[0]->value[0], 7000 + kind);
		for (size_t i = 1; i < d->n_sample; i++) /* of its books */
			assert_int_equal(d->sample[i]->value[0], 0);
		pyperf__profile__free_unpacked(d, NULL);
		assert_int_equal(pushes.taken.samples[kind], 7000 + kind);
	}
}

TEST(all_at_once)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		count(kind, 1);
	send_all();
	assert_int_equal(server_requests(), EVENT_KINDS);
	assert_int_equal(done.pushed, EVENT_KINDS);
}

AROUND_EACH(setup_pushes, teardown_pushes);
AROUND_ALL(server_begin, NULL);
