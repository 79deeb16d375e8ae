// SPDX-License-Identifier: GPL-2.0-only
#include "run/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/loop.h"

/* A path, or with '@' a name in the abstract namespace. */
static int connect_to(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	_cleanup_close_ int fd = -1;
	size_t length = strlen(name);

	if ((*name != '/' && *name != '@') || length >= sizeof(address.sun_path))
		return -EINVAL;
	memcpy(address.sun_path, name, length);
	if (*name == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 ||
	    connect(fd, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path) + length))
		return -errno;
	return TAKE_FD(fd);
}

/* $WATCHDOG_PID says whom it is for, if it is there. */
static double watchdog_seconds(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");

	if (!usec || (pid && strtoll(pid, NULL, 10) != getpid()))
		return 0;
	return strtoull(usec, NULL, 10) / 2e6;
}

int notify_open(struct notify *n)
{
	const char *name = getenv("NOTIFY_SOCKET");
	int fd = name ? connect_to(name) : -1;

	*n = (struct notify){ .fd = -1 };
	if (name && fd >= 0) {
		n->fd = fd;
		n->watchdog_seconds = watchdog_seconds();
	}
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	return name && fd < 0 ? fd : 0;
}

void notify_close(struct notify *n)
{
	if (n->fd >= 0)
		close(TAKE_FD(n->fd));
}

/* A manager that does not read is not waited for: the next message says the same. */
static void tell_manager(struct notify *n, const char *text)
{
	if (n->fd >= 0)
		send(n->fd, text, strlen(text), MSG_NOSIGNAL);
}

void notify_ready(struct notify *n)
{
	tell_manager(n, "READY=1\nSTATUS=Sampling.");
}

void notify_reloading(struct notify *n)
{
	char text[96];

	snprintf(text, sizeof(text),
		 "RELOADING=1\nMONOTONIC_USEC=%llu\nSTATUS=Reading the configuration again.",
		 (unsigned long long)(clock_seconds() * 1e6));
	tell_manager(n, text);
}

void notify_stopping(struct notify *n)
{
	tell_manager(n, "STOPPING=1\nSTATUS=Writing what is left.");
}

void notify_watchdog(struct notify *n)
{
	double now = clock_seconds();

	if (n->fd < 0 || !(n->watchdog_seconds > 0) || now < n->next)
		return;
	n->next = now + n->watchdog_seconds;
	tell_manager(n, "WATCHDOG=1");
}

int notify_timeout_ms(const struct notify *n)
{
	double left;

	if (n->fd < 0 || !(n->watchdog_seconds > 0))
		return -1;
	left = n->next - clock_seconds();
	return left <= 0 ? 0 : left < 60 ? (int)(left * 1e3) + 1 : 60000;
}

static int due_ms(void *notify)
{
	return notify_timeout_ms(notify);
}

static void on_turn(void *notify, unsigned int ready)
{
	(void)ready;
	notify_watchdog(notify);
}

int notify_watch(struct notify *n, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, due_ms, on_turn, n });
}
