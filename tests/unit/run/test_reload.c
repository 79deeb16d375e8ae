// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_reload.c - SIGHUP's work on a continuous run over forged tables: what can change does, what cannot is
 * named, and a file with an error changes nothing. A service manager hears of it each time.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "tests/forge/test.h"
#include "tests/forge/windows.h"
#include "tests/forge/written.h"
#include "tests/forge/logged.h"

#include "run/agent.h"
#include "run/reload.h"

static struct options options;
static struct agent agent;
static int manager[2] = { -1, -1 };
static char config[128], first[128], second[128]; /* paths: of the file, and of two folders */
static char *arguments[] = { (char *)"pyperf-bpf", (char *)"--config", config, (char *)"-a", NULL };

static void write_config(const char *text)
{
	FILE *f = fopen(config, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static const char *with_folder(const char *path, const char *more)
{
	static char text[512];

	snprintf(text, sizeof(text), "output-dir = %s\n%s", path, more);
	return text;
}

static int setup_reload(void **state)
{
	struct continuous_options o;
	char error[256];

	agent = (struct agent){ .options = &options };
	if (setup_windows(state) || make_folder() ||
	    socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, manager))
		return -1;
	agent.notify.fd = manager[0];
	snprintf(config, sizeof(config), "%s/config", folder);
	snprintf(first, sizeof(first), "%s/first", folder);
	snprintf(second, sizeof(second), "%s/second", folder);
	write_config(with_folder(first, "interval = 1000\n"));
	if (mkdir(first, 0700) || mkdir(second, 0700) ||
	    options_parse(&options, 4, arguments, error, sizeof(error)))
		return -1;
	log_set_level(options_log_level(&options));
	o = settings_continuous(&options);
	LOGGED(assert_int_equal(continuous_open(&agent.continuous, &o, &all), 0));
	grow_tree();
	return 0;
}

static int teardown_reload(void **state)
{
	continuous_close(agent.continuous);
	options_free(&options);
	close(manager[0]);
	close(manager[1]);
	log_set_level(LOG_INFO);
	return remove_folder() ?: teardown_windows(state);
}

/* The next message to the service manager, or "". */
static const char *heard(void)
{
	static char text[256];
	ssize_t n = recv(manager[1], text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* What is said. */
static const char *reload_with(const char *text)
{
	const char *said;

	write_config(text);
	said = LOGGED(reload(&agent));
	assert_memory_equal(heard(), "RELOADING=1\n", 12);
	assert_memory_equal(heard(), "READY=1\n", 8);
	assert_string_equal(heard(), "");
	return said;
}

/* Ends an interval, and counts the files in that folder then. */
static int files_after_an_interval(const char *path)
{
	struct harvest_stats sum;
	char top[sizeof(folder)];
	int files;

	nodes[27].count++;
	LOGGED(assert_int_equal(continuous_finish(agent.continuous, 60, &sum), 0));
	strcpy(top, folder);
	strcpy(folder, path);
	files = count_files(NULL);
	strcpy(folder, top);
	return files;
}

TEST(profiles_go_elsewhere)
{
	char expected[256];

	snprintf(expected, sizeof(expected), "pyperf-bpf: %s is read again\n", config);
	assert_string_equal(reload_with(with_folder(second, "interval = 1000\n")), expected);
	assert_int_equal(files_after_an_interval(second), 1);
}

TEST(an_interval_becomes_shorter)
{
	reload_with(with_folder(first, "interval = 0.1\n"));
	usleep(110000);
	assert_true(continuous_ends(agent.continuous));
}

/* What must be there before the kernel side is loaded. */
TEST(what_only_a_restart_changes)
{
	const char *said =
		reload_with(with_folder(first, "interval = 1000\nmax-depth = 50\npod-logs = /x\n"));

	assert_non_null(strstr(said, "warning: "));
	assert_non_null(strstr(said, ": only a restart changes "));
	assert_non_null(strstr(said, "max-depth"));
	assert_non_null(strstr(said, "pod-logs"));
	assert_int_equal(options.max_depth, 1024);
}

TEST(how_much_is_said)
{
	assert_int_equal(log_get_level(), LOG_INFO);
	reload_with(with_folder(first, "verbose = yes\n"));
	assert_int_equal(log_get_level(), LOG_DEBUG);
	assert_string_equal(reload_with(with_folder(first, "quiet = yes\n")), "");
	assert_int_equal(log_get_level(), LOG_ERROR);
}

TEST(a_file_with_an_error)
{
	const char *said;

	said = reload_with(with_folder(second, "interval = soon\n"));
	assert_non_null(strstr(said, "error: "));
	assert_non_null(strstr(said, "'soon'"));
	assert_non_null(strstr(said, "; nothing is changed\n"));
	assert_string_equal(options.output_dir, first);
	assert_int_equal(unlink(config), 0);
	said = LOGGED(reload(&agent));
	assert_non_null(strstr(said, "; nothing is changed\n"));
	assert_int_equal(files_after_an_interval(first), 1);
}

/* A run without intervals, such as with --listen alone, has none to change. */
TEST(without_intervals)
{
	continuous_close(TAKE_PTR(agent.continuous));
	assert_non_null(strstr(reload_with(with_folder(first, "interval = 1000\n")), "is read again"));
}

/* By its text, by another file under its name, and by none at all: each time once. */
TEST(a_file_that_is_watched)
{
	char other[160];

	LOGGED(reload_if_changed(&agent));
	assert_string_equal(logged_text, ""); /* nobody has asked for that */
	options.watch_config = true;
	reload_begin(&agent);
	LOGGED(reload_if_changed(&agent));
	assert_string_equal(logged_text, "");
	write_config(with_folder(second, "interval = 1000\n"));
	LOGGED(reload_if_changed(&agent));
	assert_non_null(strstr(logged_text, "is read again"));
	assert_string_equal(options.output_dir, second);
	options.watch_config = true; /* which the file has not */
	LOGGED(reload_if_changed(&agent));
	assert_string_equal(logged_text, "");
	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(rename(config, other), 0);
	LOGGED(reload_if_changed(&agent));
	assert_non_null(strstr(logged_text, "nothing is changed"));
	LOGGED(reload_if_changed(&agent));
	assert_string_equal(logged_text, "");
	assert_int_equal(symlink(other, config), 0);
	LOGGED(reload_if_changed(&agent));
	assert_non_null(strstr(logged_text, "is read again"));
}

AROUND_EACH(setup_reload, teardown_reload);
ENDS_IN(60);
