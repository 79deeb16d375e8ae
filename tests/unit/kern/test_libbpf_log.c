// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_libbpf_log.c - what libbpf says appears with -v, each line of it, and of a long message its end. Needs
 * no root.
 */
#include <stdio.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "kern/libbpf_log.h"
#include "tests/forge/logged.h"
#include "tests/forge/test.h"

static libbpf_print_fn_t print;

/* As libbpf calls it. */
static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print(LIBBPF_DEBUG, format, args);
	va_end(args);
}

static void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print(LIBBPF_WARN, format, args);
	va_end(args);
}

static int setup(void **state)
{
	(void)state;
	libbpf_log();
	print = libbpf_set_print(NULL); /* returns what was set */
	log_set_level(LOG_DEBUG);
	return !print;
}

TEST(nothing_without_v)
{
	log_set_level(LOG_INFO);
	assert_string_equal(LOGGED(say("one\n")), "");
	log_set_level(LOG_DEBUG);
}

TEST(every_line_is_one_of_ours)
{
	assert_string_equal(LOGGED(say("%s\n%d\n", "one", 2)),
			    "pyperf-bpf: debug: one\npyperf-bpf: debug: 2\n");
	assert_string_equal(LOGGED(say("no end")), "pyperf-bpf: debug: no end\n");
}

TEST(a_long_message_is_cut_to_its_end)
{
	char text[1024] = "";
	const char *logged;

	for (int i = 1; i <= LIBBPF_LOG_LINES + 40; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d\n", i);
	logged = LOGGED(say("%s", text));
	assert_null(strstr(logged, "debug: 40\n"));
	assert_ptr_equal(strstr(logged, "debug: 41\n"), strstr(logged, "debug: "));
	assert_non_null(strstr(logged, "debug: 100\n"));
}

/* Without -v too: what the verifier said last before its figures, and of which program. */
TEST(the_last_refusal_is_kept)
{
	log_set_level(LOG_INFO);
	libbpf_log();
	libbpf_set_print(print);
	assert_string_equal(libbpf_refusal(), "");
	warn("libbpf: prog '%s': -- BEGIN PROG LOAD LOG --\n%s-- END PROG LOAD LOG --\n", "on_tick",
	     "0: R1=ctx() R10=fp0\nR7 unbounded memory access\nverification time 3 usec\nstack depth 8\n"
	     "processed 12 insns (limit 1000000) max_states_per_insn 0\n");
	assert_string_equal(libbpf_refusal(), "on_tick: R7 unbounded memory access");
	warn("libbpf: prog 'on_tick': failed to load: -13\n");
	warn("-- BEGIN PROG LOAD LOG --\n");
	warn("prog 'none -- BEGIN PROG LOAD LOG --\n");
	assert_string_equal(libbpf_refusal(), "on_tick: R7 unbounded memory access");
	libbpf_log();
	libbpf_set_print(print);
	assert_string_equal(libbpf_refusal(), "");
	log_set_level(LOG_DEBUG);
}

AROUND_ALL(setup, NULL);
