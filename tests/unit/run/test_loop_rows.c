// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_loop_rows.c - the turns of a run's event loop over the real kernel side and a real worker: what a
 * signal means, what is read and when, and what happens once a second. Needs the right to load BPF.
 */
#include <errno.h>
#include <sys/socket.h>

#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"
#include "tests/forge/written.h"
#include "tests/forge/logged.h"

#include "base/clock.h"
#include "kern/banks.h"
#include "kern/records.h"
#include "run/agent.h"
#include "run/loop_rows.h"
#include "targets/registry.h"
#include "targets/verdicts.h"

static struct options options;
static struct agent agent;
static sigset_t before;
static const struct selection anybody;

static int setup_with(int interval_ms)
{
	options = (struct options){ 0 };
	agent = (struct agent){ .options = &options, .notify = { .fd = -1 } };
	sigprocmask(SIG_SETMASK, NULL, &before);
	return make_folder() ?: loop_open(&agent.loop, interval_ms) ?:
	       worker_start(&agent.worker, "/nonexistent") ?:
	       codes_new(&agent.codes, 0) ?: registry_new(&agent.registry);
}

/* A twentieth of a second stands for the second. */
static int setup(void **state)
{
	(void)state;
	return setup_with(50);
}

/* Nothing comes by itself but what is due. */
static int setup_without_seconds(void **state)
{
	(void)state;
	return setup_with(3600000);
}

static int teardown_all(void **state)
{
	command_release(&agent.command);
	continuous_close(agent.continuous);
	looks_free(agent.looks);
	symbols_free(agent.symbols);
	discover_free(agent.discover);
	worker_stop(agent.worker);
	registry_free(agent.registry);
	codes_free(agent.codes);
	loop_close(&agent.loop);
	options_free(&options);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return remove_folder() ?: teardown(state);
}

/* All that a turn is about, with the options of this command line. */
static void open_with(char **arguments)
{
	static char *kept[8];
	struct discover_parts parts = {
		.worker = agent.worker, .registry = agent.registry, .selection = &anybody,
	};
	struct symbols_parts symbols = { .codes = agent.codes, .registry = agent.registry };
	char error[256];
	int n = 0;

	for (; arguments[n]; n++)
		kept[n] = arguments[n];
	kept[n] = NULL;
	if (options_parse(&options, n, kept, error, sizeof(error)))
		fail_msg("%s", error);
	kernel = agent.kernel = parts.kernel = open_kernel(selected);
	assert_int_equal(discover_new(&agent.discover, &parts), 0);
	kernel_on_record(kernel, discover_record, agent.discover);
	symbols.kernel = kernel;
	symbols.discover = agent.discover;
	assert_int_equal(symbols_new(&agent.symbols, &symbols), 0);
	assert_int_equal(looks_new(&agent.looks, kernel, agent.registry, discover_questions(agent.discover),
				   symbols_captures(agent.symbols), NULL),
			 0);
	agent.windows = (struct windows){
		.inputs = {
			.tables = kernel_tables(kernel), .codes = agent.codes, .registry = agent.registry,
		},
		.events = EVENT_BIT(EVENT_CPU),
		.frequency = 199,
	};
	agent.generation = (struct generation){
		.codes = agent.codes,
		.registry = agent.registry,
		.discover = agent.discover,
		.windows = &agent.windows,
		.codes_bytes_max = 1 << 20,
	};
	assert_int_equal(loop_rows_open(&agent), 0);
}

#define OPEN(...) open_with((char *[]){ (char *)"pyperf-bpf", __VA_ARGS__, NULL })

static void turn(void)
{
	assert_int_equal(loop_turn(&agent.loop, -1), 0);
}

/* --- signals -------------------------------------------------------------------------------------------- */

static void end_by(int signal)
{
	OPEN("-a");
	assert_int_equal(loop_turn(&agent.loop, 0), 0);
	assert_false(agent.stop);
	kill(getpid(), signal);
	turn();
	assert_true(agent.stop);
	assert_int_equal(agent.exit_code, 0);
}

TEST(sigint_ends_it)
{
	end_by(SIGINT);
}

TEST(sigterm_ends_it)
{
	end_by(SIGTERM);
}

/* A terminal that was closed. */
TEST(sighup_ends_it_without_a_config_file)
{
	end_by(SIGHUP);
}

TEST(sighup_has_the_config_file_read_again)
{
	char config[128];
	FILE *f;

	snprintf(config, sizeof(config), "%s/config", folder);
	f = fopen(config, "we");
	assert_true(f && fputs("interval = 60\noutput-dir = /tmp\n", f) >= 0 && !fclose(f));
	OPEN("--config", config, "-a");
	kill(getpid(), SIGHUP);
	assert_non_null(strstr(LOGGED(turn()), "is read again"));
	assert_false(agent.stop);
}

TEST(other_children_may_end)
{
	pid_t pid;

	OPEN("-a");
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid); /* SIGCHLD waits to be read */
	turn();
	assert_false(agent.stop);
}

static void run_command(void)
{
	assert_int_equal(command_start(&agent.command, options.command, false), 0);
	assert_int_equal(command_go(&agent.command), 0);
}

TEST(ends_with_its_command)
{
	OPEN("--", "sh", "-c", "exit 3");
	run_command();
	while (!agent.stop)
		turn();
	assert_int_equal(agent.exit_code, 3);
}

/* A service manager's stop is for both. */
TEST(sigterm_is_passed_on)
{
	OPEN("--", "sleep", "1000");
	run_command();
	kill(getpid(), SIGTERM);
	while (!agent.stop)
		turn();
	assert_true(agent.hasty && agent.terminated > 0);
	assert_int_equal(agent.exit_code, 128 + SIGTERM);
}

/* Ctrl-C reaches it by itself. A second one does not wait for it. */
TEST(its_end_is_waited_for)
{
	OPEN("--", "sleep", "1000");
	run_command();
	kill(getpid(), SIGINT);
	turn();
	assert_true(agent.hasty);
	kill(getpid(), SIGINT); /* the same one, as timeout(1) sends it */
	agent.ends_since = clock_seconds();
	turn();
	assert_false(agent.stop);
	agent.ends_since -= 1;
	kill(getpid(), SIGINT);
	while (!agent.stop)
		turn();
	assert_int_equal(agent.exit_code, 0);
	command_signal(&agent.command, SIGKILL);
	while (!loop_rows_command_ended(&agent))
		usleep(1000);
	assert_int_equal(agent.exit_code, 128 + SIGKILL);
}

TEST(what_does_not_end_is_named)
{
	const char *said = "";

	OPEN("--", "sleep", "1000");
	run_command();
	kill(getpid(), SIGINT);
	while (!*said)
		said = LOGGED(turn());
	assert_non_null(strstr(said, "has not ended yet, and is profiled until it does: Ctrl-C once more"));
	assert_string_equal(LOGGED(turn()), "");
	assert_false(agent.stop);
	command_signal(&agent.command, SIGKILL);
	while (!agent.stop)
		turn();
}

/* When the time is up, or before it was let go, it is not waited for. */
TEST(nobody_waits_for_a_command_that_is_not_profiled)
{
	OPEN("--", "sleep", "1000");
	assert_int_equal(command_start(&agent.command, options.command, false), 0);
	kill(getpid(), SIGINT);
	turn();
	assert_true(agent.stop);
	agent.stop = false;
	assert_int_equal(command_go(&agent.command), 0);
	agent.windows.stop_ns = 1;
	kill(getpid(), SIGHUP);
	turn();
	assert_true(agent.stop);
	agent.stop = false;
	command_signal(&agent.command, SIGKILL);
	while (!agent.exit_code)
		turn();
	assert_false(agent.stop); /* there are names to wait for */
}

/* --- what is read --------------------------------------------------------------------------------------- */

TEST(the_workers_answers)
{
	struct record_process self;

	OPEN("-a");
	self = find_process(kernel, getpid());
	assert_int_equal(verdicts_ask(discover_verdicts(agent.discover), &self), 0);
	while (discover_pending(agent.discover))
		turn();
	assert_int_equal(verdicts_find(discover_verdicts(agent.discover), getpid()), PROCESS_NOT_PYTHON);
}

/* The record of a child does not wake the loop; it is read within the interval. */
TEST(the_kernel_sides_records)
{
	struct record_process self;
	struct process p = { .state = PROCESS_NO_LAYOUT };
	struct registry_entry e = { .pid = getpid(), .binary = "", .build_id = "", .layout = -1 };

	OPEN("-a");
	self = find_process(kernel, getpid());
	p.start_time = self.start_time;
	p.exec_id = self.exec_id;
	e.id = p.id = kernel_new_process_id(kernel);
	assert_int_equal(kernel_set_process(kernel, getpid(), &p), 0);
	assert_int_equal(registry_add(agent.registry, &e), 0);
	start(kernel);
	start_child();
	while (registry_held(agent.registry) < 2)
		turn();
	kernel_stop(kernel);
}

/* --- what is due ---------------------------------------------------------------------------------------- */

TEST(a_sign_of_life, .setup = setup_without_seconds, .teardown = teardown_all)
{
	char heard[64] = "";
	int manager[2];

	OPEN("-a");
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, manager), 0);
	agent.notify = (struct notify){ .fd = manager[0], .watchdog_seconds = 0.02 };
	for (int i = 0; i < 3; i++) {
		while (recv(manager[1], heard, sizeof(heard) - 1, 0) < 0)
			turn();
		assert_string_equal(heard, "WATCHDOG=1");
	}
	close(manager[0]);
	close(manager[1]);
}

TEST(a_line_for_people)
{
	const char *said = "";

	OPEN("-a");
	agent.progress.wanted = true;
	assert_string_equal(LOGGED(turn()), ""); /* it has not begun */
	agent.facts.start = clock_seconds() - 10;
	while (!*said)
		said = LOGGED(turn());
	assert_non_null(strstr(said, "0 processes"));
}

TEST(a_generation_of_the_tree)
{
	struct record_code c = { .type = RECORD_CODE, .code = CODE_FIRST };

	OPEN("-a");
	c.name = c.file = c.table = (struct code_part){ .flags = PART_FAULT };
	assert_int_equal(codes_add(agent.codes, &c, offsetof(struct record_code, data)), 0);
	agent.generation.codes_bytes_max = 1; /* full */
	assert_int_equal(loop_turn(&agent.loop, 0), 0);
	assert_int_equal(agent.generation.count, 0); /* not before the ticks have begun */
	agent.generation.kernel = kernel;
	while (!agent.generation.count)
		turn();
	assert_int_equal(codes_get_stats(agent.codes)->codes, 0);
}

TEST(an_interval, .setup = setup_without_seconds, .teardown = teardown_all)
{
	struct continuous_options c;

	OPEN("-a", "--output-dir", folder, "--interval", "0.1");
	c = settings_continuous(&options);
	LOGGED(assert_int_equal(continuous_open(&agent.continuous, &c, &agent.windows), 0));
	assert_int_equal(continuous_watch(agent.continuous, agent.discover, &agent.loop), 0);
	while (count_files(NULL) < 3)
		turn();
}

/* A loop that is full has no room for them. */
TEST(no_room)
{
	const struct loop_row row = { .fd = -1 };
	const char *said;
	int err;

	OPEN("-a");
	while (!loop_watch(&agent.loop, &row))
		;
	said = LOGGED(err = loop_rows_open(&agent));
	assert_int_equal(err, -ENOSPC);
	assert_non_null(strstr(said, "error: the event loop cannot be set up"));
}

static int begin(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	(void)state;
	alarm(120);
	/* Whoever starts this in the background may ignore them, and then so would the loop. */
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_DFL);
	return 0;
}

AROUND_EACH(setup, teardown_all);
AROUND_ALL(begin, NULL);
