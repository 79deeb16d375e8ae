// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_notify.c - what a service manager hears at its socket, that it is never waited for, and that without
 * one nothing happens.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/notify.h"
#include "tests/forge/test.h"

static struct notify notify;
static int manager = -1;
static char path[64];

static int setup(void **state)
{
	(void)state;
	notify = (struct notify){ .fd = -1 };
	snprintf(path, sizeof(path), "/tmp/pyperf-notify.%d", getpid());
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	notify_close(&notify);
	if (manager >= 0)
		close(manager);
	manager = -1;
	unlink(path);
	return 0;
}

/* Listens at that path, or name if it begins with '@', as systemd does, and has the environment say so. */
static void listen_at(const char *name)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t length = strlen(name);

	memcpy(a.sun_path, name, length);
	if (*name == '@')
		a.sun_path[0] = '\0';
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_true(manager >= 0);
	assert_int_equal(
		bind(manager, (struct sockaddr *)&a, offsetof(struct sockaddr_un, sun_path) + length), 0);
	setenv("NOTIFY_SOCKET", name, 1);
}

/* The next message, or "". */
static const char *heard(void)
{
	static char text[256];
	ssize_t n = recv(manager, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void say_everything(void)
{
	notify_ready(&notify);
	notify_reloading(&notify);
	notify_stopping(&notify);
	notify_watchdog(&notify);
}

TEST(nobody_asked)
{
	setenv("WATCHDOG_USEC", "1000000", 1);
	assert_int_equal(notify_open(&notify), 0);
	assert_int_equal(notify.fd, -1);
	say_everything();
	assert_int_equal(notify_timeout_ms(&notify), -1);
	notify_close(&notify);
}

TEST(says_how_things_are)
{
	const char *const names[] = { path, "@pyperf-notify-test" };
	unsigned long long before, said;

	for (int i = 0; i < 2; i++) {
		listen_at(names[i]);
		assert_int_equal(notify_open(&notify), 0);
		assert_true(fcntl(notify.fd, F_GETFD) & FD_CLOEXEC);
		notify_ready(&notify);
		assert_string_equal(heard(), "READY=1\nSTATUS=Sampling.");
		before = clock_ns() / 1000;
		notify_reloading(&notify);
		assert_int_equal(sscanf(heard(), "RELOADING=1\nMONOTONIC_USEC=%llu\nSTATUS=", &said), 1);
		assert_true(said >= before - 1 && said <= clock_ns() / 1000 + 1);
		notify_stopping(&notify);
		assert_string_equal(heard(), "STOPPING=1\nSTATUS=Writing what is left.");
		notify_watchdog(&notify); /* it does not watch */
		assert_string_equal(heard(), "");
		assert_int_equal(notify_timeout_ms(&notify), -1);
		notify_close(&notify);
		assert_int_equal(notify.fd, -1);
		close(manager);
	}
	manager = -1;
}

/* COMMAND and the worker must not speak in our name. */
TEST(children_inherit_nothing)
{
	listen_at(path);
	setenv("WATCHDOG_USEC", "1000000", 1);
	setenv("WATCHDOG_PID", "1", 1);
	assert_int_equal(notify_open(&notify), 0);
	assert_null(getenv("NOTIFY_SOCKET"));
	assert_null(getenv("WATCHDOG_USEC"));
	assert_null(getenv("WATCHDOG_PID"));
}

TEST(sockets_that_are_none)
{
	char longest[200];
	const struct {
		const char *name;
		int err;
	} cases[] = { { "", -EINVAL },
		      { "relative", -EINVAL },
		      { "vsock:2:1234", -EINVAL },
		      { longest, -EINVAL },
		      { "/nonexistent/socket", -ENOENT },
		      { "@pyperf-nobody-there", -ECONNREFUSED } };

	memset(longest, 'a', sizeof(longest) - 1);
	longest[0] = '/';
	longest[sizeof(longest) - 1] = '\0';
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setenv("NOTIFY_SOCKET", cases[i].name, 1);
		assert_int_equal(notify_open(&notify), cases[i].err);
		assert_int_equal(notify.fd, -1);
		assert_null(getenv("NOTIFY_SOCKET"));
		say_everything(); /* to nobody */
	}
}

/* Twice in the time that the manager allows. */
TEST(signs_of_life)
{
	char pid[16];

	listen_at(path);
	setenv("WATCHDOG_USEC", "20000000", 1);
	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv("WATCHDOG_PID", pid, 1);
	assert_int_equal(notify_open(&notify), 0);
	assert_true(notify.watchdog_seconds == 10);
	assert_int_equal(notify_timeout_ms(&notify), 0); /* the first one at once */
	notify_watchdog(&notify);
	assert_string_equal(heard(), "WATCHDOG=1");
	assert_in_range(notify_timeout_ms(&notify), 1, 10001);
	notify.next = clock_seconds() + 5;
	notify_watchdog(&notify);
	assert_string_equal(heard(), ""); /* not before its time */
	notify.next = clock_seconds();
	notify_watchdog(&notify);
	assert_string_equal(heard(), "WATCHDOG=1");
	assert_true(notify.next > clock_seconds());
	notify.watchdog_seconds = 7200;
	notify.next = clock_seconds() + 7200;
	assert_int_equal(notify_timeout_ms(&notify), 60000); /* an owner may look too early */
}

TEST(somebody_else_is_watched)
{
	listen_at(path);
	setenv("WATCHDOG_USEC", "20000000", 1);
	setenv("WATCHDOG_PID", "1", 1);
	assert_int_equal(notify_open(&notify), 0);
	assert_int_equal(notify_timeout_ms(&notify), -1);
	notify_watchdog(&notify);
	assert_string_equal(heard(), "");
}

/* Its queue is full, or it is gone: neither stops us, by waiting or by SIGPIPE. */
TEST(a_manager_that_does_not_listen)
{
	listen_at(path);
	assert_int_equal(notify_open(&notify), 0);
	for (int i = 0; i < 100000; i++)
		notify_ready(&notify);
	assert_string_equal(heard(), "READY=1\nSTATUS=Sampling.");
	close(manager);
	manager = -1;
	say_everything();
}

AROUND_EACH(setup, teardown);
ENDS_IN(60);
