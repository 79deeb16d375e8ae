// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_source_request.c - clients that ask for the text of a function of a real interpreter, which a real
 * worker reads. What has been counted is forged: the test says which function was met, and where.
 */
#include "tests/forge/test.h"
#include "tests/unit/http/waiting_client.h"
#include "tests/unit/targets/discovering.h"

#include <sys/eventfd.h>
#include <sys/stat.h>

#include "http/history.h"
#include "http/source_request.h"
#include "profile/profile.h"
#include "proc/source_text.h"

static struct source_requests all;
static struct history history;
static enum health health;
static bool worker_is_heard;
static char folder[] = "/tmp/pyperf-source.XXXXXX", file[64];

static enum MHD_Result begin_request(const struct client *c, struct suspended **ret)
{
	return source_request_begin(&all, health, c, ret);
}

/* Whether MHD is to be run, as the event loop learns it. */
static int told;

static void run_all(void)
{
	struct pollfd p = { .fd = all.eventfd, .events = POLLIN };
	eventfd_t count;

	if (worker_is_heard) {
		worker_check_deadline(worker);
		discover_replies(discover);
	}
	told += poll(&p, 1, 0) == 1;
	eventfd_read(all.eventfd, &count);
	assert_int_equal(poll(&p, 1, 0), 0);
	run_daemon();
}

static void write_file(const char *text)
{
	_cleanup_close_ int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static int setup_requests(void **state)
{
	int err;

	source_text_allow(); /* before the worker is forked */
	err = open_parts(state);

	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/app.py", folder);
	write_file("import os\ndef f(x):\n\treturn 1\n\n# secret\n");
	health = HEALTH_SAMPLING;
	worker_is_heard = true;
	counts = (struct answer_counts){ 0 };
	told = 0;
	all = (struct source_requests){ .eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
					.is_given = true, .registry = registry, .history = &history };
	start_server(wait_or_answer, begin_request, waiting_completed);
	let_server_work = run_all;
	return err;
}

static int teardown_requests(void **state)
{
	source_requests_finish(&all);
	assert_null(all.first);
	stop_server();
	close(all.eventfd);
	history_clear(&history);
	unlink(file);
	rmdir(folder);
	return teardown(state);
}

/* An interval in which f was met at line 3, in stacks of this process. */
static void add_interval(__u32 pid)
{
	const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	const struct profile_labels labels = { .pid = pid };
	__u32 function, location;
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", file, 2, &function), 0);
	assert_int_equal(profile_location(p, function, 3, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, 1), 0);
	assert_int_equal(history_add(&history, p, 1 + history.count), 0);
}

/* Opens the rest, or skips the test. The pid of an interpreter in whose stacks f was met. */
static __u32 begin_with_interpreter(void)
{
	__u32 pid;

	begin();
	all.discover = discover;
	pid = start_interpreter();
	add_interval(pid);
	return pid;
}

static const char *request(__u32 pid, const char *name, const char *rest)
{
	static char text[512];

	snprintf(text, sizeof(text), REQUEST_TO("GET", "/s?pid=%u&name=%s&file=%s&line=2&%s", "localhost"),
		 pid, name, file, rest);
	return text;
}

static void expect(const char *answer, int status, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	assert_string_equal(body_of(answer), text);
	assert_int_equal(status_of(answer), status);
}

/* From where it begins to the last line that was counted, whatever is asked for. */
TEST(text_of_a_function)
{
	__u32 pid = begin_with_interpreter();
	const char *a = ask(request(pid, "f", "from=1&to=99"));

	expect(a, 200,
	       "{\"schema\":\"pyperf-bpf.source/1\",\"pid\":%u,\"file\":\"%s\",\"from\":2,"
	       "\"lines\":[\"def f(x):\",\"\\u0009return 1\"]}\n",
	       pid, file);
	assert_true(has_header(a, "Content-Type: application/json"));
	assert_int_equal(told, 1);
	assert_non_null(
		strstr(ask(request(pid, "f", "from=3&to=3")), "\"from\":3,\"lines\":[\"\\u0009return 1\"]"));
	expect(ask(request(pid, "f", "from=4&to=5")), 404,
	       "only lines from 2 to 3 are given: nothing was counted behind them\n");
	expect(ask(request(pid, "f", "from=1&to=1")), 404,
	       "only lines from 2 to 3 are given: nothing was counted behind them\n");
}

TEST(text_that_is_hostile)
{
	__u32 pid;

	write_file("\ndef f(x): # </script>\n\"\xe2\x80\xae\x1b[2J\xff\n");
	pid = begin_with_interpreter();
	assert_non_null(strstr(ask(request(pid, "f", "from=2&to=3")),
			       "[\"def f(x): # </script>\",\"\\\"\\u202e\\u001b[2J\\ufffd\"]}\n"));
}

TEST(what_is_not_given)
{
	static const char rest[] = "from=2&to=3";
	__u32 pid = begin_with_interpreter();

	expect(ask(request(pid, "g", rest)), 404,
	       "no interval that is kept has this function in stacks of process %u\n", pid);
	expect(ask(request(pid + 1, "f", rest)), 404,
	       "no interval that is kept has this function in stacks of process %u\n", pid + 1);
	assert_int_equal(status_of(ask(request(pid, "f", "from=3"))), 400);
	all.is_given = false;
	expect(ask(request(pid, "f", rest)), 404, "source is given only with --listen-source\n");
	all.is_given = true;
	health = HEALTH_ENDING;
	assert_int_equal(status_of(ask(request(pid, "f", rest))), 503);
	health = HEALTH_SAMPLING;
	history_clear(&history);
	expect(ask(request(pid, "f", rest)), 404,
	       "no interval that is kept has this function in stacks of process %u\n", pid);
}

TEST(files_that_are_others_by_now)
{
	static const char rest[] = "from=2&to=3";
	__u32 pid = begin_with_interpreter();
	char other[96];

	usleep(100000); /* more than the slack of a start */
	write_file("\n@decorated\n\tpass\n");
	expect(ask(request(pid, "f", rest)), 404,
	       "%s was changed, or put there, after process %u began: what ran may have been another text\n",
	       file, pid);
	write_file("\ndef g(x):\n\treturn f\n");
	expect(ask(request(pid, "f", rest)), 404, "%s was changed: the function is not where it was\n", file);
	write_file("def f(x): pass\n");
	expect(ask(request(pid, "f", rest)), 404, "%s was changed: the function is not where it was\n", file);
	write_file("\ndef f(x):\n");
	assert_int_equal(truncate(file, 20), 0); /* the rest of it is NULs */
	expect(ask(request(pid, "f", "from=3&to=3")), 404, "%s is no text\n", file);
	assert_int_equal(truncate(file, 1 << 30), 0);
	expect(ask(request(pid, "f", "from=3&to=3")), 404,
	       "%s is not read: the lines are not in its first 4 MiB\n", file);
	unlink(file);
	expect(ask(request(pid, "f", rest)), 404, "process %u has no file %s any more\n", pid, file);
	snprintf(other, sizeof(other), "%s is not read: ", file);
	assert_int_equal(mkfifo(file, 0644), 0);
	assert_memory_equal(body_of(ask(request(pid, "f", rest))), other, strlen(other));
	unlink(file);
	assert_int_equal(symlink("/etc/shadow", file), 0);
	assert_int_equal(status_of(ask(request(pid, "f", rest))), 403);
}

/* Whatever its times say: f was met at line 3. */
TEST(lines_that_cannot_have_run)
{
	static const char *const texts[] = {
		"\ndef f(x):\n\n\treturn 1\n", "\ndef f(x):\n\t# later\n", "\ndef f(x):\n",
	};
	__u32 pid;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		write_file(texts[i]);
		pid = i ? start_interpreter() : begin_with_interpreter();
		if (i)
			add_interval(pid);
		expect(ask(request(pid, "f", "from=2&to=3")), 404,
		       "%s was changed: line 3, which was counted, has nothing that can run\n", file);
	}
}

TEST(who_has_ended)
{
	static const char rest[] = "from=2&to=3";
	__u32 pid = begin_with_interpreter();

	end_child(pid); /* which the registry is not told */
	expect(ask(request(pid, "f", rest)), 404, "process %u has ended: its files cannot be read\n", pid);
	forget_all();
	expect(ask(request(pid, "f", rest)), 404, "process %u has ended: its files cannot be read\n", pid);
}

TEST(as_many_as_may_wait)
{
	__u32 pid = begin_with_interpreter();
	const char *text = request(pid, "f", "from=2&to=3");
	int fds[SOURCE_WAITING_MAX], refused;
	int n = 0;

	worker_is_heard = false;
	while (n < SOURCE_OF_ONE)
		fds[n++] = waiting_from(INADDR_LOOPBACK, text);
	expect(ask(text), 503, "as many requests for source wait as there may be\n");
	while (n < SOURCE_WAITING_MAX)
		fds[n++] = waiting_from(INADDR_LOOPBACK + 1, text);
	refused = connect_client_from(INADDR_LOOPBACK + 2);
	say(refused, text);
	assert_int_equal(status_of(hear(refused)), 503);
	worker_is_heard = true;
	while (n-- > 0)
		assert_int_equal(status_of(hear(fds[n])), 200);
	assert_null(all.first);
}

/* Nobody waits for a worker that is not heard any more. */
TEST(at_the_end)
{
	__u32 pid = begin_with_interpreter();
	int fds[2];

	worker_is_heard = false;
	for (int i = 0; i < 2; i++)
		fds[i] = waiting_from(INADDR_LOOPBACK, request(pid, "f", "from=2&to=3"));
	source_requests_finish(&all);
	for (int i = 0; i < 2; i++)
		expect(hear(fds[i]), 503, "not sampling any more\n");
	worker_is_heard = true;
	take_replies(); /* the answers come all the same, and nobody gets them */
}

TEST(a_worker_that_hangs)
{
	__u32 pid = begin_with_interpreter();

	assert_int_equal(kill(worker_pid(worker), SIGSTOP), 0);
	expect(ask(request(pid, "f", "from=2&to=3")), 503, "%s took too long to read\n", file);
	assert_int_equal(status_of(ask(request(pid, "f", "from=2&to=3"))), 200);
}

AROUND_EACH(setup_requests, teardown_requests);
AROUND_ALL(NULL, close_kernel);
