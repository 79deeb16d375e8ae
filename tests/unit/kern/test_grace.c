// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_grace.c - both ways to wait for BPF programs that run: neither returns before a program has ended
 * that began earlier. The program is real and takes its time. Needs the right to load BPF.
 */

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kern/grace.h"
#include "spin.skel.h"
#include "tests/forge/refuse.h"
#include "tests/forge/test.h"

#define CHECK(condition)                                                               \
	do {                                                                           \
		if (!(condition)) {                                                    \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			exit(99);                                                      \
		}                                                                      \
	} while (0)

static struct spin *spin;

static void *run_program(void *unused)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);

	(void)unused;
	CHECK(!bpf_prog_test_run_opts(bpf_program__fd(spin->progs.on_spin), &options));
	return NULL;
}

static int flag(int *place)
{
	return __atomic_load_n(place, __ATOMIC_SEQ_CST);
}

/* Whether the program still ran when the wait began: on a busy machine it may have ended before. */
static bool waits_for_a_program_once(struct grace *g)
{
	pthread_t thread;
	bool ran;

	spin = spin__open_and_load();
	CHECK(spin);
	CHECK(!pthread_create(&thread, NULL, run_program, NULL));
	while (!flag(&spin->bss->begun))
		sched_yield();
	ran = !flag(&spin->bss->ended);
	CHECK(!grace_wait(g));
	CHECK(flag(&spin->bss->ended));
	CHECK(!pthread_join(thread, NULL));
	spin__destroy(spin);
	return ran;
}

static void waits_for_a_program(struct grace *g)
{
	for (int i = 0; i < 100; i++)
		if (waits_for_a_program_once(g))
			return;
	CHECK(!"the program always ended before it could be waited for");
}

/* In a child, since what is refused stays so. */
static void passes(void (*body)(void))
{
	int status;
	pid_t pid;

	if (geteuid()) {
		print_message("SKIP: needs the right to load BPF\n");
		skip();
	}
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		body();
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#define TEST_IN_CHILD(name)                \
	static void name##_in_child(void); \
	TEST(name)                         \
	{                                  \
		passes(name##_in_child);   \
	}                                  \
	static void name##_in_child(void)

TEST_IN_CHILD(with_membarrier)
{
	struct grace g;

	CHECK(!grace_open(&g));
	CHECK(g.outer == -1 && g.inner == -1);
	waits_for_a_program(&g);
	grace_close(&g);
}

/* A start does not wait for a grace period to learn that it could. */
TEST_IN_CHILD(the_kernel_is_asked_and_not_tried)
{
	struct grace g;

	CHECK(!refuse(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, EINVAL));
	CHECK(!grace_open(&g));
	CHECK(g.outer == -1);
	CHECK(grace_wait(&g) == -EINVAL);
}

/* As on a kernel that was booted with nohz_full=. */
TEST_IN_CHILD(without_membarrier)
{
	struct grace g;

	CHECK(!refuse(SYS_membarrier, REFUSE_ANY, EINVAL));
	CHECK(!grace_open(&g));
	CHECK(g.outer >= 0 && g.inner >= 0);
	waits_for_a_program(&g);
	grace_close(&g);
	CHECK(g.outer == -1 && g.inner == -1);
	grace_close(&g);
}

TEST_IN_CHILD(without_either)
{
	struct grace g;

	CHECK(!refuse(SYS_membarrier, REFUSE_ANY, EINVAL) && !refuse(SYS_bpf, BPF_MAP_CREATE, EPERM));
	CHECK(grace_open(&g) == -EPERM);
	CHECK(g.outer == -1 && g.inner == -1);
}
