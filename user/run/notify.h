/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * notify.h - tells a service manager how things are, by sd_notify(3)'s protocol: one datagram to
 * $NOTIFY_SOCKET. So little that libsystemd would be the larger part. Without a manager all of it does
 * nothing.
 */
#ifndef PYPERF_RUN_NOTIFY_H
#define PYPERF_RUN_NOTIFY_H

struct loop;

struct notify {
	int fd; /* connected; -1 = nobody asked */
	/* between two pings: half of what the manager allows; 0 = it does not watch */
	double watchdog_seconds;
	double next; /* ping, CLOCK_MONOTONIC */
};

/*
 * Reads the environment and clears it of this, so that no child speaks in our name. 0, or -errno of the
 * socket.
 */
int notify_open(struct notify *n);
void notify_close(struct notify *n);

void notify_ready(struct notify *n);
void notify_reloading(struct notify *n); /* notify_ready() when it is done */
void notify_stopping(struct notify *n);
/* A sign of life, if one is due. */
void notify_watchdog(struct notify *n);
/* Milliseconds until then, -1 = never. */
int notify_timeout_ms(const struct notify *n);
/* Adds the row that gives these signs. 0 or -errno of loop_watch(). */
int notify_watch(struct notify *n, struct loop *loop);

#endif
