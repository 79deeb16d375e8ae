/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hosts.h - what a client may call this machine. Whoever has a name of his own on the web can have it stand
 * for an address of this machine, and a page of that name would then be one of ours to a browser
 * (DNS rebinding). The browser still says in the header Host which name it went by, and here are those that
 * nobody else can give away.
 */
#ifndef PYPERF_HTTP_HOSTS_H
#define PYPERF_HTTP_HOSTS_H

#include <stdbool.h>

#include "base/buf.h"

/* All zero: no name but localhost. */
struct hosts {
	struct buf names; /* each with its NUL */
};

/* Whether these are names of hosts with commas between: 0 or -EINVAL. */
int hosts_check(const char *listed);
/*
 * The names that this machine has for itself: that of the kernel, and those that /etc/hosts has beside it;
 * and those that are listed, with commas between, NULL = none. 0 or -errno, then it is empty.
 */
int hosts_open(struct hosts *h, const char *listed);
void hosts_close(struct hosts *h);
/*
 * Of the text of /etc/hosts, which is taken to pieces, all names of each line that has our own:
 * "10.1.2.3 web1.example.com web1 # here". 0 or -ENOMEM.
 */
int hosts_add_beside(struct hosts *h, const char *own, char *text);
/* Whether a header Host has an IP address, localhost, or one of the names. */
bool hosts_has(const struct hosts *h, const char *header);

#endif
