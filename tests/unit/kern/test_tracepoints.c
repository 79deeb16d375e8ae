// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tracepoints.c - which programs are loaded for what is needed, which are attached at the start, and
 * which stay so at the end.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

#include <bpf/libbpf.h>

#include "bpf/abi.h"
#include "kern/object.h"
#include "kern/tracepoints.h"
#include "pyperf.skel.h"

static struct pyperf *s;

static int open_skel(void **state)
{
	(void)state;
	s = pyperf__open();
	return s ? 0 : -1;
}

static int close_skel(void **state)
{
	(void)state;
	pyperf__destroy(s);
	s = NULL;
	return 0;
}

TEST(only_what_is_needed_is_loaded)
{
	for (__u32 needs = 0; needs <= (NEEDS_WAITS | NEEDS_GIL | NEEDS_MEMORY | NEEDS_POLLS | NEEDS_TASKS);
	     needs++) {
		const bool waits = needs & (NEEDS_WAITS | NEEDS_GIL), memory = needs & NEEDS_MEMORY;

		tracepoints_prepare(s, needs, 0);
		assert_true(bpf_program__autoload(s->progs.on_process_fork));
		assert_true(bpf_program__autoload(s->progs.on_process_exec));
		assert_true(bpf_program__autoload(s->progs.on_process_exit));
		assert_int_equal(bpf_program__autoload(s->progs.on_wakeup), waits);
		assert_int_equal(bpf_program__autoload(s->progs.on_wakeup_new), !!(needs & NEEDS_WAITS));
		assert_int_equal(bpf_program__autoload(s->progs.on_switch), waits);
		assert_int_equal(bpf_program__autoload(s->progs.on_rss), memory);
		assert_int_equal(bpf_program__autoload(s->progs.on_syscall_end), !!(needs & NEEDS_POLLS));
	}
}

/* Nothing is loaded: the first of them is refused, and its name is said. */
TEST(who_has_refused)
{
	const char *name = NULL;

	libbpf_set_print(NULL);
	tracepoints_prepare(s, NEEDS_WAITS, 0);
	assert_true(tracepoints_start(s, &name) < 0);
	assert_string_equal(name, "sched_process_fork");
	assert_null(s->links.on_process_fork);
	tracepoints_stop(s);
	tracepoints_stop(NULL);
}

/* Whether forks, switches and growth are seen: F, S and G. */
static const char *attached(const struct kernel *k)
{
	static char text[4];

	snprintf(text, sizeof(text), "%s%s%s", k->skel->links.on_process_fork ? "F" : "",
		 k->skel->links.on_switch && k->skel->links.on_wakeup ? "S" : "",
		 k->skel->links.on_rss ? "G" : "");
	return text;
}

TEST(from_the_start_to_the_end, .teardown = teardown)
{
	struct kernel_options o = selected;

	o.needs = NEEDS_GIL | NEEDS_MEMORY;
	kernel = open_kernel(o);
	assert_string_equal(attached(kernel), "");
	for (int i = 0; i < 2; i++) {
		start(kernel);
		assert_string_equal(attached(kernel), "FSG");
		kernel_stop(kernel);
		kernel_stop(kernel);
		assert_string_equal(attached(kernel), "F");
	}
}

AROUND_EACH(open_skel, close_skel);
