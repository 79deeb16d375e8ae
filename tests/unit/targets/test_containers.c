// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_containers.c - processes are asked about in turns, and what a real worker, or a forged answer, says of
 * them gets into the registry.
 */
#include "tests/forge/test.h"
#include "tests/unit/targets/parts.h"

#include "proc/procfs.h"
#include "targets/containers.h"
#include "targets/questions.h"

#define POD_UID "0a1b2c3d-0000-1111-2222-333344445555"

static struct questions *questions;
static struct containers containers;
static __u64 start_time; /* of this process, ns since boot */

static int setup(void **state)
{
	__u64 ticks;
	int err = open_parts(state);

	if (!err)
		err = questions_new(&questions, worker) ?: procfs_start_ticks(getpid(), &ticks);
	containers = (struct containers){ registry, questions, NULL, 0 };
	start_time = err ? 0 : ticks * (NS_PER_SECOND / sysconf(_SC_CLK_TCK));
	return err;
}

static int teardown(void **state)
{
	questions_free(TAKE_PTR(questions));
	return close_parts(state);
}

static void add(__u32 id, bool ended)
{
	struct registry_entry e = {
		.id = id,
		.pid = getpid(),
		.start_time = start_time,
		.ended = ended,
		.binary = "/usr/bin/python3",
	};

	assert_int_equal(registry_add(registry, &e), 0);
}

static int asked[1000]; /* how often, by struct process.id */

static void count_asked(void *context, void *note)
{
	(void)context;
	asked[*(const __u32 *)note]++;
}

static int take_replies(void)
{
	int n = 0;

	questions_each(questions, &containers, count_asked, NULL);
	for (; questions_pending(questions); n++) {
		struct worker_reply reply = { 0 };

		receive(&reply);
		assert_int_equal(reply.type, WORKER_CONTAINER);
		assert_int_equal(reply.error, 0);
		assert_true(questions_answer(questions, &reply));
	}
	return n;
}

/* All that live, a few at a time, and then again from the first. */
TEST(in_turns)
{
	int calls, sum = 0, lived = 0;

	memset(asked, 0, sizeof(asked));
	containers_ask(&containers);
	assert_int_equal(questions_pending(questions), 0);
	for (__u32 id = 1; id <= 40; id++)
		add(id, id % 4 == 0);
	for (calls = 0; sum < 30; calls++) {
		containers_ask(&containers);
		sum += take_replies();
	}
	assert_int_equal(sum, 30 + 2); /* the last call begins anew */
	assert_int_equal(calls, 2);
	for (__u32 id = 1; id <= 40; id++) {
		assert_int_equal(!asked[id], id % 4 == 0);
		lived += asked[id] > 0;
	}
	assert_int_equal(lived, 30);
}

/* Nobody twice in one call, however few there are. */
TEST(one_process)
{
	add(7, false);
	for (int i = 0; i < 3; i++) {
		containers_ask(&containers);
		assert_int_equal(questions_pending(questions), 1);
		take_replies();
	}
	assert_string_equal(registry_find(registry, 7)->binary, "/usr/bin/python3");
}

/* Thousands that have ended are not looked through at once. */
TEST(many_that_have_ended)
{
	int calls = 0;

	memset(asked, 0, sizeof(asked));
	for (__u32 id = 1; id <= 2000; id++)
		add(1000 + id, true);
	add(999, false);
	while (!asked[999]) {
		containers_ask(&containers);
		take_replies();
		assert_true(++calls < 10);
	}
	assert_int_equal(calls, 4);
}

static void on_answer(void *asker, const void *note, struct worker_reply *reply)
{
	(void)asker;
	(void)note;
	(void)reply;
}

TEST(other_questions_come_first)
{
	const struct question about = { .answer = on_answer, .asker = &asked };
	struct worker_request r = question_request(WORKER_MAPS, getpid(), start_time);

	add(1, false);
	for (int i = 0; i < 16; i++)
		assert_int_equal(questions_ask(questions, &about, &r), 0);
	containers_ask(&containers);
	assert_int_equal(questions_pending(questions), 16);
}

static struct worker_reply in_pod(const char *id, const char *pod)
{
	struct worker_reply r = { .type = WORKER_CONTAINER };

	snprintf(r.container.cgroup.container_id, sizeof(r.container.cgroup.container_id), "%s", id);
	snprintf(r.container.cgroup.pod_uid, sizeof(r.container.cgroup.pod_uid), "%s", POD_UID);
	snprintf(r.container.names.pod, sizeof(r.container.names.pod), "%s", pod);
	snprintf(r.container.names.namespace, sizeof(r.container.names.namespace), "%s", *pod ? "shop" : "");
	return r;
}

static const char *pod_after(struct worker_reply r)
{
	containers_reply(&containers, 3, &r);
	return registry_find(registry, 3)->label[LABEL_pod];
}

TEST(names_come_and_stay)
{
	struct worker_reply failed = in_pod("c0ffee", "other-0");

	add(3, false);
	/* The pod's folder is not there yet. */
	assert_string_equal(pod_after(in_pod("c0ffee", "")), "");
	assert_string_equal(registry_find(registry, 3)->label[LABEL_pod_uid], POD_UID);
	assert_string_equal(pod_after(in_pod("c0ffee", "web-0")), "web-0");
	assert_string_equal(registry_find(registry, 3)->label[LABEL_namespace], "shop");
	/* It is being deleted. */
	assert_string_equal(pod_after(in_pod("c0ffee", "")), "web-0");
	failed.error = -ESRCH;
	assert_string_equal(pod_after(failed), "web-0");
	/* The process was moved to another container. */
	assert_string_equal(pod_after(in_pod("beef", "web-1")), "web-1");
	assert_string_equal(pod_after(in_pod("cafe", "")), "");
	assert_string_equal(registry_find(registry, 3)->binary, "/usr/bin/python3");
	registry_end(registry, 3);
	assert_string_equal(pod_after(in_pod("beef", "web-1")), "");
	containers_reply(&containers, 4, &failed);
	assert_null(registry_find(registry, 4));
}

AROUND_EACH(setup, teardown);
