// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_log.c - one line a message: levels, prefixes, foreign bytes, the longest message, and a terminal whose
 * progress line is overwritten.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "tests/forge/logged.h"
#include "tests/forge/test.h"

static int setup(void **state)
{
	(void)state;
	log_set_level(LOG_INFO);
	return 0;
}

TEST(prefixes)
{
	log_set_level(LOG_DEBUG);
	assert_string_equal(LOGGED(log_error("%d of %s", 3, "four")), "pyperf-bpf: error: 3 of four\n");
	assert_string_equal(LOGGED(log_warning("w")), "pyperf-bpf: warning: w\n");
	assert_string_equal(LOGGED(log_info("i")), "pyperf-bpf: i\n");
	assert_string_equal(LOGGED(log_debug("d")), "pyperf-bpf: debug: d\n");
	assert_string_equal(LOGGED(log_info("%s", "")), "pyperf-bpf: \n");
}

TEST(levels)
{
	assert_int_equal(log_get_level(), LOG_INFO);
	for (int level = LOG_ERROR; level <= LOG_DEBUG; level++) {
		log_set_level(level);
		assert_int_equal(log_get_level(), level);
		for (int message = LOG_ERROR; message <= LOG_DEBUG; message++)
			assert_int_equal(!!*LOGGED(log_write(message, "x")), message <= level);
	}
}

TEST(a_failure_and_a_lack)
{
	assert_string_equal(LOGGED(assert_int_equal(log_failure(0, "x") + log_lack(0, "x"), 0)), "");
	assert_string_equal(LOGGED(assert_int_equal(log_failure(-ENOENT, "x"), -ENOENT)),
			    "pyperf-bpf: error: x: No such file or directory\n");
	assert_string_equal(LOGGED(assert_int_equal(log_lack(-EPERM, "x"), -EPERM)),
			    "pyperf-bpf: error: x: Operation not permitted; pyperf-bpf doctor says more\n");
}

TEST(foreign_bytes_make_no_line)
{
	char all[256];
	const char *line;

	assert_string_equal(LOGGED(log_info("%s", "a\npyperf-bpf: error: forged")),
			    "pyperf-bpf: a?pyperf-bpf: error: forged\n");
	assert_string_equal(LOGGED(log_info("%s", "\033[2J\r\t\x7f")), "pyperf-bpf: ?[2J???\n");
	assert_string_equal(LOGGED(log_info("%s", "na\xc3\xafve \xe2\x82\xac")),
			    "pyperf-bpf: na\xc3\xafve \xe2\x82\xac\n");
	for (int i = 0; i < 255; i++)
		all[i] = i + 1;
	all[255] = '\0';
	line = LOGGED(log_info("%s", all));
	assert_int_equal(strlen(line), strlen("pyperf-bpf: ") + 255 + 1);
	for (; line[1]; line++)
		assert_true((unsigned char)*line >= ' ' && *line != 0x7f);
	assert_int_equal(*line, '\n');
	/* What terminals take for controls or new lines, and what turns text around; and their neighbours. */
	assert_string_equal(LOGGED(log_info("%s", "\xc2\x80|\xc2\x85|\xc2\x9b"
						  "2J|\xc2\x9f|\xc2\xa0")),
			    "pyperf-bpf: ?|?|?2J|?|\xc2\xa0\n");
	assert_string_equal(LOGGED(log_info("%s", "\xe2\x80\xa8|\xe2\x80\xa9|"
						  "\xe2\x80\xaa|\xe2\x80\xae|\xe2\x80\xaf")),
			    "pyperf-bpf: ?|?|?|?|\xe2\x80\xaf\n");
	assert_string_equal(LOGGED(log_info("%s", "\xe2\x81\xa5|\xe2\x81\xa6|\xe2\x81\xa9|\xe2\x81\xaa")),
			    "pyperf-bpf: \xe2\x81\xa5|?|?|\xe2\x81\xaa\n");
	assert_string_equal(LOGGED(log_info("%s", "\xd8\x9b|\xd8\x9c|"
						  "\xe2\x80\x8d|\xe2\x80\x8e|\xe2\x80\x8f|\xe2\x80\x90")),
			    "pyperf-bpf: \xd8\x9b|?|\xe2\x80\x8d|?|?|\xe2\x80\x90\n");
	/* A sequence that the limit of a line has cut, or that never was one. */
	assert_string_equal(LOGGED(log_info("%s", "a\xe2\x82|\xff")), "pyperf-bpf: a??|?\n");
	/* A format in a foreign string is text. */
	assert_string_equal(LOGGED(log_info("%s", "%s%n%d")), "pyperf-bpf: %s%n%d\n");
}

TEST(cut_at_one_kib)
{
	static char huge[100000];
	const char *line;

	memset(huge, 'x', sizeof(huge) - 1);
	line = LOGGED(log_error("%s", huge));
	assert_int_equal(strlen(line), strlen("pyperf-bpf: error: ") + 1023 + 1);
	assert_int_equal(line[strlen(line) - 1], '\n');
	line = LOGGED(log_error("%.1023s", huge));
	assert_int_equal(strlen(line), strlen("pyperf-bpf: error: ") + 1023 + 1);
	line = LOGGED(log_error("%.1022s", huge));
	assert_int_equal(strlen(line), strlen("pyperf-bpf: error: ") + 1022 + 1);
}

TEST(a_terminal_loses_its_progress_line)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), terminal = -1;

	if (master >= 0 && !grantpt(master) && !unlockpt(master))
		terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (terminal < 0) {
		print_message("SKIP: no pseudo-terminal here (%s)\n", strerror(errno));
		skip();
	}
	logged_begin(terminal);
	log_info("x");
	assert_string_equal(logged_end(master), "\r\033[Kpyperf-bpf: x\r\n");
}

AROUND_EACH(setup, NULL);
