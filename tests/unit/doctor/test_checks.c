// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_checks.c - what a check says, and the checks whose answer follows from what they are told.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "doctor/checks.h"
#include "tests/forge/test.h"

static struct examination x;
static struct checked found;
static char folder[64];

static int begin(void **state)
{
	(void)state;
	x = (struct examination){ .program = "pyperf-bpf" };
	found = (struct checked){ 0 };
	strcpy(folder, "/tmp/pyperf-doctor.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	finding_free(&found);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static void check_says(enum grade grade, const char *says)
{
	assert_int_equal(found.grade, grade);
	assert_int_equal(found.says.size, strlen(says));
	assert_memory_equal(found.says.data, says, strlen(says));
}

static size_t ways(void)
{
	size_t n = 0;

	while (n < ARRAY_SIZE(found.mend) && found.mend[n].size)
		n++;
	return n;
}

static void ask(void (*check)(struct examination *x, struct checked *ret))
{
	finding_free(&found);
	found = (struct checked){ 0 };
	check(&x, &found);
}

TEST(what_is_said_last_counts)
{
	finding_say(&found, GRADE_OK, "%s is %d", "this", 7);
	check_says(GRADE_OK, "this is 7");
	finding_say(&found, GRADE_MISSING, "no");
	check_says(GRADE_MISSING, "no");
}

/* Each stays; what is one too many is left out. */
TEST(ways_to_mend_it)
{
	for (int i = 0; i < 6; i++)
		finding_mend(&found, "way %d", i);
	assert_int_equal(ways(), 4);
	for (int i = 0; i < 4; i++) {
		char way[16];

		snprintf(way, sizeof(way), "way %d", i);
		assert_int_equal(found.mend[i].size, strlen(way));
		assert_memory_equal(found.mend[i].data, way, strlen(way));
	}
}

TEST(worker)
{
	ask(check_worker);
	check_says(GRADE_OK, "started");
	assert_int_equal(ways(), 0);
	x.worker_error = -EINVAL;
	ask(check_worker);
	check_says(GRADE_MISSING, "cannot be started: Invalid argument");
	assert_int_equal(ways(), 1);
}

/* Nothing is loaded where something is missing without which that must fail. */
TEST(programs_of_a_hopeless_machine)
{
	x.hopeless = true;
	ask(check_programs);
	check_says(GRADE_UNKNOWN, "not tried, for what is missing above");
}

/* Nobody is asked over the network who is not named, or cannot be. */
TEST(network)
{
	ask(check_kubelet);
	assert_int_equal(found.grade, GRADE_UNASKED);
	x.in_pod = true;
	ask(check_kubelet);
	check_says(GRADE_NOTE, "not asked: --kubelet https://NODE:10250 names it");
	x.kubelet.url = "https://127.0.0.1:1";
	ask(check_kubelet);
	check_says(GRADE_UNKNOWN, "not asked, for want of libcurl");
	ask(check_receiver);
	assert_int_equal(found.grade, GRADE_UNASKED);
	x.push.url = "https://127.0.0.1:1";
	ask(check_receiver);
	check_says(GRADE_UNKNOWN, "not asked, for want of libcurl");
}

static void make_entry(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

/* Names of pods that are missing keep a filter by them from selecting anything; else samples lack labels. */
TEST(pod_logs)
{
	static const struct {
		bool selects_pods, in_pod;
		const char *kubelet;
		enum grade none; /* where no entry names a pod */
	} rows[] = {
		{ false, false, NULL, GRADE_UNASKED },
		{ true, false, NULL, GRADE_MISSING },
		{ true, true, "https://127.0.0.1", GRADE_MISSING },
		{ false, true, NULL, GRADE_NOTE },
		{ false, false, "https://127.0.0.1", GRADE_NOTE },
	};
	char says[256];

	for (int pods = 0; pods < 3; pods++) {
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			x.selects_pods = rows[i].selects_pods;
			x.in_pod = rows[i].in_pod;
			x.kubelet.url = rows[i].kubelet;
			x.pod_logs = folder;
			ask(check_pod_logs);
			if (rows[i].none == GRADE_UNASKED) {
				assert_int_equal(found.grade, GRADE_UNASKED);
				continue;
			}
			snprintf(says, sizeof(says), "%d entries of %s name pods", pods, folder);
			check_says(pods ? GRADE_OK : rows[i].none, says);
			assert_int_equal(ways(), !pods);
			x.pod_logs = "/nonexistent";
			ask(check_pod_logs);
			check_says(rows[i].none,
				   "/nonexistent: No such file or directory: pods and containers have no "
				   "names");
			assert_int_equal(ways(), 2);
		}
		if (pods == 2)
			break;
		make_entry(pods ? "shop_web-1_11111111-2222-3333-4444-555555555555" :
				  "shop_web-0_9e449ecd-a4b6-463e-a620-1868ca1376fc");
		if (!pods)
			make_entry("something else");
	}
}

/* Who makes the ticks where perf events are refused; without that nobody has to. */
TEST(timers)
{
	ask(check_timers);
	if (found.grade != GRADE_OK) {
		print_message("SKIP: this kernel has no BPF timers\n");
		skip();
	}
	check_says(GRADE_OK, "this kernel has them; they are not needed");
	x.perf_refused = true;
	ask(check_timers);
	check_says(GRADE_OK, "they make the ticks");
}

AROUND_EACH(begin, end);
